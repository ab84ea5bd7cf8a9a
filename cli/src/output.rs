//! The two streams. A reader that has gone or a full disk ends the output, never the work: what
//! could not be written is remembered and shows in the exit code.

use std::io::{BufWriter, IsTerminal, StdoutLock, Write};

/// Standard output, buffered, and standard error, not.
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    terminal: bool,
    broken: bool,
}

impl Output {
    /// Takes standard output for the life of the program.
    pub(crate) fn new() -> Self {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        Self { writer: BufWriter::new(stdout.lock()), terminal, broken: false }
    }

    /// Somebody looks at standard output as it is written.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes a result to standard output, as it is.
    pub(crate) fn text(&mut self, text: &str) {
        if !self.broken {
            self.broken = self.writer.write_all(text.as_bytes()).is_err();
        }
        if self.terminal {
            self.flush();
        }
    }

    /// Writes a text to standard error; whatever standard output holds comes first.
    pub(crate) fn error(&mut self, text: &str) {
        self.flush();
        // Nobody can be told that standard error is gone.
        let _lost = std::io::stderr().write_all(text.as_bytes());
    }

    /// Hands on what is buffered.
    pub(crate) fn flush(&mut self) {
        if !self.broken {
            self.broken = self.writer.flush().is_err();
        }
    }

    /// Everything was written.
    pub(crate) fn finish(&mut self) -> bool {
        self.flush();
        !self.broken
    }
}
