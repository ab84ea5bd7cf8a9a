//! The `memory` family: `/proc/meminfo`, swap and its devices.

use ccm_core::value::{Map, Value};
use nix::sys::sysinfo::sysinfo;

use super::{Fields, Roots, int, map, percent, record};

/// Field name, key, the line of `meminfo`; those without a line are computed or have none on Linux.
const VIRTUAL: &[(&str, &str, &str)] = &[
    ("Active", "active", "Active"),
    ("AnonHugePages", "anonHugePages", "AnonHugePages"),
    ("Available", "available", ""),
    ("Buffers", "buffers", "Buffers"),
    ("Cached", "cached", ""),
    ("CommitLimit", "commitLimit", "CommitLimit"),
    ("CommittedAS", "committedAS", "Committed_AS"),
    ("Dirty", "dirty", "Dirty"),
    ("Free", "free", "MemFree"),
    ("HighFree", "highFree", "HighFree"),
    ("HighTotal", "highTotal", "HighTotal"),
    ("HugePageSize", "hugePageSize", "Hugepagesize"),
    ("HugePagesFree", "hugePagesFree", "HugePages_Free"),
    ("HugePagesRsvd", "hugePagesRsvd", "HugePages_Rsvd"),
    ("HugePagesSurp", "hugePagesSurp", "HugePages_Surp"),
    ("HugePagesTotal", "hugePagesTotal", "HugePages_Total"),
    ("Inactive", "inactive", "Inactive"),
    ("Laundry", "laundry", ""),
    ("LowFree", "lowFree", "LowFree"),
    ("LowTotal", "lowTotal", "LowTotal"),
    ("Mapped", "mapped", "Mapped"),
    ("PageTables", "pageTables", "PageTables"),
    ("Shared", "shared", "Shmem"),
    ("Slab", "slab", "Slab"),
    ("Sreclaimable", "sreclaimable", "SReclaimable"),
    ("Sunreclaim", "sunreclaim", "SUnreclaim"),
    ("SwapCached", "swapCached", "SwapCached"),
    ("SwapFree", "swapFree", "SwapFree"),
    ("SwapTotal", "swapTotal", "SwapTotal"),
    ("Total", "total", "MemTotal"),
    ("Used", "used", ""),
    ("UsedPercent", "usedPercent", ""),
    ("VmallocChunk", "vmallocChunk", "VmallocChunk"),
    ("VmallocTotal", "vmallocTotal", "VmallocTotal"),
    ("VmallocUsed", "vmallocUsed", "VmallocUsed"),
    ("Wired", "wired", ""),
    ("WriteBack", "writeBack", "Writeback"),
    ("WriteBackTmp", "writeBackTmp", "WritebackTmp"),
];

/// The two names of [`VIRTUAL`] alone.
const VIRTUAL_FIELDS: Fields = &{
    let mut fields = [("", ""); VIRTUAL.len()];
    let mut at = 0;
    while at < VIRTUAL.len() {
        fields[at] = (VIRTUAL[at].0, VIRTUAL[at].1);
        at += 1;
    }
    fields
};

const SWAP: Fields = &[
    ("Free", "free"),
    ("PgFault", "pgFault"),
    ("PgIn", "pgIn"),
    ("PgMajFault", "pgMajFault"),
    ("PgOut", "pgOut"),
    ("Sin", "sin"),
    ("Sout", "sout"),
    ("Total", "total"),
    ("Used", "used"),
    ("UsedPercent", "usedPercent"),
];

const DEVICE: Fields = &[("FreeBytes", "freeBytes"), ("Name", "name"), ("UsedBytes", "usedBytes")];

pub(super) fn facts(roots: &Roots, wanted: bool) -> Value {
    let empty = || Value::Map(Map::new());
    let (memory, info, devices) = match wanted {
        true => (memory(roots), swap(roots), devices(roots)),
        false => (empty(), empty(), empty()),
    };
    Value::Map(map(vec![("swap", Value::Map(map(vec![("devices", devices), ("info", info)]))), ("virtual", memory)]))
}

fn memory(roots: &Roots) -> Value {
    let lines = Lines::parse(&roots.proc("meminfo").unwrap_or_default());
    let total = lines.get("MemTotal");
    let available = lines.find("MemAvailable").unwrap_or_else(|| estimate(&lines, roots));
    // A guest may be told of more than it has.
    let used = total.saturating_sub(available);
    let computed = |key: &str| match key {
        "available" => int(available),
        "cached" => int(lines.get("Cached").saturating_add(lines.get("SReclaimable"))),
        "used" => int(used),
        "usedPercent" => percent(used, total),
        _ => int(0),
    };
    let member = |&(_, key, line): &(&str, &'static str, &str)| {
        (key, if line.is_empty() { computed(key) } else { int(lines.get(line)) })
    };
    record(VIRTUAL_FIELDS, VIRTUAL.iter().map(member).collect())
}

