//! The two streams. A reader that has gone or a full disk ends the output, never the work: what
//! could not be written is remembered and shows in the exit code.

use std::cell::RefCell;
use std::io::{BufWriter, IsTerminal, StdoutLock, Write};

/// Standard output, buffered, and standard error, not. Shared by reference, since a command that runs and
/// the run itself both speak.
pub(crate) struct Output {
    stdout: RefCell<Stdout>,
    terminal: bool,
}

struct Stdout {
    writer: BufWriter<StdoutLock<'static>>,
    broken: bool,
}

impl Output {
    /// Takes standard output for the life of the program.
    pub(crate) fn new() -> Self {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        Self { stdout: RefCell::new(Stdout { writer: BufWriter::new(stdout.lock()), broken: false }), terminal }
    }

    /// Somebody looks at standard output as it is written.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes a result to standard output, as it is.
    pub(crate) fn text(&self, text: &str) {
        self.stdout.borrow_mut().attempt(|writer| writer.write_all(text.as_bytes()));
        if self.terminal {
            self.flush();
        }
    }

    /// Writes a text to standard error; whatever standard output holds comes first.
    pub(crate) fn error(&self, text: &str) {
        self.flush();
        // Nobody can be told that standard error is gone.
        let _lost = std::io::stderr().write_all(text.as_bytes());
    }

    /// Hands on what is buffered.
    pub(crate) fn flush(&self) {
        self.stdout.borrow_mut().attempt(Write::flush);
    }

    /// Everything was written.
    pub(crate) fn finish(&self) -> bool {
        self.flush();
        !self.stdout.borrow().broken
    }
}

impl Stdout {
    /// Writes, unless an earlier attempt failed.
    fn attempt(&mut self, write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> std::io::Result<()>) {
        if !self.broken {
            self.broken = write(&mut self.writer).is_err();
        }
    }
}
