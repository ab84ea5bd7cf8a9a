//! A jet template as tokens.

use alloc::vec::Vec;

use super::Delimiters;
use crate::error::JetFault;
use crate::span::Span;
use crate::text::brief;
use crate::text::cursor::Cursor;

/// A token and its place.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Text,
    LeftDelimiter,
    RightDelimiter,
    Space,
    Bool(bool),
    Character,
    Number,
    /// In double quotes, which the span includes.
    Quoted,
    /// In back quotes.
    Raw,
    /// `.name`
    Field,
    /// A name, or a lone `.`.
    Identifier,
    Underscore,
    Keyword(Keyword),
    /// `=` or `:=`
    Assign {
        declares: bool,
    },
    Operator(&'static str),
    End,
    /// The lexer stops here.
    Fault(JetFault),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Extends,
    Import,
    Include,
    Block,
    End,
    Yield,
    Content,
    If,
    Else,
    Range,
    Try,
    Catch,
    Return,
    And,
    Or,
    Not,
    Nil,
    Msg,
    Trans,
}

impl Keyword {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "extends" => Self::Extends,
            "import" => Self::Import,
            "include" => Self::Include,
            "block" => Self::Block,
            "end" => Self::End,
            "yield" => Self::Yield,
            "content" => Self::Content,
            "if" => Self::If,
            "else" => Self::Else,
            "range" => Self::Range,
            "try" => Self::Try,
            "catch" => Self::Catch,
            "return" => Self::Return,
            "and" => Self::And,
            "or" => Self::Or,
            "not" => Self::Not,
            "nil" => Self::Nil,
            "msg" => Self::Msg,
            "trans" => Self::Trans,
            _ => return None,
        })
    }
}

/// How many tokens a template may have: about 16,000 actions.
pub(super) const TOKENS: usize = 80_000;

/// All tokens; the last is `End` or `Fault`, unless there are more than [`TOKENS`].
pub(super) fn lex(text: &str, delimiters: &Delimiters) -> Vec<Token> {
    let mut lexer = Lexer { cursor: Cursor::new(text), delimiters, tokens: Vec::new(), start: 0, parens: 0 };
    if let Err(fault) = lexer.text() {
        let span = Span::new(lexer.start, lexer.cursor.at());
        lexer.tokens.push(Token { kind: TokenKind::Fault(fault), span });
    }
    lexer.tokens
}

struct Lexer<'a> {
    cursor: Cursor<'a>,
    delimiters: &'a Delimiters,
    tokens: Vec<Token>,
    /// Where the token being read begins.
    start: usize,
    parens: usize,
}

