//! The syntax of paths, a component at a time: what ends a component, and what it says.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::modifiers::Modifier;
use super::query::Query;
use super::text;

/// A component that is looked up in a map.
pub(super) struct Key<'p> {
    pub(super) name: Cow<'p, str>,
    /// It holds `*` or `?`.
    pub(super) wild: bool,
    pub(super) rest: Rest<'p>,
}

/// A component that is looked up in a list.
pub(super) struct Item<'p> {
    pub(super) which: Which<'p>,
    pub(super) rest: Rest<'p>,
}

/// Which items a component means.
pub(super) enum Which<'p> {
    /// The one at an index.
    At(usize),
    /// How many there are: `#`.
    Count,
    /// The rest of the path in each of them: `#.`.
    Each(&'p str),
    /// Those that answer a query: `#(…)`, `#(…)#`.
    Query(Query<'p>),
    /// None: a component that means nothing in a list.
    None,
}

/// What follows a component.
#[derive(Clone, Copy)]
pub(super) enum Rest<'p> {
    /// Nothing.
    End,
    /// More components, after a dot.
    More(&'p str),
    /// A path on what this one gives: after `|`, or a dot before a modifier or a multipath.
    Pipe(&'p str),
}

/// The first component of a path, in a map.
pub(super) fn key(path: &str) -> Key<'_> {
    let bytes = path.as_bytes();
    let mut wild = false;
    let mut escaped: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'|' | b'.' => return Key { name: name(path, at, escaped), wild, rest: rest(path, at, true) },
            b'\\' => {
                let kept = escaped.get_or_insert_with(|| bytes.get(..at).unwrap_or_default().to_vec());
                at = at.saturating_add(1);
                kept.extend(bytes.get(at));
            }
            _ => {
                wild |= matches!(byte, b'*' | b'?');
                if let Some(kept) = &mut escaped {
                    kept.push(byte);
                }
            }
        }
        at = at.saturating_add(1);
    }
    Key { name: name(path, bytes.len(), escaped), wild, rest: Rest::End }
}

fn name(path: &str, end: usize, escaped: Option<Vec<u8>>) -> Cow<'_, str> {
    match escaped {
        // Only backslashes were left out, so this is still UTF-8.
        Some(bytes) => Cow::Owned(String::from_utf8(bytes).unwrap_or_default()),
        None => Cow::Borrowed(path.get(..end).unwrap_or("")),
    }
}

/// What follows the `|` or `.` at a place. After `#` a dot before a modifier does not pipe.
fn rest(path: &str, at: usize, dot_pipes: bool) -> Rest<'_> {
    let after = path.get(at.saturating_add(1)..).unwrap_or("");
    match path.as_bytes().get(at) {
        Some(b'|') => Rest::Pipe(after),
        _ if dot_pipes && pipes(after) => Rest::Pipe(after),
        _ => Rest::More(after),
    }
}

/// A dot pipes before a known modifier and before a multipath.
fn pipes(after: &str) -> bool {
    match after.as_bytes().first() {
        Some(b'[' | b'{') => true,
        Some(b'@') => {
            let name = after.get(1..).unwrap_or("");
            Modifier::named(name.split(['.', '|', ':']).next().unwrap_or("")).is_some()
        }
        _ => false,
    }
}

/// The first component of a path, in a list.
pub(super) fn item(path: &str) -> Item<'_> {
    if let Some(each) = path.strip_prefix("#.") {
        return Item { which: Which::Each(each), rest: Rest::End };
    }
    let bytes = path.as_bytes();
    let mut at = 0;
    let mut query = None;
    let mut hashed = false;
    if matches!(bytes, [b'#', b'(' | b'[', ..]) {
        hashed = true;
        match Query::parse(path) {
            Some((parsed, end)) => {
                query = Some(parsed);
                at = end;
                if bytes.get(at) == Some(&b'#') {
                    query = query.map(Query::all);
                }
            }
            None => return Item { which: Which::Query(Query::any()), rest: Rest::End },
        }
    }
    let mut end = bytes.len();
    let mut following = Rest::End;
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b'|' | b'.') {
            end = at;
            following = rest(path, at, !hashed);
            break;
        }
        hashed |= byte == b'#';
        at = at.saturating_add(1);
    }
    let part = path.get(..end).unwrap_or("");
    let which = match query {
        Some(query) => Which::Query(query),
        None if part == "#" => Which::Count,
        None if hashed => Which::None,
        None => index(part).map_or(Which::None, Which::At),
    };
    Item { which, rest: following }
}

