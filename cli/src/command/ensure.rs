//! `ccm ensure`: one resource, given on the command line.

use argh::FromArgs;
use ccm_core::{Error, Result};

use crate::logger::Console;

/// Brings one resource to a state.
#[derive(FromArgs)]
#[argh(subcommand, name = "ensure", help_triggers("--help"))]
pub(crate) struct Ensure {}

impl Ensure {
    pub(crate) fn run(self, _console: &mut Console) -> Result<u8> {
        Err(Error::invalid("cannot ensure yet"))
    }
}
