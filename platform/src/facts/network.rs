//! The `network` family: interfaces, addresses, and which of them the machine speaks from.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use ccm_core::value::Value;

use super::netlink::{Interface, interfaces};
use super::{Fields, int, map, record};

const INTERFACE: Fields = &[
    ("Addrs", "addrs"),
    ("Flags", "flags"),
    ("HardwareAddr", "hardwareAddr"),
    ("Index", "index"),
    ("MTU", "mtu"),
    ("Name", "name"),
];

const ADDRESS: Fields = &[("Addr", "addr")];

pub(super) fn facts(wanted: bool) -> Value {
    let found = if wanted { interfaces() } else { Vec::new() };
    let speaks_from = |near, far| if found.is_empty() { None } else { source(near, far) };
    let default4 = speaks_from(Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(1, 1, 1, 1).into());
    let default6 =
        speaks_from(Ipv6Addr::UNSPECIFIED.into(), Ipv6Addr::new(0x2001, 0x4860, 0x4860, 0, 0, 0, 0, 0x8888).into());
    let shown = |address: Option<IpAddr>| Value::from(address.map(|address| address.to_string()).unwrap_or_default());
    Value::Map(map(vec![
        ("addresses", addresses(&found, default4, default6).into()),
        ("default_ipv4", shown(default4)),
        ("default_ipv6", shown(default6)),
        ("interfaces", found.iter().map(interface).collect::<Vec<_>>().into()),
    ]))
}

/// The address from which the kernel would speak to a far place. Connecting a datagram socket sends nothing. The places are
/// numbers, so that nothing here can look up a name.
fn source(near: IpAddr, far: IpAddr) -> Option<IpAddr> {
    let socket = UdpSocket::bind(SocketAddr::new(near, 0)).ok()?;
    socket.connect(SocketAddr::new(far, 53)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|address| is_global(*address))
}

/// Addresses that others may reach; those of the interface the machine speaks from are its defaults.
fn addresses(found: &[Interface], default4: Option<IpAddr>, default6: Option<IpAddr>) -> Vec<Value> {
    let owner = |default: Option<IpAddr>| {
        let owns = |interface: &&Interface| interface.addresses.iter().any(|(address, _)| Some(*address) == default);
        found.iter().find(owns).map(|interface| interface.index)
    };
    let (owner4, owner6) = (owner(default4), owner(default6));
    let every =
        found.iter().flat_map(|interface| interface.addresses.iter().map(move |(address, _)| (interface, *address)));
    let entry = |(interface, address): (&Interface, IpAddr)| {
        let owner = if address.is_ipv4() { owner4 } else { owner6 };
        Value::Map(map(vec![
            ("address", address.to_string().into()),
            ("default", (owner == Some(interface.index)).into()),
            ("interface", interface.name.as_str().into()),
            ("ipv4", address.is_ipv4().into()),
        ]))
    };
    every.filter(|(_, address)| is_global(*address)).map(entry).collect()
}

fn is_global(address: IpAddr) -> bool {
    let link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    !link_local && !address.is_loopback() && !address.is_multicast() && !address.is_unspecified()
}

fn interface(interface: &Interface) -> Value {
    let prefixed =
        |(address, prefix): &(IpAddr, u8)| record(ADDRESS, vec![("addr", format!("{address}/{prefix}").into())]);
    let flags: Vec<Value> =
        FLAGS.iter().filter(|(bit, _)| interface.flags & bit != 0).map(|(_, name)| (*name).into()).collect();
    record(
        INTERFACE,
        vec![
            ("addrs", interface.addresses.iter().map(prefixed).collect::<Vec<_>>().into()),
            ("flags", if flags.is_empty() { Value::Null } else { flags.into() }),
            ("hardwareAddr", hardware(&interface.hardware).into()),
            ("index", int(interface.index.into())),
            ("mtu", int(interface.mtu.into())),
            ("name", interface.name.as_str().into()),
        ],
    )
}

const FLAGS: [(u32, &str); 5] =
    [(0x1, "up"), (0x2, "broadcast"), (0x8, "loopback"), (0x10, "pointtopoint"), (0x1000, "multicast")];

/// `02:00:00:aa:bb:cc`; empty for none, for zeros, and for tunnels, which give an IP address here.
fn hardware(bytes: &[u8]) -> String {
    let mut shown = String::new();
    if matches!(bytes.len(), 4 | 16) || bytes.iter().all(|byte| *byte == 0) {
        return shown;
    }
    for byte in bytes {
        let _infallible = write!(shown, "{}{byte:02x}", if shown.is_empty() { "" } else { ":" });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardware_addresses_that_are_none_are_empty() {
        assert_eq!(hardware(&[2, 0, 0, 0xaa, 0xbb, 0xcc]), "02:00:00:aa:bb:cc");
        assert_eq!((hardware(&[0; 6]), hardware(&[10, 0, 0, 1]), hardware(&[])), Default::default());
    }

    #[test]
    fn the_default_interface_marks_all_its_addresses() {
        let address = |text: &str| text.parse().unwrap();
        let found = [Interface {
            index: 2,
            name: "wan".to_owned(),
            addresses: vec![(address("192.0.2.1"), 24), (address("192.0.2.2"), 24), (address("fe80::1"), 64)],
            ..Interface::default()
        }];
        let shown = addresses(&found, Some(address("192.0.2.2")), None);
        let defaults: Vec<_> =
            shown.iter().map(|entry| format!("{:?}", entry.as_map().unwrap().get("default"))).collect();
        assert_eq!(defaults, ["Some(Bool(true))", "Some(Bool(true))"]);
    }
}
