//! `ccm facts`: what this machine is.

use argh::{ArgsInfo, FromArgs};
use ccm_core::value::wire::{self, Layout};
use ccm_core::value::{Value, lookup};
use ccm_core::{Error, Result, yaml};

use crate::exit;
use crate::load;
use crate::logger::Console;

/// Prints the facts of this machine, or what a path in them leads to.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "facts", help_triggers("--help"))]
pub(crate) struct Facts {
    /// a path, as host.info.os
    #[argh(positional)]
    query: Option<String>,
    /// print YAML, not JSON
    #[argh(switch)]
    yaml: bool,
}

impl Facts {
    pub(crate) fn run(self, console: &Console) -> Result<u8> {
        let facts = Value::Map(load::gathered(console));
        let shown = match self.query.as_deref() {
            None | Some("") => facts,
            Some(path) => match lookup::within(&facts, path)? {
                Some(found) => found,
                // The reference tells the two forms apart, and scripts read both.
                None if self.yaml => Value::Null,
                None => return Err(Error::invalid(format!("the facts have nothing at {path}"))),
            },
        };
        let text = if self.yaml { yaml::write(&shown)? } else { wire::json(&shown, LAYOUT)? + "\n" };
        console.out.text(&text);
        Ok(exit::SUCCESS)
    }
}

/// Indented, with `<`, `>` and `&` as they are: people read this.
const LAYOUT: Layout = Layout { indent: true, escape_html: false };
