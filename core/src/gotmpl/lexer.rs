//! Text into tokens, with the trimming of `{{- -}}` done on the way.
//!
//! A fault becomes an [`Token::Error`] token rather than an early return: the parser may find another
//! fault in what stands before it, and that one is told first.

use core::fmt;

use crate::error::GotmplFault;
use crate::span::Span;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Literal text between actions, trimmed.
    Text,
    LeftDelimiter,
    RightDelimiter,
    Space,
    Bool,
    Character,
    Complex,
    Number,
    Quoted,
    Raw,
    Identifier,
    /// `.Name`, the dot included.
    Field,
    /// `$name`, the dollar included.
    Variable,
    Dot,
    Nil,
    Keyword(Keyword),
    Assign,
    Declare,
    Pipe,
    LeftParen,
    RightParen,
    /// Any other ASCII character: only `,` means something.
    Other,
    End,
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// Hands out lexemes one by one.
pub(super) struct Lexer<'t> {
    text: &'t str,
    left: &'t str,
    right: &'t str,
    /// `break` and `continue` are names when the caller's functions have them.
    loop_keywords: (bool, bool),
    at: usize,
    start: usize,
    inside: bool,
    parens: usize,
    fault: Option<GotmplFault>,
    /// How many tokens were handed out.
    count: usize,
    /// The token that was one too many.
    exceeded: Option<Span>,
}

