//! How full file systems are, asked in a way that a dead one cannot hold up.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ccm_core::value::Value;
use nix::sys::statfs::{Statfs, statfs};

use super::partition::Mount;
use super::{Fields, int, percent, record};

const USAGE: Fields = &[
    ("Free", "free"),
    ("Fstype", "fstype"),
    ("InodesFree", "inodesFree"),
    ("InodesTotal", "inodesTotal"),
    ("InodesUsed", "inodesUsed"),
    ("InodesUsedPercent", "inodesUsedPercent"),
    ("Path", "path"),
    ("Total", "total"),
    ("Used", "used"),
    ("UsedPercent", "usedPercent"),
];

/// How long one file system may think.
const PATIENCE: Duration = Duration::from_millis(300);

/// What the threads have answered, by the number of the mount: nothing yet, or what it said, none where it refused.
struct Answers {
    given: Mutex<Vec<Option<Option<Statfs>>>>,
    news: Condvar,
}

/// The usage of each mount that answers. Those on other machines are not asked: the answer of a server that is gone
/// can take for ever (field report 38). The others are asked one after another by a thread; should one not answer
/// either, a second thread goes on behind it.
pub(super) fn of(mounts: &[Mount], root: &str, until: Instant) -> Vec<Value> {
    let asked: Vec<&Mount> = mounts.iter().filter(|mount| !is_remote(&mount.kind)).collect();
    let paths: Arc<[String]> = asked.iter().map(|mount| format!("{root}{}", mount.point)).collect();
    let answers = Arc::new(Answers { given: Mutex::new(vec![None; asked.len()]), news: Condvar::new() });
    let mut next = 0;
    while next < paths.len() && Instant::now() < until {
        if !ask(Arc::clone(&paths), next, Arc::clone(&answers)) {
            break;
        }
        next = answers.wait(next, until);
    }
    let given = answers.lock();
    let shown = |(mount, answer): (&&Mount, &Option<Option<Statfs>>)| Some(usage(mount, &(*answer)??));
    asked.iter().zip(given.iter()).filter_map(shown).collect()
}

/// Starts a thread that asks from a number on; false when there are no threads to be had.
fn ask(paths: Arc<[String]>, from: usize, answers: Arc<Answers>) -> bool {
    let work = move || {
        for (number, path) in paths.iter().enumerate().skip(from) {
            answers.give(number, statfs(path.as_str()).ok());
        }
    };
    thread::Builder::new().stack_size(64 * 1024).spawn(work).is_ok()
}

impl Answers {
    fn lock(&self) -> MutexGuard<'_, Vec<Option<Option<Statfs>>>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, number: usize, answer: Option<Statfs>) {
        let mut given = self.lock();
        if let Some(place) = given.get_mut(number) {
            *place = Some(answer);
        }
        self.news.notify_one();
    }

    /// Waits until all are there, or one does not come; gives the number to go on with.
    fn wait(&self, mut next: usize, until: Instant) -> usize {
        let mut given = self.lock();
        loop {
            let before = next;
            while given.get(next).is_some_and(Option::is_some) {
                next += 1;
            }
            let patience = PATIENCE.min(until.saturating_duration_since(Instant::now()));
            if next >= given.len() || patience.is_zero() {
                return next;
            }
            let (held, waited) = self.news.wait_timeout(given, patience).unwrap_or_else(PoisonError::into_inner);
            given = held;
            if waited.timed_out() && next == before && given.get(next).is_some_and(Option::is_none) {
                return next + 1;
            }
        }
    }
}

fn is_remote(kind: &str) -> bool {
    const REMOTE: [&str; 12] = [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "ceph",
        "afs",
        "lustre",
        "fuse.sshfs",
        "fuse.glusterfs",
        "fuse.s3fs",
        "fuse.rclone",
    ];
    REMOTE.contains(&kind)
}

fn usage(mount: &Mount, answer: &Statfs) -> Value {
    let unit = answer.block_size() as u64;
    let bytes = |blocks: u64| blocks.saturating_mul(unit);
    let (total, free) = (answer.blocks(), answer.blocks_available());
    let used = total.saturating_sub(answer.blocks_free());
    let (inodes, inodes_free) = (answer.files(), answer.files_free());
    let inodes_used = inodes.saturating_sub(inodes_free);
    record(
        USAGE,
        vec![
            ("free", int(bytes(free))),
            ("fstype", kind_of(answer).unwrap_or(&mount.kind).into()),
            ("inodesFree", int(inodes_free)),
            ("inodesTotal", int(inodes)),
            ("inodesUsed", int(inodes_used)),
            ("inodesUsedPercent", percent(inodes_used, inodes)),
            ("path", mount.point.as_str().into()),
            ("total", int(bytes(total))),
            ("used", int(bytes(used))),
            ("usedPercent", percent(used, used.saturating_add(free))),
        ],
    )
}

/// The name that the reference has for the magic number of a file system.
fn kind_of(answer: &Statfs) -> Option<&'static str> {
    let magic = answer.filesystem_type().0 as u64 & 0xffff_ffff;
    KINDS.iter().find(|(known, _)| *known == magic).map(|(_, name)| *name)
}

const KINDS: [(u64, &str); 24] = [
    (0xef53, "ext2/ext3"),
    (0xef51, "ext2"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0x0102_1994, "tmpfs"),
    (0x8584_58f6, "ramfs"),
    (0x7371_7368, "squashfs"),
    (0x2405_1905, "ubifs"),
    (0x72b6, "jffs2"),
    (0x4d44, "msdos"),
    (0x9660, "isofs"),
    (0x1501_3346, "udf"),
    (0x2fc1_2fc1, "zfs"),
    (0x794c_7630, "overlayfs"),
    (0x6175_6673, "aufs"),
    (0x6573_5546, "fuseblk"),
    (0x5346_544e, "ntfs"),
    (0x3153_464a, "jfs"),
    (0x5265_4973, "reiserfs"),
    (0x28cd_3d45, "cramfs"),
    (0x6969, "nfs"),
    (0x0102_1997, "v9fs"),
    (0xf2f5_2010, "f2fs"),
    (0x3434, "nilfs"),
];
