//! The functions of the language, and calls of those the scope provides.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use super::ast::{Arguments, Expr, ExprKind};
use super::render::Runtime;
use super::value::Val;
use crate::error::{Error, JetFault, Kind, Result};
use crate::names::Signature;
use crate::span::Span;
use crate::text::case;
use crate::value::{Map, Text, Value, wire};

/// A function by where it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    /// Takes evaluated arguments.
    Simple(&'static Simple),
    /// `isset`, whose arguments may fail to evaluate.
    IsSet,
    /// Writes its arguments at once.
    Writer(Writer),
    /// Provided by the scope.
    Scope(Signature),
}

/// A function of evaluated arguments.
#[derive(Debug)]
pub(super) struct Simple {
    name: &'static str,
    least: usize,
    most: usize,
    /// The bytes that it may make of its arguments, at most.
    room: fn(&[Val]) -> usize,
    run: fn(&[Val]) -> Result<Val>,
}

/// Functions that write their arguments escaped, past the usual printing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Writer {
    Raw,
    Html,
    Js,
}

const ANY: usize = usize::MAX;

/// Text is copied out of the buffer in which it grew.
const COPIES: usize = 2;

const SIMPLE: &[Simple] = &[
    Simple { name: "array", least: 0, most: ANY, room: of_items, run: slice },
    Simple { name: "exec", least: 1, most: 2, room: of_text::<1>, run: |given| Err(no_template(&given[0])) },
    Simple {
        name: "hasPrefix",
        least: 2,
        most: 2,
        room: nothing,
        run: |given| text2(given, |a, b| Val::bool(a.starts_with(b))),
    },
    Simple {
        name: "hasSuffix",
        least: 2,
        most: 2,
        room: nothing,
        run: |given| text2(given, |a, b| Val::bool(a.ends_with(b))),
    },
    Simple { name: "html", least: 1, most: 1, room: of_text::<5>, run: |given| escaped(given, Writer::Html) },
    Simple { name: "includeIfExists", least: 1, most: 2, room: nothing, run: |_| Ok(Val::Hidden) },
    Simple { name: "ints", least: 0, most: 2, room: nothing, run: ints },
    Simple { name: "json", least: 1, most: 1, room: of_data, run: |given| Ok(Val::Bytes(to_json(&given[0])?.into())) },
    Simple { name: "len", least: 1, most: 1, room: nothing, run: len },
    Simple {
        name: "lower",
        least: 1,
        most: 1,
        room: of_text::<3>,
        run: |given| Ok(Val::Plain(case::lower(&text(&given[0])?).into())),
    },
    Simple { name: "map", least: 0, most: ANY, room: of_items, run: map },
    Simple { name: "repeat", least: 2, most: 2, room: of_repeat, run: repeat },
    Simple { name: "replace", least: 4, most: 4, room: of_replace, run: replace },
    Simple { name: "slice", least: 0, most: ANY, room: of_items, run: slice },
    Simple { name: "split", least: 2, most: 2, room: of_split, run: split },
    Simple {
        name: "trimSpace",
        least: 1,
        most: 1,
        room: of_text::<1>,
        run: |given| Ok(Val::Plain(text(&given[0])?.trim().into())),
    },
    Simple {
        name: "upper",
        least: 1,
        most: 1,
        room: of_text::<3>,
        run: |given| Ok(Val::Plain(case::upper(&text(&given[0])?).into())),
    },
    Simple {
        name: "url",
        least: 1,
        most: 1,
        room: of_text::<3>,
        run: |given| Ok(Val::Plain(query_escaped(&text(&given[0])?).into())),
    },
    Simple {
        name: "writeJson",
        least: 1,
        most: 1,
        room: of_data,
        run: |given| to_json(&given[0]).map(|text| Val::Print(format!("{text}\n").into())),
    },
];

const WRITERS: &[(&str, Writer)] =
    &[("raw", Writer::Raw), ("unsafe", Writer::Raw), ("safeHtml", Writer::Html), ("safeJs", Writer::Js)];

/// The scope's functions that a template of this language does not see.
const HIDDEN: &str = "jet";

/// Names of all functions of the language.
pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> {
    SIMPLE.iter().map(|simple| simple.name).chain(WRITERS.iter().map(|(name, _)| *name)).chain(["isset"])
}

/// The function of a name; the scope's own come first.
pub(super) fn find(name: &str, provided: &[Signature]) -> Option<Function> {
    if let Some(signature) = provided.iter().find(|signature| signature.name == name && name != HIDDEN) {
        return Some(Function::Scope(*signature));
    }
    if name == "isset" {
        return Some(Function::IsSet);
    }
    let simple = SIMPLE.iter().find(|simple| simple.name == name).map(Function::Simple);
    simple.or_else(|| WRITERS.iter().find(|(known, _)| *known == name).map(|(_, writer)| Function::Writer(*writer)))
}

