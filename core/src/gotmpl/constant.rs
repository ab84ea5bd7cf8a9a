//! Literals into the constants they mean, by Go's rules for constants without a type.

use alloc::format;
use alloc::vec::Vec;

use super::ast::OperandKind;
use crate::error::GotmplFault;
use crate::text::float;
use crate::text::literal::{self, Escapes};

type Constant = Result<OperandKind, GotmplFault>;

fn bad(text: &str) -> GotmplFault {
    GotmplFault::BadLiteral(format!("{text} is no number"))
}

/// A number of one part.
pub(super) fn number(text: &str) -> Constant {
    if let Some(imaginary) = text.strip_suffix('i')
        && let Ok(imaginary) = float(imaginary)
    {
        return Ok(OperandKind::Complex(0.0, imaginary));
    }
    let looks_float = text.contains(['.', 'e', 'E', 'p', 'P']);
    let hexadecimal = text.len() > 2 && (text.starts_with("0x") || text.starts_with("0X"));
    if let Ok(int) = literal::signed_integer(text, 0) {
        // As Go has it: of hexadecimal digits only a sign before them makes a float out of an `e`.
        let float = looks_float && !hexadecimal;
        return Ok(if float { OperandKind::Float(int as f64) } else { OperandKind::Int(int) });
    }
    if literal::integer(text, 0).is_ok() {
        return Ok(OperandKind::Huge);
    }
    match float(text) {
        Ok(_) if !looks_float => Err(GotmplFault::BadLiteral(format!("{text} is no integer of 64 bits"))),
        Ok(float) => Ok(OperandKind::Float(float)),
        Err(()) => Err(bad(text)),
    }
}

/// `2+3i`.
pub(super) fn complex(text: &str) -> Constant {
    let signs = || text.char_indices().skip(1).filter(|(_, next)| matches!(next, '+' | '-'));
    let exponent = |at: usize| text[..at].ends_with(['e', 'E', 'p', 'P']);
    let split = signs().filter(|(at, _)| !exponent(*at)).last().or_else(|| signs().last());
    let (at, _) = split.ok_or_else(|| bad(text))?;
    let (real, imaginary) = text.split_at(at);
    let imaginary = imaginary.strip_suffix('i').ok_or_else(|| bad(text))?;
    match (float(real), float(imaginary)) {
        (Ok(real), Ok(imaginary)) => Ok(OperandKind::Complex(real, imaginary)),
        _ => Err(bad(text)),
    }
}

/// Decimal digits may hold `_` too, each between two digits.
fn float(text: &str) -> Result<f64, ()> {
    let plain = !text.contains('_') || text.contains(['x', 'X']);
    if plain {
        return float::parse(text).map_err(|_| ());
    }
    let separates = |at: usize| {
        let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        digit(at.checked_sub(1).and_then(|before| text.as_bytes().get(before))) && digit(text.as_bytes().get(at + 1))
    };
    if !text.match_indices('_').all(|(at, _)| separates(at)) {
        return Err(());
    }
    float::parse(&text.replace('_', "")).map_err(|_| ())
}

/// A character in its quotes: an integer.
pub(super) fn character(text: &str) -> Constant {
    let body = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    let fault = || GotmplFault::BadLiteral(format!("{text} is not one character"));
    let bytes = literal::unescape(body, &Escapes::GO_CHARACTER).map_err(|_| fault())?;
    let numbered =
        body.starts_with("\\x") || (body.starts_with('\\') && body[1..].starts_with(|next: char| next.is_digit(8)));
    if let ([byte], true) = (&*bytes, numbered) {
        return Ok(OperandKind::Int(i64::from(*byte)));
    }
    let text = core::str::from_utf8(&bytes).map_err(|_| fault())?;
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => Ok(OperandKind::Int(i64::from(u32::from(only)))),
        _ => Err(fault()),
    }
}

/// What stands between double quotes: bytes, since `\xff` is one.
pub(super) fn text(body: &str) -> Result<Vec<u8>, GotmplFault> {
    literal::unescape(body, &Escapes::GO).map_err(|_| {
        GotmplFault::BadLiteral("unknown escape in quoted text; \\\\ is a backslash, or quote with ` `".into())
    })
}
