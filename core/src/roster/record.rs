//! The record (`mesh.yaml`): which machines there are, where they are, what they run and which names they serve.
//!
//! Reading it finds every fault at once, each with its line; only a record without any becomes a [`Record`].

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::IpAddr;

use super::strict::Strict;
use super::view::View;
use crate::error::Error;
use crate::span::{Site, Span};
use crate::text::nearest::hint;
use crate::value::{Named, Text};
use crate::yaml::{Document, Node};

/// A mesh as its operators wrote it down.
#[derive(Debug)]
pub struct Record {
    /// What a mesh name ends in.
    pub suffix: Text,
    /// The machines in name order.
    pub machines: Vec<Machine>,
    /// The names that the mesh serves besides those of its machines, in name order.
    pub routes: Vec<Route>,
}

/// A machine of the mesh.
#[derive(Debug)]
pub struct Machine {
    /// Its bare name.
    pub name: Text,
    /// Where it is; a machine without an address is known but not placed, and in no list.
    pub address: Option<Address>,
    /// The modules it runs, in the order written, each with its place.
    pub modules: Vec<(Text, Site)>,
    /// Its end of the private network.
    pub wireguard: Option<Wireguard>,
}

/// An address as written and as a number.
#[derive(Debug, Clone)]
pub struct Address {
    /// As written.
    pub text: Text,
    /// What it means: for comparing and ordering.
    pub ip: IpAddr,
}

/// A machine's end of the private network.
#[derive(Debug)]
pub struct Wireguard {
    /// The public key, base64 of 32 bytes.
    pub public_key: Text,
    /// `host:port` where others reach it.
    pub endpoint: Option<Text>,
    /// The UDP port it listens on.
    pub listen_port: Option<u16>,
    /// It forwards for machines that cannot reach each other.
    pub hub: bool,
    /// It is behind address translation and must keep its way out open.
    pub nat: bool,
}

/// A name that the mesh serves.
#[derive(Debug)]
pub struct Route {
    /// The bare name.
    pub name: Text,
    /// The machine that serves it.
    pub machine: Text,
}

/// What mesh names end in when the record does not say.
const SUFFIX: &str = "internal";

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(document: &Document) -> Result<Self, Vec<Error>> {
        let mut reader = Reader {
            strict: Strict::new(document),
            names: Named::default(),
            addresses: Named::default(),
            keys: Named::default(),
        };
        let record = reader.record(document.root());
        if reader.strict.faults.is_empty() { Ok(record) } else { Err(reader.strict.faults) }
    }

    /// The machine of this name.
    #[must_use]
    pub fn machine(&self, name: &str) -> Option<&Machine> {
        let at = self.machines.binary_search_by(|known| (*known.name).cmp(name)).ok()?;
        self.machines.get(at)
    }

    /// The names of all machines, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.machines.iter().map(|machine| &*machine.name)
    }

    /// What templates see: placed machines in name order, then the routes whose machine is placed, in name order.
    #[must_use]
    pub fn view(&self) -> View {
        let place = |machine: &Machine| machine.address.as_ref().map(|address| address.text.clone());
        let placed: Vec<(&str, Text)> =
            self.machines.iter().filter_map(|machine| Some((&*machine.name, place(machine)?))).collect();
        let routed = self.routes.iter().filter_map(|route| Some((&*route.name, place(self.machine(&route.machine)?)?)));
        let names: Vec<(&str, Text)> = placed.iter().cloned().chain(routed).collect();
        let pairs = |list: &[(&str, Text)]| -> Vec<(String, Text)> {
            list.iter().map(|(name, address)| ((*name).to_string(), address.clone())).collect()
        };
        View::new(&self.suffix, &pairs(&placed), &pairs(&names))
    }
}

struct Reader<'d> {
    strict: Strict<'d>,
    /// Who owns a name, in lower case, and where that stands.
    names: Named<Span>,
    /// By address as it is written most shortly.
    addresses: Named<(Text, Span)>,
    keys: Named<Text>,
}

impl<'d> Reader<'d> {
    fn record(&mut self, root: &'d Node) -> Record {
        let mut record = Record { suffix: SUFFIX.into(), machines: Vec::new(), routes: Vec::new() };
        let mut routes = None;
        for entry in self.strict.known(root, "the mesh record", &["suffix", "machines", "routes"]) {
            match &*entry.key {
                "suffix" => record.suffix = self.suffix(&entry.value),
                "machines" => self.machines(&entry.value, &mut record),
                "routes" => routes = Some(&entry.value),
                _ => {}
            }
        }
        record.machines.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(node) = routes {
            self.routes(node, &mut record);
        }
        record.routes.sort_by(|a, b| a.name.cmp(&b.name));
        record
    }

