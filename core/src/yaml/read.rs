//! From the parser's events to nodes, within [`Limits`].
//!
//! The parser finds structure, spans and comments; this file builds the tree, resolves aliases and merge
//! keys, and refuses what the grammar allows but data must not have: two entries of one key, keys that
//! are no scalars, aliases that expand without bound. It does not recurse: open lists and mappings are
//! frames on a stack, their items lie on two stacks shared by all frames.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use ccm_parser as parser;
use parser::{Event, Reason};

use super::{Comment, Content, Document, Entry, Limits, Node, Placement, Style, Tag, scalar};
use crate::error::{Error, Kind, Result, YamlFault};
use crate::span::{Source, Span};
use crate::value::Text;

/// Reads the first document of a source.
///
/// # Errors
/// [`YamlFault`] with its site; [`Kind::Limit`] when the document is beyond `limits`. A fault in a later
/// document of the stream is an error too.
pub fn read(source: &Source, limits: &Limits) -> Result<Document> {
    let text = source.text();
    if text.len() > limits.bytes {
        return Err(Error::limit(alloc::format!("the document is larger than {} MiB; divide it", limits.bytes >> 20)));
    }
    // A value has two bytes at least, its sign or letter and what divides it from the next.
    if text.len() / 2 > limits.nodes as usize && parser::at_most(text) > limits.nodes as usize {
        survey(source, limits)?;
    }
    let mut builder = Builder::new(source, limits);
    let mut first = true;
    let mut events = parser::Events::of(text, usize::from(limits.depth));
    while let Some(event) = events.advance().map_err(|fault| syntax_error(source, fault, limits))? {
        match event.kind {
            parser::Kind::DocumentEnd => first = false,
            _ if first => builder.take(&event, &events)?,
            _ => {}
        }
    }
    Ok(builder.finish())
}

/// Walks the first document of a long text, to refuse one of too many values before any of them is made.
fn survey(source: &Source, limits: &Limits) -> Result<()> {
    let mut events = parser::Events::of(source.text(), usize::from(limits.depth));
    let (mut values, mut comments) = (0_u32, 0_u32);
    while let Some(event) = events.advance().map_err(|fault| syntax_error(source, fault, limits))? {
        let (count, what) = match event.kind {
            parser::Kind::DocumentEnd => break,
            parser::Kind::Comment(_) => (&mut comments, "comments"),
            parser::Kind::Scalar(_) | parser::Kind::Alias | parser::Kind::ListStart | parser::Kind::MapStart => {
                (&mut values, "values")
            }
            _ => continue,
        };
        *count += 1;
        if *count > limits.nodes {
            return Err(too_many(source, limits, what, Span { start: event.start, end: event.end }));
        }
    }
    Ok(())
}

#[cold]
fn too_many(source: &Source, limits: &Limits, what: &str, span: Span) -> Error {
    let text = alloc::format!("the document has more than {} {what}; divide it", limits.nodes);
    Error::limit(text).at(source.at(span))
}

/// An open list or mapping.
struct Frame {
    start: Span,
    anchor: u32,
    /// Where its items begin on the stack of nodes or of entries.
    base: usize,
    /// Nodes in it, those behind aliases counted as often as they stand here.
    weight: u64,
    /// Lists and mappings inside each other below this one.
    height: u16,
    kind: FrameKind,
}

enum FrameKind {
    List,
    Map { key: Awaited, merges: Vec<Node> },
}

/// What a mapping waits for.
enum Awaited {
    Key,
    Value(Text, Span),
    MergeValue,
}

struct Anchored {
    node: Node,
    weight: u64,
    height: u16,
}

struct Builder<'a> {
    source: &'a Source,
    limits: &'a Limits,
    frames: Vec<Frame>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    /// By the number of the anchor; `None` of one whose node is not complete.
    anchors: Vec<Option<Anchored>>,
    comments: Vec<Comment>,
    merges: Vec<u32>,
    /// Keys repeat: the last one of each hash is at hand, to be shared.
    keys: [Option<Text>; KEYS],
    root: Option<Node>,
    written: u64,
    expanded: u64,
}

