//! Facts: what this machine is, read straight from /proc, /sys and /etc.
//!
//! No helper program is run, no name is looked up, nothing is written. Whatever is missing or odd costs the one
//! member that needed it. The tree, the names and the units are the reference's (`services.md` chapter 2); its
//! structs are maps here that answer to both of their spellings ([`ccm_core::value::Shape::Record`]).

use std::cell::OnceCell;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use ccm_core::value::{Int, Map, Shape, Value};
use nix::libc::{O_NOCTTY, O_NONBLOCK};

mod cpu;
pub mod files;
mod host;
mod memory;
mod netlink;
mod network;
mod partition;
mod platform;
mod usage;
mod virtualization;

/// A family of facts: a key at the top of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Processors.
    Cpu,
    /// Name, system, kernel, distribution, virtualization.
    Host,
    /// Memory and swap.
    Memory,
    /// Interfaces and addresses.
    Network,
    /// Mounted file systems and how full they are.
    Partition,
}

impl Family {
    const ALL: [Self; 5] = [Self::Cpu, Self::Host, Self::Memory, Self::Network, Self::Partition];

    fn key(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Host => "host",
            Self::Memory => "memory",
            Self::Network => "network",
            Self::Partition => "partition",
        }
    }
}

/// How to gather.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Families that are left out: their skeleton stays, so that templates find the keys.
    pub without: &'a [Family],
    /// How long all of it may take: what hangs (a mount whose server is gone) is left out then.
    pub deadline: Duration,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { without: &[], deadline: Duration::from_secs(2) }
    }
}

/// The facts of the system itself, without the administrator's files ([`files::read`]).
#[must_use]
pub fn gather(options: &Options<'_>) -> Map {
    let roots = Roots::from_environment();
    let until = Instant::now() + options.deadline;
    let family = |family: Family| {
        let wanted = !options.without.contains(&family);
        let facts = match family {
            Family::Cpu => cpu::facts(&roots, wanted),
            Family::Host => host::facts(&roots, wanted),
            Family::Memory => memory::facts(&roots, wanted),
            Family::Network => network::facts(wanted),
            Family::Partition => partition::facts(&roots, wanted, until),
        };
        (family.key().into(), facts)
    };
    Map::from_entries(Family::ALL.into_iter().map(family).collect())
}

/// Where the system's trees are: elsewhere when `HOST_PROC` and its like say so, for containers and tests.
struct Roots {
    proc: String,
    sys: String,
    etc: String,
    root: String,
    dev: String,
    /// Another mount table, of `HOST_PROC_MOUNTINFO`.
    mountinfo: Option<String>,
    /// Read once for two families: on a machine of many processors the kernel takes its time over it.
    cpuinfo: OnceCell<String>,
}

impl Roots {
    fn from_environment() -> Self {
        let given = |name| std::env::var(name).ok().filter(|path| !path.is_empty());
        let tree = |name, usual: &str| given(name).unwrap_or_else(|| usual.to_owned()).trim_end_matches('/').to_owned();
        Self {
            proc: tree("HOST_PROC", "/proc"),
            sys: tree("HOST_SYS", "/sys"),
            etc: tree("HOST_ETC", "/etc"),
            root: tree("HOST_ROOT", ""),
            dev: tree("HOST_DEV", "/dev"),
            mountinfo: given("HOST_PROC_MOUNTINFO"),
            cpuinfo: OnceCell::new(),
        }
    }

    fn proc(&self, name: &str) -> Option<String> {
        text(&format!("{}/{name}", self.proc))
    }

    fn cpuinfo(&self) -> &str {
        self.cpuinfo.get_or_init(|| self.proc("cpuinfo").unwrap_or_default())
    }

    fn sys(&self, name: &str) -> Option<String> {
        text(&format!("{}/{name}", self.sys))
    }

    fn etc(&self, name: &str) -> Option<String> {
        text(&format!("{}/{name}", self.etc))
    }
}

/// The most of a file of the system that is read; a mount table of ten thousand lines has two megabytes.
const LARGEST: u64 = 8 << 20;

/// A file of the system, odd bytes replaced; none where it cannot be read. Never waits, whatever stands there.
fn text(path: &str) -> Option<String> {
    let file = OpenOptions::new().read(true).custom_flags(O_NONBLOCK | O_NOCTTY).open(path).ok()?;
    let mut bytes = Vec::with_capacity(4096);
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8(bytes).unwrap_or_else(|odd| String::from_utf8_lossy(odd.as_bytes()).into_owned()))
}

/// Pairs of a field name of the reference and its JSON key, by field name.
type Fields = &'static [(&'static str, &'static str)];

/// A struct of the reference.
fn record(fields: Fields, members: Vec<(&'static str, Value)>) -> Value {
    Value::Map(map(members).shaped(Shape::Record(fields)))
}

fn map(members: Vec<(&'static str, Value)>) -> Map {
    Map::from_entries(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn int(number: u64) -> Value {
    Value::Int(Int::from(number))
}

fn percent(part: u64, whole: u64) -> Value {
    Value::Float(if whole == 0 { 0.0 } else { part as f64 / whole as f64 * 100.0 })
}

#[cfg(test)]
mod tests;
