//! The `partition` family: what is mounted where, and how full it is.

use std::time::Instant;

use ccm_core::value::Value;

use super::{Fields, Roots, map, record, text, usage};

const PARTITION: Fields = &[("Device", "device"), ("Fstype", "fstype"), ("Mountpoint", "mountpoint"), ("Opts", "opts")];

pub(super) fn facts(roots: &Roots, wanted: bool, until: Instant) -> Value {
    let mounts = if wanted { mounts(roots) } else { Vec::new() };
    let usage = usage::of(&mounts, &roots.root, until);
    Value::Map(map(vec![
        ("partitions", mounts.iter().map(partition).collect::<Vec<_>>().into()),
        ("usage", usage.into()),
    ]))
}

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    device: String,
    pub(super) point: String,
    pub(super) kind: String,
    options: Vec<String>,
    /// `MAJ:MIN`; empty where the table does not have it.
    number: String,
}

fn partition(mount: &Mount) -> Value {
    record(
        PARTITION,
        vec![
            ("device", mount.device.as_str().into()),
            ("fstype", mount.kind.as_str().into()),
            ("mountpoint", mount.point.as_str().into()),
            ("opts", mount.options.iter().map(|option| Value::from(option.as_str())).collect::<Vec<_>>().into()),
        ],
    )
}

fn mounts(roots: &Roots) -> Vec<Mount> {
    let storage = Storage::read(roots);
    let mut found: Vec<Mount> = table(roots).into_iter().filter(|mount| storage.holds(mount)).collect();
    let mut first: Vec<(String, String)> = Vec::new();
    for mount in &mut found {
        mount.device = real_device(roots, mount);
        // Several mounts of one device go by the name it was mounted under first.
        match first.iter().find(|(number, _)| !number.is_empty() && *number == mount.number) {
            Some((_, device)) => mount.device.clone_from(device),
            None => first.push((mount.number.clone(), mount.device.clone())),
        }
    }
    found
}

/// The mounts of the whole machine, where they may be seen, else of this process.
fn table(roots: &Roots) -> Vec<Mount> {
    let mountinfo = match &roots.mountinfo {
        Some(path) => text(path),
        None => roots.proc("1/mountinfo").or_else(|| roots.proc("self/mountinfo")),
    };
    match mountinfo {
        Some(text) => text.lines().filter_map(mountinfo_line).collect(),
        None => {
            let mounts = ["1/mounts", "self/mounts", "mounts"].iter().find_map(|name| roots.proc(name));
            mounts.unwrap_or_default().lines().filter_map(mounts_line).collect()
        }
    }
}

