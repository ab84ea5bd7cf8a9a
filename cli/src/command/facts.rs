//! `ccm facts`: what this machine is.

use ccm_core::value::wire::{self, Layout};
use ccm_core::value::{Value, lookup};
use ccm_core::{Error, Result, yaml};

use crate::args::Given;
use crate::definition::{Command, Count, Flag, Then, Word};
use crate::exit;
use crate::load;
use crate::logger::Console;

/// `ccm facts`.
pub(crate) static FACTS: Command = Command {
    name: "facts",
    also: &[],
    about: "Prints the facts of this machine, or what a path in them leads to.",
    flags: &[&[&YAML]],
    then: Then::Run(&[Word::new("query", Count::OneOrNone, "a path, as host.info.os")], run),
};

static YAML: Flag = Flag::switch("yaml", "print YAML, not JSON");

fn run(given: &Given, console: &Console) -> Result<u8> {
    let facts = Value::Map(load::gathered(console));
    let shown = match given.word(0) {
        "" => facts,
        path => match lookup::within(&facts, path)? {
            Some(found) => found,
            // The reference tells the two forms apart, and scripts read both.
            None if given.on(&YAML) => Value::Null,
            None => return Err(Error::invalid(format!("the facts have nothing at {path}"))),
        },
    };
    let text = if given.on(&YAML) { yaml::write(&shown)? } else { wire::json(&shown, LAYOUT)? + "\n" };
    console.out.text(&text);
    Ok(exit::SUCCESS)
}

/// Indented, with `<`, `>` and `&` as they are: people read this.
const LAYOUT: Layout = Layout { indent: true, escape_html: false };
