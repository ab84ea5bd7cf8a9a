//! Finds the expressions in a text: `{{ … }}` and `${ … }`.
//!
//! The scanner knows quotes but not the language: the first `}}` outside quotes ends a `{{`, while a
//! `${` counts braces. An opener that is never closed is text. `${{ x }}` is a `$` and an expression.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use crate::error::{Error, Result};
use crate::text::quote::{Quoting, quote};

/// One expression in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// With its delimiters.
    pub outer: Range<usize>,
    /// The expression alone, white space around it left out.
    pub inner: Range<usize>,
}

/// Bytes that may be read in search of closers that never come; without a bound, a text of openers
/// alone would cost its length squared.
const LOST: usize = 8 << 20;

/// The expressions of a text, from left to right.
///
/// # Errors
/// [`crate::error::Kind::Limit`] for a large text in which many openers are never closed.
pub fn expressions(text: &str) -> Result<Vec<Found>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let Some(last_brace) = text.rfind('}') else { return Ok(found) };
    let mut lost = 0_usize;
    let mut at = 0;
    while let Some(start) = opener(bytes, at) {
        if start > last_brace {
            break;
        }
        let inside = start.saturating_add(2);
        let double = bytes.get(start) == Some(&b'{');
        match closer(bytes, inside, double) {
            Some(end) => {
                let after = end.saturating_add(if double { 2 } else { 1 });
                found.push(Found { outer: start..after, inner: trimmed(text, inside..end) });
                at = after;
            }
            None => {
                lost = lost.saturating_add(bytes.len().saturating_sub(inside));
                if lost > LOST {
                    return Err(Error::limit("too many {{ or ${ that are never closed"));
                }
                at = inside;
            }
        }
    }
    Ok(found)
}

/// Whether a text holds at least one expression.
///
/// # Errors
/// As [`expressions`].
pub fn has_expression(text: &str) -> Result<bool> {
    Ok((text.contains("{{") || text.contains("${")) && !expressions(text)?.is_empty())
}

/// A text that gives this one when it is resolved as a template: itself, unless it holds an expression. What
/// came out of one expression is then not taken for another.
#[must_use]
pub fn literal(text: &str) -> Cow<'_, str> {
    if matches!(has_expression(text), Ok(false)) {
        return text.into();
    }
    let quoting = Quoting { quote: '"', ascii: false };
    format!("{{{{ {} }}}}", quote(text.as_bytes(), quoting)).into()
}

/// Where the next `{{` or `${` stands; the `$` of `${{` is text.
fn opener(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        at = at.checked_add(rest.iter().position(|byte| matches!(byte, b'{' | b'$'))?)?;
        match bytes.get(at..)? {
            [b'{', b'{', ..] => return Some(at),
            [b'$', b'{', b'{', ..] => return at.checked_add(1),
            [b'$', b'{', ..] => return Some(at),
            _ => at = at.checked_add(1)?,
        }
    }
}

/// Where the closer of an expression stands that begins at `from`.
fn closer(bytes: &[u8], from: usize, double: bool) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    let mut open = 1_usize;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match quote {
            _ if escaped => escaped = false,
            Some(b'`') if byte == b'`' => quote = None,
            Some(b'`') => {}
            Some(_) if byte == b'\\' => escaped = true,
            Some(mark) if byte == mark => quote = None,
            Some(_) => {}
            None => match byte {
                b'"' | b'\'' | b'`' => quote = Some(byte),
                b'}' if double && bytes.get(at.saturating_add(1)) == Some(&b'}') => return Some(at),
                b'{' if !double => open = open.saturating_add(1),
                b'}' if !double => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            },
        }
    }
    None
}

/// A range without the white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = text.get(range.clone()).unwrap_or("");
    let body = inner.trim();
    if body.is_empty() {
        return range.start..range.start;
    }
    let lead = inner.len().saturating_sub(inner.trim_start().len());
    let start = range.start.saturating_add(lead);
    start..start.saturating_add(body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(text: &str) -> Vec<&str> {
        expressions(text).unwrap().into_iter().map(|found| &text[found.inner]).collect()
    }

    #[test]
    fn both_spellings_are_found_and_trimmed() {
        assert_eq!(inner("a {{ x }} b ${y}c{{}}"), ["x", "y", ""]);
        assert_eq!(inner("${{ x }}"), ["x"]);
    }

    #[test]
    fn a_closer_in_quotes_closes_nothing() {
        assert_eq!(inner(r#"{{ "}}" }}"#), [r#""}}""#]);
        assert_eq!(inner(r#"${ '}' + "\"}" }"#), [r#"'}' + "\"}""#]);
        assert_eq!(inner("{{ `\\` }}"), ["`\\`"]);
    }

    #[test]
    fn only_dollar_expressions_count_braces() {
        assert_eq!(inner("${ {a: {b: 1}} }"), ["{a: {b: 1}}"]);
        assert_eq!(inner("{{ {a: {b: 1}} }}"), ["{a: {b: 1"]);
    }

    #[test]
    fn an_opener_without_closer_is_text() {
        assert!(inner("{{ x ${ y").is_empty());
        assert_eq!(inner("{{ 'x ${ y }"), ["y"]);
    }

    #[test]
    fn many_lost_openers_are_refused_rather_than_slow() {
        let text = alloc::format!("{}}}", "{{ ' ".repeat(100_000));
        assert!(expressions(&text).is_err());
        assert!(inner(&"{{".repeat(1_000_000)).is_empty());
    }
}