/// How many keys are at hand to be shared between mappings.
const KEYS: usize = 64;

/// Keys longer than this are names of things rather than of properties: they do not repeat.
const LONG: usize = 32;

/// Mappings up to this size are checked for duplicate keys pair by pair, larger ones by sorting.
const PAIRWISE: usize = 12;

impl<'a> Builder<'a> {
    fn new(source: &'a Source, limits: &'a Limits) -> Self {
        Self {
            source,
            limits,
            frames: Vec::new(),
            nodes: Vec::new(),
            entries: Vec::new(),
            anchors: Vec::new(),
            comments: Vec::new(),
            merges: Vec::new(),
            keys: [const { None }; KEYS],
            root: None,
            written: 0,
            expanded: 0,
        }
    }

    fn finish(self) -> Document {
        let empty = || Node {
            span: Span::point(self.source.text().len()),
            content: Content::Scalar { text: "".into(), style: Style::Plain, tag: Tag::None },
        };
        Document {
            source: self.source.clone(),
            root: self.root.unwrap_or_else(empty),
            comments: self.comments.into(),
            merges: self.merges.into(),
        }
    }

    fn take(&mut self, event: &Event, events: &parser::Events<'_>) -> Result<()> {
        let span = Span { start: event.start, end: event.end };
        match event.kind {
            parser::Kind::Scalar(style) => self.scalar(events.text_of(event), style, event, span),
            parser::Kind::ListStart => self.open(span, event, FrameKind::List),
            parser::Kind::MapStart => self.open(span, event, FrameKind::Map { key: Awaited::Key, merges: Vec::new() }),
            parser::Kind::ListEnd | parser::Kind::MapEnd => self.close(span),
            parser::Kind::Alias => self.alias(event.anchor, span),
            parser::Kind::Comment(is_behind) => {
                if self.comments.len() >= self.limits.nodes as usize {
                    return Err(too_many(self.source, self.limits, "comments", span));
                }
                let placement = if is_behind { Placement::Behind } else { Placement::Alone };
                self.comments.push(Comment { span, placement });
                Ok(())
            }
            parser::Kind::DocumentStart | parser::Kind::DocumentEnd => Ok(()),
        }
    }

    fn count(&mut self, span: Span) -> Result<()> {
        self.written += 1;
        if self.written > u64::from(self.limits.nodes) {
            return Err(too_many(self.source, self.limits, "values", span));
        }
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: Style, event: &Event, span: Span) -> Result<()> {
        self.count(span)?;
        let is_key = self.awaits_key();
        let merge = is_key && style == Style::Plain && text == "<<";
        let tag = match event.tag {
            parser::Tag::None => Tag::None,
            tag => tag_of(tag, text, merge).map_err(|error| error.at(self.source.at(span)))?,
        };
        if merge && tag == Tag::None {
            return self.merge_key(span);
        }
        let text = if is_key { self.key(text, style, tag) } else { Text::from(text) };
        self.place(Node { span, content: Content::Scalar { text, style, tag } }, event.anchor, 1, 0)
    }

