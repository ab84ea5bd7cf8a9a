//! The kernel's own list of interfaces and addresses: two dumps over a netlink socket.
//!
//! /sys would need to be mounted, and shows the interfaces of the namespace that mounted it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::sockopt::ReceiveTimeout;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, setsockopt, socket,
};
use nix::sys::time::{TimeVal, TimeValLike};

/// A network interface.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Interface {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) mtu: u32,
    /// Bits as in `SIOCGIFFLAGS`.
    pub(super) flags: u32,
    pub(super) hardware: Vec<u8>,
    pub(super) addresses: Vec<(IpAddr, u8)>,
}

/// All interfaces in the kernel's order; none where the kernel does not answer.
pub(super) fn interfaces() -> Vec<Interface> {
    let mut found = Vec::new();
    let Ok(kernel) = connect() else { return found };
    dump(&kernel, GET_LINK, |kind, body| {
        if kind == NEW_LINK {
            found.extend(link(body));
        }
    });
    dump(&kernel, GET_ADDRESS, |kind, body| {
        let Some((index, address)) = (if kind == NEW_ADDRESS { address(body) } else { None }) else { return };
        if let Some(interface) = found.iter_mut().find(|interface| interface.index == index) {
            interface.addresses.push(address);
        }
    });
    found
}

// Numbers of linux/netlink.h and linux/rtnetlink.h.
const DONE: u16 = 3;
const ERROR: u16 = 2;
const GET_LINK: u16 = 18;
const NEW_LINK: u16 = 16;
const GET_ADDRESS: u16 = 22;
const NEW_ADDRESS: u16 = 20;
const REQUEST_DUMP: u16 = 0x301;
const HEADER: usize = 16;
const LINK: usize = 16;
const ADDRESS: usize = 8;

fn connect() -> nix::Result<OwnedFd> {
    let kind = SockType::Raw;
    let kernel = socket(AddressFamily::Netlink, kind, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkRoute)?;
    setsockopt(&kernel, ReceiveTimeout, &TimeVal::seconds(1))?;
    Ok(kernel)
}

/// Asks for all of a kind and hands each answer to `take`: its type and what follows its header.
fn dump(kernel: &OwnedFd, request: u16, mut take: impl FnMut(u16, &[u8])) {
    let mut question = [0; HEADER + LINK];
    question[..4].copy_from_slice(&((HEADER + LINK) as u32).to_ne_bytes());
    question[4..6].copy_from_slice(&request.to_ne_bytes());
    question[6..8].copy_from_slice(&REQUEST_DUMP.to_ne_bytes());
    if sendto(kernel.as_raw_fd(), &question, &NetlinkAddr::new(0, 0), MsgFlags::empty()).is_err() {
        return;
    }
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = recv(kernel.as_raw_fd(), &mut buffer, MsgFlags::empty()) {
        let mut left = &buffer[..count];
        while let Some((kind, body, rest)) = message(left) {
            if matches!(kind, DONE | ERROR) {
                return;
            }
            take(kind, body);
            left = rest;
        }
    }
}

/// The first message of a packet: its type, its body, what follows.
fn message(packet: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = number(packet.get(..4)?)? as usize;
    let kind = u16::from_ne_bytes(packet.get(4..6)?.try_into().ok()?);
    let body = packet.get(HEADER..length)?;
    Some((kind, body, packet.get(length.next_multiple_of(4)..).unwrap_or_default()))
}

fn link(body: &[u8]) -> Option<Interface> {
    let mut interface =
        Interface { index: number(body.get(4..8)?)?, flags: number(body.get(8..12)?)?, ..Interface::default() };
    for (kind, value) in attributes(body.get(LINK..)?) {
        match kind {
            1 => interface.hardware = value.to_vec(),
            3 => interface.name = String::from_utf8_lossy(value).trim_end_matches('\0').to_owned(),
            4 => interface.mtu = number(value)?,
            _ => {}
        }
    }
    Some(interface)
}

/// The interface of an address, the address and the length of its prefix. Of a point-to-point link it is the near
/// end.
fn address(body: &[u8]) -> Option<(u32, (IpAddr, u8))> {
    let prefix = *body.get(1)?;
    let index = number(body.get(4..8)?)?;
    let attribute = |wanted| attributes(body.get(ADDRESS..)?).find(|(kind, _)| *kind == wanted).map(|(_, value)| value);
    let bytes = attribute(2).or_else(|| attribute(1))?;
    let address = match bytes.len() {
        4 => Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?).into(),
        _ => Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).into(),
    };
    Some((index, (address, prefix)))
}

/// Attributes: length, type, value, padded to four bytes.
fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(bytes.get(2..4)?.try_into().ok()?);
        let value = bytes.get(4..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        // The upper two bits are marks, not part of the type.
        Some((kind & 0x3fff, value))
    })
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_loopback_or_nothing_answers() {
        let found = interfaces();
        assert!(found.is_empty() || found.iter().any(|interface| interface.name == "lo"), "{found:?}");
    }

    #[test]
    fn cut_messages_end_the_list() {
        let two = u16::to_ne_bytes;
        let attribute = |length, kind, value: &[u8]| [&two(length)[..], &two(kind), value].concat();
        assert_eq!(message(&[&20_u32.to_ne_bytes()[..], &two(16)].concat()), None);
        assert_eq!(attributes(&attribute(9, 3, b"l")).count(), 0);
        assert_eq!(attributes(&attribute(0, 3, b"")).count(), 0);
        assert_eq!(attributes(&attribute(5, 0x8003, b"l")).collect::<Vec<_>>(), [(3, &b"l"[..])]);
    }
}