impl<'t> Runtime<'t> {
    /// Calls a function with the arguments written and the value piped into it, which comes first or where
    /// `_` stands.
    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: Option<&'t Arguments>,
        piped: Option<Val>,
        span: Span,
    ) -> Result<Val> {
        let written = arguments.map_or(&[][..], |arguments| &arguments.list);
        let slot = arguments.is_some_and(|arguments| arguments.has_slot);
        if matches!(function, Function::IsSet) {
            return self.is_set_all(written, piped.is_some(), slot, span);
        }
        let mut given = Vec::with_capacity(written.len() + 1);
        if let (false, Some(piped)) = (slot, &piped) {
            given.push(piped.clone());
        }
        for argument in written {
            given.push(match (&argument.kind, &piped) {
                (ExprKind::Underscore, Some(piped)) => piped.clone(),
                _ => self.eval(argument)?,
            });
        }
        let site = |error: Error| error.at(self.template.source.at(span));
        match function {
            Function::Simple(simple) => {
                count(simple.name, given.len(), simple.least, simple.most).map_err(site)?;
                self.run_simple(simple, &given).map_err(site)
            }
            Function::Scope(signature) => self.provided(&signature, &given, span),
            Function::Writer(_) | Function::IsSet => {
                Err(site(fault(JetFault::BadArguments("raw, unsafe, safeHtml and safeJs only end a pipeline".into()))))
            }
        }
    }

    /// Runs a function: what it looks at and what it may make are paid for before, what it did not make is given back.
    fn run_simple(&self, simple: &Simple, given: &[Val]) -> Result<Val> {
        let (fuel, room) = (self.scope.fuel, (simple.room)(given));
        let looked_at: usize = given.iter().map(text_len).sum();
        fuel.scan(looked_at.saturating_mul(2).saturating_add(room))?;
        let mark = fuel.mark();
        fuel.allocate(room)?;
        let value = (simple.run)(given)?;
        let held = match &value {
            Val::Plain(Value::Text(text)) | Val::Bytes(text) | Val::Print(text) => text.len(),
            _ => room,
        };
        fuel.forget(mark, held as u64);
        Ok(value)
    }

    /// A function of the scope: its first arguments are text, a default may be anything.
    fn provided(&mut self, signature: &Signature, given: &[Val], span: Span) -> Result<Val> {
        let site = |error: Error| error.at(self.template.source.at(span));
        count(signature.name, given.len(), signature.least.into(), signature.most.into()).map_err(site)?;
        let mut arguments = Vec::with_capacity(given.len());
        for (at, value) in given.iter().enumerate() {
            if at < usize::from(signature.least) && !matches!(value, Val::Plain(Value::Text(_))) {
                let what = format!("argument {} of {} is text, not {}", at + 1, signature.name, value.kind());
                return Err(site(fault(JetFault::BadArguments(what))));
            }
            arguments.push(value.data().unwrap_or_default());
        }
        let value = self.scope.functions.call(signature.name, &arguments, self.scope.fuel).map_err(site)?;
        Ok(match value {
            Value::Null => Val::Missing,
            other => Val::Plain(other),
        })
    }

    fn is_set_all(&mut self, written: &'t [Expr], piped: bool, slot: bool, span: Span) -> Result<Val> {
        if written.is_empty() && !piped {
            return Err(self.fault(span, JetFault::BadArguments("isset takes at least one argument".into())));
        }
        for argument in written {
            let set =
                if slot && matches!(argument.kind, ExprKind::Underscore) { piped } else { self.is_set(argument)? };
            if !set {
                return Ok(Val::bool(false));
            }
        }
        Ok(Val::bool(true))
    }

    /// Whether an expression has a value that is not null. A limit is not forgiven.
    fn is_set(&mut self, expr: &'t Expr) -> Result<bool> {
        let value = match &expr.kind {
            ExprKind::Identifier(name) if !self.knows(name) => {
                return self.scope.fuel.step(UNKNOWN).map(|()| false);
            }
            ExprKind::Index(..) | ExprKind::Identifier(_) | ExprKind::Field(_) | ExprKind::Chain(..) => self.eval(expr),
            _ => return Ok(true),
        };
        match value {
            Ok(Val::Missing | Val::Inside(Value::Null)) => Ok(false),
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), Kind::Limit(_)) => Err(error),
            Err(_) => self.scope.fuel.step(FAULT).map(|()| false),
        }
    }
}