    fn suffix(&mut self, node: &'d Node) -> Text {
        let Some(suffix) = self.strict.line(node, "suffix") else { return SUFFIX.into() };
        if !suffix.split('.').all(is_label) || suffix.len() > 189 {
            self.strict.fault(node.span, format!("suffix must be labels of a DNS name joined by dots, found {suffix}"));
        }
        suffix.clone()
    }

    fn machines(&mut self, node: &'d Node, record: &mut Record) {
        for entry in self.strict.entries(node, "machines") {
            self.own(&entry.key, entry.span, "machine");
            let machine = self.machine(&entry.key, &entry.value);
            record.machines.push(machine);
        }
    }

    /// A name is a DNS label, and one thing of the mesh has it.
    fn own(&mut self, name: &str, span: Span, what: &str) {
        if !is_label(name) {
            let rule = "must be a DNS label: letters, digits and inner hyphens, at most 63";
            self.strict.fault(span, format!("the name of a {what} {rule}, found {name:?}"));
            return;
        }
        if let Some(first) = self.names.insert(name.to_ascii_lowercase().into(), span) {
            let line = self.strict.site(first).position().line;
            self.strict.fault(span, format!("the name {name} has two owners, the first in line {line}"));
        }
    }

    fn machine(&mut self, name: &Text, node: &'d Node) -> Machine {
        let mut machine = Machine { name: name.clone(), address: None, modules: Vec::new(), wireguard: None };
        let what = format!("machine {name}");
        for entry in self.strict.known(node, &what, &["address", "modules", "wireguard"]) {
            match &*entry.key {
                "address" => machine.address = self.address(name, &entry.value),
                "modules" => machine.modules = self.modules(&entry.value, &what),
                "wireguard" if !entry.value.is_null() => machine.wireguard = self.wireguard(name, &entry.value),
                _ => {}
            }
        }
        machine
    }

    fn address(&mut self, name: &Text, node: &'d Node) -> Option<Address> {
        if node.is_null() {
            return None;
        }
        let text = self.strict.line(node, "address")?;
        let Ok(ip) = text.parse::<IpAddr>() else {
            self.strict.fault(node.span, format!("address of {name} must be IPv4 or IPv6, found {text}"));
            return None;
        };
        if let Some((owner, first)) = self.addresses.insert(ip.to_string().into(), (name.clone(), node.span)) {
            let line = self.strict.site(first).position().line;
            self.strict
                .fault(node.span, format!("the address {text} has two owners, {owner} in line {line} and {name}"));
        }
        Some(Address { text: text.clone(), ip })
    }

    fn modules(&mut self, node: &'d Node, what: &str) -> Vec<(Text, Site)> {
        let mut modules: Vec<(Text, Site)> = Vec::new();
        if node.is_null() {
            return modules;
        }
        let Some(items) = node.items() else {
            self.strict.fault(node.span, format!("modules of {what} must be a list, found {}", node.kind()));
            return modules;
        };
        for item in items {
            let Some(name) = self.strict.line(item, "the name of a module") else { continue };
            if !is_module_name(name) {
                self.strict.fault(item.span, format!("{name:?} is no name of a module: letters, digits, . _ and -"));
            } else if modules.iter().any(|(known, _)| known == name) {
                self.strict.fault(item.span, format!("{what} lists the module {name} twice"));
            } else {
                modules.push((name.clone(), self.strict.site(item.span)));
            }
        }
        modules
    }

    fn wireguard(&mut self, name: &Text, node: &'d Node) -> Option<Wireguard> {
        const KEYS: [&str; 5] = ["public_key", "endpoint", "listen_port", "hub", "nat"];
        let what = format!("wireguard of {name}");
        let mut wireguard =
            Wireguard { public_key: "".into(), endpoint: None, listen_port: None, hub: false, nat: false };
        let mut key = None;
        for entry in self.strict.entries(node, &what) {
            match &*entry.key {
                "public_key" => key = self.public_key(name, &entry.value),
                "endpoint" => wireguard.endpoint = self.endpoint(name, &entry.value),
                "listen_port" => wireguard.listen_port = self.strict.port(&entry.value, "listen_port"),
                "hub" => wireguard.hub = self.strict.flag(&entry.value, "hub"),
                "nat" => wireguard.nat = self.strict.flag(&entry.value, "nat"),
                "private_key" => self.strict.fault(
                    entry.span,
                    format!(
                        "a record never holds a private key: put it on {name} as {} and make a new one",
                        super::wireguard::KEY
                    ),
                ),
                other if other.starts_with("x-") => {}
                other => {
                    let hint = hint(other, KEYS);
                    self.strict.fault(entry.span, format!("unknown key {other} of {what}{hint}"));
                }
            }
        }
        if node.entries().is_some() && node.get("public_key").is_none() {
            self.strict.fault(node.span, format!("{what} lacks its public_key"));
        }
        wireguard.public_key = key?;
        Some(wireguard)
    }