/// `id parent maj:min root point options … - type device super-options`. A bind mount of a part of a file system
/// is left out: it is no other place to store things, nor is a mounted file. The sub-volumes of btrfs are.
fn mountinfo_line(line: &str) -> Option<Mount> {
    let (mount, file_system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(2);
    let (number, root, point, options) = (mount.next()?, mount.next()?, mount.next()?, mount.next()?);
    let mut file_system = file_system.split(' ');
    let (kind, device, inner) = (file_system.next()?, file_system.next()?, file_system.next().unwrap_or(""));
    if root != "/" && kind != "btrfs" {
        return None;
    }
    let read_only = inner.split(',').any(|option| option == "ro");
    let option = |option: &str| if read_only && option == "rw" { "ro".to_owned() } else { option.to_owned() };
    Some(Mount {
        device: unescaped(device),
        point: unescaped(point),
        kind: kind.to_owned(),
        options: options.split(',').map(option).collect(),
        number: number.to_owned(),
    })
}

/// `device point type options …`
fn mounts_line(line: &str) -> Option<Mount> {
    let mut words = line.split(' ');
    let (device, point, kind, options) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let options = options.split(',').map(str::to_owned).collect();
    Some(Mount {
        device: unescaped(device),
        point: unescaped(point),
        kind: kind.to_owned(),
        options,
        number: String::new(),
    })
}

/// Blanks and the like stand as `\040`.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut left = text.as_bytes();
    while let Some((&byte, rest)) = left.split_first() {
        let octal = rest.get(..3).filter(|_| byte == b'\\').and_then(|digits| str::from_utf8(digits).ok());
        let decoded = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(decoded.unwrap_or(byte));
        left = if decoded.is_some() { &rest[3..] } else { rest };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The device behind the names that the boot loader and the device mapper give.
fn real_device(roots: &Roots, mount: &Mount) -> String {
    let link = match mount.device.strip_prefix("/dev/mapper/") {
        Some(name) => format!("{}/mapper/{name}", roots.dev),
        None if mount.device == "/dev/root" => format!("{}/dev/block/{}", roots.sys, mount.number),
        None => return mount.device.clone(),
    };
    let target = std::fs::read_link(link).ok();
    let name = target.as_deref().and_then(|target| target.file_name()).map(|name| name.to_string_lossy());
    name.map_or_else(|| mount.device.clone(), |name| format!("/dev/{name}"))
}

/// Which kinds of file systems store something: those the kernel says sit on a device, and those it does not, but
/// whose files outlive a call all the same (S30).
struct Storage {
    on_devices: Option<Vec<String>>,
}

impl Storage {
    fn read(roots: &Roots) -> Self {
        let kinds = |text: String| {
            text.lines().filter(|line| line.starts_with('\t')).map(|line| line.trim().to_owned()).collect()
        };
        Self { on_devices: roots.proc("filesystems").map(kinds) }
    }

    fn holds(&self, mount: &Mount) -> bool {
        let known = match &self.on_devices {
            Some(kinds) => kinds.contains(&mount.kind),
            None => mount.device.starts_with('/'),
        };
        known || WITHOUT_DEVICE.contains(&mount.kind.as_str()) || self.holds_in_memory(mount) || is_fuse(&mount.kind)
    }

    /// Memory is where an initramfs and a router keep their files; not, where a system keeps its own affairs.
    fn holds_in_memory(&self, mount: &Mount) -> bool {
        let own = ["/dev", "/proc", "/sys", "/run"]
            .iter()
            .any(|tree| mount.point.strip_prefix(tree).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
        matches!(mount.kind.as_str(), "tmpfs" | "ramfs" | "rootfs") && !own
    }
}

/// File systems in user space that hold files, not views of /proc or a session.
fn is_fuse(kind: &str) -> bool {
    let own = ["fuse.lxcfs", "fuse.portal", "fuse.gvfsd-fuse"];
    (kind == "fuse" || kind.starts_with("fuse.")) && !own.contains(&kind)
}

const WITHOUT_DEVICE: [&str; 21] = [
    "zfs",
    "overlay",
    "overlayfs",
    "aufs",
    "ubifs",
    "jffs2",
    "yaffs",
    "yaffs2",
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "virtiofs",
    "ceph",
    "afs",
    "lustre",
    "vboxsf",
    "vmhgfs",
    "bcachefs",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octal_escapes_are_decoded_and_others_kept() {
        assert_eq!(unescaped(r"/a\040b\134c"), r"/a b\c");
        assert_eq!(unescaped(r"/a\04"), r"/a\04");
        assert_eq!(unescaped(r"\777"), r"\777");
    }

    #[test]
    fn the_stricter_of_mount_and_file_system_counts() {
        let mount = mountinfo_line("41 27 254:16 / /srv rw,nosuid shared:31 - xfs /dev/sda1 ro,attr2").unwrap();
        assert_eq!(mount.options, ["ro", "nosuid"]);
    }

    #[test]
    fn odd_lines_and_parts_of_file_systems_are_left_out() {
        assert_eq!(mountinfo_line("41 27 254:16 /etc/hosts /etc/hosts rw - ext4 /dev/sda1 rw"), None);
        assert!(mountinfo_line("41 27 0:5 /@home /home rw - btrfs /dev/sda1 rw").is_some());
        assert_eq!((mountinfo_line(""), mountinfo_line("1 2 - "), mounts_line("x y")), (None, None, None));
    }
}
