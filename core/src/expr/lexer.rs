//! Text to tokens, as expr-lang reads them.
//!
//! The rules that surprise: `not` looks past spaces for `in`, `matches` and the like and hands both out as
//! operators; `#` takes the word behind it whatever it is; of `&!=*<>` any may be followed by one of
//! `&=*`, and only the grammar knows which pairs mean something.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::expr::ExprFault;
use crate::span::Span;
use crate::value::Text;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// The end of the text.
    End,
    /// A word that is no operator; its text is the token's span.
    Name,
    /// Digits, as written.
    Number,
    /// Quoted text, unescaped.
    Text(Text),
    /// Quoted bytes, unescaped.
    Bytes(Arc<[u8]>),
    /// `(`, `)`, `[`, `]`, `{`, `}`
    Bracket(u8),
    /// Anything else that the grammar might know.
    Operator(Operator),
}

/// Operators and the words that act as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Not,
    In,
    Or,
    And,
    Matches,
    Contains,
    StartsWith,
    EndsWith,
    Let,
    If,
    Else,
    OrOr,
    AndAnd,
    Pipe,
    Colon,
    Scope,
    Comma,
    Semicolon,
    Percent,
    Plus,
    Minus,
    Caret,
    Bang,
    Equal,
    EqualEqual,
    BangEqual,
    Star,
    StarStar,
    Less,
    LessEqual,
    More,
    MoreEqual,
    Question,
    QuestionDot,
    Coalesce,
    Slash,
    Dot,
    Range,
    Pointer,
    /// A pair like `&=` that means nothing.
    Odd,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) tok: Tok,
    pub(super) span: Span,
}

impl Token {
    pub(super) fn is(&self, operator: Operator) -> bool {
        matches!(self.tok, Tok::Operator(found) if found == operator)
    }

    pub(super) fn opens(&self, bracket: u8) -> bool {
        matches!(self.tok, Tok::Bracket(found) if found == bracket)
    }
}

/// A fault of the text and where it is, one word wide: it travels up through every rule of the grammar.
pub(super) type Fault = Box<(ExprFault, Span)>;

#[cold]
pub(super) fn fault_at(fault: ExprFault, span: Span) -> Fault {
    Box::new((fault, span))
}

