//! Where a template's text came from, so that its faults are shown in the file that people edit.

use crate::error::Error;
use crate::span::{Site, Source, Span};
use crate::value::Text;
use crate::yaml::{Document, Node, Style};

/// A scalar of a document that holds a text of its own.
#[derive(Debug)]
pub struct Origin {
    site: Site,
    style: Option<Style>,
    text: Text,
}

impl Origin {
    /// The origin of a scalar's text.
    pub(super) fn new(document: &Document, node: &Node) -> Self {
        Self { site: node.site(document), style: node.style(), text: node.shared_text().cloned().unwrap_or_default() }
    }

    /// The error at its place in the file. Where the text is written with escapes before that place, the place in
    /// the text stays, and the scalar's own is added.
    pub(super) fn place(&self, error: Error) -> Error {
        let exact = match error.sites() {
            [inner] if inner.source.text() == &*self.text => self.site_of(inner.span),
            _ => None,
        };
        match exact {
            Some(site) => error.moved_to(site),
            None => error.at(self.site.clone()),
        }
    }

    /// The place in the file of a span of the text, if the text stands there as it is up to its end.
    fn site_of(&self, span: Span) -> Option<Site> {
        let (start, end) = (span.start as usize, span.end as usize);
        let source: &Source = &self.site.source;
        let base = self.site.span.start as usize;
        let at = match self.style? {
            Style::Plain => base,
            Style::SingleQuoted | Style::DoubleQuoted => base + 1,
            Style::Literal => return self.in_literal(span),
            Style::Folded => return None,
        };
        let same = source.text().get(at..at + end)? == self.text.get(..end)?;
        same.then(|| source.at(Span::new(at + start, at + end)))
    }

    /// In a literal block every line is indented as the first one is.
    fn in_literal(&self, span: Span) -> Option<Site> {
        let source = &self.site.source;
        let indent = source.position(self.site.span.start).column as usize - 1;
        let before = self.text.get(..span.start as usize)?;
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let mut at = self.site.span.start as usize;
        for _ in 0..line {
            at += source.text().get(at..)?.find('\n')? + 1;
        }
        if line > 0 {
            let rest = source.text().get(at..)?;
            at += indent.min(rest.len() - rest.trim_start_matches(' ').len());
        }
        let start = at + column;
        let length = (span.end as usize).checked_sub(span.start as usize)?;
        let found = source.text().get(start..start + length)?;
        (found == span.of(&self.text)).then(|| source.at(Span::new(start, start + length)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Module;
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    fn places(template: &str) -> alloc::string::String {
        let source = Source::new("m.yaml", format!("facts:\n  a:\n    path: /a\n    template: {template}\n"));
        let faults = Module::parse("m", &source).unwrap_err();
        let [fault] = &*faults else { panic!("{faults:?}") };
        let shown: alloc::vec::Vec<_> = fault.sites().iter().map(ToString::to_string).collect();
        let site = fault.sites().last().unwrap();
        format!("{} {:?}", shown.join(" "), site.span.of(site.source.text()))
    }

    #[test]
    fn a_fault_is_shown_where_it_is_written() {
        assert_eq!(places("ü {{ .Nope }}"), "m.yaml:4:20 \".Nope\"");
        assert_eq!(places("'{{ .Nope }}'"), "m.yaml:4:19 \".Nope\"");
        assert_eq!(places("\"{{ .Nope }}\\n\""), "m.yaml:4:19 \".Nope\"");
        assert_eq!(places("|\n      a\n\n        ü{{ .Nope }}\n      b"), "m.yaml:7:13 \".Nope\"");
        assert_eq!(places("|2\n        {{ .Nope }}\n      b"), "m.yaml:5:12 \".Nope\"");
    }

    #[test]
    fn behind_an_escape_both_places_are_told() {
        assert_eq!(places("\"a\\n{{ .Nope }}\""), "2:4 m.yaml:4:15 \"\\\"a\\\\n{{ .Nope }}\\\"\"");
        assert_eq!(places(">\n      a\n      {{ .Nope }}"), "1:6 m.yaml:5:7 \"a\\n      {{ .Nope }}\\n\"");
    }
}