/// How many tokens a template may have: about 25,000 actions.
pub(super) const TOKENS: usize = 80_000;

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, delimiters: (&'t str, &'t str), loop_keywords: (bool, bool)) -> Self {
        let or = |given: &'t str, default| if given.is_empty() { default } else { given };
        Self {
            text,
            left: or(delimiters.0, "{{"),
            right: or(delimiters.1, "}}"),
            loop_keywords,
            at: 0,
            start: 0,
            inside: false,
            parens: 0,
            fault: None,
            count: 0,
            exceeded: None,
        }
    }

    /// What is wrong, after an [`Token::Error`].
    pub(super) fn take_fault(&mut self) -> Option<GotmplFault> {
        self.fault.take()
    }

    /// Where the text went on after [`TOKENS`] tokens, if it did.
    pub(super) fn exceeded(&self) -> Option<Span> {
        self.exceeded
    }

    pub(super) fn next(&mut self) -> Lexeme {
        self.count += 1;
        if self.count > TOKENS {
            self.exceeded.get_or_insert(Span::point(self.at));
        }
        if self.fault.is_some() || self.exceeded.is_some() {
            return Lexeme { token: Token::End, span: Span::point(self.text.len()) };
        }
        if self.inside { self.action() } else { self.outside() }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn emit(&mut self, token: Token) -> Lexeme {
        let span = Span::new(self.start, self.at);
        self.start = self.at;
        Lexeme { token, span }
    }

    fn fail(&mut self, fault: GotmplFault) -> Lexeme {
        self.fault = Some(fault);
        self.emit(Token::Error)
    }

    /// Drops what was passed since the last token.
    fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.start = self.at;
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.skip(rest.len() - rest.trim_start_matches(SPACES).len());
    }

    fn outside(&mut self) -> Lexeme {
        loop {
            let Some(found) = self.rest().find(self.left) else {
                self.at = self.text.len();
                return self.emit(if self.at > self.start { Token::Text } else { Token::End });
            };
            let delimiter = self.at + found;
            let after = &self.text[delimiter + self.left.len()..];
            let text = &self.text[self.start..delimiter];
            let kept = if trims_left(after) { text.trim_end_matches(SPACES) } else { text };
            if !kept.is_empty() {
                self.at = self.start + kept.len();
                let lexeme = self.emit(Token::Text);
                self.at = delimiter;
                self.start = delimiter;
                return lexeme;
            }
            self.at = delimiter;
            self.start = delimiter;
            let marker = if trims_left(after) { 2 } else { 0 };
            if after[marker..].starts_with("/*") {
                match self.comment(self.left.len() + marker) {
                    Some(error) => return error,
                    None => continue,
                }
            }
            self.at += self.left.len();
            let lexeme = self.emit(Token::LeftDelimiter);
            self.skip(marker);
            self.inside = true;
            self.parens = 0;
            return lexeme;
        }
    }

    /// Passes a comment, which must fill its action.
    fn comment(&mut self, lead: usize) -> Option<Lexeme> {
        self.skip(lead);
        let Some(end) = self.text[self.at + 2..].find("*/") else {
            return Some(self.fail(GotmplFault::UnclosedComment("unclosed comment")));
        };
        self.at += 2 + end + 2;
        let Some(trims) = self.at_right_delimiter() else {
            return Some(self.fail(GotmplFault::UnclosedComment("the comment ends before its action does")));
        };
        self.skip(self.right.len() + if trims { 2 } else { 0 });
        if trims {
            self.skip_spaces();
        }
        None
    }

    /// At the end of an action: whether its mark trims.
    fn at_right_delimiter(&self) -> Option<bool> {
        let rest = self.rest();
        if trims_right(rest) && rest[2..].starts_with(self.right) {
            return Some(true);
        }
        rest.starts_with(self.right).then_some(false)
    }

    fn right_delimiter(&mut self, trims: bool) -> Lexeme {
        if trims {
            self.skip(2);
        }
        self.at += self.right.len();
        let lexeme = self.emit(Token::RightDelimiter);
        if trims {
            self.skip_spaces();
        }
        self.inside = false;
        lexeme
    }

    fn action(&mut self) -> Lexeme {
        if let Some(trims) = self.at_right_delimiter() {
            if self.parens == 0 {
                return self.right_delimiter(trims);
            }
            return self.fail(unexpected("the end of the action before )"));
        }
        let before = self.at;
        let Some(next) = self.bump() else { return self.fail(GotmplFault::UnclosedAction) };
        match next {
            ' ' | '\t' | '\r' | '\n' => self.space(),
            '=' => self.emit(Token::Assign),
            ':' if self.bump() == Some('=') => self.emit(Token::Declare),
            ':' => self.fail(unexpected(": without =")),
            '|' => self.emit(Token::Pipe),
            '"' => self.quoted('"', Token::Quoted, "quoted text"),
            '\'' => self.quoted('\'', Token::Character, "character"),
            '`' => self.raw(),
            '$' => self.name(Token::Variable, Token::Variable),
            '.' if !self.peek().is_some_and(|next| next.is_ascii_digit()) && !self.rest().is_empty() => {
                self.name(Token::Field, Token::Dot)
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.at = before;
                self.number()
            }
            '(' => {
                self.parens += 1;
                self.emit(Token::LeftParen)
            }
            ')' if self.parens == 0 => self.fail(unexpected(") without (")),
            ')' => {
                self.parens -= 1;
                self.emit(Token::RightParen)
            }
            next if is_name(next) => self.identifier(),
            '!'..='~' => self.emit(Token::Other),
            other => self.fail(bad_character(Some(other))),
        }
    }

    /// A run of spaces, of which the last belongs to a trimming delimiter that follows it.
    fn space(&mut self) -> Lexeme {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(SPACES).len();
        let last = &self.text[self.at - 1..];
        if trims_right(last) && last[2..].starts_with(self.right) {
            self.at -= 1;
            if self.at == self.start {
                return self.right_delimiter(true);
            }
        }
        self.emit(Token::Space)
    }

    fn quoted(&mut self, quote: char, token: Token, what: &'static str) -> Lexeme {
        loop {
            match self.bump() {
                Some('\\') if !matches!(self.peek(), None | Some('\n')) => {
                    self.bump();
                }
                Some(next) if next == quote => return self.emit(token),
                None | Some('\n' | '\\') => return self.fail(GotmplFault::UnterminatedLiteral(what)),
                Some(_) => {}
            }
        }
    }

    fn raw(&mut self) -> Lexeme {
        match self.rest().find('`') {
            Some(end) => {
                self.at += end + 1;
                self.emit(Token::Raw)
            }
            None => self.fail(GotmplFault::UnterminatedLiteral("raw text")),
        }
    }

    /// `.name` or `$name`, the first character passed; `bare` is what it is without a name.
    fn name(&mut self, token: Token, bare: Token) -> Lexeme {
        if self.at_terminator() {
            return self.emit(bare);
        }
        self.pass_name();
        if !self.at_terminator() {
            return self.fail(bad_character(self.peek()));
        }
        self.emit(token)
    }

    fn pass_name(&mut self) {
        let rest = self.rest();
        self.at += rest.find(|next| !is_name(next)).unwrap_or(rest.len());
    }

    fn identifier(&mut self) -> Lexeme {
        self.pass_name();
        if !self.at_terminator() {
            return self.fail(bad_character(self.peek()));
        }
        let token = match &self.text[self.start..self.at] {
            "block" => Token::Keyword(Keyword::Block),
            "break" if self.loop_keywords.0 => Token::Keyword(Keyword::Break),
            "continue" if self.loop_keywords.1 => Token::Keyword(Keyword::Continue),
            "define" => Token::Keyword(Keyword::Define),
            "else" => Token::Keyword(Keyword::Else),
            "end" => Token::Keyword(Keyword::End),
            "if" => Token::Keyword(Keyword::If),
            "range" => Token::Keyword(Keyword::Range),
            "template" => Token::Keyword(Keyword::Template),
            "with" => Token::Keyword(Keyword::With),
            "nil" => Token::Nil,
            "true" | "false" => Token::Bool,
            _ => Token::Identifier,
        };
        self.emit(token)
    }

    /// Whether a name may end here.
    fn at_terminator(&self) -> bool {
        match self.peek() {
            None | Some(' ' | '\t' | '\r' | '\n' | '.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(_) => self.rest().starts_with(self.right),
        }
    }

    fn number(&mut self) -> Lexeme {
        if !self.scan_number() {
            return self.bad_number();
        }
        if matches!(self.peek(), Some('+' | '-')) {
            if !self.scan_number() || !self.text[..self.at].ends_with('i') {
                return self.bad_number();
            }
            return self.emit(Token::Complex);
        }
        self.emit(Token::Number)
    }

    fn bad_number(&mut self) -> Lexeme {
        let text = &self.text[self.start..self.at];
        self.fail(GotmplFault::BadLiteral(alloc::format!("{text} is no number")))
    }

    /// Passes what looks like a number; false where a letter follows it. What it is worth, the parser finds out.
    fn scan_number(&mut self) -> bool {
        self.accept(&['+', '-']);
        let mut base = 10;
        if self.accept(&['0']) {
            base = match self.peek() {
                Some('x' | 'X') => 16,
                Some('o' | 'O') => 8,
                Some('b' | 'B') => 2,
                _ => 10,
            };
            if base != 10 {
                self.bump();
            }
        }
        self.digits(base);
        if self.accept(&['.']) {
            self.digits(base);
        }
        let exponent = (base == 10 && self.accept(&['e', 'E'])) || (base == 16 && self.accept(&['p', 'P']));
        if exponent {
            self.accept(&['+', '-']);
            self.digits(10);
        }
        self.accept(&['i']);
        if self.peek().is_some_and(is_name) {
            self.bump();
            return false;
        }
        true
    }

    fn accept(&mut self, wanted: &[char]) -> bool {
        let found = self.peek().is_some_and(|next| wanted.contains(&next));
        if found {
            self.at += 1;
        }
        found
    }

    fn digits(&mut self, base: u32) {
        let rest = self.rest();
        self.at += rest.find(|next: char| next != '_' && !next.is_digit(base)).unwrap_or(rest.len());
    }
}

