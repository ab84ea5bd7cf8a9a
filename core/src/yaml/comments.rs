//! Comments: kept beside the tree, each with its place; and which key one belongs to.
//!
//! A comment above a key, or behind it on its line, belongs to that key. One that follows the last key of a
//! block, at the block's column or deeper, belongs to that last key. Comments at or inside the items of a
//! list belong to nobody (vectors hiera/annotations).

use alloc::vec::Vec;

use super::{Document, Entry, Node};
use crate::span::Span;
use crate::value::Text;

/// One comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// From `#` to the end of the line, the line end not included.
    pub span: Span,
    /// How it stands to what is around it.
    pub placement: Placement,
}

/// Where on its line a comment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// On a line of its own.
    Alone,
    /// Behind something on the same line.
    Behind,
}

impl Comment {
    /// What stands after the `#`.
    #[must_use]
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        let text = self.span.of(source);
        text.strip_prefix('#').unwrap_or(text)
    }
}

/// A comment and the key that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The keys that lead to it, from below the key that was asked about.
    pub path: Vec<Text>,
    /// The comment.
    pub comment: Comment,
}

impl Document {
    /// The comments below a top-level key whose text (after the `#`) is wanted, in source order, each with its key.
    #[must_use]
    pub fn annotations(&self, key: &str, wanted: impl Fn(&str) -> bool) -> Vec<Annotation> {
        let mut binder = Binder { document: self, path: Vec::new(), found: Vec::new() };
        let Some(entry) = self.root.entry(key) else { return Vec::new() };
        let tops = self.root.entries().unwrap_or(&[]).iter().map(|top| top.span.start);
        let end = tops.filter(|&start| start > entry.span.start).min().unwrap_or(u32::MAX);
        let text = self.source.text();
        let within = |comment: &&Comment| (entry.span.start..end).contains(&comment.span.start);
        let comments = self.comments.iter().filter(within).filter(|comment| wanted(comment.text(text)));
        let inside: Vec<Comment> =
            comments.filter(|comment| matches!(binder.owner(entry, comment), Owner::Inside)).copied().collect();
        binder.bind(&entry.value, &inside);
        binder.found.sort_by_key(|annotation| annotation.comment.span.start);
        binder.found
    }
}

/// Whom a comment that follows a key, and precedes the next one, concerns.
enum Owner {
    /// The key.
    Here,
    /// A key inside its value.
    Inside,
    /// The next key.
    Next,
    Nobody,
}

struct Binder<'a> {
    document: &'a Document,
    /// The keys that lead to the mapping at hand.
    path: Vec<Text>,
    found: Vec<Annotation>,
}

impl Binder<'_> {
    /// Binds comments that concern something inside a mapping. Walks entries and comments together, once.
    fn bind(&mut self, mapping: &Node, comments: &[Comment]) {
        if comments.is_empty() {
            return;
        }
        let own = own_entries(mapping);
        let mut rest = comments;
        let mut heads = take_before(&mut rest, own.first()).to_vec();
        for (at, entry) in own.iter().enumerate() {
            let floor = at.checked_sub(1).and_then(|at| own.get(at)).map_or(mapping.span.start, end_of);
            self.give(&entry.key, core::mem::take(&mut heads), floor, entry.span.start);
            let mut inside = Vec::new();
            let mut here = Vec::new();
            for comment in take_before(&mut rest, own.get(at + 1)) {
                match self.owner(entry, comment) {
                    Owner::Here => here.push(*comment),
                    Owner::Inside => inside.push(*comment),
                    Owner::Next => heads.push(*comment),
                    Owner::Nobody => {}
                }
            }
            self.give(&entry.key, here, end_of(entry), entry.span.start);
            self.path.push(entry.key.clone());
            self.bind(&entry.value, &inside);
            self.path.pop();
        }
        let merge = Text::from("<<");
        let last = own.last().map_or(&merge, |last| &last.key);
        self.give(last, heads, own.last().map_or(mapping.span.start, end_of), mapping.span.end);
    }

    /// Comments belong to a key, unless a `<<` is nearer: for one behind something, between `floor`, where the
    /// value before it ends, and itself; for one on a line of its own, between itself and `start` of the key.
    fn give(&mut self, key: &Text, comments: Vec<Comment>, floor: u32, start: u32) {
        for comment in comments {
            let at = comment.span.start;
            let (from, to) = if comment.placement == Placement::Behind { (floor, at) } else { (at, start) };
            let merges = &self.document.merges;
            let first = merges.get(merges.partition_point(|&merge| merge < from));
            let key = if first.is_some_and(|&merge| merge < to) { Text::from("<<") } else { key.clone() };
            let path = self.path.iter().cloned().chain([key]).collect();
            self.found.push(Annotation { path, comment });
        }
    }

    fn owner(&self, entry: &Entry, comment: &Comment) -> Owner {
        let value = &entry.value;
        let behind = comment.placement == Placement::Behind;
        let before = comment.span.start < value.span.start;
        let after = comment.span.start >= value.span.end;
        // An aliased value stands elsewhere, and one that is not there stands nowhere.
        let elsewhere = value.span.start < entry.span.start || value.span.start == value.span.end;
        let outside = if behind { Owner::Here } else { Owner::Next };
        let within = match (value.entries(), value.items()) {
            _ if elsewhere => return outside,
            (Some(_), _) => Owner::Inside,
            (_, Some(_)) => Owner::Nobody,
            _ if before => return Owner::Here,
            _ => return outside,
        };
        if behind && before {
            return Owner::Here;
        }
        if !after {
            return within;
        }
        if self.document.raw(value.span).starts_with(['{', '[']) {
            return outside;
        }
        let column = self.column(value.span);
        let deeper = column > self.column(entry.span) && self.column(comment.span) >= column;
        if behind || deeper { within } else { Owner::Next }
    }

    /// Bytes before it on its line.
    fn column(&self, span: Span) -> usize {
        let before = self.document.raw(Span { start: 0, end: span.start });
        before.len() - before.rfind('\n').map_or(0, |at| at + 1)
    }
}

