//! How a command is started.
//!
//! The standard library hands this process's signal mask on, and ours holds INT, TERM and HUP back: a command
//! that inherits it cannot be ended by them, nor can a daemon that it leaves behind. So commands are started by
//! `posix_spawn`, which sets the mask of the child before its first instruction. It has no working directory
//! for the child, so this process goes there and comes back; no other thread of it uses relative paths.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::io::{PipeReader, PipeWriter};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Mutex;

use ccm_core::error::Cause;
use ccm_core::host::Command;
use ccm_core::{Error, Result};
use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::stat::Mode;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, chdir, fchdir};

use crate::errno::{fault, io_fault, refusal};
use crate::signals::HELD_BACK;

/// A child with the three ends of its pipes that are ours.
pub(super) struct Started {
    pub(super) leader: Leader,
    pub(super) stdin: PipeWriter,
    pub(super) stdout: PipeReader,
    pub(super) stderr: PipeReader,
}

/// The process that was started, which leads a group of its own.
pub(super) struct Leader {
    pub(super) id: Pid,
    ended: Option<ExitStatus>,
}

impl Leader {
    /// How it ended, once it has.
    pub(super) fn status(&mut self) -> nix::Result<Option<ExitStatus>> {
        self.reap(Some(WaitPidFlag::WNOHANG))
    }

    /// Waits for its end.
    pub(super) fn wait(&mut self) -> nix::Result<()> {
        self.reap(None).map(drop)
    }

    fn reap(&mut self, flags: Option<WaitPidFlag>) -> nix::Result<Option<ExitStatus>> {
        while self.ended.is_none() {
            match waitpid(self.id, flags) {
                Ok(WaitStatus::Exited(_, code)) => self.ended = Some(ExitStatus::from_raw(code << 8)),
                Ok(WaitStatus::Signaled(_, signal, _)) => self.ended = Some(ExitStatus::from_raw(signal as i32)),
                Ok(_) => return Ok(None),
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(self.ended)
    }
}

/// Starts a command.
pub(super) fn start(program: &str, command: &Command) -> Result<Started> {
    let pipe = || std::io::pipe().map_err(|error| io_fault("pipe for", &*command.program, &error));
    let ((stdin, to_stdin), (from_stdout, stdout), (from_stderr, stderr)) = (pipe()?, pipe()?, pipe()?);
    let words = std::iter::once(&command.program).chain(&command.arguments);
    let words = words.map(|word| text(command, word.as_bytes())).collect::<Result<Vec<_>>>()?;
    let entries = environment(command).into_iter();
    let entries = entries.map(|(name, value)| text(command, format!("{name}={value}").as_bytes()));
    let entries = entries.collect::<Result<Vec<_>>>()?;
    let directory = command.directory.as_deref().unwrap_or("/");
    let spawned = in_directory(directory, || {
        let mut actions = PosixSpawnFileActions::init()?;
        for (number, end) in [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd()].into_iter().enumerate() {
            actions.add_dup2(end, number as i32)?;
        }
        posix_spawn(program, &actions, &attributes()?, &words, &entries)
    });
    // The child's ends are closed here, without which its output would never end.
    match spawned {
        Ok(id) => Ok(Started {
            leader: Leader { id, ended: None },
            stdin: to_stdin,
            stdout: from_stdout,
            stderr: from_stderr,
        }),
        Err(errno) => Err(unstartable(program, directory, errno)),
    }
}

/// A group of its own, the mask this process was started with, and PIPE as a command expects it.
fn attributes() -> nix::Result<PosixSpawnAttr> {
    let mut mask = SigSet::thread_get_mask()?;
    for held_back in HELD_BACK {
        mask.remove(held_back);
    }
    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_pgroup(Pid::from_raw(0))?;
    attributes.set_sigmask(&mask)?;
    attributes.set_sigdefault(&SigSet::from(Signal::SIGPIPE))?;
    attributes.set_flags(
        PosixSpawnFlags::POSIX_SPAWN_SETPGROUP
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF,
    )?;
    Ok(attributes)
}

/// Held by whoever has changed the working directory.
static PLACE: Mutex<()> = Mutex::new(());

/// Does something while this process stands in a directory.
fn in_directory<T>(directory: &str, act: impl FnOnce() -> nix::Result<T>) -> nix::Result<T> {
    let _place = PLACE.lock();
    let here = open(".", OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty())?;
    chdir(directory)?;
    let done = act();
    fchdir(&here)?;
    done
}

fn text(command: &Command, bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| fault("run", &*command.program, Errno::EINVAL))
}

/// The spawn error does not tell the program from its directory or its interpreter.
#[cold]
fn unstartable(program: &str, directory: &str, errno: Errno) -> Error {
    match std::fs::metadata(directory) {
        Ok(meta) if meta.is_dir() => {}
        Ok(_) => return refusal("enter", directory, Cause::NotDirectory, "not a directory"),
        Err(error) => return io_fault("enter", directory, &error),
    }
    match errno {
        Errno::ENOENT => refusal("run", program, Cause::NotFound, "its interpreter or loader is missing"),
        errno => fault("run", program, errno),
    }
}

/// `NAME=value` entries, the later winning.
fn environment(command: &Command) -> BTreeMap<&str, &str> {
    command.environment.iter().filter_map(|entry| entry.split_once('=')).collect()
}