/// Steps that looking for a name in vain takes.
const UNKNOWN: u64 = 8;

/// Steps that making a fault takes, with the name most like the one that was wrong.
pub(super) const FAULT: u64 = 400;

/// No template has a name here, what it says is shown as far as anybody reads.
#[cold]
pub(super) fn no_template(name: &Val) -> Error {
    let shown: String = name.joined().chars().take(80).collect();
    fault(JetFault::NoTemplate(format!("{shown:?}")))
}

#[cold]
fn fault(fault: JetFault) -> Error {
    Kind::Jet(fault).into()
}

#[cold]
fn bad(what: impl Into<String>) -> Error {
    fault(JetFault::BadArguments(what.into()))
}

fn count(name: &str, given: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let takes = if least == most { format!("{least}") } else { format!("at least {least}") };
    Err(bad(format!("{name} takes {takes} arguments, not {given}")))
}

/// An argument as text; an integer is the character of that number, as Go converts it.
fn text(value: &Val) -> Result<Text> {
    match value {
        Val::Plain(Value::Text(text)) | Val::Bytes(text) => Ok(text.clone()),
        Val::Plain(Value::Int(int)) => {
            let code = int.as_i64().and_then(|code| u32::try_from(code).ok());
            Ok(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER).to_string().into())
        }
        other => Err(bad(format!("text is wanted, not {}", other.kind()))),
    }
}

/// The bytes of an argument that is text.
fn text_len(value: &Val) -> usize {
    match value {
        Val::Plain(Value::Text(text)) | Val::Inside(Value::Text(text)) | Val::Bytes(text) | Val::Print(text) => {
            text.len()
        }
        _ => 4,
    }
}

fn nothing(_: &[Val]) -> usize {
    0
}

/// Text of the first argument, each byte of which may become so many.
fn of_text<const TIMES: usize>(given: &[Val]) -> usize {
    given.first().map_or(0, text_len).saturating_mul(TIMES * COPIES)
}

fn of_items(given: &[Val]) -> usize {
    given.len().saturating_mul(size_of::<Value>() + size_of::<Text>()).saturating_add(64)
}

/// JSON of the first argument, if its text needs few escapes; a control character is six bytes.
fn of_data(given: &[Val]) -> usize {
    let weight = |data: &Value| usize::try_from(data.extent().weight).unwrap_or(usize::MAX);
    given.first().and_then(Val::data).map_or(0, |data| weight(&data)).saturating_mul(COPIES + 4)
}

fn of_repeat(given: &[Val]) -> usize {
    let times = given.get(1).and_then(|times| whole(times).ok()).unwrap_or(0).max(0);
    let times = usize::try_from(times).unwrap_or(usize::MAX);
    given.first().map_or(0, text_len).saturating_mul(times).saturating_mul(COPIES)
}

fn of_replace(given: &[Val]) -> usize {
    let (Ok(from), Ok(old), Ok(new), Ok(times)) = (text(&given[0]), text(&given[1]), text(&given[2]), whole(&given[3]))
    else {
        return 0;
    };
    let found = from.matches(&*old).take(usize::try_from(times).unwrap_or(usize::MAX)).count();
    from.len().saturating_add(found.saturating_mul(new.len().saturating_add(FOUND))).saturating_mul(COPIES)
}

/// Finding a place costs about as much as copying so many bytes.
const FOUND: usize = 8;

fn of_split(given: &[Val]) -> usize {
    let (Ok(from), Ok(separator)) = (text(&given[0]), text(&given[1])) else { return 0 };
    let parts = from.matches(&*separator).count().saturating_add(1);
    parts.saturating_mul(PART).saturating_add(from.len())
}

/// A value, the counts of a shared text, and what its bytes are rounded up to.
const PART: usize = size_of::<Value>() + 16 + 8;

fn text2(given: &[Val], run: fn(&str, &str) -> Val) -> Result<Val> {
    Ok(run(&text(&given[0])?, &text(&given[1])?))
}

fn whole(value: &Val) -> Result<i64> {
    match value {
        Val::Plain(Value::Int(int)) => Ok(int.wrapping_i64()),
        Val::Plain(Value::Float(float)) => Ok(*float as i64),
        other => Err(bad(format!("a number is wanted, not {}", other.kind()))),
    }
}

fn ints(given: &[Val]) -> Result<Val> {
    let bound = |at: usize| given.get(at).map_or(Ok(0), |value| whole(&value.clone().named()));
    let (from, to) = (bound(0)?, bound(1)?);
    if to <= from {
        return Err(fault(JetFault::Range(format!("ints({from}, {to}): the first must be smaller than the second"))));
    }
    Ok(Val::Ints(from, to))
}

