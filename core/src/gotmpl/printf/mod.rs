//! Go's `fmt` over template values: `Sprint`, `Sprintln` and `Sprintf` with every verb, flag, width, precision and
//! argument index, and its habit of writing faults into the text: `%!d(string=x)`, `%!s(MISSING)`.

use alloc::vec::Vec;

use super::val::Val;
use crate::error::Result;
use crate::names::Fuel;
use crate::text::quote;

use printer::{Flags, Printer};

mod float;
mod printer;

/// Widths and precisions above this are no widths to Go.
const WIDEST: usize = 1_000_000;

/// Appends a value as `%v` prints it.
fn print(out: &mut Vec<u8>, value: &Val<'_>, fuel: &Fuel) -> Result<()> {
    let mut printer = Printer::new(out, fuel);
    printer.argument(value, 'v');
    printer.finish()
}

/// All values, a space between two of which neither is text.
pub(super) fn sprint(values: &[Val<'_>], fuel: &Fuel) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut after_text = true;
    for (at, value) in values.iter().enumerate() {
        let text = matches!(value, Val::Text(_));
        if at > 0 && !text && !after_text {
            out.push(b' ');
        }
        print(&mut out, value, fuel)?;
        after_text = text;
    }
    Ok(out)
}

/// All values, a space between each two, and a line end.
pub(super) fn sprintln(values: &[Val<'_>], fuel: &Fuel) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        print(&mut out, value, fuel)?;
    }
    out.push(b'\n');
    Ok(out)
}

/// Values by a format.
pub(super) fn sprintf(format: &[u8], values: &[Val<'_>], fuel: &Fuel) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    fuel.text(format.len())?;
    let mut directives = Directives { format, values, fuel, at: 0, next: 0, reordered: false, good: true };
    while directives.at < format.len() {
        let rest = &format[directives.at..];
        let literal = rest.iter().position(|&byte| byte == b'%').unwrap_or(rest.len());
        out.extend_from_slice(&rest[..literal]);
        directives.at += literal;
        if directives.at < format.len() {
            directives.at += 1;
            fuel.step(2)?;
            directives.directive(&mut out)?;
        }
    }
    directives.extra(&mut out)?;
    Ok(out)
}

/// The state of one walk over a format.
struct Directives<'v, 'a> {
    format: &'v [u8],
    values: &'v [Val<'a>],
    fuel: &'v Fuel,
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
        let mut printer = Printer::new(out, self.fuel);
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
            print(out, value, self.fuel)?;
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