    fn awaits_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { kind: FrameKind::Map { key: Awaited::Key, .. }, .. }))
    }

    fn key(&mut self, text: &str, style: Style, tag: Tag) -> Text {
        let respelled = scalar::key(text, style, tag);
        let text = respelled.as_deref().unwrap_or(text);
        if text.len() > LONG {
            return Text::from(text);
        }
        let hash = text.bytes().fold(text.len(), |hash, byte| hash.wrapping_mul(31).wrapping_add(usize::from(byte)));
        let Some(slot) = self.keys.get_mut(hash % KEYS) else { return Text::from(text) };
        match slot {
            Some(known) if **known == *text => known.clone(),
            _ => slot.insert(Text::from(text)).clone(),
        }
    }

    fn merge_key(&mut self, span: Span) -> Result<()> {
        if let Some(Frame { kind: FrameKind::Map { key, merges }, .. }) = self.frames.last_mut() {
            if !merges.is_empty() {
                let fault = YamlFault::Syntax("<< may stand once in a mapping; give it a list of mappings".into());
                return Err(Error::new(Kind::Yaml(fault)).at(self.source.at(span)));
            }
            *key = Awaited::MergeValue;
        }
        self.merges.push(span.start);
        Ok(())
    }

    fn open(&mut self, span: Span, event: &Event, kind: FrameKind) -> Result<()> {
        self.count(span)?;
        let is_list = matches!(kind, FrameKind::List);
        let misfit = match event.tag {
            parser::Tag::Map | parser::Tag::Set if is_list => Some("map"),
            parser::Tag::Seq | parser::Tag::Omap | parser::Tag::Pairs if !is_list => Some("seq"),
            parser::Tag::Str => Some("str"),
            parser::Tag::Int => Some("int"),
            parser::Tag::Float => Some("float"),
            parser::Tag::Bool => Some("bool"),
            _ => None,
        };
        if let Some(tag) = misfit {
            let text = if is_list { "a list" } else { "a mapping" };
            return Err(Error::new(Kind::Yaml(YamlFault::BadTag { tag, text: text.into() })).at(self.source.at(span)));
        }
        if self.awaits_key() {
            return Err(self.complex_key(span));
        }
        if self.frames.len() >= usize::from(self.limits.depth) {
            return Err(self.too_deep(span));
        }
        let base = if is_list { self.nodes.len() } else { self.entries.len() };
        self.frames.push(Frame { start: span, anchor: event.anchor, base, weight: 1, height: 0, kind });
        Ok(())
    }

    fn complex_key(&self, span: Span) -> Error {
        let before = self.source.text().get(..span.start as usize).unwrap_or("");
        let here = self.source.text().get(span.start as usize..).unwrap_or("");
        let fault = if before.ends_with('{') && here.starts_with('{') {
            YamlFault::UnquotedExpression
        } else {
            YamlFault::ComplexKey
        };
        Error::new(Kind::Yaml(fault)).at(self.source.at(span))
    }

    fn too_deep(&self, span: Span) -> Error {
        let text = alloc::format!("lists and mappings are nested more than {} deep", self.limits.depth);
        Error::limit(text).at(self.source.at(span))
    }

    fn close(&mut self, span: Span) -> Result<()> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let (content, last) = match frame.kind {
            FrameKind::List => {
                let last = self.nodes.get(frame.base..).and_then(<[Node]>::last).map(|node| node.span);
                (Content::List(self.nodes.drain(frame.base..).collect()), last)
            }
            FrameKind::Map { merges, .. } => {
                let last = self.entries.get(frame.base..).and_then(<[Entry]>::last);
                let last = last.map(|entry| entry.span.to(entry.value.span));
                // A `<<` may be the last thing in it.
                let merge = self.merges.last().filter(|&&merge| merge >= frame.start.start);
                let last = last
                    .into_iter()
                    .chain(merge.map(|&merge| Span { start: merge, end: merge.saturating_add(2) }))
                    .reduce(Span::to);
                self.refuse_duplicates(frame.base)?;
                if let Some(source) = merges.first() {
                    self.merge(source, frame.base);
                }
                (Content::Map(self.entries.drain(frame.base..).collect()), last)
            }
        };
        // A block ends where its last item ends, not where the parser notices; `]` and `}` have a width.
        let end = if span.start == span.end { last.unwrap_or(frame.start) } else { span };
        let node = Node { span: frame.start.to(end), content };
        self.place(node, frame.anchor, frame.weight, frame.height.saturating_add(1))
    }

    fn refuse_duplicates(&self, base: usize) -> Result<()> {
        let own = self.entries.get(base..).unwrap_or(&[]);
        let twice = if own.len() <= PAIRWISE {
            own.iter().enumerate().find_map(|(at, later)| {
                own.iter().take(at).find(|earlier| earlier.key == later.key).map(|earlier| (earlier, later))
            })
        } else {
            let mut sorted: Vec<&Entry> = own.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            sorted.windows(2).find_map(|pair| match pair {
                [earlier, later] if earlier.key == later.key => Some((*earlier, *later)),
                _ => None,
            })
        };
        let Some((earlier, later)) = twice else { return Ok(()) };
        let first = self.source.position(earlier.span.start).line;
        let fault = YamlFault::DuplicateKey { key: (&*later.key).into(), first };
        Err(Error::new(Kind::Yaml(fault)).at(self.source.at(later.span)))
    }

    /// Adds the entries of a `<<` that the mapping does not have; of a list's mappings the earlier wins.
    fn merge(&mut self, source: &Node, base: usize) {
        if let (Some(entries), true) = (source.entries(), self.entries.len() == base) {
            self.entries.extend(entries.iter().cloned());
            return;
        }
        let mut seen: BTreeSet<Text> =
            self.entries.get(base..).unwrap_or(&[]).iter().map(|entry| entry.key.clone()).collect();
        let one = core::slice::from_ref(source);
        for map in source.items().unwrap_or(one) {
            for entry in map.entries().unwrap_or(&[]) {
                if seen.insert(entry.key.clone()) {
                    self.entries.push(entry.clone());
                }
            }
        }
    }

    fn alias(&mut self, id: u32, span: Span) -> Result<()> {
        self.count(span)?;
        let Some(Anchored { node, weight, height }) = self.anchors.get(id as usize).and_then(Option::as_ref) else {
            return Err(Error::new(Kind::Yaml(YamlFault::AliasInsideItself)).at(self.source.at(span)));
        };
        let (node, weight, height) = (node.clone(), *weight, *height);
        self.expanded = self.expanded.saturating_add(weight);
        let limit = u64::from(self.limits.expanded).saturating_add(self.written.saturating_mul(5));
        if self.expanded > limit {
            let text = alloc::format!("aliases stand for more than {limit} values; write less by *alias");
            return Err(Error::limit(text).at(self.source.at(span)));
        }
        if self.frames.len() + usize::from(height) > usize::from(self.limits.depth) {
            return Err(self.too_deep(span));
        }
        if self.awaits_key() {
            let Content::Scalar { text, style, tag } = &node.content else {
                return Err(self.complex_key(span));
            };
            let text = self.key(text, *style, *tag);
            return self.place(
                Node { span, content: Content::Scalar { text, style: Style::Plain, tag: Tag::Str } },
                0,
                1,
                0,
            );
        }
        self.place(node, 0, weight, height)
    }

    /// Puts a finished node where it belongs: it may be a key, a value, an item or the root.
    fn place(&mut self, node: Node, anchor: u32, weight: u64, height: u16) -> Result<()> {
        if anchor != 0 {
            let at = anchor as usize;
            // The parser numbers them in turn.
            self.anchors.resize_with(self.anchors.len().max(at + 1), || None);
            if let Some(place) = self.anchors.get_mut(at) {
                *place = Some(Anchored { node: node.clone(), weight, height });
            }
        }
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.weight = frame.weight.saturating_add(weight);
        frame.height = frame.height.max(height);
        match &mut frame.kind {
            FrameKind::List => self.nodes.push(node),
            FrameKind::Map { key, merges } => match core::mem::replace(key, Awaited::Key) {
                Awaited::Key => {
                    if let Content::Scalar { text, .. } = node.content {
                        *key = Awaited::Value(text, node.span);
                    }
                }
                Awaited::Value(key, span) => self.entries.push(Entry { key, span, value: node }),
                Awaited::MergeValue => {
                    let one = core::slice::from_ref(&node);
                    if node.items().unwrap_or(one).iter().any(|map| map.entries().is_none()) {
                        return Err(Error::new(Kind::Yaml(YamlFault::MergeOfNonMap)).at(self.source.at(node.span)));
                    }
                    merges.push(node);
                }
            },
        }
        Ok(())
    }
}