fn len(given: &[Val]) -> Result<Val> {
    let length = match &given[0] {
        Val::Plain(Value::Text(text)) | Val::Inside(Value::Text(text)) | Val::Bytes(text) => text.len(),
        Val::Plain(Value::List(items)) | Val::Inside(Value::List(items)) | Val::Texts(items) => items.len(),
        Val::Plain(Value::Map(map)) | Val::Inside(Value::Map(map)) => map.len(),
        Val::NoMap => 0,
        Val::Inside(Value::Null) => return Err(fault(JetFault::InvalidValue("the argument of len"))),
        other => return Err(bad(format!("len does not take {}", other.kind()))),
    };
    Ok(Val::Plain(Value::from(length as i64)))
}

fn map(given: &[Val]) -> Result<Val> {
    if given.len() % 2 == 1 {
        return Err(bad("map takes keys and values in pairs"));
    }
    let mut entries = BTreeMap::new();
    for pair in given.chunks_exact(2) {
        let Val::Plain(Value::Text(key)) = &pair[0] else {
            return Err(bad(format!("a key of a map is text, not {}", pair[0].kind())));
        };
        match pair[1].data() {
            Some(value) => entries.insert(key.clone(), value),
            None => entries.remove(key),
        };
    }
    bounded(Map::from_entries(entries.into_iter().collect()).into())
}

fn slice(given: &[Val]) -> Result<Val> {
    let items: Option<Vec<Value>> = given.iter().map(Val::data).collect();
    bounded(items.ok_or_else(|| fault(JetFault::InvalidValue("an argument of slice")))?.into())
}

/// What was made, unless it is nested too deep or too large to be walked: sharing makes such data cheap.
fn bounded(made: Value) -> Result<Val> {
    made.check_extent()?;
    Ok(Val::Plain(made))
}

fn repeat(given: &[Val]) -> Result<Val> {
    let (text, times) = (text(&given[0])?, whole(&given[1])?);
    if times < 0 {
        return Err(bad("repeat takes a count that is not negative"));
    }
    // What does not fit is more than was paid for.
    let times = usize::try_from(times).unwrap_or(0);
    Ok(Val::Plain(text.repeat(times).into()))
}

fn replace(given: &[Val]) -> Result<Val> {
    let (from, old, new, times) = (text(&given[0])?, text(&given[1])?, text(&given[2])?, whole(&given[3])?);
    let limit = usize::try_from(times).unwrap_or(usize::MAX);
    Ok(Val::Plain(from.replacen(&*old, &new, limit).into()))
}

fn split(given: &[Val]) -> Result<Val> {
    let (from, separator) = (text(&given[0])?, text(&given[1])?);
    let parts: Vec<Value> = if separator.is_empty() {
        from.char_indices().map(|(at, letter)| from.get(at..at + letter.len_utf8()).unwrap_or("").into()).collect()
    } else {
        from.split(&*separator).map(Value::from).collect()
    };
    Ok(Val::Texts(parts.into()))
}

fn to_json(value: &Val) -> Result<String> {
    match value.data() {
        Some(data) => wire::json(&data, wire::Layout::COMPACT),
        None => Err(bad(format!("JSON cannot be made of {}", value.kind()))),
    }
}

fn escaped(given: &[Val], writer: Writer) -> Result<Val> {
    let mut out = String::new();
    writer.write(&mut out, &text(&given[0])?);
    Ok(Val::Plain(out.into()))
}

/// As Go's `url.QueryEscape`.
fn query_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            other => {
                let _written = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

impl Writer {
    /// Appends text, escaped.
    pub(super) fn write(self, out: &mut String, text: &str) {
        for letter in text.chars() {
            let replaced = match (self, letter) {
                (Self::Html, '&') => "&amp;",
                (Self::Html, '<') => "&lt;",
                (Self::Html, '>') => "&gt;",
                (Self::Html, '"') => "&#34;",
                (Self::Html, '\'') => "&#39;",
                (Self::Html, '\0') => "\u{fffd}",
                (Self::Js, '\\') => r"\\",
                (Self::Js, '\'') => r"\'",
                (Self::Js, '"') => r#"\""#,
                (Self::Js, '<' | '>' | '&' | '=') => {
                    let _written = write!(out, "\\u{:04X}", u32::from(letter));
                    continue;
                }
                (Self::Js, '\0'..='\x1f') => {
                    let _written = write!(out, "\\u{:04X}", u32::from(letter));
                    continue;
                }
                _ => {
                    out.push(letter);
                    continue;
                }
            };
            out.push_str(replaced);
        }
    }
}
