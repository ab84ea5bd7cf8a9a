//! How a command is used.

use super::spelled;
use crate::command::HELP;
use crate::definition::{Command, Flag};

/// Letters of a line.
const WIDTH: usize = 80;
/// Where descriptions begin.
const COLUMN: usize = 22;

/// The usage of the last of the commands, which the others lead to.
pub(super) fn usage(path: &[&'static Command]) -> String {
    let Some((command, above)) = path.split_last() else { return String::new() };
    let mut text = format!("Usage: {} [flags]", spelled(path));
    for word in command.words() {
        text += &format!(" {}", word.shown());
    }
    if !command.commands().is_empty() {
        text += " <command>";
    }
    text += &format!("\n\n{}\n", command.about);
    list(&mut text, "Arguments", command.words().iter().map(|word| (word.name.to_owned(), word.help)));
    let help = core::iter::once(&HELP).filter(|_| !above.is_empty());
    list(&mut text, "Options", command.flags().chain(help).map(|flag| (name(flag), flag.help)));
    let commands = command.commands().iter();
    list(&mut text, "Commands", commands.map(|below| (below.name.to_owned(), below.about)));
    match above {
        [] => text += NOTE,
        [_, .., parent] if parent.flags().next().is_some() => {
            text += &format!("\nThe flags of `{}` are known here too.\n", spelled(above));
        }
        _ => {}
    }
    text
}

const NOTE: &str =
    "\n`ccm help COMMAND` tells of a command; `ccm help manifest`, `expressions` and `facts` teach\nby example.\n";

fn name(flag: &Flag) -> String {
    let mut name = String::new();
    if let Some(letter) = flag.short {
        name += &format!("-{letter}, ");
    }
    name += &format!("--{}", flag.long);
    if let Some(value) = flag.value() {
        name += &format!(" {value}");
    }
    name
}

/// Names and what they mean, under a heading; nothing where there are none.
fn list(to: &mut String, heading: &str, items: impl Iterator<Item = (String, &'static str)>) {
    for (index, (name, help)) in items.enumerate() {
        if index == 0 {
            *to += &format!("\n{heading}:\n");
        }
        *to += &format!("  {name}");
        let mut column = name.len() + 2;
        if column + 2 > COLUMN {
            to.push('\n');
            column = 0;
        }
        for word in help.split(' ') {
            if column > COLUMN && column + 1 + word.len() > WIDTH {
                to.push('\n');
                column = 0;
            }
            let gap = if column < COLUMN { COLUMN - column } else { 1 };
            to.extend(core::iter::repeat_n(' ', gap));
            *to += word;
            column += gap + word.len();
        }
        to.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_stand_in_a_column_and_are_wrapped() {
        let mut text = String::new();
        let items = [("-o, --output FILE", "short"), ("--a-rather-long-name VALUE", LONG)];
        list(&mut text, "Options", items.iter().map(|(name, help)| ((*name).to_owned(), *help)));
        assert_eq!(
            text,
            "\nOptions:\n  -o, --output FILE   short\n  --a-rather-long-name VALUE\n                      \
             what is so long that it cannot stand on one line of this\n                      usage\n"
        );
    }

    const LONG: &str = "what is so long that it cannot stand on one line of this usage";
}
