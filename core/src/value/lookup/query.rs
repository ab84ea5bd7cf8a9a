//! Queries: `#(age>40)`, `#(name%"a*")#`, `#(nets.#(=="b"))`, `#(boss=~true)`.

use alloc::borrow::Cow;

use super::budget::Budget;
use super::node::{Kind, Node};
use super::text;
use crate::error::Result;
use crate::text::case;

/// What the items of a list are asked.
pub(super) struct Query<'p> {
    /// What to look at in each item; empty for the item itself.
    pub(super) path: &'p str,
    operator: Operator,
    operand: Cow<'p, str>,
    /// Every item that answers, not the first.
    pub(super) every: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Exists,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Like,
    Unlike,
    /// A character that is no operator: nothing answers.
    Unknown,
}

impl<'p> Query<'p> {
    /// What a query that cannot be read asks: that there is an item.
    pub(super) fn any() -> Self {
        Self { path: "", operator: Operator::Exists, operand: Cow::Borrowed(""), every: false }
    }

    pub(super) fn all(self) -> Self {
        Self { every: true, ..self }
    }

    /// A query that starts with `#(` or `#[`, and where it ends; `None` when it is not closed.
    pub(super) fn parse(source: &'p str) -> Option<(Self, usize)> {
        let bytes = source.as_bytes();
        let (mut at, mut depth) = (2, 1_usize);
        let (mut operator_at, mut escapes) = (None, false);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'!' | b'=' | b'<' | b'>' | b'%' if depth == 1 && operator_at.is_none() => operator_at = Some(at),
                b'\\' => at = at.saturating_add(1),
                b'[' | b'(' => depth = depth.saturating_add(1),
                b']' | b')' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                b'"' => {
                    let end = text::string_end(bytes, at).unwrap_or(bytes.len());
                    escapes |= bytes.get(at..end).unwrap_or_default().contains(&b'\\');
                    at = end.saturating_sub(1);
                }
                _ => {}
            }
            at = at.saturating_add(1);
        }
        if depth > 0 {
            return None;
        }
        let end = at.saturating_add(1);
        let Some(operator_at) = operator_at else {
            let path = trim(source.get(2..at).unwrap_or(""));
            return Some((Self { path, ..Self::any() }, end));
        };
        let path = trim(source.get(2..operator_at).unwrap_or(""));
        let (operator, operand) = operation(trim(source.get(operator_at..at).unwrap_or("")));
        let operand = match operand.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(quoted) if escapes => Cow::Owned(text::unescape(quoted)),
            Some(quoted) => Cow::Borrowed(quoted),
            None => Cow::Borrowed(operand),
        };
        Some((Self { path, operator, operand, every: false }, end))
    }

    /// Whether what was found in an item answers the query.
    pub(super) fn holds(&self, budget: &Budget, found: Option<&Node<'_>>) -> Result<bool> {
        if let Some(wanted) = self.operand.strip_prefix('~') {
            let kind = found.map_or(Kind::Null, Node::kind);
            let answer = match wanted {
                "*" => found.is_some(),
                "null" => kind == Kind::Null,
                "true" => truth(found) == Some(true),
                "false" => kind == Kind::Null || truth(found) == Some(false),
                _ => return Ok(false),
            };
            return Ok(self.operator == Operator::Exists || self.bool_holds(answer, "true"));
        }
        let Some(node) = found else { return Ok(false) };
        if self.operator == Operator::Exists {
            return Ok(true);
        }
        Ok(match node.kind() {
            Kind::Text => return self.text_holds(budget, &node.text()),
            Kind::Number => self.number_holds(node.number()),
            Kind::True => self.bool_holds(true, &self.operand),
            Kind::False => self.bool_holds(false, &self.operand),
            Kind::Null | Kind::List | Kind::Map => false,
        })
    }

    fn text_holds(&self, budget: &Budget, text: &str) -> Result<bool> {
        budget.spend(text.len().min(self.operand.len()) / 16)?;
        let operand = &*self.operand;
        Ok(match self.operator {
            Operator::Equal => text == operand,
            Operator::Unequal => text != operand,
            Operator::Less => text < operand,
            Operator::LessOrEqual => text <= operand,
            Operator::Greater => text > operand,
            Operator::GreaterOrEqual => text >= operand,
            Operator::Like => return matches(budget, text, operand),
            Operator::Unlike => return Ok(!matches(budget, text, operand)?),
            Operator::Exists | Operator::Unknown => false,
        })
    }

    fn number_holds(&self, number: f64) -> bool {
        let operand: f64 = self.operand.parse().unwrap_or(0.0);
        match self.operator {
            Operator::Equal => number == operand,
            Operator::Unequal => number != operand,
            Operator::Less => number < operand,
            Operator::LessOrEqual => number <= operand,
            Operator::Greater => number > operand,
            Operator::GreaterOrEqual => number >= operand,
            Operator::Like | Operator::Unlike | Operator::Exists | Operator::Unknown => false,
        }
    }

    /// True is more than false; anything that is neither `true` nor `false` equals neither.
    fn bool_holds(&self, value: bool, operand: &str) -> bool {
        let (same, other) = if value { ("true", "false") } else { ("false", "true") };
        match self.operator {
            Operator::Equal => operand == same,
            Operator::Unequal => operand != same,
            Operator::Greater => value && operand == other,
            Operator::GreaterOrEqual => value,
            Operator::Less => !value && operand == other,
            Operator::LessOrEqual => !value,
            Operator::Like | Operator::Unlike | Operator::Exists | Operator::Unknown => false,
        }
    }
}