/// The entries that are written in a mapping itself; merged ones stand behind them.
fn own_entries(mapping: &Node) -> &[Entry] {
    let entries = mapping.entries().unwrap_or(&[]);
    let mut end = mapping.span.start;
    let own = entries.iter().take_while(|entry| {
        let is_own = entry.span.start >= end && entry.span.end <= mapping.span.end;
        end = end_of(entry);
        is_own
    });
    let own = own.count();
    entries.get(..own).unwrap_or(&[])
}

/// Where an entry ends in the text; an aliased value stands elsewhere.
fn end_of(entry: &Entry) -> u32 {
    if entry.value.span.start >= entry.span.end { entry.value.span.end } else { entry.span.end }
}

/// Splits off the comments before an entry, all of them where there is none.
fn take_before<'c>(rest: &mut &'c [Comment], entry: Option<&Entry>) -> &'c [Comment] {
    let at = entry.map_or(rest.len(), |entry| rest.partition_point(|comment| comment.span.start < entry.span.start));
    let (before, after) = rest.split_at_checked(at).unwrap_or((rest, &[]));
    *rest = after;
    before
}

#[cfg(test)]
mod tests {
    use crate::span::Source;
    use crate::yaml::{Limits, read};
    use alloc::string::String;
    use alloc::vec::Vec;

    /// Which key has which comments, as `key: comment`.
    fn bound(text: &str) -> Vec<String> {
        let document = read(&Source::new("c.yaml", text), &Limits::default()).unwrap();
        let annotations = document.annotations("data", |_| true);
        let shown = annotations.iter().map(|annotation| {
            let comment = annotation.comment.text(text);
            alloc::format!("{}:{comment}", annotation.path.join("."))
        });
        shown.collect()
    }

    #[test]
    fn a_comment_belongs_to_the_key_under_it_or_before_it_on_its_line() {
        assert_eq!(
            bound("data:\n  # 1\n\n  a: x # 2\n  b: # 3\n    # 4\n    c: 1\n"),
            ["a: 1", "a: 2", "b: 3", "b.c: 4"]
        );
        assert_eq!(bound("# 0\ndata: # 1\n  a: 1\n# 2\n"), [""; 0]);
    }

    #[test]
    fn a_comment_after_the_last_key_of_a_block_belongs_to_it_by_its_column() {
        assert_eq!(bound("data:\n  a:\n    b: 1\n    # 1\n  # 2\n  c: 1\n  # 3\nx: 1\n"), ["a.b: 1", "c: 2", "c: 3"]);
    }

    #[test]
    fn comments_of_lists_belong_to_nobody_but_the_key_after_an_unindented_one_gets_its_own() {
        assert_eq!(bound("data:\n  a:\n    # 1\n    - b: 1 # 2\n    # 3\n  c: 1\n"), [""; 0]);
        assert_eq!(bound("data:\n  a:\n  - 1 # 1\n  # 2\n  c: 1\n"), ["c: 2"]);
        assert_eq!(bound("data:\n  a: [x] # 1\n  b: [x, # 2\n    y]\n"), ["a: 1"]);
    }

    #[test]
    fn comments_of_a_merge_key_or_an_anchor_stay_with_it() {
        assert_eq!(
            bound("x: &x\n  # 0\n  a: 1\ndata:\n  # 1\n  <<: *x # 2\n  # 3\n  b: 1\n"),
            ["<<: 1", "<<: 2", "b: 3"]
        );
        assert_eq!(bound("x: &x\n  # 0\n  a: 1\ndata:\n  b: *x # 1\n  # 2\n  c: 1\n"), ["b: 1", "c: 2"]);
        assert_eq!(bound("data:\n  b: 1\n  # 1\n  <<: {a: 1} # 2\n"), ["<<: 1", "<<: 2"]);
    }
}