/// The tag of a scalar, held against its text.
fn tag_of(tag: parser::Tag, text: &str, merge: bool) -> Result<Tag> {
    let bad = |tag| Err(Kind::Yaml(YamlFault::BadTag { tag, text: text.into() }).into());
    let tag = match tag {
        parser::Tag::Str => Tag::Str,
        parser::Tag::Int => Tag::Int,
        parser::Tag::Float => Tag::Float,
        parser::Tag::Bool => Tag::Bool,
        parser::Tag::Null => Tag::Null,
        parser::Tag::Binary => Tag::Binary,
        parser::Tag::Timestamp => Tag::Timestamp,
        parser::Tag::Merge if !merge => return bad("merge"),
        // A node that is not there is null whatever it was meant to be (suite UKK6-02).
        _ if text.is_empty() => Tag::None,
        parser::Tag::Map => return bad("map"),
        parser::Tag::Seq => return bad("seq"),
        parser::Tag::Merge => Tag::None,
        // What nobody here knows is not read by its looks.
        _ => Tag::Str,
    };
    scalar::check(text, tag)?;
    Ok(tag)
}

#[cold]
fn syntax_error(source: &Source, fault: parser::Fault, limits: &Limits) -> Error {
    let error = match fault.reason {
        Reason::TooDeep => {
            Error::limit(alloc::format!("lists and mappings are nested more than {} deep", limits.depth))
        }
        _ if holds_unquoted_expression(source, fault.at) => Error::new(Kind::Yaml(YamlFault::UnquotedExpression)),
        reason => Error::new(Kind::Yaml(YamlFault::Syntax(reason.text().into()))),
    };
    error.at(source.at(Span::point(fault.at)))
}

