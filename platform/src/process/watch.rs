//! One running command, watched until nothing of it is left to wait for.

use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use ccm_core::Result;
use ccm_core::host::{Command, Output, Stop};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::start::{Leader, Started};
use super::tail::{Lines, Tail};
use crate::errno::fault;
use crate::signals::{Signals, timeout};

/// How a command ended.
pub(super) enum End {
    /// By itself, or by a signal that was not ours.
    Exit(ExitStatus),
    /// We ended it after this long.
    TimedOut(Duration),
    /// We ended it because we were asked to stop.
    Stopped,
}

/// How long a group has between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long output may still come after a command ended, when something it left behind holds its pipes open.
const LINGER: Duration = Duration::from_millis(50);
/// How often to look for the end of a command where the kernel has no descriptor for it (before 5.3).
const GLANCE: Duration = Duration::from_millis(20);
/// How often to look whether the rest of an ended group is gone.
const RECHECK: Duration = Duration::from_millis(20);

pub(super) struct Watch<'a> {
    leader: Leader,
    group: Pid,
    /// Readable when the command has ended.
    end: Option<OwnedFd>,
    stdin: Input<'a>,
    stdout: Stream<'a>,
    stderr: Stream<'a>,
    signals: &'a Signals,
    limit: Option<Duration>,
    deadline: Option<Instant>,
    name: &'a str,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        started: Started,
        command: &'a Command,
        signals: &'a Signals,
        sink: Option<&'a dyn Fn(&str)>,
    ) -> Self {
        let group = started.leader.id;
        let sink = sink.filter(|_| command.stream);
        let keep = if command.keep == 0 { Command::KEPT } else { command.keep };
        Self {
            leader: started.leader,
            group,
            end: descriptor_of(group),
            stdin: Input::new(started.stdin, &command.input),
            stdout: Stream::new(started.stdout, keep, sink),
            stderr: Stream::new(started.stderr, keep, sink),
            signals,
            limit: command.timeout,
            deadline: command.timeout.and_then(|limit| Instant::now().checked_add(limit)),
            name: &command.program,
        }
    }

    /// Waits for the end of the command, its deadline, or a signal; then for the rest of its output.
    pub(super) fn follow(mut self, buffer: &mut [u8]) -> Result<(End, Output)> {
        let end = self.wait(buffer)?;
        let linger = Instant::now() + LINGER;
        while self.open() && Instant::now() < linger {
            self.listen(Some(linger), buffer)?;
        }
        let (stdout, out_dropped) = self.stdout.finish();
        let (stderr, err_dropped) = self.stderr.finish();
        Ok((end, Output { code: 0, stdout, stderr, truncated: out_dropped || err_dropped }))
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Result<End> {
        loop {
            if let Some(status) = self.status()? {
                return Ok(End::Exit(status));
            }
            if let Some(stop) = self.signals.stop() {
                let signal = if stop == Stop::Interrupt { Signal::SIGINT } else { Signal::SIGTERM };
                self.end_group(signal, buffer)?;
                return Ok(End::Stopped);
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.end_group(Signal::SIGTERM, buffer)?;
                return Ok(End::TimedOut(self.limit.unwrap_or_default()));
            }
            self.listen(self.deadline, buffer)?;
        }
    }

    /// Ends the whole group and waits until none of it is left; a second signal to us ends the grace.
    fn end_group(&mut self, first: Signal, buffer: &mut [u8]) -> Result<()> {
        let patience = self.signals.count();
        let kill = Instant::now() + GRACE;
        let _gone_already = killpg(self.group, first);
        // A stopped process sees no signal but KILL before it goes on.
        let _gone_already = killpg(self.group, Signal::SIGCONT);
        loop {
            let leader_gone = self.status()?.is_some();
            if leader_gone && !alive(self.group) {
                return Ok(());
            }
            if Instant::now() >= kill || self.signals.count() > patience {
                let _gone_already = killpg(self.group, Signal::SIGKILL);
                self.leader.wait().map_err(|errno| fault("wait for", self.name, errno))?;
                return Ok(());
            }
            self.listen(Some((Instant::now() + RECHECK).min(kill)), buffer)?;
        }
    }

    fn status(&mut self) -> Result<Option<ExitStatus>> {
        let status = self.leader.status().map_err(|errno| fault("wait for", self.name, errno))?;
        if status.is_some() {
            // From now on it would be readable for ever.
            self.end = None;
        }
        Ok(status)
    }

    fn open(&self) -> bool {
        self.stdout.pipe.is_some() || self.stderr.pipe.is_some()
    }

    /// Sleeps until something happens or a moment has come, then moves what input and output can move.
    fn listen(&mut self, until: Option<Instant>, buffer: &mut [u8]) -> Result<()> {
        let glance = if self.end.is_none() { Some(Instant::now() + GLANCE) } else { None };
        let until = [until, glance].into_iter().flatten().min();
        let time = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        let mut polled: Vec<PollFd<'_>> = Vec::with_capacity(5);
        for readable in [self.stdout.descriptor(), self.stderr.descriptor(), self.signals.descriptor(), self.end()] {
            polled.extend(readable.map(|descriptor| PollFd::new(descriptor, PollFlags::POLLIN)));
        }
        polled.extend(self.stdin.descriptor().map(|descriptor| PollFd::new(descriptor, PollFlags::POLLOUT)));
        match poll(&mut polled, timeout(time)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(fault("watch", self.name, errno)),
        }
        self.stdin.write();
        self.stdout.read(buffer);
        self.stderr.read(buffer);
        Ok(())
    }

    fn end(&self) -> Option<BorrowedFd<'_>> {
        self.end.as_ref().map(AsFd::as_fd)
    }
}

