//! JSON text inside paths: literals, arguments of modifiers, what `@fromstr` reads.
//!
//! Read a level at a time and as leniently as gjson reads it, which never refuses: what cannot be
//! understood is skipped. There are two readings of a container. A walk sees members and items until
//! one is cut off ([`Json::members`], [`Json::items`]); its value takes what tokens there are ([`Json::tokens`]).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::node::Kind;
use crate::value::{Text, json};

/// One JSON value as a range of a shared text; begins with its first character.
#[derive(Clone)]
pub(super) struct Json {
    source: Text,
    range: Range<usize>,
}

impl Json {
    /// The first value of a text; a container reaches to the text's end.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let start = bytes.iter().position(|&byte| byte > b' ')?;
        let end = match *bytes.get(start)? {
            b'{' | b'[' => bytes.len(),
            b'"' => string_end(bytes, start).unwrap_or(bytes.len()),
            b't' | b'f' => literal_end(bytes, start),
            b'n' if bytes.get(start.saturating_add(1)).is_none_or(|&byte| byte == b'u') => literal_end(bytes, start),
            b'+' | b'-' | b'0'..=b'9' | b'i' | b'I' | b'N' | b'n' => number_end(bytes, start),
            _ => return None,
        };
        Some(Self { source: Arc::from(text), range: start..end })
    }

    /// The documents of a text that holds several, one after another.
    pub(super) fn lines(&self) -> Vec<Self> {
        self.spans(0, b']').0
    }

    pub(super) fn text(&self) -> &str {
        self.source.get(self.range.clone()).unwrap_or("")
    }

    pub(super) fn kind(&self) -> Kind {
        let text = self.text().as_bytes();
        match text.first() {
            Some(b'{') => Kind::Map,
            Some(b'[') => Kind::List,
            Some(b'"') => Kind::Text,
            Some(b't') => Kind::True,
            Some(b'f') => Kind::False,
            Some(b'n') if text.get(1).is_none_or(|&byte| byte == b'u') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// What a string says, its escapes undone.
    pub(super) fn string(&self) -> Cow<'_, str> {
        let text = self.text();
        let bytes = text.as_bytes();
        let end = match string_end(bytes, 0) {
            Some(end) => end.saturating_sub(1),
            None => bytes.len(),
        };
        let inner = text.get(1..end).unwrap_or("");
        if inner.contains('\\') { Cow::Owned(unescape(inner)) } else { Cow::Borrowed(inner) }
    }

    /// The number, as Go's parser reads it; 0 where it reads none.
    pub(super) fn number(&self) -> f64 {
        self.text().parse().unwrap_or(0.0)
    }

    /// Items of a list as a walk sees them, and whether it saw the end.
    pub(super) fn items(&self) -> (Vec<Self>, bool) {
        self.spans(1, b']')
    }

    /// Members of a map as a walk sees them.
    pub(super) fn members(&self) -> Vec<(String, Self)> {
        self.members_until(|byte| byte == b'}')
    }

    /// Members of a map as a modifier sees them: it reads on into the documents that follow.
    pub(super) fn all_members(&self) -> Vec<(String, Self)> {
        self.members_until(|_| false)
    }

    fn members_until(&self, ends: impl Fn(u8) -> bool) -> Vec<(String, Self)> {
        let bytes = self.text().as_bytes();
        let mut members = Vec::new();
        let mut at = 1;
        while let Some(key_at) = find(bytes, at, |byte| byte == b'"' || ends(byte)) {
            if bytes.get(key_at) != Some(&b'"') {
                break;
            }
            let Some(key_end) = string_end(bytes, key_at) else { break };
            let Some(value_at) = find(bytes, key_end, starts_value) else { break };
            let Some(value_end) = value_end(bytes, value_at) else { break };
            members.push((self.part(key_at..key_end).string().into_owned(), self.part(value_at..value_end)));
            at = value_end;
        }
        members
    }

    /// The values inside a container as its value has them: of a map, keys and values in turn.
    pub(super) fn tokens(&self) -> Vec<Self> {
        let bytes = self.text().as_bytes();
        let mut tokens = Vec::new();
        let mut at = 1;
        while let Some(&byte) = bytes.get(at) {
            let end = match byte {
                b']' | b'}' => break,
                b'{' | b'[' => squash(bytes, at),
                b'"' => string_end(bytes, at).unwrap_or(bytes.len()),
                b'n' | b't' | b'f' => literal_end(bytes, at),
                b'0'..=b'9' | b'-' => number_end(bytes, at),
                _ => {
                    at = at.saturating_add(1);
                    continue;
                }
            };
            tokens.push(self.part(at..end));
            at = end;
        }
        tokens
    }

    /// Values one after another up to a closing byte, and whether nothing was cut off before it.
    fn spans(&self, from: usize, close: u8) -> (Vec<Self>, bool) {
        let bytes = self.text().as_bytes();
        let mut spans = Vec::new();
        let mut at = from;
        while let Some(start) = find(bytes, at, |byte| byte == close || starts_value(byte)) {
            if bytes.get(start) == Some(&close) {
                break;
            }
            let Some(end) = value_end(bytes, start) else { return (spans, false) };
            spans.push(self.part(start..end));
            if matches!(bytes.get(start), Some(b'{' | b'[')) && balanced(bytes, start).is_none() {
                return (spans, false);
            }
            at = end;
        }
        (spans, true)
    }

    /// A part, by its place within this value.
    fn part(&self, range: Range<usize>) -> Self {
        let start = self.range.start;
        Self { source: self.source.clone(), range: start.saturating_add(range.start)..start.saturating_add(range.end) }
    }
}