/// Memory that could be had, on kernels before 3.14, computed as later ones do: what is free above the low
/// watermarks, and the greater part of caches.
fn estimate(lines: &Lines, roots: &Roots) -> u64 {
    let free = lines.get("MemFree");
    let Some(zones) = roots.proc("zoneinfo") else { return free.saturating_add(lines.get("Cached")) };
    let low = zones.lines().filter_map(|line| line.trim().strip_prefix("low ")?.trim().parse::<u64>().ok());
    let low = low.fold(0_u64, u64::saturating_add).saturating_mul(PAGE);
    let usable = |cache: u64| cache.saturating_sub(low.min(cache / 2));
    let pages = lines.get("Active(file)").saturating_add(lines.get("Inactive(file)"));
    free.saturating_sub(low).saturating_add(usable(pages)).saturating_add(usable(lines.get("SReclaimable")))
}

/// The unit of counters in `vmstat` and `zoneinfo`, as the reference has it.
const PAGE: u64 = 4096;

fn swap(roots: &Roots) -> Value {
    let (total, free) = sysinfo().map_or((0, 0), |info| (info.swap_total(), info.swap_free()));
    let used = total.saturating_sub(free);
    let text = roots.proc("vmstat").unwrap_or_default();
    let counter = |name: &str| {
        let found =
            text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse::<u64>().ok());
        // Events and kilobytes are multiplied too: a unit without sense, but the one that is known (S29).
        int(found.unwrap_or(0).saturating_mul(PAGE))
    };
    record(
        SWAP,
        vec![
            ("free", int(free)),
            ("pgFault", counter("pgfault")),
            ("pgIn", counter("pgpgin")),
            ("pgMajFault", counter("pgmajfault")),
            ("pgOut", counter("pgpgout")),
            ("sin", counter("pswpin")),
            ("sout", counter("pswpout")),
            ("total", int(total)),
            ("used", int(used)),
            ("usedPercent", percent(used, total)),
        ],
    )
}

/// `Filename Type Size Used Priority` under a heading; null when there are none, as the reference has it.
fn devices(roots: &Roots) -> Value {
    let text = roots.proc("swaps").unwrap_or_default();
    let device = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let mut kilobytes = || words.next()?.parse::<u64>().ok();
        // The type is no number: it is passed over.
        let _type = kilobytes();
        let (size, used) = (kilobytes()?, kilobytes()?);
        let bytes = |kilobytes: u64| int(kilobytes.saturating_mul(1024));
        let free = size.saturating_sub(used);
        Some(record(DEVICE, vec![("freeBytes", bytes(free)), ("name", name.into()), ("usedBytes", bytes(used))]))
    };
    let devices: Vec<Value> = text.lines().skip(1).filter_map(device).collect();
    if devices.is_empty() { Value::Null } else { devices.into() }
}

/// `Name: 123 kB` lines, in bytes; a line without a unit is a count.
struct Lines(Vec<(String, u64)>);

impl Lines {
    fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let (name, rest) = line.split_once(':')?;
            let mut words = rest.split_whitespace();
            let number: u64 = words.next()?.parse().ok()?;
            let unit = if words.next() == Some("kB") { 1024 } else { 1 };
            Some((name.trim().to_owned(), number.saturating_mul(unit)))
        };
        Self(text.lines().filter_map(line).collect())
    }

    fn find(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, bytes)| *bytes)
    }

    fn get(&self, name: &str) -> u64 {
        self.find(name).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_become_bytes_and_counts_stay() {
        let lines =
            Lines::parse("MemTotal:  2 kB\r\nHugePages_Total: 16\nodd\nBig: 18446744073709551616 kB\nNeg: -1 kB\n");
        assert_eq!((lines.get("MemTotal"), lines.get("HugePages_Total")), (2048, 16));
        assert_eq!((lines.find("Big"), lines.find("Neg")), (None, None));
    }

    #[test]
    fn fields_are_sorted_as_their_look_up_needs() {
        assert!(VIRTUAL_FIELDS.is_sorted() && SWAP.is_sorted() && DEVICE.is_sorted());
    }
}