/// The line of a fault, or the one before it, has a value that begins with `{{`.
fn holds_unquoted_expression(source: &Source, at: usize) -> bool {
    let before = source.text().get(..at).unwrap_or("");
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    [Span::point(at), Span::point(start.saturating_sub(1))].iter().any(|place| {
        let line = source.line(place.start);
        let value = line.split_once(": ").map_or(line, |(_, value)| value);
        value.trim_start_matches([' ', '-']).starts_with("{{")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};

    fn document(text: &str) -> Result<Document> {
        read(&Source::new("m.yaml", text), &Limits::default())
    }

    fn shown(text: &str) -> String {
        format!("{:?}", document(text).unwrap().root().to_value())
    }

    fn fault(text: &str) -> String {
        document(text).unwrap_err().to_string()
    }

    // The numbers are those of field-reports.md.

    #[test]
    fn report_1_line_ends_of_either_kind_give_the_same_text() {
        assert_eq!(shown("x: |\r\n  a\r\n  b\r\n"), shown("x: |\n  a\n  b\n"));
        assert_eq!(shown("x: \"a\r\n  b\"\r\n"), shown("x: \"a b\"\n"));
    }

    #[test]
    fn report_2_each_chomping_mode_is_exact() {
        for (mark, text) in [("|-", "bar"), ("|", "bar\n"), ("|+", "bar\n\n\n"), (">-", "bar"), (">", "bar\n")] {
            let read = document(&format!("foo: {mark}\n  bar\n\n\n")).unwrap();
            assert_eq!(read.root().get("foo").and_then(Node::text), Some(text), "{mark}");
        }
    }

    #[test]
    fn report_4_a_block_of_plain_words_is_text() {
        let read = document(
            "ccm:\n  resources:\n    - file:\n        - /x:\n            content: |\n              a\n              b\n",
        );
        let read = read.unwrap();
        let files = read.root().get("ccm").and_then(|ccm| ccm.get("resources")?.items()?.first()?.get("file"));
        let content = files.and_then(|files| files.items()?.first()?.get("/x")?.get("content"));
        assert_eq!(content.and_then(Node::text), Some("a\nb\n"));
    }

    #[test]
    fn report_7_own_keys_win_over_a_list_of_merges_and_its_earlier_over_its_later() {
        let text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc:\n  z: 3\n  <<: [*a, *b]\n";
        let read = document(text).unwrap();
        assert_eq!(format!("{:?}", read.root().get("c").unwrap().to_value()), shown("{x: 1, y: 1, z: 3}"));
    }

    #[test]
    fn report_8_a_document_without_content_is_null() {
        for text in ["", "---", "# a\n# b\n", "---\n---\na: 1\n", "\u{feff}"] {
            assert!(document(text).unwrap().root().is_null(), "{text:?}");
        }
    }

    #[test]
    fn report_10_what_expands_without_bound_is_refused_by_count() {
        assert!(matches!(document("a: &a [*a]").unwrap_err().kind(), Kind::Yaml(YamlFault::AliasInsideItself)));
        assert!(matches!(document("a: &a {<<: *a}").unwrap_err().kind(), Kind::Yaml(YamlFault::AliasInsideItself)));
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..6 {
            let items = format!("*a{}, ", level - 1).repeat(9);
            text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
        }
        assert!(matches!(document(&text).unwrap_err().kind(), Kind::Limit(_)));
        assert!(matches!(document(&"[".repeat(20_000)).unwrap_err().kind(), Kind::Limit(_)));
    }

    #[test]
    fn report_11_a_mode_keeps_the_digits_that_were_written() {
        for (written, text) in [("0644", "0644"), ("0o644", "0o644"), ("\"0644\"", "0644"), ("1777", "1777")] {
            let read = document(&format!("mode: {written}\n")).unwrap();
            assert_eq!(read.root().get("mode").and_then(Node::text), Some(text));
        }
    }

    #[test]
    fn a_value_that_begins_with_braces_must_be_quoted() {
        for text in ["k: {{ x }}\n", "k: {{ a }} b\n", "- {{ a }}\n", "- x: {{ a }}\n", "k: {{ lookup('a', 'b') }}\n"] {
            assert!(matches!(document(text).unwrap_err().kind(), Kind::Yaml(YamlFault::UnquotedExpression)), "{text}");
        }
        assert_eq!(fault("? [a]\n: 1\n"), "a key must be a scalar, not a list or a mapping (m.yaml:1:3)");
    }

    #[test]
    fn a_duplicate_key_names_both_places() {
        assert_eq!(fault("a: 1\nb: 2\n'a': 3\n"), "key a is already set on line 1 (m.yaml:3:1)");
        let many: String = (0..40).map(|at| format!("k{at}: 1\n")).collect();
        assert_eq!(fault(&format!("{many}k7: 2\n")), "key k7 is already set on line 8 (m.yaml:41:1)");
    }

    #[test]
    fn ten_thousand_resources_may_share_one_block_of_defaults() {
        let mut text = String::from(
            "d: &d {owner: root, group: root, mode: 1, a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1}\nr:\n",
        );
        for at in 0..10_000 {
            text.push_str(&format!("  - name: f{at}\n    <<: *d\n"));
        }
        assert_eq!(document(&text).unwrap().root().get("r").and_then(Node::items).map(<[Node]>::len), Some(10_000));
    }

    #[test]
    fn nesting_through_aliases_is_counted() {
        let mut text = format!("a0: &a0 {}{}\n", "[".repeat(60), "]".repeat(60));
        text.push_str(&format!("a1: &a1 {}*a0{}\n", "[".repeat(60), "]".repeat(60)));
        assert!(document(&text).is_ok());
        text.push_str(&format!("a2: {}*a1{}\n", "[".repeat(60), "]".repeat(60)));
        assert!(matches!(document(&text).unwrap_err().kind(), Kind::Limit(_)));
    }

    #[test]
    fn many_comments_and_long_keys_are_no_reason_to_refuse() {
        assert!(document(&format!("{}a:\n{}  b: 1\n", "# x\n".repeat(5000), "  # y\n".repeat(5000))).is_ok());
    }

    #[test]
    fn comments_keep_their_place() {
        let read = document("a: 1 # behind\n# alone\nb: 2\n").unwrap();
        let comments: Vec<_> =
            read.comments().iter().map(|comment| (comment.text(read.source().text()), comment.placement)).collect();
        assert_eq!(comments, [(" behind", Placement::Behind), (" alone", Placement::Alone)]);
    }
}
