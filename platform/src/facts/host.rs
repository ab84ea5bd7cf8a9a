//! The `host` family.

use ccm_core::value::{Map, Value};
use nix::sys::sysinfo::sysinfo;
use nix::sys::utsname::uname;

use super::{Fields, Roots, int, map, platform, record, text, virtualization};

const INFO: Fields = &[
    ("BootTime", "bootTime"),
    ("HostID", "hostId"),
    ("Hostname", "hostname"),
    ("KernelArch", "kernelArch"),
    ("KernelVersion", "kernelVersion"),
    ("OS", "os"),
    ("Platform", "platform"),
    ("PlatformFamily", "platformFamily"),
    ("PlatformVersion", "platformVersion"),
    ("Procs", "procs"),
    ("Uptime", "uptime"),
    ("VirtualizationRole", "virtualizationRole"),
    ("VirtualizationSystem", "virtualizationSystem"),
];

pub(super) fn facts(roots: &Roots, wanted: bool) -> Value {
    let info = if wanted { info(roots) } else { Value::Map(Map::new()) };
    Value::Map(map(vec![("info", info)]))
}

fn info(roots: &Roots) -> Value {
    let kernel = uname().ok();
    let said =
        |part: Option<&std::ffi::OsStr>| Value::text(part.map(|part| part.to_string_lossy()).unwrap_or_default());
    let guest = virtualization::detect(roots);
    let uptime = uptime(roots);
    let distribution = platform::detect(roots);
    record(
        INFO,
        vec![
            ("bootTime", int(boot_time(roots, guest.system, uptime))),
            ("hostId", host_id(roots).into()),
            ("hostname", said(kernel.as_ref().map(|kernel| kernel.nodename()))),
            ("kernelArch", said(kernel.as_ref().map(|kernel| kernel.machine()))),
            ("kernelVersion", said(kernel.as_ref().map(|kernel| kernel.release()))),
            ("os", "linux".into()),
            ("platform", distribution.name.into()),
            ("platformFamily", distribution.family.into()),
            ("platformVersion", distribution.version.into()),
            ("procs", int(processes(roots))),
            ("uptime", int(uptime)),
            ("virtualizationRole", guest.role.into()),
            ("virtualizationSystem", guest.system.into()),
        ],
    )
}

/// Seconds since the kernel started, as the kernel counts them: no wall clock is asked, which on a board without
/// a clock chip jumps (field report 31).
fn uptime(roots: &Roots) -> u64 {
    let counted = roots.proc("uptime").and_then(|text| text.split(['.', ' ']).next()?.trim().parse().ok());
    counted.or_else(|| sysinfo().ok().map(|info| info.uptime().as_secs())).unwrap_or(0)
}

/// When the kernel started; in a container, whose `stat` is that of the machine around it, when the container did.
fn boot_time(roots: &Roots, guest_of: &str, uptime: u64) -> u64 {
    let now = u64::try_from(crate::clock::now().seconds).unwrap_or(0);
    let stat = if matches!(guest_of, "lxc" | "docker") { None } else { roots.proc("stat") };
    let told = stat.and_then(|stat| stat.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok()));
    told.unwrap_or(now.saturating_sub(uptime))
}

fn processes(roots: &Roots) -> u64 {
    let Ok(names) = std::fs::read_dir(&roots.proc) else { return 0 };
    let is_number = |name: &[u8]| name.iter().all(u8::is_ascii_digit);
    names.flatten().filter(|entry| is_number(entry.file_name().as_encoded_bytes())).count() as u64
}

/// The first that works of: the id of the mainboard, of the installation, of this boot.
fn host_id(roots: &Roots) -> String {
    let plain = |text: String| Some(text.trim().to_ascii_lowercase()).filter(|text| !text.is_empty());
    roots
        .sys("class/dmi/id/product_uuid")
        .and_then(plain)
        .or_else(|| roots.etc("machine-id").and_then(|id| dashed(id.trim())))
        .or_else(|| text(&format!("{}/sys/kernel/random/boot_id", roots.proc)).and_then(plain))
        .unwrap_or_default()
}

/// 32 characters as 8-4-4-4-12.
fn dashed(id: &str) -> Option<String> {
    if id.len() != 32 || !id.is_ascii() {
        return None;
    }
    Some([&id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..]].join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_id_is_dashed_like_a_uuid() {
        let id = dashed("0123456789abcdef0123456789abcdef");
        assert_eq!(id.as_deref(), Some("01234567-89ab-cdef-0123-456789abcdef"));
        assert_eq!(dashed("short"), None);
    }
}
