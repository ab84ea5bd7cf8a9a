//! How deep things must stand: what the parser lets pass, held to the official suite.
//!
//! The parser is run without its strict indentation, because that refuses the `]` or `}` at the left margin
//! which everybody writes. Of the rest, this file lets only a closing quote stand there.

use ccm_parser::StructureStyle;

use super::Style;
use crate::error::{Error, Kind, Result, YamlFault};
use crate::span::{Source, Span};

/// What stands inside a list or mapping is held against this.
#[derive(Clone, Copy)]
pub(super) struct Margin {
    /// The column of the innermost block around it; -1 where there is none.
    column: i64,
    /// It stands in `[…]` or `{…}`.
    flow: bool,
}

impl Margin {
    /// The margin inside a list or mapping that begins at a column; `around` is the margin it stands in itself.
    pub(super) fn enter(
        around: Option<Self>,
        style: StructureStyle,
        source: &Source,
        span: Span,
        column: i64,
    ) -> Result<Self> {
        if style == StructureStyle::Flow {
            return Ok(Self { column: around.map_or(-1, |around| around.column), flow: true });
        }
        // Below the top the parser refuses tabs itself.
        let before = if around.is_none() { Span { start: 0, end: span.start }.of(source.text()) } else { "" };
        let margin = before.rsplit('\n').next().unwrap_or("");
        if margin.contains('\t') && margin.trim_start_matches([' ', '\t']).is_empty() {
            return Err(fault("a tab cannot indent a block", source, span));
        }
        Ok(Self { column, flow: false })
    }

    /// Refuses what stands inside `[…]` or `{…}` no deeper than the block around it (suite 9C9N, VJP3).
    pub(super) fn refuse_shallow(self, source: &Source, span: Span, column: i64) -> Result<()> {
        if self.flow && column <= self.column && span.start < span.end {
            return Err(shallow(source, span.start as usize));
        }
        Ok(())
    }

    /// Refuses lines of a quoted text, or of a plain one inside brackets, that stand no deeper than the block
    /// around it (suite QB6E, DK95-01); a closing quote alone may.
    pub(super) fn refuse_shallow_lines(self, style: Style, source: &Source, span: Span) -> Result<()> {
        let held = match style {
            Style::SingleQuoted | Style::DoubleQuoted => true,
            Style::Plain => self.flow,
            Style::Literal | Style::Folded => false,
        };
        let raw = span.of(source.text());
        if !held || !raw.contains('\n') {
            return Ok(());
        }
        let mut at = span.start as usize;
        for (number, line) in raw.split('\n').enumerate() {
            let content = line.trim_start_matches(' ');
            let depth = i64::try_from(line.len() - content.len()).unwrap_or(i64::MAX);
            let bare = matches!(content.trim(), "" | "\"" | "'");
            if number > 0 && depth <= self.column && !bare {
                return Err(shallow(source, at));
            }
            at += line.len() + 1;
        }
        Ok(())
    }
}

#[cold]
fn shallow(source: &Source, at: usize) -> Error {
    fault("this must stand deeper than the block around it", source, Span::point(at))
}

#[cold]
fn fault(text: &str, source: &Source, span: Span) -> Error {
    Error::new(Kind::Yaml(YamlFault::Syntax(text.into()))).at(source.at(span))
}

#[cfg(test)]
mod tests {
    use crate::span::Source;
    use crate::yaml::{Limits, read};
    use alloc::string::ToString;

    fn is_read(text: &str) -> bool {
        match read(&Source::new("i.yaml", text), &Limits::default()) {
            Ok(_) => true,
            Err(error) => {
                assert!(error.to_string().contains("deeper") || error.to_string().contains("tab"), "{error}");
                false
            }
        }
    }

    #[test]
    fn a_closing_bracket_or_quote_may_stand_at_the_margin_but_no_item() {
        assert!(is_read("a: [\n  1,\n  2\n]\nb: {\n  c: 1\n}\n"));
        assert!(is_read("a: \"x\n  y\n\"\n"));
        assert!(!is_read("a: [\n1,\n2\n]\n"));
        assert!(!is_read("a: \"x\ny\"\n"));
        assert!(is_read("[\n1,\n2\n]\n"));
        assert!(!is_read("\ta: 1\n"));
    }
}
