//! Processes of a scenario: what is left of them, and the tools on their path.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const TOOLS: &str = "sh bash dash cat echo true false test [ sleep touch ls env id mkdir rmdir rm printf sed grep egrep cp mv ln \
    chmod chown stat head tail wc sort tr date kill ps cut uname readlink sha256sum mkfifo dd basename dirname mount umount \
    setsid nohup seq tee expr awk find mktemp tar unzip gzip gunzip";

/// Folders of links to common small tools: package managers and init tools of the machine are never on a
/// scenario's path, nor is what it hides.
pub struct Tools {
    top: PathBuf,
    made: Mutex<BTreeMap<Vec<String>, PathBuf>>,
}

impl Tools {
    pub fn new(temporary: &Path) -> Result<Self, String> {
        Ok(Self { top: folder(temporary, "ccmfarm").map_err(|error| error.to_string())?, made: Mutex::default() })
    }

    /// The folder without these tools.
    pub fn without(&self, hidden: &[&str]) -> std::io::Result<PathBuf> {
        let key: Vec<String> = hidden.iter().map(|name| (*name).to_owned()).collect();
        let mut made = self.made.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(path) = made.get(&key) {
            return Ok(path.clone());
        }
        let path = self.top.join(format!("f{}", made.len()));
        fs::create_dir(&path)?;
        for tool in TOOLS.split_whitespace().filter(|tool| !hidden.contains(tool)) {
            let found = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].iter().map(|folder| Path::new(folder).join(tool));
            if let Some(found) = found.into_iter().find(|path| path.exists()) {
                symlink(found, path.join(tool))?;
            }
        }
        made.insert(key, path.clone());
        Ok(path)
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.top);
    }
}

/// A fresh folder with a name of its own.
pub fn folder(parent: &Path, prefix: &str) -> std::io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let path = parent.join(format!("{prefix}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        match fs::create_dir(&path) {
            Ok(()) => {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
                return Ok(path);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether this process may make mount namespaces.
pub fn have_namespaces() -> bool {
    nix::unistd::geteuid().is_root()
        && Command::new("/usr/bin/unshare")
            .args(["-m", "--propagation", "private", "/bin/sh", "-c", "mount -t tmpfs tmpfs /mnt"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
}

/// Orphans of the scenarios become our children, so that none outlives the run unseen.
pub fn adopt_orphans() {
    let _unsupported = nix::sys::prctl::set_child_subreaper(true);
}

/// Living processes of a process group or session.
pub fn members(group: u32) -> Vec<u32> {
    pids()
        .filter(|pid| {
            let Ok(text) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
            let Some((_, rest)) = text.rsplit_once(')') else { return false };
            let fields: Vec<&str> = rest.split_whitespace().collect();
            let id = |index: usize| fields.get(index).and_then(|field| field.parse::<u32>().ok());
            (id(2) == Some(group) || id(3) == Some(group)) && !matches!(fields.first(), Some(&"Z" | &"X"))
        })
        .collect()
}

/// Processes whose environment or command line names a scenario's root.
pub fn marked(base: &Path) -> Vec<u32> {
    // With the slash: the root of scenario 1 begins that of scenario 10.
    let base = base.join("");
    let mark = base.as_os_str().as_encoded_bytes();
    let names = |path: String| fs::read(path).is_ok_and(|bytes| bytes.windows(mark.len()).any(|window| window == mark));
    pids()
        .filter(|pid| *pid != std::process::id())
        .filter(|pid| names(format!("/proc/{pid}/environ")) || names(format!("/proc/{pid}/cmdline")))
        .collect()
}

fn pids() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Ends a process.
pub fn end(pid: u32) {
    let _gone = kill(Pid::from_raw(pid as i32), Signal::SIGKILL);
}

/// Sends a signal by its short name.
pub fn signal(pid: u32, name: &str, group: bool) {
    let signal = format!("SIG{name}").parse().unwrap_or(Signal::SIGTERM);
    let pid = Pid::from_raw(pid as i32);
    let _gone = if group { nix::sys::signal::killpg(pid, signal) } else { kill(pid, signal) };
}
