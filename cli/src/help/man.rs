//! The manual page, in the macros of man(7), the same bytes each time: it bears no date.

use super::TOPICS;
use crate::command::HELP;
use crate::definition::{Command, Flag};

/// `ccm.1`.
pub(super) fn page(ccm: &Command) -> String {
    let mut page = format!(".TH CCM 1 \"\" \"ccm {}\" \"User Commands\"\n", env!("CARGO_PKG_VERSION"));
    page += ".SH NAME\nccm \\- bring this machine to the state that a manifest describes\n";
    page += ".SH SYNOPSIS\n.B ccm\n[\\fIFLAGS\\fR] \\fICOMMAND\\fR [\\fIFLAGS\\fR] [\\fIARGUMENTS\\fR]\n";
    page += ".SH DESCRIPTION\n";
    line(&mut page, ccm.about);
    page += DESCRIPTION;
    page += ".SH FLAGS\nAccepted before and after every command.\n";
    flags(&mut page, ccm);
    page += ".SH COMMANDS\n";
    for below in ccm.commands() {
        command(&mut page, "ccm", below);
    }
    for (name, text) in TOPICS {
        page += &format!(".SH {}\n", name.to_ascii_uppercase());
        lesson(&mut page, text);
    }
    page += ENDING;
    page
}

const DESCRIPTION: &str = ".PP\nWords and flags may stand in any order; \\fB\\-\\-name=value\\fR and \
\\fB\\-\\-name value\\fR are the same; after \\fB\\-\\-\\fR nothing is a flag.\n";

const ENDING: &str = ".SH EXIT STATUS
.TP
.B 0
All is as described, or was brought there.
.TP
.B 1
Nothing could be run: usage, manifest, data; or the output was lost.
.TP
.B 2, 4, 6
With \\fB\\-\\-detailed\\-exitcodes\\fR: changed, failed, changed and failed.
.TP
.B 130, 143
Ended by INT, by TERM.
.SH FILES
.TP
.I /etc/choria/ccm/, $XDG_CONFIG_HOME/choria/ccm/
Facts (facts.json, facts.yaml, facts.d/), keys of bundles (keys/*.pub), the policy (policy.yaml).
.TP
.I /var/lib/ccm/, $XDG_STATE_HOME/ccm/
The versions of the bundles applied last.
.TP
.I /run/ccm.lock, $XDG_RUNTIME_DIR/ccm.lock
Keeps two runs apart.
";

/// A command, its flags, and those below it.
fn command(page: &mut String, above: &str, command: &Command) {
    let name = format!("{above} {}", command.name);
    *page += &format!(".SS {}\n", roff(&name));
    if command.commands().is_empty() {
        let shown = command.words().iter().map(|word| format!(" \\fI{}\\fR", roff(&word.shown())));
        *page += &format!("\\fB{}\\fR [\\fIFLAGS\\fR]{}\n.PP\n", roff(&name), shown.collect::<String>());
    }
    line(page, command.about);
    for word in command.words() {
        *page += &format!(".TP\n\\fI{}\\fR\n", roff(word.name));
        line(page, word.help);
    }
    flags(page, command);
    for below in command.commands() {
        self::command(page, &name, below);
    }
}

fn flags(page: &mut String, command: &Command) {
    for flag in command.flags().filter(|flag| flag.long != HELP.long) {
        *page += &format!(".TP\n{}\n", spelling(flag));
        line(page, flag.help);
    }
}

fn spelling(flag: &Flag) -> String {
    let short = flag.short.map_or_else(String::new, |letter| format!("\\fB\\-{letter}\\fR, "));
    let value = flag.value().map_or_else(String::new, |name| format!(" \\fI{}\\fR", roff(name)));
    format!("{short}\\fB\\-\\-{}\\fR{value}", roff(flag.long))
}

/// A lesson: paragraphs, and examples that are indented.
fn lesson(page: &mut String, text: &str) {
    let mut example = false;
    for text in text.lines() {
        let indented = text.starts_with("    ");
        if indented != example && !text.is_empty() {
            *page += if indented { ".PP\n.nf\n.RS\n" } else { ".RE\n.fi\n.PP\n" };
            example = indented;
        }
        match text.is_empty() {
            true if example => page.push('\n'),
            true => *page += ".PP\n",
            false => line(page, if indented { &text[4..] } else { text }),
        }
    }
    if example {
        *page += ".RE\n.fi\n";
    }
}

/// A line of text, which must not be taken for a request.
fn line(page: &mut String, text: &str) {
    if text.starts_with(['.', '\'']) {
        *page += "\\&";
    }
    *page += &roff(text);
    page.push('\n');
}

/// Text with what roff would read as its own written as text.
fn roff(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_a_request() {
        let mut page = String::new();
        line(&mut page, ".env a-b \\n");
        assert_eq!(page, "\\&.env a\\-b \\en\n");
    }

    #[test]
    fn an_example_is_set_as_it_stands() {
        let mut page = String::new();
        lesson(&mut page, "Say:\n\n    a:\n\n      b\n\nDone.\n");
        assert_eq!(page, "Say:\n.PP\n.PP\n.nf\n.RS\na:\n\n  b\n\n.RE\n.fi\n.PP\nDone.\n");
    }
}
