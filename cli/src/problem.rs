//! How an error looks to a person: what is wrong, where, and the line itself.
//!
//! ```text
//! ccm: error: resolving field command: unknown name Facst (1:1)
//!   site.yaml:12:18 |  command: "{{ Facst.port }}"
//!                   |            ^^^^^
//! ```

use ccm_core::Error;
use ccm_core::span::Site;

use crate::exit;
use crate::logger::Console;

/// Shows an error on standard error and gives the exit code of a call that could not be carried out.
pub(crate) fn show(console: &Console, error: &Error) -> u8 {
    console.out.error(&format!("ccm: error: {}", text(error)));
    exit::FAILURE
}

/// The error, and the lines of its sites that are in a file.
pub(crate) fn text(error: &Error) -> String {
    let mut text = format!("{error}\n");
    let mut expression: Option<&Site> = None;
    for site in error.sites() {
        match (site.source.name(), expression.take()) {
            ("", _) => expression = Some(site),
            (_, Some(inner)) => snippet(&mut text, &site.narrowed(inner)),
            (_, None) => snippet(&mut text, site),
        }
    }
    text
}

/// Columns of a line that are shown: a manifest may be one line of a megabyte.
const WIDTH: usize = 160;

fn snippet(text: &mut String, site: &Site) {
    let place = format!("  {site}");
    let line = site.line();
    let column = site.position().column as usize - 1;
    let from = column.saturating_sub(WIDTH / 2);
    let shown: String =
        line.chars().skip(from).take(WIDTH).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let meant = site.span.of(site.source.text()).lines().next().unwrap_or("").chars().count();
    let marks = meant.clamp(1, WIDTH.saturating_sub(column - from).max(1));
    text.push_str(&format!("{place} |  {shown}\n"));
    text.push_str(&format!(
        "{:width$} |  {:column$}{:^<marks$}\n",
        "",
        "",
        "",
        width = place.chars().count(),
        column = column - from
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccm_core::span::{Source, Span};

    #[test]
    fn the_mark_stands_under_the_word() {
        let source = Source::new("m.yaml", "ccm:\n  command: Facst\n");
        let shown = text(&Error::invalid("unknown name Facst").at(source.at(Span::new(16, 21))));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "unknown name Facst (m.yaml:2:12)");
        assert_eq!(lines[1], "  m.yaml:2:12 |    command: Facst");
        assert_eq!(lines[2], "              |             ^^^^^");
    }

    #[test]
    fn the_mark_stands_under_the_word_of_an_expression_in_a_scalar() {
        let manifest = Source::new("m.yaml", "command: \"{{ Facst.port }}\"\n");
        let expression = Source::anonymous("Facst.port").at(Span::new(0, 5));
        let scalar = manifest.at(Span::new(9, 27));
        let shown = text(&Error::invalid("unknown name Facst").at(expression.clone()).at(scalar));
        assert!(
            shown.ends_with("  m.yaml:1:14 |  command: \"{{ Facst.port }}\"\n              |               ^^^^^\n"),
            "{shown}"
        );
        let twice = Source::new("m.yaml", "\"{{ Facst.port }} {{ Facst.port }}\"");
        let shown = text(&Error::invalid("unknown name Facst").at(expression).at(twice.at(Span::new(0, 35))));
        assert!(shown.contains("m.yaml:1:1 |"), "{shown}");
    }
}
