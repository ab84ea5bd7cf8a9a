//! One value under one verb: padding, text, numbers, lists and maps.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::float;
use crate::error::{Error, Result};
use crate::gotmpl::val::{Bytes, Val};
use crate::names::Fuel;
use crate::text::quote::{self, Quoting};
use crate::value::{Map, Shape, Value};

/// What a node of data costs beside its text, in bytes that are looked at.
const NODE: usize = 64;

/// Up to so many digits are paid for with their node.
const WIDE: usize = 64;

/// How deep lists and maps may lie in each other to be printed.
const DEPTH: u16 = 100;

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

#[derive(Default, Clone, Copy)]
pub(super) struct Flags {
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) minus: bool,
    pub(super) plus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    /// `%+v`.
    pub(super) field_names: bool,
    /// `%#v`.
    pub(super) go_syntax: bool,
}

pub(super) struct Printer<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) flags: Flags,
    fuel: &'o Fuel,
    /// How long the output may become.
    most: usize,
    depth: u16,
    /// What stopped it: nothing more is written then.
    stopped: Option<Error>,
}

/// Output grows by doubling and is copied once: so much of the purse is needed for it.
const ROOM: u64 = 3;

impl<'o> Printer<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>, fuel: &'o Fuel) -> Self {
        let most = usize::try_from(fuel.mark() / ROOM).unwrap_or(usize::MAX);
        Self { out, flags: Flags::default(), fuel, most, depth: 0, stopped: None }
    }

    /// Whether so many bytes more may be written, which are paid for as work.
    fn fits(&mut self, bytes: usize) -> bool {
        if self.stopped.is_none() {
            let fits = self.out.len().saturating_add(bytes) <= self.most;
            let paid = if fits { self.fuel.scan(bytes) } else { self.fuel.allocate(usize::MAX) };
            self.stopped = paid.err();
        }
        self.stopped.is_none()
    }

    pub(super) fn finish(self) -> Result<()> {
        self.stopped.map_or(Ok(()), Err)
    }

    pub(super) fn fault(&mut self, verb: char, what: &str) {
        self.out.extend_from_slice(b"%!");
        self.push_char(verb);
        self.out.extend_from_slice(what.as_bytes());
    }

    fn push_char(&mut self, character: char) {
        self.out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// A value given to print or printf itself.
    pub(super) fn argument(&mut self, value: &Val<'_>, verb: char) {
        match (value, verb) {
            (Val::Absent | Val::Nil, 'T' | 'v') => self.pad(b"<nil>"),
            (Val::Absent | Val::Nil, _) => self.fault(verb, "(<nil>)"),
            (_, 'T') => self.text(value.type_name().as_bytes()),
            (_, 'p') | (Val::List(_) | Val::Map(_), 'w') => self.bad_verb(value, verb),
            _ => self.value(value, verb),
        }
    }

    fn value(&mut self, value: &Val<'_>, verb: char) {
        if self.depth > DEPTH && self.stopped.is_none() {
            self.stopped = Some(Error::limit(format!("a value nested deeper than {DEPTH} cannot be printed")));
        }
        if !self.fits(NODE) {
            return;
        }
        match value {
            Val::Absent | Val::Nil => self.nil(),
            Val::Bool(flag) if matches!(verb, 't' | 'v') => self.pad(if *flag { b"true" } else { b"false" }),
            Val::Int(int) => self.integer(value, int.unsigned_abs(), *int < 0, true, verb),
            Val::Uint(int) => self.integer(value, *int, false, false, verb),
            Val::Byte(byte) => self.integer(value, u64::from(*byte), false, false, verb),
            Val::Float(float) if float::is_verb(verb) => self.float(*float, verb),
            Val::Complex(real, imaginary) if float::is_verb(verb) => self.complex(*real, *imaginary, verb),
            Val::Text(text) => self.string(value, text.as_slice(), verb),
            Val::List(list) => self.list(value, list.items(), verb),
            Val::Map(map) => self.map(value, map.map(), verb),
            Val::Bool(_) | Val::Float(_) | Val::Complex(..) => self.bad_verb(value, verb),
        }
    }

    /// A null inside a list or map.
    fn nil(&mut self) {
        self.out.extend_from_slice(if self.flags.go_syntax { b"interface {}(nil)" } else { b"<nil>" });
    }

    fn bad_verb(&mut self, value: &Val<'_>, verb: char) {
        self.fault(verb, "(");
        self.out.extend_from_slice(value.type_name().as_bytes());
        self.out.push(b'=');
        self.value(value, 'v');
        self.out.push(b')');
    }

    fn list(&mut self, value: &Val<'_>, items: &[Value], verb: char) {
        let (open, close): (&[u8], u8) = if self.flags.go_syntax { (b"{", b'}') } else { (b"[", b']') };
        if self.flags.go_syntax {
            self.out.extend_from_slice(value.type_name().as_bytes());
        }
        self.out.extend_from_slice(open);
        self.depth += 1;
        for (at, item) in items.iter().enumerate() {
            self.separate(at);
            self.value(&item.into(), verb);
        }
        self.depth -= 1;
        self.out.push(close);
    }

    fn map(&mut self, value: &Val<'_>, map: &Map, verb: char) {
        if self.flags.go_syntax {
            self.out.extend_from_slice(value.type_name().as_bytes());
        }
        self.depth += 1;
        if let Shape::Struct(layout) = map.shape() {
            self.out.push(b'{');
            for (at, name) in layout.fields.iter().enumerate() {
                self.separate(at);
                if self.flags.field_names || self.flags.go_syntax {
                    self.out.extend_from_slice(name.as_bytes());
                    self.out.push(b':');
                }
                self.value(&map.get(name).map_or(Val::Nil, Val::from), verb);
            }
            self.out.push(b'}');
        } else {
            self.out.extend_from_slice(if self.flags.go_syntax { b"{" } else { b"map[" });
            for (at, (key, item)) in map.iter().enumerate() {
                self.separate(at);
                self.value(&Val::Text(Bytes::Lent(key.as_bytes())), verb);
                self.out.push(b':');
                self.value(&item.into(), verb);
            }
            self.out.push(if self.flags.go_syntax { b'}' } else { b']' });
        }
        self.depth -= 1;
    }

    fn separate(&mut self, at: usize) {
        if at > 0 {
            self.out.extend_from_slice(if self.flags.go_syntax { b", " } else { b" " });
        }
    }

    // Padding.

    fn padding(&mut self, count: usize) {
        if !self.fits(count) {
            return;
        }
        let byte = if self.flags.zero && !self.flags.minus { b'0' } else { b' ' };
        self.out.resize(self.out.len() + count, byte);
    }

    fn pad(&mut self, text: &[u8]) {
        let missing = match self.flags.width {
            Some(width) if width > 0 => width.saturating_sub(quote::count(text)),
            _ => 0,
        };
        if !self.flags.minus {
            self.padding(missing);
        }
        if !self.fits(text.len()) {
            return;
        }
        self.out.extend_from_slice(text);
        if self.flags.minus {
            self.padding(missing);
        }
    }

    /// As [`Printer::pad`], never with zeros.
    fn pad_blank(&mut self, text: &[u8]) {
        let zero = core::mem::take(&mut self.flags.zero);
        self.pad(text);
        self.flags.zero = zero;
    }

    // Text.

    fn string(&mut self, value: &Val<'_>, text: &[u8], verb: char) {
        match verb {
            'v' if self.flags.go_syntax => self.quoted(text),
            'v' | 's' => self.text(text),
            'q' => self.quoted(text),
            'x' | 'X' => self.hex(text, verb == 'X'),
            _ => self.bad_verb(value, verb),
        }
    }

    fn text(&mut self, text: &[u8]) {
        let text = self.truncated(text);
        self.pad(text);
    }

    /// As many characters as the precision says.
    fn truncated<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let Some(most) = self.flags.precision else { return text };
        let mut end = 0;
        for _ in 0..most {
            if end >= text.len() {
                break;
            }
            end += quote::decode(&text[end..]).1;
        }
        &text[..end]
    }

    fn quoted(&mut self, text: &[u8]) {
        let text = self.truncated(text);
        // Quoting takes a look at each character, and a copy.
        if !self.fits(text.len().saturating_mul(12)) {
            return;
        }
        if self.flags.sharp && quote::can_backquote(text) {
            self.pad(&[b"`", text, b"`"].concat());
        } else {
            let quoted = quote::quote(text, Quoting { quote: '"', ascii: self.flags.plus });
            self.pad(quoted.as_bytes());
        }
    }

    fn hex(&mut self, text: &[u8], upper: bool) {
        let Flags { space, sharp, width, precision, minus, .. } = self.flags;
        let text = &text[..text.len().min(precision.unwrap_or(usize::MAX))];
        if text.is_empty() {
            return self.padding(width.unwrap_or(0));
        }
        let mut length = 2 * text.len();
        match (space, sharp) {
            (true, true) => length = 2 * length + text.len() - 1,
            (true, false) => length += text.len() - 1,
            (false, true) => length += 2,
            (false, false) => {}
        }
        let missing = width.unwrap_or(0).saturating_sub(length);
        if !self.fits(length) {
            return;
        }
        if !minus {
            self.padding(missing);
        }
        let lead: &[u8] = if upper { b"0X" } else { b"0x" };
        let digits = if upper { UPPER } else { LOWER };
        for (at, byte) in text.iter().enumerate() {
            if space && at > 0 {
                self.out.push(b' ');
            }
            if sharp && (space || at == 0) {
                self.out.extend_from_slice(lead);
            }
            self.out.push(digits[usize::from(byte >> 4)]);
            self.out.push(digits[usize::from(byte & 15)]);
        }
        if minus {
            self.padding(missing);
        }
    }

    // Numbers.

    fn integer(&mut self, value: &Val<'_>, magnitude: u64, negative: bool, signed: bool, verb: char) {
        let character = || {
            let code = if negative { None } else { u32::try_from(magnitude).ok() };
            code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        match verb {
            'v' if self.flags.go_syntax && !signed => {
                let sharp = core::mem::replace(&mut self.flags.sharp, true);
                self.digits(magnitude, 16, negative, verb);
                self.flags.sharp = sharp;
            }
            'v' | 'd' => self.digits(magnitude, 10, negative, verb),
            'b' => self.digits(magnitude, 2, negative, verb),
            'o' | 'O' => self.digits(magnitude, 8, negative, verb),
            'x' | 'X' => self.digits(magnitude, 16, negative, verb),
            'c' => self.pad(character().encode_utf8(&mut [0; 4]).as_bytes()),
            'q' => {
                let quoted = quote::quote_char(character(), self.flags.plus);
                self.pad(quoted.as_bytes());
            }
            // The two's complement, as Go takes the bits of a negative number.
            'U' => self.code_point(if negative { magnitude.wrapping_neg() } else { magnitude }),
            _ => self.bad_verb(value, verb),
        }
    }

    fn digits(&mut self, magnitude: u64, base: u64, negative: bool, verb: char) {
        let Flags { width, precision, plus, space, zero, minus, sharp, .. } = self.flags;
        let mut least = precision.unwrap_or(0);
        if precision == Some(0) && magnitude == 0 {
            let zero = core::mem::take(&mut self.flags.zero);
            self.padding(width.unwrap_or(0));
            self.flags.zero = zero;
            return;
        }
        if precision.is_none() && zero && !minus && width.is_some() {
            // Zeros go between the sign and the digits.
            least = width.unwrap_or(0).saturating_sub(usize::from(negative || plus || space));
        }
        // They are written, turned round and copied.
        if least > WIDE && !self.fits(least.saturating_mul(2)) {
            return;
        }
        // Digits from the last to the first.
        let digits = if verb == 'X' { UPPER } else { LOWER };
        let mut text = Vec::with_capacity(least.max(24) + 4);
        let mut rest = magnitude;
        loop {
            text.push(digits[(rest % base) as usize]);
            rest /= base;
            if rest == 0 {
                break;
            }
        }
        if text.len() < least {
            text.resize(least, b'0');
        }
        match base {
            2 if sharp => text.extend_from_slice(b"b0"),
            8 if sharp && text.last() != Some(&b'0') => text.push(b'0'),
            16 if sharp => text.extend_from_slice(if verb == 'X' { b"X0" } else { b"x0" }),
            _ => {}
        }
        if verb == 'O' {
            text.extend_from_slice(b"o0");
        }
        if negative {
            text.push(b'-');
        } else if plus {
            text.push(b'+');
        } else if space {
            text.push(b' ');
        }
        text.reverse();
        self.pad_blank(&text);
    }

    /// `U+0041`, with `#` also the character.
    fn code_point(&mut self, code: u64) {
        let least = self.flags.precision.unwrap_or(0).max(4);
        if least > WIDE && !self.fits(least.saturating_mul(2)) {
            return;
        }
        let digits = format!("{code:X}");
        let mut text = String::from("U+");
        text.extend(core::iter::repeat_n('0', least.saturating_sub(digits.len())));
        text.push_str(&digits);
        let character = u32::try_from(code).ok().and_then(char::from_u32).filter(|&next| quote::is_print(next));
        if let (true, Some(character)) = (self.flags.sharp, character) {
            text.push_str(" '");
            text.push(character);
            text.push('\'');
        }
        self.pad_blank(text.as_bytes());
    }

    fn complex(&mut self, real: f64, imaginary: f64, verb: char) {
        let plus = self.flags.plus;
        self.out.push(b'(');
        self.float(real, verb);
        self.flags.plus = true;
        self.float(imaginary, verb);
        self.out.extend_from_slice(b"i)");
        self.flags.plus = plus;
    }

    fn float(&mut self, value: f64, verb: char) {
        let precision = self.flags.precision.or(if matches!(verb, 'e' | 'E' | 'f' | 'F') { Some(6) } else { None });
        // A digit is worked out, moved and copied more than once.
        if precision.is_some_and(|precision| precision > WIDE && !self.fits(precision.saturating_mul(4))) {
            return;
        }
        let mut text = float::text(value, verb, precision);
        if !text.starts_with(['-', '+']) {
            text.insert(0, '+');
        }
        if self.flags.space && text.starts_with('+') && !self.flags.plus {
            text.replace_range(..1, " ");
        }
        if !value.is_finite() {
            // An infinity keeps its sign, a number that is none shows one only where asked.
            let bare = value.is_nan() && !self.flags.space && !self.flags.plus;
            let shown = if bare { &text[1..] } else { &text };
            return self.pad_blank(shown.as_bytes());
        }
        if self.flags.sharp && verb != 'b' {
            text = float::with_point(&text, verb, precision);
        }
        let signed = self.flags.plus || !text.starts_with('+');
        let width = self.flags.width.unwrap_or(0);
        if signed && self.flags.zero && !self.flags.minus && width > text.len() {
            self.out.extend_from_slice(&text.as_bytes()[..1]);
            self.padding(width - text.len());
            self.out.extend_from_slice(&text.as_bytes()[1..]);
            return;
        }
        self.pad(if signed { text.as_bytes() } else { &text.as_bytes()[1..] });
    }
}