/// An index: digits alone.
pub(super) fn index(part: &str) -> Option<usize> {
    if part.bytes().all(|byte| byte.is_ascii_digit()) { part.parse().ok() } else { None }
}

/// A path split at its first `|` that is not inside a query; `None` where it has none.
pub(super) fn split_pipe(path: &str) -> Option<(&str, &str)> {
    if !path.contains('|') {
        return None;
    }
    let bytes = path.as_bytes();
    if bytes.first() == Some(&b'{') {
        // As the reference does it: the bracket after the first is what is balanced.
        let end = text::squash(bytes.get(1..)?, 0).checked_add(1)?;
        return split_at(path, end).filter(|_| bytes.get(end) == Some(&b'|'));
    }
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at = at.saturating_add(1),
            b'|' => return split_at(path, at),
            b'.' if bytes.get(at.saturating_add(1)) == Some(&b'#') => {
                at = at.saturating_add(2);
                match bytes.get(at) {
                    Some(b'(') => at = after_query(bytes, at, b'(', b')'),
                    Some(b'[') => at = after_query(bytes, at, b'[', b']'),
                    Some(_) => {}
                    None => return None,
                }
            }
            _ => {}
        }
        at = at.saturating_add(1);
    }
    None
}

fn split_at(path: &str, at: usize) -> Option<(&str, &str)> {
    Some((path.get(..at)?, path.get(at.checked_add(1)?..)?))
}

/// Where the bracket stands that closes the one at a place.
fn after_query(bytes: &[u8], open_at: usize, open: u8, close: u8) -> usize {
    let mut depth = 1_usize;
    let mut at = open_at.saturating_add(1);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at = at.saturating_add(1),
            b'"' => match text::string_end(bytes, at) {
                Some(end) => at = end.saturating_sub(1),
                None => return bytes.len(),
            },
            _ if byte == open => depth = depth.saturating_add(1),
            _ if byte == close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
        at = at.saturating_add(1);
    }
    at
}

/// One path of a multipath, and the name it was given.
pub(super) struct Selector<'p> {
    pub(super) name: &'p str,
    pub(super) path: &'p str,
}

/// The selectors of a multipath and what follows it; `None` when its bracket is not closed.
pub(super) fn selectors(path: &str) -> Option<(Vec<Selector<'_>>, &str)> {
    let bytes = path.as_bytes();
    let mut found = Vec::new();
    let (mut start, mut colon, mut depth) = (1, None, 1_usize);
    let mut in_modifier = false;
    let mut at = 1;
    let selector = |start: usize, colon: Option<usize>, end: usize| match colon {
        None => Selector { name: "", path: path.get(start..end).unwrap_or("") },
        Some(colon) => Selector {
            name: path.get(start..colon).unwrap_or(""),
            path: path.get(colon.saturating_add(1)..end).unwrap_or(""),
        },
    };
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at = at.saturating_add(1),
            b'@' => in_modifier |= matches!(bytes.get(at.saturating_sub(1)), Some(b'.' | b'|')),
            b':' if !in_modifier && colon.is_none() && depth == 1 => colon = Some(at),
            b',' if depth == 1 => {
                found.push(selector(start, colon, at));
                (start, colon, in_modifier) = (at.saturating_add(1), None, false);
            }
            b'"' => at = text::string_end(bytes, at).map_or(bytes.len(), |end| end.saturating_sub(1)),
            b'[' | b'(' | b'{' => depth = depth.saturating_add(1),
            b']' | b')' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    found.push(selector(start, colon, at));
                    return Some((found, path.get(at.saturating_add(1)..).unwrap_or("")));
                }
            }
            _ => {}
        }
        at = at.saturating_add(1);
    }
    None
}

/// The key that a selector without a name gives its value: its last component, if that is a plain name.
pub(super) fn last_name(path: &str) -> &str {
    let bytes = path.as_bytes();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate().rev() {
        if matches!(byte, b'|' | b'.') && (at == 0 || bytes.get(at.saturating_sub(1)) != Some(&b'\\')) {
            start = at.saturating_add(1);
            break;
        }
    }
    let last = path.get(start..).unwrap_or("");
    let odd = |byte: u8| byte < b' ' || matches!(byte, b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'#' | b'|' | b'!');
    if last.bytes().any(odd) { "_" } else { last }
}