/// Reads tokens one by one.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// The last word was `not`: a word like `in` behind it is an operator of its own.
    after_not: bool,
    /// The last token was `#`: a word right behind it is a name, even `in`.
    after_pointer: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, after_not: false, after_pointer: false }
    }

    pub(super) fn next(&mut self) -> Result<Token, Fault> {
        if core::mem::take(&mut self.after_pointer) {
            let start = self.at;
            self.take_while(is_word);
            if self.at > start {
                return Ok(self.token(Tok::Name, start));
            }
        }
        if core::mem::take(&mut self.after_not)
            && let Some(token) = self.negated()
        {
            return Ok(token);
        }
        self.skip_blank()?;
        let start = self.at;
        let Some(first) = self.bump() else {
            let last = self.text.chars().next_back().map_or(0, char::len_utf8);
            return Ok(Token { tok: Tok::End, span: Span::new(start - last, start) });
        };
        let tok = match first {
            '"' | '\'' => Tok::Text(self.quoted(start, first)?),
            '`' => Tok::Text(self.raw(start)?),
            'b' | 'B' if matches!(self.peek(), Some('"' | '\'')) => {
                let quote = self.bump().unwrap_or('"');
                Tok::Bytes(self.quoted_bytes(start + 1, quote)?)
            }
            '0'..='9' => {
                self.at = start;
                self.number()?
            }
            '.' if matches!(self.peek(), Some('0'..='9')) => self.number()?,
            '(' | ')' | '[' | ']' | '{' | '}' => Tok::Bracket(first as u8),
            _ if is_word(first) => self.word(start),
            _ => Tok::Operator(self.operator(first).ok_or_else(|| self.fault(ExprFault::BadCharacter(first)))?),
        };
        Ok(self.token(tok, start))
    }

    fn token(&self, tok: Tok, start: usize) -> Token {
        Token { tok, span: Span::new(start, self.at) }
    }

    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at)? {
            ascii @ 0..0x80 => Some(char::from(*ascii)),
            _ => self.text.get(self.at..)?.chars().next(),
        }
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn accept(&mut self, set: &str) -> bool {
        let found = self.peek().is_some_and(|next| set.contains(next));
        if found {
            self.bump();
        }
        found
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) {
        while let Some(next) = self.peek().filter(|next| wanted(*next)) {
            self.at += next.len_utf8();
        }
    }

    /// A fault at the last character read.
    fn fault(&self, fault: ExprFault) -> Fault {
        let last = self.text.get(..self.at).and_then(|read| read.chars().next_back()).map_or(0, char::len_utf8);
        fault_at(fault, Span::new(self.at - last, self.at))
    }

    /// A fault at the character that is missing behind the text.
    fn fault_at_end(&self, fault: ExprFault) -> Fault {
        fault_at(fault, Span::point(self.text.len()))
    }

    fn skip_blank(&mut self) -> Result<(), Fault> {
        loop {
            self.take_while(char::is_whitespace);
            if self.text.as_bytes().get(self.at) != Some(&b'/') {
                return Ok(());
            }
            let rest = self.text.get(self.at..).unwrap_or("");
            if rest.starts_with("//") {
                self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
            } else if rest.starts_with("/*") {
                match rest.get(2..).and_then(|body| body.find("*/")) {
                    Some(end) => self.at += end + 4,
                    None => return Err(self.fault_at_end(ExprFault::UnclosedComment)),
                }
            } else {
                return Ok(());
            }
        }
    }

    fn word(&mut self, start: usize) -> Tok {
        self.take_while(is_word);
        let operator = match self.text.get(start..self.at).unwrap_or("") {
            "not" => {
                self.after_not = true;
                Operator::Not
            }
            "or" => Operator::Or,
            "and" => Operator::And,
            "let" => Operator::Let,
            "if" => Operator::If,
            "else" => Operator::Else,
            word => match negatable(word) {
                Some(operator) => operator,
                None => return Tok::Name,
            },
        };
        Tok::Operator(operator)
    }

    /// The operator that `not` turns round, when only spaces lie between.
    fn negated(&mut self) -> Option<Token> {
        let before = self.at;
        self.take_while(|next| next == ' ');
        let start = self.at;
        self.take_while(is_word);
        let found = self.text.get(start..self.at).and_then(negatable);
        if found.is_none() {
            self.at = before;
        }
        found.map(|operator| self.token(Tok::Operator(operator), start))
    }

    fn operator(&mut self, first: char) -> Option<Operator> {
        Some(match first {
            '?' if self.accept(".") => Operator::QuestionDot,
            '?' if self.accept("?") => Operator::Coalesce,
            '?' => Operator::Question,
            '/' => Operator::Slash,
            '#' => {
                self.accept("#");
                self.after_pointer = true;
                Operator::Pointer
            }
            '|' if self.accept("|") => Operator::OrOr,
            '|' => Operator::Pipe,
            ':' if self.accept(":") => Operator::Scope,
            ':' => Operator::Colon,
            ',' => Operator::Comma,
            ';' => Operator::Semicolon,
            '%' => Operator::Percent,
            '+' => Operator::Plus,
            '-' => Operator::Minus,
            '^' => Operator::Caret,
            '.' if self.accept(".") => Operator::Range,
            '.' => Operator::Dot,
            '&' | '!' | '=' | '*' | '<' | '>' => self.pair(first),
            _ => return None,
        })
    }

    fn pair(&mut self, first: char) -> Operator {
        let second = self.peek().filter(|next| matches!(next, '&' | '=' | '*'));
        if second.is_some() {
            self.bump();
        }
        match (first, second) {
            ('&', Some('&')) => Operator::AndAnd,
            ('!', None) => Operator::Bang,
            ('!', Some('=')) => Operator::BangEqual,
            ('=', None) => Operator::Equal,
            ('=', Some('=')) => Operator::EqualEqual,
            ('*', None) => Operator::Star,
            ('*', Some('*')) => Operator::StarStar,
            ('<', None) => Operator::Less,
            ('<', Some('=')) => Operator::LessEqual,
            ('>', None) => Operator::More,
            ('>', Some('=')) => Operator::MoreEqual,
            _ => Operator::Odd,
        }
    }

    /// Digits of one base, a fraction, an exponent: what they mean is the parser's to say.
    fn number(&mut self) -> Result<Tok, Fault> {
        let mut radix = 10;
        let start = self.at;
        if self.accept("0") {
            if self.accept("xX") {
                radix = 16;
            } else if self.accept("oO") {
                radix = 8;
            } else if self.accept("bB") {
                radix = 2;
            }
        }
        let is_digit = |next: char| next == '_' || next.is_digit(radix);
        self.take_while(is_digit);
        let end = self.at;
        if self.accept(".") {
            if self.peek() == Some('.') {
                // `1..3` is a range.
                self.at = end;
                return Ok(Tok::Number);
            }
            self.take_while(is_digit);
        }
        if self.accept("eE") {
            self.accept("+-");
            self.take_while(is_digit);
        }
        if self.peek().is_some_and(is_word) {
            self.bump();
            let text = self.text.get(start..self.at).unwrap_or("").into();
            return Err(self.fault(ExprFault::BadNumber(text)));
        }
        Ok(Tok::Number)
    }

    /// From behind the opening quote to behind the closing one; what is between, and whether it has escapes.
    fn scan_quoted(&mut self, quote: char) -> Result<(usize, usize, bool), Fault> {
        let from = self.at;
        let mut plain = true;
        loop {
            match self.bump() {
                None => return Err(self.fault_at_end(ExprFault::Unterminated)),
                Some('\n') => return Err(self.fault(ExprFault::Unterminated)),
                Some('\\') => {
                    plain = false;
                    self.scan_escape(quote)?;
                }
                Some('\r') => plain = false,
                Some(next) if next == quote => return Ok((from, self.at - quote.len_utf8(), plain)),
                Some(_) => {}
            }
        }
    }

    fn scan_escape(&mut self, quote: char) -> Result<(), Fault> {
        let (base, count) = match self.bump() {
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\') => return Ok(()),
            Some(next) if next == quote => return Ok(()),
            Some('0'..='7') => (8, 2),
            Some('x') => (16, 2),
            Some('u') if self.peek() == Some('{') => return self.scan_braced(),
            Some('u') => (16, 4),
            Some('U') => (16, 8),
            Some(_) => return Err(self.fault(ExprFault::BadEscape)),
            None => return Err(self.fault_at_end(ExprFault::BadEscape)),
        };
        for _ in 0..count {
            match self.bump() {
                None => return Err(self.fault_at_end(ExprFault::BadEscape)),
                Some(next) if next.is_digit(base) => {}
                Some(_) => return Err(self.fault(ExprFault::BadEscape)),
            }
        }
        Ok(())
    }

    /// `\u{1F600}`: one to six digits.
    fn scan_braced(&mut self) -> Result<(), Fault> {
        self.bump();
        let from = self.at;
        self.take_while(|next| next.is_ascii_hexdigit());
        if !(1..=6).contains(&(self.at - from)) || self.peek() != Some('}') {
            self.at = (from + 6).min(self.at);
            return Err(self.fault(ExprFault::BadEscape));
        }
        self.bump();
        Ok(())
    }

    fn quoted(&mut self, start: usize, quote: char) -> Result<Text, Fault> {
        self.at = start + quote.len_utf8();
        let (from, to, plain) = self.scan_quoted(quote)?;
        let body = self.text.get(from..to).unwrap_or("");
        if plain {
            return Ok(body.into());
        }
        let mut out = String::with_capacity(body.len());
        unescape(body, |piece| match piece {
            Piece::Char(found) | Piece::Point(found) => {
                out.push(found);
                true
            }
            Piece::Byte(byte) => {
                out.push(char::from(byte));
                true
            }
        })
        .ok_or_else(|| self.fault(ExprFault::BadEscape))?;
        Ok(out.into())
    }

    /// As [`Lexer::quoted`], but `\xff` is one byte, and code points are refused.
    fn quoted_bytes(&mut self, start: usize, quote: char) -> Result<Arc<[u8]>, Fault> {
        self.at = start + quote.len_utf8();
        let (from, to, _) = self.scan_quoted(quote)?;
        let body = self.text.get(from..to).unwrap_or("");
        let mut out = Vec::with_capacity(body.len());
        unescape(body, |piece| match piece {
            Piece::Char(found) => {
                out.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes());
                true
            }
            Piece::Byte(byte) => {
                out.push(byte);
                true
            }
            Piece::Point(_) => false,
        })
        .ok_or_else(|| self.fault(ExprFault::BadEscape))?;
        Ok(out.into())
    }

    /// Backtick text: everything as it is, two backticks are one.
    fn raw(&mut self, start: usize) -> Result<Text, Fault> {
        let from = start + 1;
        let rest = self.text.get(from..).unwrap_or("");
        let mut end = 0;
        loop {
            match rest.get(end..).and_then(|tail| tail.find('`')) {
                None => {
                    self.at = self.text.len();
                    return Err(self.fault_at_end(ExprFault::Unterminated));
                }
                Some(found) if rest.as_bytes().get(end + found + 1) == Some(&b'`') => end += found + 2,
                Some(found) => {
                    end += found;
                    break;
                }
            }
        }
        self.at = from + end + 1;
        let body = rest.get(..end).unwrap_or("");
        Ok(if body.contains('`') { body.replace("``", "`").into() } else { body.into() })
    }
}