/// What a value means as a bool; `None` where it means neither. Go's spellings of bools, in any case.
fn truth(found: Option<&Node<'_>>) -> Option<bool> {
    let node = found?;
    match node.kind() {
        Kind::True => Some(true),
        Kind::False => Some(false),
        Kind::Number => Some(node.number() != 0.0),
        Kind::Text => match case::lower(&node.text()).as_str() {
            "1" | "t" | "true" => Some(true),
            "0" | "f" | "false" => Some(false),
            _ => None,
        },
        Kind::Null | Kind::List | Kind::Map => None,
    }
}

fn operation(source: &str) -> (Operator, &str) {
    let (operator, length) = match source.as_bytes() {
        [b'!', b'=', ..] => (Operator::Unequal, 2),
        [b'!', b'%', ..] => (Operator::Unlike, 2),
        [b'<', b'=', ..] => (Operator::LessOrEqual, 2),
        [b'>', b'=', ..] => (Operator::GreaterOrEqual, 2),
        [b'=', b'=', ..] => (Operator::Equal, 2),
        [b'<', ..] => (Operator::Less, 1),
        [b'>', ..] => (Operator::Greater, 1),
        [b'=', ..] => (Operator::Equal, 1),
        [b'%', ..] => (Operator::Like, 1),
        [b'!'] => (Operator::Unknown, 1),
        // As the reference has it, an operator it does not know is none: the query asks for existence.
        _ => (Operator::Exists, 0),
    };
    (operator, trim(source.get(length..).unwrap_or("")))
}

/// Without characters up to the space at both ends.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// Whether a text matches a pattern of `*` (any characters), `?` (one) and `\` (the next one as it is).
///
/// Goes back to the last star only, so the work is at most the product of both lengths.
pub(super) fn matches(budget: &Budget, text: &str, pattern: &str) -> Result<bool> {
    // What is short was paid with its item.
    budget.spend_bytes(text.len().saturating_add(pattern.len()).saturating_sub(64))?;
    let (text, pattern): (Chars, Chars) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut by) = (0_usize, 0_usize);
    let mut star: Option<(usize, usize)> = None;
    for turn in 1_usize.. {
        if turn.is_multiple_of(TURNS) {
            budget.spend(TURNS / 4)?;
        }
        let here = text.get(at);
        let step = match (pattern.get(by), here) {
            (None, None) => return Ok(true),
            (Some('*'), _) => {
                star = Some((at, by));
                by = by.saturating_add(1);
                continue;
            }
            (Some('?'), Some(_)) => Some(1),
            (Some('\\'), Some(c)) if pattern.get(by.saturating_add(1)) == Some(c) => Some(2),
            (Some(wanted), Some(c)) if *wanted != '\\' && wanted == c => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(step), _) => {
                at = at.saturating_add(1);
                by = by.saturating_add(step);
            }
            (None, Some((from, pattern_at))) if from < text.len() => {
                let from = from.saturating_add(1);
                star = Some((from, pattern_at));
                (at, by) = (from, pattern_at.saturating_add(1));
            }
            (None, _) => break,
        }
    }
    Ok(false)
}

/// How many turns are paid for together.
const TURNS: usize = 64;

type Chars = alloc::vec::Vec<char>;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn patterns_match_whole_texts() {
        for (text, pattern, wanted) in [
            ("abc", "a*", true),
            ("abc", "*c", true),
            ("abc", "a?c", true),
            ("abc", "a?", false),
            ("a*c", "a\\*c", true),
            ("abc", "a\\*c", false),
            ("", "*", true),
            ("", "?", false),
            ("abcbd", "*b*d", true),
        ] {
            assert_eq!(matches(&Budget::new(), text, pattern).unwrap(), wanted, "{text} {pattern}");
        }
    }

    #[test]
    fn a_pattern_of_stars_is_quick() {
        let text: String = "a".repeat(2_000);
        assert!(!matches(&Budget::new(), &text, &alloc::format!("{}b", "a*".repeat(500))).unwrap());
        assert!(matches(&Budget::new(), &text, &alloc::format!("*{}b", "a".repeat(1_000))).is_err());
    }
}