impl Lexer<'_> {
    fn emit(&mut self, kind: TokenKind) {
        self.tokens.push(Token { kind, span: self.cursor.span(self.start) });
        self.start = self.cursor.at();
    }

    /// Moves on without a token.
    fn pass(&mut self, bytes: usize) {
        self.cursor.seek(self.cursor.at() + bytes);
        self.start = self.cursor.at();
    }

    /// Text between actions and comments. A comment counts only where the first character of an opening
    /// delimiter follows later, as vectors jet/comments-001 and comments-013 show.
    fn text(&mut self) -> Result<(), JetFault> {
        let first = self.delimiters.left.chars().next().unwrap_or('[');
        // Where `first` stands next: every character is looked at once for it and once for a comment.
        let mut action = 0;
        while self.tokens.len() <= TOKENS {
            let at = self.cursor.at();
            if action < at || action == 0 {
                let Some(found) = self.cursor.rest().find(first) else {
                    self.cursor.seek(self.cursor.text().len());
                    break;
                };
                action = at + found;
            }
            let before = self.cursor.text().get(at..action).unwrap_or("");
            self.cursor.seek(before.find('{').map_or(action, |comment| at + comment));
            if self.cursor.looking_at(&self.delimiters.left) {
                self.open();
                self.action()?;
            } else if self.cursor.looking_at("{*") {
                self.emit_text(self.cursor.at());
                self.cursor.eat_str("{*");
                self.cursor.take_until("*}").ok_or(JetFault::UnclosedComment)?;
                self.pass(2);
            } else {
                self.cursor.bump();
            }
        }
        self.emit_text(self.cursor.at());
        self.emit(TokenKind::End);
        Ok(())
    }

    fn emit_text(&mut self, end: usize) {
        if end > self.start {
            self.tokens.push(Token { kind: TokenKind::Text, span: Span::new(self.start, end) });
        }
        self.start = self.cursor.at();
    }

    /// The left delimiter, with its trim mark.
    fn open(&mut self) {
        let at = self.cursor.at();
        let trims = self.cursor.rest().get(self.delimiters.left.len()..).is_some_and(|rest| rest.starts_with("- "));
        let end = match self.cursor.text().get(self.start..at) {
            Some(text) if trims => self.start + text.trim_end_matches(is_space).len(),
            _ => at,
        };
        self.emit_text(end);
        self.cursor.eat_str(&self.delimiters.left);
        self.emit(TokenKind::LeftDelimiter);
        if trims {
            self.pass(2);
        }
        self.parens = 0;
    }

    /// Whether the action ends here: `]]`, or ` -]]` with its trim mark.
    fn closes(&self) -> Option<bool> {
        let trimmed =
            self.cursor.rest().strip_prefix(" -").is_some_and(|rest| rest.starts_with(&*self.delimiters.right));
        (trimmed || self.cursor.looking_at(&self.delimiters.right)).then_some(trimmed)
    }

    /// Everything up to and with the right delimiter.
    fn action(&mut self) -> Result<(), JetFault> {
        while self.tokens.len() <= TOKENS {
            if let Some(trims) = self.closes() {
                if self.parens > 0 {
                    return Err(unexpected("the end of the action", "a closing parenthesis"));
                }
                if trims {
                    self.pass(2);
                }
                self.cursor.eat_str(&self.delimiters.right);
                self.emit(TokenKind::RightDelimiter);
                if trims {
                    self.cursor.take_while(is_space);
                    self.start = self.cursor.at();
                }
                return Ok(());
            }
            self.token()?;
        }
        Ok(())
    }

    fn token(&mut self) -> Result<(), JetFault> {
        let next = self.cursor.peek().ok_or(JetFault::UnclosedAction)?;
        match next {
            _ if is_space(next) => {
                self.cursor.take_while(is_space);
                // The last blank belongs to a trim mark that follows it.
                if self.cursor.peek() == Some('-')
                    && self.cursor.text().get(..self.cursor.at()).is_some_and(|t| t.ends_with(' '))
                {
                    self.cursor.seek(self.cursor.at() - 1);
                    if self.closes() != Some(true) {
                        self.cursor.bump();
                    }
                }
                if self.cursor.at() > self.start {
                    self.emit(TokenKind::Space);
                }
            }
            '"' => self.quoted()?,
            '`' => {
                self.cursor.bump();
                self.cursor.take_until("`").ok_or(JetFault::BadString("closing ` is missing"))?;
                self.cursor.bump();
                self.emit(TokenKind::Raw);
            }
            '\'' => self.character()?,
            '+' | '-' if self.sign_of_number() => self.number()?,
            '.' if !self.cursor.peek_second().is_some_and(|c| c.is_ascii_digit()) => self.field()?,
            '.' | '0'..='9' => self.number()?,
            '_' if !self.cursor.peek_second().is_some_and(is_word) => {
                self.cursor.bump();
                self.emit(TokenKind::Underscore);
            }
            _ if is_word(next) => self.word()?,
            _ => self.operator(next)?,
        }
        Ok(())
    }

    /// Whether `+` or `-` is the sign of the number that follows it: not straight after a value.
    /// As vectors jet/operators-038 and operators-201.
    fn sign_of_number(&self) -> bool {
        let digit = self.cursor.peek_second().is_some_and(|next| next.is_ascii_digit());
        let after_value = self.tokens.last().is_some_and(|token| {
            matches!(
                token.kind,
                TokenKind::Number
                    | TokenKind::Identifier
                    | TokenKind::Quoted
                    | TokenKind::Raw
                    | TokenKind::Character
                    | TokenKind::Bool(_)
                    | TokenKind::Field
                    | TokenKind::Operator("+" | "-" | "other")
                    | TokenKind::Keyword(Keyword::Trans)
            )
        });
        digit && !after_value
    }

    fn quoted(&mut self) -> Result<(), JetFault> {
        let missing = JetFault::BadString("closing quote is missing");
        crate::text::literal::quoted(&mut self.cursor).map_err(|_| missing)?;
        self.emit(TokenKind::Quoted);
        Ok(())
    }

    fn character(&mut self) -> Result<(), JetFault> {
        let missing = JetFault::BadString("closing ' is missing");
        crate::text::literal::quoted(&mut self.cursor).map_err(|_| missing)?;
        self.emit(TokenKind::Character);
        Ok(())
    }

    fn number(&mut self) -> Result<(), JetFault> {
        self.cursor.eat_if(|next| matches!(next, '+' | '-'));
        let hex = self.cursor.eat('0') && self.cursor.eat_if(|next| matches!(next, 'x' | 'X')).is_some();
        let digit = |next: char| if hex { next.is_ascii_hexdigit() } else { next.is_ascii_digit() };
        self.cursor.take_while(digit);
        if self.cursor.eat('.') {
            self.cursor.take_while(digit);
        }
        if self.cursor.eat_if(|next| matches!(next, 'e' | 'E')).is_some() {
            self.cursor.eat_if(|next| matches!(next, '+' | '-'));
            self.cursor.take_while(|next| next.is_ascii_digit());
        }
        self.cursor.eat('i');
        if self.cursor.eat_if(is_word).is_some() {
            return Err(JetFault::BadNumber(brief(self.cursor.since(self.start))));
        }
        self.emit(TokenKind::Number);
        Ok(())
    }

    fn field(&mut self) -> Result<(), JetFault> {
        self.cursor.bump();
        if self.terminates() {
            self.emit(TokenKind::Identifier);
            return Ok(());
        }
        self.cursor.take_while(is_word);
        self.end_of_word()?;
        self.emit(TokenKind::Field);
        Ok(())
    }

    fn word(&mut self) -> Result<(), JetFault> {
        let word = self.cursor.take_while(is_word);
        self.end_of_word()?;
        self.emit(match (Keyword::of(word), word) {
            (Some(keyword), _) => TokenKind::Keyword(keyword),
            (None, "true") => TokenKind::Bool(true),
            (None, "false") => TokenKind::Bool(false),
            (None, _) => TokenKind::Identifier,
        });
        Ok(())
    }

    fn end_of_word(&mut self) -> Result<(), JetFault> {
        if self.terminates() {
            return Ok(());
        }
        self.start = self.cursor.at();
        let found = self.cursor.bump();
        Err(unexpected_character(found))
    }

    /// Whether the next character may follow a name.
    fn terminates(&self) -> bool {
        self.cursor.peek().is_none_or(|next| {
            is_space(next) || ".,|:)=(;?[]+-/%*&!<>".contains(next) || self.delimiters.right.starts_with(next)
        })
    }

    fn operator(&mut self, next: char) -> Result<(), JetFault> {
        const DOUBLE: &[(&str, &str)] =
            &[("&&", "&&"), ("||", "||"), ("==", "=="), ("!=", "!="), ("<=", "<="), (">=", ">=")];
        const SINGLE: &[&str] = &["|", "!", "<", ">", "*", "/", "%", "+", "-", "?", ":", ",", ";", "[", "]", "(", ")"];
        if let Some((_, name)) = DOUBLE.iter().find(|(text, _)| self.cursor.looking_at(text)) {
            self.cursor.eat_str(name);
            self.emit(TokenKind::Operator(name));
            return Ok(());
        }
        if self.cursor.eat_str(":=") {
            self.emit(TokenKind::Assign { declares: true });
            return Ok(());
        }
        if self.cursor.eat('=') {
            self.emit(TokenKind::Assign { declares: false });
            return Ok(());
        }
        if next == '&' {
            // A lone & is swallowed into the token that follows it.
            self.cursor.bump();
            return self.swallowed();
        }
        let single = SINGLE.iter().find(|text| text.starts_with(next));
        self.cursor.bump();
        match (single, next) {
            (Some(&")"), _) if self.parens == 0 => return Err(unexpected_character(Some(')'))),
            (Some(name), _) => {
                match *name {
                    "(" => self.parens += 1,
                    ")" => self.parens -= 1,
                    _ => {}
                }
                self.emit(TokenKind::Operator(name));
            }
            (None, ' '..='~') => self.emit(TokenKind::Operator("other")),
            (None, _) => return Err(unexpected_character(Some(next))),
        }
        Ok(())
    }

    /// What a lone `&` makes of the token after it: nothing that means anything.
    fn swallowed(&mut self) -> Result<(), JetFault> {
        if self.cursor.peek().is_some_and(|next| next.is_ascii_digit()) {
            return Err(JetFault::BadNumber(brief(self.cursor.since(self.start))));
        }
        self.emit(TokenKind::Operator("other"));
        Ok(())
    }
}

fn unexpected(found: &str, wanted: &'static str) -> JetFault {
    JetFault::UnexpectedToken(found.into(), wanted)
}

fn unexpected_character(found: Option<char>) -> JetFault {
    JetFault::UnexpectedToken(alloc::format!("{:?}", found.unwrap_or(' ')), "an operator or the end of the action")
}

/// White space of actions, also what trim marks remove.
pub(super) fn is_space(next: char) -> bool {
    matches!(next, ' ' | '\t' | '\r' | '\n')
}

fn is_word(next: char) -> bool {
    next == '_' || next.is_alphanumeric()
}
