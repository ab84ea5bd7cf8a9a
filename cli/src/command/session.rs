//! `ccm session`: a directory that remembers what several `ccm ensure` did.

use argh::FromArgs;
use ccm_core::{Error, Result};

use crate::logger::Console;

/// Keeps a record of several `ccm ensure` calls.
#[derive(FromArgs)]
#[argh(subcommand, name = "session", help_triggers("--help"))]
pub(crate) struct Session {}

impl Session {
    pub(crate) fn run(self, _console: &mut Console) -> Result<u8> {
        Err(Error::invalid("no sessions yet"))
    }
}
