//! The WireGuard file of a machine: computed, since it carries the topology and must be up before any module
//! can be delivered.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::net::IpAddr;

use super::record::{Address, Machine, Record, Wireguard};

/// The file.
pub const PATH: &str = "/etc/wireguard/mesh0.conf";
/// Where each machine keeps its private key, which no record ever holds.
pub const KEY: &str = "/etc/wireguard/mesh0.key";
/// The resource's other name, as a fact's is `MODULE/FACT`.
pub const ALIAS: &str = "mesh/wireguard";

/// So many pairs without a path are named.
const TOLD: usize = 200;

/// Who can talk to whom, worked out once for the whole mesh.
#[derive(Debug)]
pub struct Network<'r> {
    /// Placed machines with a `wireguard` entry, in name order.
    members: Vec<Member<'r>>,
    /// The hub that carries between machines that are no peers. Neither of such two has an endpoint, so both reach
    /// exactly the hubs that have one, and the first of these is theirs, whoever they are.
    carrier: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Member<'r> {
    machine: &'r Machine,
    address: &'r Address,
    wireguard: &'r Wireguard,
}

impl<'r> Network<'r> {
    /// The network of a record.
    #[must_use]
    pub fn of(record: &'r Record) -> Self {
        let member = |machine: &'r Machine| {
            Some(Member { machine, address: machine.address.as_ref()?, wireguard: machine.wireguard.as_ref()? })
        };
        let members: Vec<Member<'r>> = record.machines.iter().filter_map(member).collect();
        let carrier = members.iter().position(|member| member.wireguard.hub && member.wireguard.endpoint.is_some());
        Self { members, carrier }
    }

    /// Two machines are peers if one can call the other.
    fn are_peers(&self, a: usize, b: usize) -> bool {
        a != b && (self.is_open(a) || self.is_open(b))
    }

    fn is_open(&self, at: usize) -> bool {
        self.members.get(at).is_some_and(|member| member.wireguard.endpoint.is_some())
    }

    /// Pairs without a path between them, as sentences; of very many only the first are told.
    #[must_use]
    pub fn unreachable(&self) -> Vec<String> {
        if self.carrier.is_some() {
            return Vec::new();
        }
        let closed: Vec<&str> =
            self.members.iter().filter(|m| m.wireguard.endpoint.is_none()).map(|m| &*m.machine.name).collect();
        let pairs = closed.iter().enumerate().flat_map(|(at, a)| closed.iter().skip(at + 1).map(move |b| (a, b)));
        let mut warnings: Vec<String> = pairs
            .take(TOLD)
            .map(|(a, b)| {
                format!("{a} and {b} have no path: neither has an endpoint, and there is no hub that both reach")
            })
            .collect();
        let all = closed.len() * closed.len().saturating_sub(1) / 2;
        if all > TOLD {
            warnings.push(format!("and {} more pairs have no path", all - TOLD));
        }
        warnings
    }

    /// Whether a machine is in the network.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.members.binary_search_by(|member| (*member.machine.name).cmp(name)).is_ok()
    }

    /// The file of a machine; `None` for one that is not in the network.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<String> {
        let own = self.members.binary_search_by(|member| (*member.machine.name).cmp(name)).ok()?;
        let member = self.members.get(own)?;
        let mut text = String::new();
        let _infallible = self.write(own, *member, &mut text);
        Some(text)
    }

    fn write(&self, own: usize, member: Member<'_>, out: &mut String) -> core::fmt::Result {
        writeln!(out, "[Interface]\nAddress = {}", prefix(member.address))?;
        if let Some(port) = member.wireguard.listen_port {
            writeln!(out, "ListenPort = {port}")?;
        }
        writeln!(out, "PostUp = wg set %i private-key {KEY}")?;
        if member.wireguard.hub {
            self.forwarding(out)?;
        }
        let carried = self.carried(own);
        for (at, peer) in self.members.iter().enumerate() {
            if !self.are_peers(own, at) {
                continue;
            }
            let mut allowed = prefix(peer.address);
            if self.carrier == Some(at) {
                for address in &carried {
                    write!(allowed, ", {}", prefix(address))?;
                }
            }
            let Wireguard { public_key, endpoint, .. } = peer.wireguard;
            writeln!(out, "\n# {}\n[Peer]\nPublicKey = {public_key}\nAllowedIPs = {allowed}", peer.machine.name)?;
            if let Some(endpoint) = endpoint {
                writeln!(out, "Endpoint = {endpoint}")?;
                if member.wireguard.nat {
                    writeln!(out, "PersistentKeepalive = 25")?;
                }
            }
        }
        Ok(())
    }

    /// What a hub needs to pass packets on, for the families that the mesh has.
    fn forwarding(&self, out: &mut String) -> core::fmt::Result {
        let has = |wanted: fn(&IpAddr) -> bool| self.members.iter().any(|member| wanted(&member.address.ip));
        if has(IpAddr::is_ipv4) {
            writeln!(out, "PostUp = sysctl -q -w net.ipv4.ip_forward=1")?;
        }
        if has(IpAddr::is_ipv6) {
            writeln!(out, "PostUp = sysctl -q -w net.ipv6.conf.all.forwarding=1")?;
        }
        Ok(())
    }

    /// The machines that this one reaches through the hub, in address order.
    fn carried(&self, own: usize) -> Vec<&'r Address> {
        let others = self.members.iter().enumerate().filter(|(at, _)| *at != own && !self.are_peers(own, *at));
        let mut addresses: Vec<&'r Address> = others.map(|(_, member)| member.address).collect();
        addresses.sort_by_key(|address| address.ip);
        addresses
    }
}

/// An address as a network of one machine.
fn prefix(address: &Address) -> String {
    let bits = if address.ip.is_ipv4() { 32 } else { 128 };
    format!("{}/{bits}", address.text)
}
