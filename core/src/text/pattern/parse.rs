//! Reads a pattern without recursion: groups that are open stand on a stack of their own.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

use super::classes::{self, Set};
use super::{Pattern, PatternFault, PatternProblem as Problem};
use crate::text::{Cursor, unicode};

/// The Hir of a pattern; its groups are kept apart only if they are asked for.
pub(super) fn parse(source: &str, keep_groups: bool) -> Result<Hir, PatternFault> {
    let mut parser = Parser {
        cursor: Cursor::new(source),
        flags: Flags::default(),
        open: Vec::new(),
        level: Level::default(),
        keep_groups,
        captures: 0,
        ranges: 0,
        orbits: BTreeMap::new(),
        names: BTreeSet::new(),
        repeated: None,
    };
    while parser.cursor.peek().is_some() {
        parser.token()?;
    }
    match parser.open.last() {
        Some(group) => Err(parser.fault(Problem::MissingParenthesis, group.at..source.len())),
        None => Ok(parser.level.finish().0),
    }
}

/// What `(?…)` switches.
#[derive(Clone, Copy, Default)]
struct Flags {
    /// `i`
    fold: bool,
    /// `m`
    lines: bool,
    /// `s`
    dot_all: bool,
    /// `U`
    lazy: bool,
}

/// How large a piece is.
#[derive(Clone, Copy)]
struct Size {
    /// How often `{n,m}` copies its innermost part.
    copies: u32,
    /// How deep its Hir nests.
    height: usize,
}

impl Size {
    const LEAF: Self = Self { copies: 1, height: 1 };

    fn max(self, other: Self) -> Self {
        Self { copies: self.copies.max(other.copies), height: self.height.max(other.height) }
    }
}

/// The inside of a group so far.
struct Level {
    done: Vec<Hir>,
    current: Vec<Hir>,
    /// Of the last item of `current`.
    last: Size,
    /// Of all items together.
    most: Size,
}

impl Default for Level {
    fn default() -> Self {
        Self { done: Vec::new(), current: Vec::new(), last: Size::LEAF, most: Size::LEAF }
    }
}

impl Level {
    fn push(&mut self, hir: Hir, size: Size) {
        self.current.push(hir);
        self.resize(size);
    }

    /// The last item has become larger.
    fn resize(&mut self, size: Size) {
        self.last = size;
        self.most = self.most.max(size);
    }

    fn alternative(&mut self) {
        self.done.push(Hir::concat(core::mem::take(&mut self.current)));
    }

    fn finish(mut self) -> (Hir, Size) {
        self.alternative();
        let hir = Hir::alternation(self.done);
        let levels = match hir.kind() {
            HirKind::Alternation(_) => 2,
            HirKind::Concat(_) => 1,
            _ => 0,
        };
        (hir, Size { height: self.most.height + levels, ..self.most })
    }
}

/// A group that is not closed yet.
struct Open {
    at: usize,
    /// What holds again after it.
    flags: Flags,
    outer: Level,
    /// Number and name, if it is kept.
    capture: Option<(u32, Option<Box<str>>)>,
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    flags: Flags,
    open: Vec<Open>,
    level: Level,
    keep_groups: bool,
    captures: u32,
    /// Ranges of all classes, to bound the memory that a short pattern takes.
    ranges: usize,
    /// The cases of letters so far.
    orbits: BTreeMap<char, ClassUnicode>,
    /// The names of groups so far.
    names: BTreeSet<Box<str>>,
    /// Where the repeat operator began that ended right here.
    repeated: Option<usize>,
}

/// Most ranges of characters in all classes of a pattern together.
const RANGES: usize = 100_000;
/// Most groups that may be open at once, as in Go.
const GROUPS: usize = 1000;
/// Most copies that `{n,m}` may make of its innermost part.
const COPIES: u32 = 1000;