/// Whether anything in a group still runs. The dead count as members until somebody reaps them, which in a
/// container without init is never, so where /proc can tell they are left out.
fn alive(group: Pid) -> bool {
    if killpg(group, None).is_err() {
        return false;
    }
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    processes.flatten().any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // `pid (name) state parent group …`, where the name may hold anything.
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let dead = matches!(fields.next(), Some("Z" | "X") | None);
        !dead && fields.nth(1).is_some_and(|field| field == group.to_string())
    })
}

fn descriptor_of(id: Pid) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_raw(id.as_raw())?, PidfdFlags::empty()).ok()
}

/// What the command is given to read.
struct Input<'a> {
    pipe: Option<PipeWriter>,
    left: &'a [u8],
}

impl<'a> Input<'a> {
    fn new(pipe: PipeWriter, bytes: &'a [u8]) -> Self {
        let mut input = Self { pipe: Some(pipe).filter(|pipe| !bytes.is_empty() && unblock(pipe)), left: bytes };
        input.write();
        input
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    fn write(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            match pipe.write(self.left) {
                Ok(count) => self.left = &self.left[count..],
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                // It does not want to read: its business.
                Err(_) => self.left = &[],
            }
            if self.left.is_empty() {
                self.pipe = None;
            }
        }
    }
}

/// What the command writes.
struct Stream<'a> {
    pipe: Option<PipeReader>,
    tail: Tail,
    lines: Option<Lines<'a>>,
}

impl<'a> Stream<'a> {
    /// Chunks read in one go, so that a command that never stops writing does not keep us from its deadline.
    const CHUNKS: usize = 16;

    fn new(pipe: PipeReader, keep: usize, sink: Option<&'a dyn Fn(&str)>) -> Self {
        let pipe = Some(pipe).filter(unblock);
        Self { pipe, tail: Tail::new(keep), lines: sink.map(Lines::new) }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    fn read(&mut self, buffer: &mut [u8]) {
        for _ in 0..Self::CHUNKS {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.tail.push(&buffer[..count]);
                    if let Some(lines) = &mut self.lines {
                        lines.push(&buffer[..count]);
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => self.pipe = None,
            }
        }
    }

    fn finish(mut self) -> (Vec<u8>, bool) {
        if let Some(lines) = &mut self.lines {
            lines.finish();
        }
        self.tail.finish()
    }
}

/// Makes our end of a pipe answer at once; the child's end is another and stays as it is.
fn unblock(pipe: &impl AsFd) -> bool {
    fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_ok()
}
