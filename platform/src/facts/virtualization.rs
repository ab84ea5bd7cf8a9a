//! Whether this system runs in, or is host of, another: what /proc gives away, the later hint winning.

use super::Roots;
use super::platform::OsRelease;

/// What was found; empty texts when nothing was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Guest {
    pub(super) system: &'static str,
    pub(super) role: &'static str,
}

impl Guest {
    fn is(&mut self, system: &'static str, role: &'static str) {
        *self = Self { system, role };
    }
}

pub(super) fn detect(roots: &Roots) -> Guest {
    let mut found = Guest::default();
    let exists = |path: String| std::fs::metadata(path).is_ok();
    if exists(format!("{}/xen", roots.proc)) {
        let host = roots.proc("xen/capabilities").is_some_and(|text| text.contains("control_d"));
        found.is("xen", if host { "host" } else { "guest" });
    }
    by_modules(&mut found, &roots.proc("modules").unwrap_or_default());
    let processors = roots.cpuinfo();
    if ["QEMU Virtual CPU", "Common KVM processor", "Common 32-bit KVM processor"]
        .iter()
        .any(|name| processors.contains(name))
    {
        found.is("kvm", "guest");
    }
    if roots.proc("bus/pci/devices").is_some_and(|text| text.contains("virtio-pci")) {
        found.role = "guest";
    }
    if exists(format!("{}/bc/0", roots.proc)) {
        found.is("openvz", "host");
    } else if exists(format!("{}/vz", roots.proc)) {
        found.is("openvz", "guest");
    }
    if roots.proc("self/status").is_some_and(|text| text.contains("s_context:") || text.contains("VxID:")) {
        found.system = "linux-vserver";
    }
    if roots.proc("1/environ").is_some_and(|text| text.contains("container=lxc")) {
        found.is("lxc", "guest");
    }
    by_groups(&mut found, roots);
    if OsRelease::read(roots).get("ID") == "coreos" {
        found.is("rkt", "host");
    }
    if exists(format!("{}/.dockerenv", roots.root)) {
        found.is("docker", "guest");
    }
    found
}

fn by_modules(found: &mut Guest, modules: &str) {
    const HINTS: [(&str, &str, &str); 5] = [
        ("kvm", "kvm", "host"),
        ("hv_util", "hyperv", "guest"),
        ("vboxdrv", "vbox", "host"),
        ("vboxguest", "vbox", "guest"),
        ("vmware", "vmware", "guest"),
    ];
    if let Some((_, system, role)) = HINTS.iter().find(|(hint, ..)| modules.contains(hint)) {
        found.is(system, role);
    }
}

/// Which manager made the control group of this process.
fn by_groups(found: &mut Guest, roots: &Roots) {
    let Some(groups) = roots.proc("self/cgroup") else { return };
    if groups.contains("lxc") {
        found.is("lxc", "guest");
    } else if groups.contains("docker") {
        found.is("docker", "guest");
    } else if groups.contains("machine-rkt") {
        found.is("rkt", "guest");
    } else if std::fs::metadata(format!("{}/usr/bin/lxc-version", roots.root)).is_ok() {
        found.is("lxc", "host");
    }
}