/// The minus of a left delimiter needs a space after it, so that `{{-3}}` is a number.
fn trims_left(after: &str) -> bool {
    let mut bytes = after.bytes();
    bytes.next() == Some(b'-') && matches!(bytes.next(), Some(b' ' | b'\t' | b'\r' | b'\n'))
}

fn trims_right(rest: &str) -> bool {
    let mut bytes = rest.bytes();
    matches!(bytes.next(), Some(b' ' | b'\t' | b'\r' | b'\n')) && bytes.next() == Some(b'-')
}

fn is_name(next: char) -> bool {
    next == '_' || next.is_alphanumeric()
}

fn unexpected(found: &str) -> GotmplFault {
    GotmplFault::UnexpectedToken { found: found.into(), context: "an action" }
}

fn bad_character(found: Option<char>) -> GotmplFault {
    match found {
        Some(found) => unexpected(&alloc::format!("character {found:?}")),
        None => GotmplFault::UnclosedAction,
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Keyword {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Break => "break",
            Self::Continue => "continue",
            Self::Define => "define",
            Self::Else => "else",
            Self::End => "end",
            Self::If => "if",
            Self::Range => "range",
            Self::Template => "template",
            Self::With => "with",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn tokens(text: &str) -> Vec<(Token, &str)> {
        let mut lexer = Lexer::new(text, ("", ""), (true, true));
        let mut found = Vec::new();
        loop {
            let lexeme = lexer.next();
            found.push((lexeme.token, lexeme.span.of(text)));
            if matches!(lexeme.token, Token::End | Token::Error) {
                return found;
            }
        }
    }

    #[test]
    fn trimming_takes_the_space_around_an_action() {
        let found = tokens("a \n{{- .b -}}\n c");
        assert_eq!(found[0], (Token::Text, "a"));
        assert_eq!(found[2], (Token::Field, ".b"));
        assert_eq!(found[4], (Token::Text, "c"));
    }

    #[test]
    fn a_minus_without_space_is_a_sign() {
        assert_eq!(tokens("{{-3}}")[1], (Token::Number, "-3"));
        assert_eq!(tokens("{{1+2i}}")[1], (Token::Complex, "1+2i"));
    }

    #[test]
    fn a_comment_fills_its_action() {
        assert_eq!(tokens("a{{/* }} */}}b").len(), 3);
        assert_eq!(tokens("{{/* c */ .x}}")[0].0, Token::Error);
    }
}
