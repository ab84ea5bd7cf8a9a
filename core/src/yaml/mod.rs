//! YAML as written: nodes in source order with their places, and the comments between them.
//!
//! [`read()`] makes a [`Document`] of the first document of a [`Source`]; a fault anywhere in the stream
//! refuses it whole. Aliases and merge keys (`<<`) are resolved while reading: an aliased [`Node`] is
//! shared, not copied, and what the aliases would expand to is bounded, so that everything after this
//! room may walk a tree without fear of bombs. A mapping's own entries stand in source order, entries
//! that came in by `<<` behind them; a key occurs once.
//!
//! A scalar keeps its text and style; its value is worked out when it is asked for ([`Node::to_value`]),
//! since a manifest asks for few of them by type, and `mode: 0644` is read from the text.
//!
//! ```
//! use ccm_core::span::Source;
//! use ccm_core::yaml::{self, Limits};
//!
//! let source = Source::new("site.yaml", "file:\n  mode: 0644 # rw-r--r--\n");
//! let document = yaml::read(&source, &Limits::default())?;
//! let mode = document.root().get("file").and_then(|file| file.get("mode")).expect("mode");
//! assert_eq!(mode.text(), Some("0644"));
//! assert!(matches!(mode.to_value(), ccm_core::Value::Int(int) if int.as_i64() == Some(0o644)));
//! assert_eq!(mode.site(&document).to_string(), "site.yaml:2:9");
//! # Ok::<(), ccm_core::Error>(())
//! ```

mod comments;
mod read;
mod scalar;
mod write;

use alloc::sync::Arc;

use crate::span::{Site, Source, Span};
use crate::value::{Map, Text, Value};

pub use ccm_parser::Style;
pub use comments::{Annotation, Comment, Placement};
pub use read::read;
pub use write::write;

/// Bounds on a document.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of text.
    pub bytes: usize,
    /// Lists and mappings inside each other, those reached through aliases included.
    pub depth: u16,
    /// Scalars, lists, mappings and aliases written; comments are counted apart, up to as many.
    pub nodes: u32,
    /// Nodes that aliases stand for, summed over all of them, beyond five for each node written: a
    /// document of ten thousand resources that all merge one block of defaults is none to refuse.
    pub expanded: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 32 << 20, depth: 128, nodes: 300_000, expanded: 100_000 }
    }
}

/// The first document of a source.
#[derive(Debug, Clone)]
pub struct Document {
    source: Source,
    root: Node,
    comments: Arc<[Comment]>,
    /// Where each `<<` stands, in source order.
    merges: Arc<[u32]>,
}

impl Document {
    /// The whole content; a null scalar where there is none.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The text it was read from.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// All comments, in source order.
    #[must_use]
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// The bytes of a span as they stand in the source: quotes and escapes included.
    #[must_use]
    pub fn raw(&self, span: Span) -> &str {
        span.of(self.source.text())
    }
}

/// A scalar, a list or a mapping, and where it stands. An aliased node keeps the place of its anchor.
#[derive(Debug, Clone)]
pub struct Node {
    /// The bytes of the node, without anchor and tag; of a list or mapping from its first to its last item.
    pub span: Span,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Scalar { text: Text, style: Style, tag: Tag },
    List(Arc<[Node]>),
    Map(Arc<[Entry]>),
}

/// The tags of scalars that decide their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// No tag, or one that means nothing here: the looks decide.
    None,
    Str,
    Int,
    Float,
    Bool,
    Null,
    Binary,
    Timestamp,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key as text: `1:` is `1`, `~:` is `null`, `010:` is `8`.
    pub key: Text,
    /// Where the key stands.
    pub span: Span,
    /// The value; null where none is written.
    pub value: Node,
}

impl Node {
    /// The text of a scalar, quotes and escapes undone; `None` of a list or mapping.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.shared_text().map(|text| &**text)
    }

    /// [`Node::text`] to keep without copying.
    #[must_use]
    pub fn shared_text(&self) -> Option<&Text> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            Content::List(_) | Content::Map(_) => None,
        }
    }

    /// How a scalar is written.
    #[must_use]
    pub fn style(&self) -> Option<Style> {
        match self.content {
            Content::Scalar { style, .. } => Some(style),
            Content::List(_) | Content::Map(_) => None,
        }
    }

    /// The items of a list.
    #[must_use]
    pub fn items(&self) -> Option<&[Self]> {
        match &self.content {
            Content::List(items) => Some(items),
            Content::Scalar { .. } | Content::Map(_) => None,
        }
    }

    /// The entries of a mapping, own ones in source order, merged ones after them.
    #[must_use]
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.content {
            Content::Map(entries) => Some(entries),
            Content::Scalar { .. } | Content::List(_) => None,
        }
    }

    /// The value of a key of a mapping. Takes time in proportion to the entries: to visit many keys,
    /// walk [`Node::entries`].
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of a key of a mapping, as [`Node::get`].
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| &*entry.key == key)
    }

    /// Nothing is written here, or `~`, `null`, `!!null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        match &self.content {
            Content::Scalar { text, style, tag } => match tag {
                Tag::Null => true,
                Tag::None => *style == Style::Plain && scalar::is_null(text),
                _ => false,
            },
            Content::List(_) | Content::Map(_) => false,
        }
    }

    /// The kind as shown in messages, as [`Value::kind`].
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.content {
            Content::Scalar { text, style, tag } => scalar::value(text, *style, *tag).kind(),
            Content::List(_) => "list",
            Content::Map(_) => "map",
        }
    }

    /// The data that this node means. Texts are shared with the node; the work is bounded by the limits
    /// of reading.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Scalar { text, style, tag } => scalar::value(text, *style, *tag),
            Content::List(items) => Value::list(items.iter().map(Self::to_value).collect()),
            Content::Map(entries) => {
                Value::Map(entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value())).collect::<Map>())
            }
        }
    }

    /// Where this node stands, for an error about it.
    #[must_use]
    pub fn site(&self, document: &Document) -> Site {
        document.source.at(self.span)
    }
}

impl Entry {
    /// Where the key stands, for an error about it.
    #[must_use]
    pub fn site(&self, document: &Document) -> Site {
        document.source.at(self.span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_small() {
        // Places count in 32 bits on every machine, so words of half the size make less than half a node.
        assert_eq!(size_of::<Node>(), if cfg!(target_pointer_width = "64") { 32 } else { 20 });
    }

    #[test]
    fn ten_thousand_files_are_no_document_to_refuse() {
        let file = "- file:\n  - /etc/f:\n      ensure: present\n      owner: root\n      group: root\n      mode: '0644'\n      content: x\n";
        read(&Source::new("m.yaml", file.repeat(10_000)), &Limits::default()).unwrap();
    }
}