/// One unescaped piece of a quoted text.
enum Piece {
    /// A character as written, or a simple escape.
    Char(char),
    /// `\x` or octal: a byte, or the code point of that number.
    Byte(u8),
    /// `\u` or `\U`.
    Point(char),
}

/// Hands out the pieces of a body whose escapes are well formed; `None` when one is out of range or refused.
/// Line ends become `\n`.
fn unescape(body: &str, mut take: impl FnMut(Piece) -> bool) -> Option<()> {
    let mut rest = body.chars();
    while let Some(next) = rest.next() {
        let piece = match next {
            '\r' => {
                if rest.as_str().starts_with('\n') {
                    rest.next();
                }
                Piece::Char('\n')
            }
            '\\' => escape(&mut rest)?,
            next => Piece::Char(next),
        };
        if !take(piece) {
            return None;
        }
    }
    Some(())
}

fn escape(rest: &mut core::str::Chars<'_>) -> Option<Piece> {
    let digits = |rest: &mut core::str::Chars<'_>, count: usize, first: u32, base: u32| {
        (0..count).try_fold(first, |sum, _| Some(sum.wrapping_mul(base).wrapping_add(rest.next()?.to_digit(base)?)))
    };
    Some(match rest.next()? {
        'a' => Piece::Char('\x07'),
        'b' => Piece::Char('\x08'),
        'f' => Piece::Char('\x0c'),
        'n' => Piece::Char('\n'),
        'r' => Piece::Char('\r'),
        't' => Piece::Char('\t'),
        'v' => Piece::Char('\x0b'),
        'x' => Piece::Byte(u8::try_from(digits(rest, 2, 0, 16)?).ok()?),
        'u' if rest.as_str().starts_with('{') => {
            rest.next();
            let inside = rest.as_str().find('}')?;
            let code = digits(rest, inside, 0, 16)?;
            rest.next();
            Piece::Point(point(code)?)
        }
        'u' => Piece::Point(point(digits(rest, 4, 0, 16)?)?),
        'U' => Piece::Point(point(digits(rest, 8, 0, 16)?)?),
        first @ '0'..='7' => Piece::Byte(u8::try_from(digits(rest, 2, first.to_digit(8)?, 8)?).ok()?),
        other => Piece::Char(other),
    })
}

/// The character of a number; half a surrogate pair is no character and becomes the replacement, as in Go.
fn point(code: u32) -> Option<char> {
    match code {
        0xd800..=0xdfff => Some('\u{fffd}'),
        _ => char::from_u32(code),
    }
}

/// Operators that `not` may stand before.
fn negatable(word: &str) -> Option<Operator> {
    Some(match word {
        "in" => Operator::In,
        "matches" => Operator::Matches,
        "contains" => Operator::Contains,
        "startsWith" => Operator::StartsWith,
        "endsWith" => Operator::EndsWith,
        _ => return None,
    })
}

/// A character of a name.
pub(super) fn is_word(next: char) -> bool {
    match next {
        '_' | '$' | 'a'..='z' | 'A'..='Z' | '0'..='9' => true,
        next => !next.is_ascii() && next.is_alphanumeric(),
    }
}

/// A name that may stand behind a dot.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|first| is_word(first) && !first.is_numeric()) && text.chars().all(is_word)
}