impl Parser<'_> {
    fn token(&mut self) -> Result<(), PatternFault> {
        let at = self.cursor.at();
        let repeated = self.repeated.take();
        match self.cursor.bump().unwrap_or_default() {
            '(' => return self.open(at),
            ')' => return self.close(at),
            '[' => return self.bracket(at),
            '\\' => return self.backslash(at),
            '*' => return self.repeat(at, repeated, 0, None),
            '+' => return self.repeat(at, repeated, 1, None),
            '?' => return self.repeat(at, repeated, 0, Some(1)),
            '{' => match self.counts() {
                Some((least, most)) => return self.counted(at, repeated, least, most),
                None => self.literal('{'),
            },
            '.' => {
                let mut set = if self.flags.dot_all { Set::default() } else { Set::of("\n") };
                set.negate();
                return self.class(set, at);
            }
            '|' => self.level.alternative(),
            '^' => self.look(if self.flags.lines { Look::StartLF } else { Look::Start }),
            '$' => self.look(if self.flags.lines { Look::EndLF } else { Look::End }),
            other => self.literal(other),
        }
        Ok(())
    }

    fn look(&mut self, look: Look) {
        self.level.push(Hir::look(look), Size::LEAF);
    }

    fn literal(&mut self, character: char) {
        if self.flags.fold {
            let class = self.orbits.entry(character).or_insert_with(|| {
                let orbit = unicode::orbit(character).into_iter();
                ClassUnicode::new(orbit.map(|other| ClassUnicodeRange::new(other, other)))
            });
            if class.ranges().len() > 1 {
                let class = Class::Unicode(class.clone());
                self.level.push(Hir::class(class), Size::LEAF);
                return;
            }
        }
        self.level.push(Hir::literal(character.encode_utf8(&mut [0; 4]).as_bytes().to_vec()), Size::LEAF);
    }

    fn class(&mut self, set: Set, at: usize) -> Result<(), PatternFault> {
        self.spend(set.folding(), at)?;
        let class = set.into_class();
        self.spend(class.ranges().len(), at)?;
        self.level.push(Hir::class(Class::Unicode(class)), Size::LEAF);
        Ok(())
    }

    fn spend(&mut self, ranges: usize, at: usize) -> Result<(), PatternFault> {
        self.ranges += ranges;
        if self.ranges > RANGES { Err(self.fault(Problem::TooLarge, at..self.cursor.at())) } else { Ok(()) }
    }

    /// A group, or flags, the `(` passed.
    fn open(&mut self, at: usize) -> Result<(), PatternFault> {
        let outer_flags = self.flags;
        let mut capture = None;
        if self.cursor.eat('?') {
            if self.cursor.eat_str("P<") || self.cursor.eat('<') {
                capture = Some(Some(self.name(at)?));
            } else if !self.switches(at)? {
                return Ok(());
            }
        } else {
            capture = Some(None);
        }
        if self.open.len() >= GROUPS {
            return Err(self.fault(Problem::TooDeep, at..self.cursor.at()));
        }
        let capture = capture.filter(|_| self.keep_groups).map(|name: Option<String>| {
            self.captures += 1;
            (self.captures, name.map(String::into_boxed_str))
        });
        self.open.push(Open { at, flags: outer_flags, outer: core::mem::take(&mut self.level), capture });
        Ok(())
    }

    /// The name of a group, up to and with its `>`. Two groups of one name are Go's liberty; the later one
    /// then stays without, since an automaton knows a name once.
    fn name(&mut self, at: usize) -> Result<String, PatternFault> {
        let name = self.cursor.take_while(|next| next == '_' || next.is_ascii_alphanumeric());
        if name.is_empty() || !self.cursor.eat('>') {
            let end = self.cursor.rest().find('>').map_or(self.cursor.text().len(), |end| self.cursor.at() + end + 1);
            return Err(self.fault(Problem::BadName, at..end));
        }
        Ok(name.into())
    }

    /// Flags up to `:` (a group follows: true) or `)` (they hold from here on: false).
    fn switches(&mut self, at: usize) -> Result<bool, PatternFault> {
        let mut flags = self.flags;
        let (mut value, mut any) = (true, false);
        loop {
            let flag = match self.cursor.bump() {
                Some('i') => &mut flags.fold,
                Some('m') => &mut flags.lines,
                Some('s') => &mut flags.dot_all,
                Some('U') => &mut flags.lazy,
                Some('-') if value => {
                    (value, any) = (false, false);
                    continue;
                }
                Some(end @ (':' | ')')) if value || any => {
                    self.flags = flags;
                    return Ok(end == ':');
                }
                None => return Err(self.fault(Problem::MissingParenthesis, at..self.cursor.at())),
                Some(_) => return Err(self.fault(Problem::BadGroup, at..self.cursor.at())),
            };
            *flag = value;
            any = true;
        }
    }

    fn close(&mut self, at: usize) -> Result<(), PatternFault> {
        let Some(Open { flags, outer, capture, .. }) = self.open.pop() else {
            return Err(self.fault(Problem::UnexpectedParenthesis, at..self.cursor.at()));
        };
        self.flags = flags;
        if self.level.most.height >= Pattern::DEPTH {
            return Err(self.fault(Problem::TooDeep, at..self.cursor.at()));
        }
        let (hir, mut size) = core::mem::replace(&mut self.level, outer).finish();
        let hir = match capture {
            Some((index, name)) => {
                let name = name.filter(|name| self.names.insert(name.clone()));
                Hir::capture(Capture { index, name, sub: Box::new(hir) })
            }
            None => hir,
        };
        size.height += usize::from(matches!(hir.kind(), HirKind::Capture(_)));
        self.level.push(hir, size);
        Ok(())
    }

    /// What stands between `{` and `}`, if that is a count: no leading zeros, and no blanks.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let mut ahead = self.cursor;
        let least = count(&mut ahead)?;
        let most = match (ahead.eat(','), ahead.peek()) {
            (false, _) => Some(least),
            (true, Some('}')) => None,
            (true, _) => Some(count(&mut ahead)?),
        };
        ahead.eat('}').then(|| self.cursor = ahead)?;
        Some((least, most))
    }

    fn counted(
        &mut self,
        at: usize,
        repeated: Option<usize>,
        least: u32,
        most: Option<u32>,
    ) -> Result<(), PatternFault> {
        if least > COPIES || most.is_some_and(|most| most > COPIES || most < least) {
            return Err(self.fault(Problem::RepeatSize, at..self.cursor.at()));
        }
        let inner = self.level.last.copies;
        self.repeat(at, repeated, least, most)?;
        let copies = most.unwrap_or(least).saturating_mul(inner).max(1);
        if copies > COPIES && (least >= 2 || most.is_some_and(|most| most >= 2)) {
            return Err(self.fault(Problem::RepeatSize, at..self.cursor.at()));
        }
        self.level.resize(Size { copies, ..self.level.last });
        Ok(())
    }

    fn repeat(&mut self, at: usize, repeated: Option<usize>, min: u32, max: Option<u32>) -> Result<(), PatternFault> {
        let lazy = self.cursor.eat('?');
        if let Some(before) = repeated {
            return Err(self.fault(Problem::DoubledRepeat, before..self.cursor.at()));
        }
        let Some(sub) = self.level.current.pop() else {
            return Err(self.fault(Problem::MissingArgument, at..self.cursor.at()));
        };
        let Size { copies, height } = self.level.last;
        if height >= Pattern::DEPTH {
            return Err(self.fault(Problem::TooDeep, at..self.cursor.at()));
        }
        let repetition = Repetition { min, max, greedy: lazy == self.flags.lazy, sub: Box::new(sub) };
        self.level.push(Hir::repetition(repetition), Size { copies, height: height + 1 });
        self.repeated = Some(at);
        Ok(())
    }

    /// An escape outside of brackets, the backslash passed.
    fn backslash(&mut self, at: usize) -> Result<(), PatternFault> {
        let Some(next) = self.cursor.peek() else {
            return Err(self.fault(Problem::TrailingBackslash, at..self.cursor.at()));
        };
        let look = match next {
            'A' => Some(Look::Start),
            'z' => Some(Look::End),
            'b' => Some(Look::WordAscii),
            'B' => Some(Look::WordAsciiNegate),
            _ => None,
        };
        if let Some(look) = look {
            self.cursor.bump();
            self.look(look);
            return Ok(());
        }
        if self.cursor.eat('Q') {
            let rest = self.cursor.rest();
            let text = self.cursor.take_until("\\E").unwrap_or(rest);
            if text.len() == rest.len() {
                self.cursor.seek(usize::MAX);
            } else {
                self.cursor.eat_str("\\E");
            }
            text.chars().for_each(|character| self.literal(character));
            return Ok(());
        }
        if let Some(set) = self.named_class(at)? {
            return self.class(set, at);
        }
        let character = self.escaped(at)?;
        self.literal(character);
        Ok(())
    }

    /// `\d`, `\p{Greek}` and their like, the backslash passed.
    fn named_class(&mut self, at: usize) -> Result<Option<Set>, PatternFault> {
        let Some(letter) = self.cursor.peek() else { return Ok(None) };
        if let Some(mut set) = classes::perl(letter.to_ascii_lowercase()) {
            self.cursor.bump();
            if self.flags.fold {
                set.fold();
            }
            if letter.is_ascii_uppercase() {
                set.negate();
            }
            return Ok(Some(set));
        }
        if !matches!(letter, 'p' | 'P') {
            return Ok(None);
        }
        self.cursor.bump();
        let start = self.cursor.at();
        let name = if self.cursor.eat('{') {
            let name = self.cursor.take_until("}");
            self.cursor.eat('}');
            name
        } else {
            self.cursor.bump();
            Some(self.cursor.since(start))
        };
        let bare = name.map(|name| name.strip_prefix('^').unwrap_or(name));
        let Some(mut set) = bare.and_then(classes::unicode) else {
            return Err(self.fault(Problem::BadRange, at..self.cursor.at()));
        };
        self.spend(set.len(), at)?;
        if self.flags.fold {
            set.fold();
            self.spend(set.folding(), at)?;
        }
        if (letter == 'P') != (bare != name) {
            set.negate();
        }
        Ok(Some(set))
    }

    /// The character that an escape means, the backslash passed.
    fn escaped(&mut self, at: usize) -> Result<char, PatternFault> {
        let Some(next) = self.cursor.bump() else {
            return Err(self.fault(Problem::TrailingBackslash, at..self.cursor.at()));
        };
        let octal = |character: char| character.is_digit(8);
        let meant = match next {
            'a' => Some('\x07'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\x0b'),
            'x' => self.hexadecimal(),
            // One digit alone, other than zero, would be a back reference.
            '0'..='7' if next == '0' || self.cursor.peek().is_some_and(octal) => {
                let mut code = next.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    match self.cursor.eat_if(octal) {
                        Some(digit) => code = code * 8 + digit.to_digit(8).unwrap_or(0),
                        None => break,
                    }
                }
                char::from_u32(code)
            }
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => Some(other),
            _ => None,
        };
        meant.ok_or_else(|| self.fault(Problem::BadEscape, at..self.cursor.at()))
    }

    /// `41` or `{1F600}`, after `\x`.
    fn hexadecimal(&mut self) -> Option<char> {
        let digits = if self.cursor.eat('{') {
            let digits = self.cursor.take_while(|next| next.is_ascii_hexdigit());
            self.cursor.eat('}').then_some(digits)?
        } else {
            let start = self.cursor.at();
            self.cursor.eat_if(|next| next.is_ascii_hexdigit())?;
            self.cursor.eat_if(|next| next.is_ascii_hexdigit())?;
            self.cursor.since(start)
        };
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    }

    /// `[…]`, the bracket passed.
    fn bracket(&mut self, at: usize) -> Result<(), PatternFault> {
        let negated = self.cursor.eat('^');
        let mut set = Set::default();
        let mut first = true;
        loop {
            match self.cursor.peek() {
                None => return Err(self.fault(Problem::MissingBracket, at..self.cursor.at())),
                Some(']') if !first => break,
                _ => {}
            }
            first = false;
            let start = self.cursor.at();
            if let Some(named) = self.posix_class(start)? {
                self.spend(named.len(), at)?;
                set.extend(&named);
                continue;
            }
            let mut ahead = self.cursor;
            if ahead.eat('\\') {
                let before = core::mem::replace(&mut self.cursor, ahead);
                if let Some(named) = self.named_class(start)? {
                    self.spend(named.len(), at)?;
                    set.extend(&named);
                    continue;
                }
                self.cursor = before;
            }
            let low = self.class_character(at)?;
            let mut high = low;
            if self.cursor.peek() == Some('-')
                && self.cursor.peek_second() != Some(']')
                && self.cursor.peek_second().is_some()
            {
                self.cursor.bump();
                high = self.class_character(at)?;
                if high < low {
                    return Err(self.fault(Problem::BadRange, start..self.cursor.at()));
                }
            }
            set.push(low, high, self.flags.fold);
        }
        self.cursor.bump();
        if negated {
            set.negate();
        }
        self.class(set, at)
    }

    /// `[:alpha:]` within brackets, if it stands here.
    fn posix_class(&mut self, at: usize) -> Result<Option<Set>, PatternFault> {
        let mut ahead = self.cursor;
        if !ahead.eat_str("[:") {
            return Ok(None);
        }
        let Some(name) = ahead.take_until(":]") else { return Ok(None) };
        ahead.eat_str(":]");
        self.cursor = ahead;
        let bare = name.strip_prefix('^').unwrap_or(name);
        let Some(mut set) = classes::posix(bare) else {
            return Err(self.fault(Problem::BadRange, at..self.cursor.at()));
        };
        if self.flags.fold {
            set.fold();
        }
        if bare != name {
            set.negate();
        }
        Ok(Some(set))
    }

    /// One character within brackets.
    fn class_character(&mut self, bracket: usize) -> Result<char, PatternFault> {
        let at = self.cursor.at();
        match self.cursor.bump() {
            None => Err(self.fault(Problem::MissingBracket, bracket..at)),
            Some('\\') => self.escaped(at),
            Some(other) => Ok(other),
        }
    }

    #[cold]
    fn fault(&self, problem: Problem, at: Range<usize>) -> PatternFault {
        let text = self.cursor.text().get(at.clone()).unwrap_or("").into();
        PatternFault { problem, at, text }
    }
}

/// Digits without a leading zero.
fn count(cursor: &mut Cursor<'_>) -> Option<u32> {
    let digits = cursor.take_while(|next| next.is_ascii_digit());
    let plain = digits == "0" || (!digits.is_empty() && !digits.starts_with('0'));
    plain.then(|| digits.parse().unwrap_or(u32::MAX))
}
