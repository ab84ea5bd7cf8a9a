//! Reading mappings strictly, every fault collected with its place rather than the first returned.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Error;
use crate::span::{Site, Span};
use crate::text::nearest::hint;
use crate::value::{Text, Value};
use crate::yaml::{Document, Entry, Node};

/// A document being read, and what is wrong with it so far.
pub(super) struct Strict<'d> {
    pub(super) document: &'d Document,
    pub(super) faults: Vec<Error>,
}

impl<'d> Strict<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self { document, faults: Vec::new() }
    }

    pub(super) fn site(&self, span: Span) -> Site {
        self.document.source().at(span)
    }

    pub(super) fn fault(&mut self, span: Span, text: impl Into<String>) {
        self.faults.push(Error::invalid(text).at(self.site(span)));
    }

    /// The entries of a mapping; null is an empty one.
    pub(super) fn entries<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Entry] {
        if let Some(entries) = node.entries() {
            return entries;
        }
        if !node.is_null() {
            self.fault(node.span, format!("{what} must be a map, found {}", node.kind()));
        }
        &[]
    }

    /// [`Strict::entries`], every key being one of those known; `x-…` keys are nobody's business.
    pub(super) fn known<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> &'n [Entry] {
        let entries = self.entries(node, what);
        for entry in entries {
            if !known.contains(&&*entry.key) && !entry.key.starts_with("x-") {
                let hint = hint(&entry.key, known.iter().copied());
                self.fault(entry.span, format!("unknown key {} of {what}{hint}", entry.key));
            }
        }
        entries
    }

    /// Text that is not empty and stands on one line.
    pub(super) fn line<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n Text> {
        match node.shared_text() {
            Some(text) if text.is_empty() || node.is_null() => self.fault(node.span, format!("{what} is empty")),
            Some(text) if text.contains(['\n', '\r', '\0']) => {
                self.fault(node.span, format!("{what} must stand on one line"));
            }
            Some(text) => return Some(text),
            None => self.fault(node.span, format!("{what} must be text, found {}", node.kind())),
        }
        None
    }

    pub(super) fn flag(&mut self, node: &Node, what: &str) -> bool {
        match node.to_value() {
            Value::Bool(flag) => flag,
            other => {
                self.fault(node.span, format!("{what} must be true or false, found {}", other.kind()));
                false
            }
        }
    }

    /// A TCP or UDP port.
    pub(super) fn port(&mut self, node: &Node, what: &str) -> Option<u16> {
        let port = match node.to_value() {
            Value::Int(int) => int.as_u64().and_then(|int| u16::try_from(int).ok()).filter(|port| *port > 0),
            _ => None,
        };
        if port.is_none() {
            self.fault(node.span, format!("{what} must be an integer from 1 to 65535"));
        }
        port
    }
}
