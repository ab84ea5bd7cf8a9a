//! Who reaches whom, by what the WireGuard files promise: a hub, two machines behind NAT, two with endpoints.
//!
//! The kernel these tests were written on has no WireGuard, so the packets are walked through the files instead: a
//! packet leaves by the peer whose `AllowedIPs` hold its target, is accepted where its source is in the `AllowedIPs` of
//! that sender, and goes on only over a machine that forwards.

use std::collections::BTreeMap;

use super::record;
use ccm_core::roster::wireguard::Network;

const MESH: &str = "\
suffix: mesh.example
machines:
  hub:   {address: 10.20.0.1, wireguard: {public_key: KEY0, endpoint: \"hub.example:51820\", listen_port: 51820, hub: true}}
  open:  {address: 10.20.0.9, wireguard: {public_key: KEY1, endpoint: \"[2001:db8::9]:51821\", listen_port: 51821}}
  attic: {address: 10.20.0.17, wireguard: {public_key: KEY2, nat: true}}
  boat:  {address: \"fd20::5\", wireguard: {public_key: KEY3, nat: true}}
  shelf: {address: 10.20.0.30}
  spare: {wireguard: {public_key: KEY4}}
";

fn text(mesh: &str) -> String {
    (0..9).fold(mesh.to_owned(), |text, at| text.replace(&format!("KEY{at}"), &format!("{}{at}=", "K".repeat(42))))
}

#[derive(Default, Debug)]
struct Node {
    address: String,
    key: String,
    forwards: bool,
    /// Key and what is allowed.
    peers: Vec<(String, Vec<String>)>,
}

fn nodes(mesh: &str) -> BTreeMap<String, Node> {
    let record = record(&text(mesh));
    let network = Network::of(&record);
    let mut nodes = BTreeMap::new();
    for machine in &record.machines {
        let Some(file) = network.file(&machine.name) else { continue };
        let mut node = Node { key: machine.wireguard.as_ref().unwrap().public_key.to_string(), ..Node::default() };
        for line in file.lines() {
            match line.split_once(" = ") {
                Some(("Address", address)) => node.address = address.to_owned(),
                Some(("PublicKey", key)) => node.peers.push((key.to_owned(), Vec::new())),
                Some(("AllowedIPs", list)) => {
                    node.peers.last_mut().unwrap().1 = list.split(", ").map(str::to_owned).collect()
                }
                Some(("PostUp", command)) => node.forwards |= command.contains("forward"),
                _ => {}
            }
        }
        nodes.insert(machine.name.to_string(), node);
    }
    nodes
}

fn reaches(nodes: &BTreeMap<String, Node>, from: &str, to: &str) -> bool {
    let (source, target) = (&nodes[from].address, &nodes[to].address);
    let mut at = &nodes[from];
    for _ in 0..nodes.len() {
        let Some((key, _)) = at.peers.iter().find(|(_, allowed)| allowed.contains(target)) else { return false };
        let next = nodes.values().find(|node| node.key == *key).unwrap();
        let accepted = next.peers.iter().any(|(key, allowed)| *key == at.key && allowed.contains(source));
        if !accepted {
            return false;
        }
        if next.address == *target {
            return true;
        }
        if !next.forwards {
            return false;
        }
        at = next;
    }
    false
}

#[test]
fn everybody_reaches_everybody() {
    let nodes = nodes(MESH);
    assert_eq!(nodes.keys().collect::<Vec<_>>(), ["attic", "boat", "hub", "open"]);
    for from in nodes.keys() {
        for to in nodes.keys().filter(|to| *to != from) {
            assert!(reaches(&nodes, from, to), "{from} to {to}");
        }
    }
}

#[test]
fn the_file_of_a_machine_behind_nat_is_this() {
    let record = record(&text(MESH));
    let key = |at: u8| format!("{}{at}=", "K".repeat(42));
    let wanted = format!(
        "[Interface]\nAddress = 10.20.0.17/32\nPostUp = wg set %i private-key /etc/wireguard/mesh0.key\n\n\
         # hub\n[Peer]\nPublicKey = {}\nAllowedIPs = 10.20.0.1/32, fd20::5/128\nEndpoint = hub.example:51820\nPersistentKeepalive = 25\n\n\
         # open\n[Peer]\nPublicKey = {}\nAllowedIPs = 10.20.0.9/32\nEndpoint = [2001:db8::9]:51821\nPersistentKeepalive = 25\n",
        key(0),
        key(1)
    );
    assert_eq!(Network::of(&record).file("attic").unwrap(), wanted);
    let hub = Network::of(&record).file("hub").unwrap();
    assert!(hub.starts_with(
        "[Interface]\nAddress = 10.20.0.1/32\nListenPort = 51820\nPostUp = wg set %i private-key /etc/wireguard/mesh0.key\n\
         PostUp = sysctl -q -w net.ipv4.ip_forward=1\nPostUp = sysctl -q -w net.ipv6.conf.all.forwarding=1\n"
    ));
    assert_eq!(Network::of(&record).file("shelf"), None);
    assert_eq!(Network::of(&record).file("spare"), None);
}

#[test]
fn two_that_nothing_joins_are_named() {
    let mesh = MESH.replace(", hub: true", "");
    let record = record(&text(&mesh));
    let warnings = Network::of(&record).unreachable();
    assert_eq!(warnings, ["attic and boat have no path: neither has an endpoint, and there is no hub that both reach"]);
    assert!(!reaches(&nodes(&mesh), "attic", "boat") && reaches(&nodes(&mesh), "attic", "open"));
}

#[test]
fn of_two_hubs_the_first_in_name_order_carries() {
    let mesh = MESH.replace("listen_port: 51821}", "listen_port: 51821, hub: true}").replace("  hub: ", "  zhub:");
    let nodes = nodes(&mesh);
    let carrier = nodes["attic"].peers.iter().find(|(_, allowed)| allowed.len() > 1).unwrap();
    assert_eq!(carrier.0, nodes["open"].key);
    assert!(reaches(&nodes, "attic", "boat") && reaches(&nodes, "boat", "attic"));
}
