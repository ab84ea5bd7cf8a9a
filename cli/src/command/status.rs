//! `ccm status`: the state of one resource, as it is.

use argh::FromArgs;
use ccm_core::{Error, Result};

use crate::logger::Console;

/// Shows the state of a resource.
#[derive(FromArgs)]
#[argh(subcommand, name = "status", help_triggers("--help"))]
pub(crate) struct Status {}

impl Status {
    pub(crate) fn run(self, _console: &mut Console) -> Result<u8> {
        Err(Error::invalid("no status yet"))
    }
}
