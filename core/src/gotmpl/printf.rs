//! Go's `fmt` over template values: `Sprint`, `Sprintln` and `Sprintf` with every verb, flag, width, precision and
//! argument index, and its habit of writing faults into the text: `%!d(string=x)`, `%!s(MISSING)`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::val::Val;
use crate::error::{Error, Result};
use crate::names::Fuel;
use crate::text::float::{self, Form};
use crate::text::quote::{self, Quoting};
use crate::value::{Map, Shape, Value};

/// How deep lists and maps may lie in each other to be printed.
const DEPTH: u16 = 100;
/// Widths and precisions above this are no widths to Go.
const WIDEST: usize = 1_000_000;

/// Appends a value as `%v` prints it.
pub(super) fn print(out: &mut Vec<u8>, value: &Val<'_>) -> Result<()> {
    if let Val::Text(text) = value {
        out.extend_from_slice(text.as_slice());
        return Ok(());
    }
    let mut printer = Printer::new(out);
    printer.argument(value, 'v');
    printer.finish()
}

/// All values, a space between two of which neither is text.
pub(super) fn sprint(values: &[Val<'_>]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut after_text = true;
    for (at, value) in values.iter().enumerate() {
        let text = matches!(value, Val::Text(_));
        if at > 0 && !text && !after_text {
            out.push(b' ');
        }
        print(&mut out, value)?;
        after_text = text;
    }
    Ok(out)
}

/// All values, a space between each two, and a line end.
pub(super) fn sprintln(values: &[Val<'_>]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        print(&mut out, value)?;
    }
    out.push(b'\n');
    Ok(out)
}

/// Values by a format.
pub(super) fn sprintf(format: &[u8], values: &[Val<'_>], fuel: &Fuel) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut directives = Directives { format, values, at: 0, next: 0, reordered: false, good: true };
    while directives.at < format.len() {
        let rest = &format[directives.at..];
        let literal = rest.iter().position(|&byte| byte == b'%').unwrap_or(rest.len());
        out.extend_from_slice(&rest[..literal]);
        directives.at += literal;
        if directives.at < format.len() {
            directives.at += 1;
            let before = out.len();
            directives.directive(&mut out)?;
            // What one verb may write is bounded by the widest width; what many may, by the purse.
            fuel.step(1 + (out.len() - before) as u64 / 64)?;
            if out.len() > 1 << 20 {
                fuel.allocate(out.len() - before)?;
            }
        }
    }
    directives.extra(&mut out)?;
    Ok(out)
}

/// The state of one walk over a format.
struct Directives<'v, 'a> {
    format: &'v [u8],
    values: &'v [Val<'a>],
    at: usize,
    /// The value that the next verb takes.
    next: usize,
    /// Some verb named its value: then nobody complains of values left over.
    reordered: bool,
    /// The current verb's indexes are in order.
    good: bool,
}

impl Directives<'_, '_> {
    fn byte(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    /// One directive, its `%` passed.
    fn directive(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.good = true;
        let mut printer = Printer::new(out);
        self.flags(&mut printer.flags);
        let mut indexed = self.index();
        indexed = self.width(&mut printer, indexed);
        if self.byte() == Some(b'.') && self.at + 1 < self.format.len() {
            indexed = self.precision(&mut printer, indexed);
        }
        if !indexed {
            self.index();
        }
        if self.at >= self.format.len() {
            printer.out.extend_from_slice(b"%!(NOVERB)");
            return Ok(());
        }
        let (verb, width) = quote::decode(&self.format[self.at..]);
        let verb = verb.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.at += width;
        if verb == '%' {
            printer.out.push(b'%');
            return Ok(());
        }
        if !self.good {
            printer.fault(verb, "(BADINDEX)");
            return Ok(());
        }
        let Some(value) = self.values.get(self.next) else {
            printer.fault(verb, "(MISSING)");
            return Ok(());
        };
        self.next += 1;
        if matches!(verb, 'v' | 'w') {
            printer.flags.go_syntax = core::mem::take(&mut printer.flags.sharp);
            printer.flags.field_names = core::mem::take(&mut printer.flags.plus);
        }
        printer.argument(value, verb);
        printer.finish()
    }

    fn flags(&mut self, flags: &mut Flags) {
        while let Some(byte) = self.byte() {
            match byte {
                b'#' => flags.sharp = true,
                b'0' => flags.zero = true,
                b'+' => flags.plus = true,
                b'-' => flags.minus = true,
                b' ' => flags.space = true,
                _ => return,
            }
            self.at += 1;
        }
    }

    /// `[n]`: the value that follows. Whether one stood there.
    fn index(&mut self) -> bool {
        if self.byte() != Some(b'[') {
            return false;
        }
        self.reordered = true;
        let rest = &self.format[self.at..];
        let close = rest.iter().position(|&byte| byte == b']').filter(|_| rest.len() >= 3);
        let Some(close) = close else {
            self.at += 1;
            self.good = false;
            return false;
        };
        self.at += close + 1;
        let number = whole(&rest[1..close]).filter(|(_, length)| *length == close - 1);
        match number {
            Some((number, _)) if (1..=self.values.len()).contains(&number) => {
                self.next = number - 1;
                true
            }
            number => {
                self.good = false;
                number.is_some()
            }
        }
    }

    fn width(&mut self, printer: &mut Printer<'_>, indexed: bool) -> bool {
        if self.byte() == Some(b'*') {
            self.at += 1;
            match self.star() {
                Some(width) => {
                    printer.flags.width = Some(width.unsigned_abs());
                    if width < 0 {
                        printer.flags.minus = true;
                        printer.flags.zero = false;
                    }
                }
                None => printer.out.extend_from_slice(b"%!(BADWIDTH)"),
            }
            return false;
        }
        printer.flags.width = self.number();
        if indexed && printer.flags.width.is_some() {
            self.good = false;
        }
        indexed
    }

    fn precision(&mut self, printer: &mut Printer<'_>, indexed: bool) -> bool {
        self.at += 1;
        if indexed {
            self.good = false;
        }
        let indexed = self.index();
        if self.byte() == Some(b'*') {
            self.at += 1;
            printer.flags.precision = self.star().and_then(|given| usize::try_from(given).ok());
            if printer.flags.precision.is_none() {
                printer.out.extend_from_slice(b"%!(BADPREC)");
            }
            return false;
        }
        printer.flags.precision = Some(self.number().unwrap_or(0));
        indexed
    }

    /// A width or precision that is a value itself.
    fn star(&mut self) -> Option<isize> {
        let value = self.values.get(self.next)?;
        self.next += 1;
        let number = match value {
            Val::Int(int) => isize::try_from(*int).ok()?,
            Val::Uint(int) => isize::try_from(*int).ok()?,
            Val::Byte(byte) => isize::from(*byte),
            _ => return None,
        };
        (number.unsigned_abs() <= WIDEST).then_some(number)
    }

    fn number(&mut self) -> Option<usize> {
        let rest = self.format.get(self.at..)?;
        match whole(rest) {
            Some((number, length)) => {
                self.at += length;
                Some(number)
            }
            None => {
                if rest.first().is_some_and(u8::is_ascii_digit) {
                    // Too large: Go then takes the rest of the format for the number.
                    self.at = self.format.len();
                }
                None
            }
        }
    }

    fn extra(&self, out: &mut Vec<u8>) -> Result<()> {
        if self.reordered || self.next >= self.values.len() {
            return Ok(());
        }
        out.extend_from_slice(b"%!(EXTRA ");
        for (at, value) in self.values[self.next..].iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(b", ");
            }
            if !value.is_nothing() {
                out.extend_from_slice(value.type_name().as_bytes());
                out.push(b'=');
            }
            print(out, value)?;
        }
        out.push(b')');
        Ok(())
    }
}