fn find(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    bytes.get(from..)?.iter().position(|&byte| wanted(byte)).and_then(|found| from.checked_add(found))
}

fn starts_value(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'[' | b'n' | b't' | b'f' | b'+' | b'-' | b'0'..=b'9' | b'i' | b'I' | b'N')
}

/// One past the value that starts here; `None` for a string that does not end.
fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    match bytes.get(start)? {
        b'"' => string_end(bytes, start),
        b'{' | b'[' => Some(squash(bytes, start)),
        b't' | b'f' => Some(literal_end(bytes, start)),
        b'n' if bytes.get(start.saturating_add(1)).is_none_or(|&byte| byte == b'u') => Some(literal_end(bytes, start)),
        _ => Some(number_end(bytes, start)),
    }
}

/// One past the closing quote of a string that starts here.
pub(super) fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut escaped = false;
    for (at, &byte) in bytes.iter().enumerate().skip(start.saturating_add(1)) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at.checked_add(1),
            _ => {}
        }
    }
    None
}

fn literal_end(bytes: &[u8], start: usize) -> usize {
    let from = start.saturating_add(1);
    find(bytes, from, |byte| !byte.is_ascii_lowercase()).unwrap_or(bytes.len())
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let from = start.saturating_add(1);
    find(bytes, from, |byte| byte <= b' ' || matches!(byte, b',' | b']' | b'}')).unwrap_or(bytes.len())
}

/// One past the bracket that closes what starts here, strings stepped over; brackets of any kind count alike.
///
/// Whatever starts here counts as the open bracket, except that a leading quote is a string.
pub(super) fn squash(bytes: &[u8], start: usize) -> usize {
    if bytes.get(start) == Some(&b'"') {
        return string_end(bytes, start).unwrap_or(bytes.len());
    }
    balanced(bytes, start).unwrap_or(bytes.len())
}

/// As [`squash`], but a leading quote counts as an open bracket too: how literals are cut. `None` when a
/// string inside does not end.
pub(super) fn balanced(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 1_usize;
    let mut at = start.saturating_add(1);
    while let Some(&byte) = bytes.get(at) {
        at = at.saturating_add(1);
        match byte {
            b'"' => at = string_end(bytes, at.saturating_sub(1))?,
            b'{' | b'[' | b'(' => depth = depth.saturating_add(1),
            b'}' | b']' | b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    Some(bytes.len())
}

/// A string's content with its escapes undone; ends at an escape that is none. Half a surrogate pair
/// becomes U+FFFD.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find(|c: char| c == '\\' || c < ' ') {
        out.push_str(rest.get(..found).unwrap_or(""));
        let Some((plain, length)) = json::escape(rest.get(found..).unwrap_or("")) else { return out };
        out.push(plain);
        rest = rest.get(found.saturating_add(length)..).unwrap_or("");
    }
    out.push_str(rest);
    out
}