    fn public_key(&mut self, name: &Text, node: &'d Node) -> Option<Text> {
        let key = self.strict.line(node, "public_key")?;
        let whole = key.len() == 44 && key.ends_with('=');
        let digits = key.bytes().take(43).all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
        if !whole || !digits {
            self.strict
                .fault(node.span, format!("public_key of {name} must be 44 characters of base64, as wg pubkey prints"));
            return None;
        }
        if let Some(owner) = self.keys.insert(key.clone(), name.clone()) {
            self.strict.fault(node.span, format!("{owner} and {name} have the same public_key"));
        }
        Some(key.clone())
    }

    fn endpoint(&mut self, name: &Text, node: &'d Node) -> Option<Text> {
        let endpoint = self.strict.line(node, "endpoint")?;
        let (host, port) = endpoint.rsplit_once(':').unwrap_or((endpoint, ""));
        let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
        let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_host = match bracketed {
            Some(inner) => inner.parse::<core::net::Ipv6Addr>().is_ok(),
            None => host.split('.').all(is_label),
        };
        if !is_port || !is_host {
            let rule = "must be host:port, the host a name, an IPv4 address or an [IPv6] one";
            self.strict.fault(node.span, format!("endpoint of {name} {rule}, found {endpoint}"));
            return None;
        }
        Some(endpoint.clone())
    }

    fn routes(&mut self, node: &'d Node, record: &mut Record) {
        for entry in self.strict.entries(node, "routes") {
            self.own(&entry.key, entry.span, "route");
            let Some(machine) = self.strict.line(&entry.value, "the machine of a route") else { continue };
            if record.machine(machine).is_none() {
                let hint = hint(machine, record.names());
                self.strict.fault(
                    entry.value.span,
                    format!("route {} leads to the unknown machine {machine}{hint}", entry.key),
                );
                continue;
            }
            record.routes.push(Route { name: entry.key.clone(), machine: machine.clone() });
        }
    }
}

fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !text.is_empty() && text.len() <= 63 && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// A module's name names a folder too.
pub(super) fn is_module_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Source;
    use crate::yaml::{self, Limits};

    fn read(text: &str) -> Result<Record, Vec<String>> {
        let document = yaml::read(&Source::new("mesh.yaml", text), &Limits::default()).unwrap();
        Record::read(&document).map_err(|faults| faults.iter().map(ToString::to_string).collect())
    }

    fn refusals(text: &str) -> Vec<String> {
        read(text).unwrap_err()
    }

    #[test]
    fn a_machine_without_an_address_is_known_and_in_no_list() {
        let record = read("machines: {b: {address: 10.0.0.2}, a: {}}\nroutes: {web: b, ci: a}").unwrap();
        assert!(record.machine("a").is_some() && &*record.suffix == "internal");
        let view = record.view().of("a");
        let names = view.as_map().unwrap().get("Names").unwrap().to_string();
        assert_eq!(
            names,
            "[map[Address:10.0.0.2 FQDN:b.internal Name:b] map[Address:10.0.0.2 FQDN:web.internal Name:web]]"
        );
    }

    #[test]
    fn every_fault_is_told_with_its_line() {
        let faults = refusals(
            "machines:\n  -bad: {address: 10.0.0.1}\n  a: {address: 10.0.0.1, colour: red}\n  b: {adress: nowhere}\n  c: {address: 10.0.0.300}\nroutes:\n  web: aa\n  A: a\n",
        );
        let wanted = [
            "the name of a machine must be a DNS label: letters, digits and inner hyphens, at most 63, found \"-bad\" (mesh.yaml:2:3)",
            "unknown key colour of machine a (mesh.yaml:3:26)",
            "the address 10.0.0.1 has two owners, -bad in line 2 and a (mesh.yaml:3:16)",
            "unknown key adress of machine b, did you mean address? (mesh.yaml:4:7)",
            "address of c must be IPv4 or IPv6, found 10.0.0.300 (mesh.yaml:5:16)",
            "route web leads to the unknown machine aa, did you mean a? (mesh.yaml:7:8)",
            "the name A has two owners, the first in line 3 (mesh.yaml:8:3)",
        ];
        assert_eq!(faults, wanted);
    }

    #[test]
    fn a_private_key_is_refused_by_name() {
        let faults = refusals("machines:\n  a:\n    address: fd00::1\n    wireguard: {private_key: x}\n");
        assert!(faults[0].starts_with("a record never holds a private key"), "{faults:?}");
        assert!(faults[1].contains("lacks its public_key"), "{faults:?}");
    }

    #[test]
    fn an_endpoint_is_a_host_and_a_port_and_nothing_else() {
        for bad in ["gw", "gw:0", "gw:99999", "a b:1", "fd00::1:5", "'[fd00::g]:5'", "\"gw:1\\nPostUp = x\""] {
            let key = "A".repeat(43);
            let text = format!("machines:\n  a:\n    wireguard:\n      public_key: {key}=\n      endpoint: {bad}\n");
            assert_eq!(refusals(&text).len(), 1, "{bad}");
        }
    }
}