/// Decimal digits and how many there are; `None` for none, or for a number that is no width to Go.
fn whole(text: &[u8]) -> Option<(usize, usize)> {
    let mut number = 0_usize;
    let mut length = 0;
    for digit in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        if number > WIDEST {
            return None;
        }
        number = number * 10 + usize::from(digit - b'0');
        length += 1;
    }
    (length > 0).then_some((number, length))
}

#[derive(Default, Clone, Copy)]
struct Flags {
    width: Option<usize>,
    precision: Option<usize>,
    minus: bool,
    plus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    /// `%+v`.
    field_names: bool,
    /// `%#v`.
    go_syntax: bool,
}

struct Printer<'o> {
    out: &'o mut Vec<u8>,
    flags: Flags,
    depth: u16,
    too_deep: bool,
}

impl<'o> Printer<'o> {
    fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, flags: Flags::default(), depth: 0, too_deep: false }
    }

    fn finish(self) -> Result<()> {
        if self.too_deep {
            return Err(Error::limit(format!("a value nested deeper than {DEPTH} cannot be printed")));
        }
        Ok(())
    }

    fn fault(&mut self, verb: char, what: &str) {
        self.out.extend_from_slice(b"%!");
        self.push_char(verb);
        self.out.extend_from_slice(what.as_bytes());
    }

    fn push_char(&mut self, character: char) {
        self.out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// A value given to print or printf itself.
    fn argument(&mut self, value: &Val<'_>, verb: char) {
        match (value, verb) {
            (Val::Absent | Val::Nil, 'T' | 'v') => self.pad(b"<nil>"),
            (Val::Absent | Val::Nil, _) => self.fault(verb, "(<nil>)"),
            (_, 'T') => self.text(value.type_name().as_bytes()),
            (_, 'p') | (Val::List(_) | Val::Map(_), 'w') => self.bad_verb(value, verb),
            _ => self.value(value, verb),
        }
    }

    fn value(&mut self, value: &Val<'_>, verb: char) {
        if self.depth > DEPTH {
            self.too_deep = true;
            return;
        }
        match value {
            Val::Absent | Val::Nil => self.nil(),
            Val::Bool(flag) if matches!(verb, 't' | 'v') => self.pad(if *flag { b"true" } else { b"false" }),
            Val::Int(int) => self.integer(value, int.unsigned_abs(), *int < 0, true, verb),
            Val::Uint(int) => self.integer(value, *int, false, false, verb),
            Val::Byte(byte) => self.integer(value, u64::from(*byte), false, false, verb),
            Val::Float(float) if is_float_verb(verb) => self.float(*float, verb),
            Val::Complex(real, imaginary) if is_float_verb(verb) => self.complex(*real, *imaginary, verb),
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
                self.value(&Val::Text(super::val::Bytes::Lent(key.as_bytes())), verb);
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
        let mut text = format!("U+{code:0least$X}");
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
        let mut text = float_text(value, verb, precision);
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
            text = with_point(&text, verb, precision);
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

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

fn is_float_verb(verb: char) -> bool {
    matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E')
}

fn float_text(value: f64, verb: char, precision: Option<usize>) -> String {
    let form = match verb {
        'e' | 'E' => Form::Exponent,
        'f' | 'F' => Form::Fixed,
        'b' if value.is_finite() => return binary(value),
        'x' | 'X' if value.is_finite() => return hexadecimal(value, precision, verb == 'X'),
        _ => Form::General,
    };
    let text = float::format(value, form, precision);
    if value.is_finite() && matches!(verb, 'E' | 'G') { text.to_uppercase() } else { text }
}

/// Mantissa and exponent of a finite number, `mantissa × 2^exponent`.
fn parts(value: f64) -> (u64, i64) {
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}

/// `%b`: `6755399441055744p-52`.
fn binary(value: f64) -> String {
    let (mantissa, exponent) = parts(value);
    format!("{}{mantissa}p{exponent:+}", if value.is_sign_negative() { "-" } else { "" })
}

/// `%x`: `0x1.8p+00`.
fn hexadecimal(value: f64, precision: Option<usize>, upper: bool) -> String {
    let (mut mantissa, mut exponent) = parts(value);
    exponent += 52;
    mantissa <<= 8;
    if mantissa == 0 {
        exponent = 0;
    }
    while mantissa != 0 && mantissa >> 60 == 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    if let Some(digits @ 0..15) = precision {
        let shift = 60 - 4 * digits;
        let (kept, extra) = (mantissa >> shift, mantissa & ((1_u64 << shift) - 1));
        let half = 1_u64 << (shift - 1);
        mantissa = (kept + u64::from(extra > half || (extra == half && kept & 1 == 1))) << shift;
        if mantissa >> 61 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let mut text = format!("{}0x{}", if value.is_sign_negative() { "-" } else { "" }, mantissa >> 60);
    let mut fraction = mantissa << 4;
    let mut digits = precision;
    if digits.map_or(fraction != 0, |digits| digits > 0) {
        text.push('.');
    }
    while digits.map_or(fraction != 0, |digits| digits > 0) {
        text.push(char::from(LOWER[(fraction >> 60) as usize]));
        fraction <<= 4;
        digits = digits.map(|digits| digits - 1);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let text = format!("{text}p{sign}{:02}", exponent.unsigned_abs());
    if upper { text.to_uppercase() } else { text }
}

/// `#`: always a point, and for `g` the zeros that it otherwise leaves out.
fn with_point(text: &str, verb: char, precision: Option<usize>) -> String {
    let is_hex = matches!(verb, 'x' | 'X');
    let marks: &[char] = if is_hex { &['p', 'P'] } else { &['e', 'E', 'p', 'P'] };
    let (number, tail) = text.split_at(text.find(marks).unwrap_or(text.len()));
    let mut missing = if matches!(verb, 'v' | 'g' | 'G' | 'x') { precision.unwrap_or(6) } else { 0 };
    let mut significant = false;
    for digit in number.chars().skip(1).filter(|&next| next != '.') {
        significant |= digit != '0';
        if significant {
            missing = missing.saturating_sub(1);
        }
    }
    let mut out = String::from(number);
    if !number.contains('.') {
        if number.len() == 2 && number.ends_with('0') {
            missing = missing.saturating_sub(1);
        }
        out.push('.');
    }
    out.extend(core::iter::repeat_n('0', missing));
    out.push_str(tail);
    out
}
