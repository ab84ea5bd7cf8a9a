//! One call of the binary, in an environment that holds nothing of the tester's.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::support::Folder;

/// How a call ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A call from a folder: no HOME, no configuration of this machine's, its own temporary and run directory.
pub(crate) fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccm"));
    command.args(arguments).current_dir(folder.path("")).env_clear();
    command.env("PATH", "/usr/bin:/bin").env("TMPDIR", folder.path("")).env("XDG_RUNTIME_DIR", folder.path(""));
    command
}

/// Calls it.
pub(crate) fn ccm(folder: &Folder, arguments: &[&str]) -> Ended {
    ended(command(folder, arguments).stdin(Stdio::null()).output().unwrap())
}

/// Calls it with something on its standard input.
pub(crate) fn ccm_fed(folder: &Folder, arguments: &[&str], input: &[u8]) -> Ended {
    let mut command = command(folder, arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    ended(child.wait_with_output().unwrap())
}

pub(crate) fn ended(output: Output) -> Ended {
    Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ended {
    /// Standard output with the times, which differ from call to call, as `TIME`.
    pub(crate) fn timeless(&self) -> String {
        let mut text = String::new();
        for line in self.stdout.lines() {
            match (line.split_once("runtime="), line.split_once("Run Time: ")) {
                (Some((before, after)), _) => {
                    text += &format!("{before}runtime=TIME{}", &after[after.find(' ').unwrap_or(after.len())..]);
                }
                (None, Some((before, _))) => text += &format!("{before}Run Time: TIME"),
                (None, None) => text += line,
            }
            text.push('\n');
        }
        text
    }
}

/// Whoever runs the tests, as a manifest names owner and group: by number.
pub(crate) fn owner() -> String {
    use std::os::unix::fs::MetadataExt;
    let folder = Folder::new();
    let stat = std::fs::metadata(Path::new(&folder.file("probe", ""))).unwrap();
    format!("owner: \"{}\", group: \"{}\"", stat.uid(), stat.gid())
}
