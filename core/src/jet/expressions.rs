//! Expressions, from the weakest operator to the terms.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::ast::{Arguments, Expr, ExprKind, Operator};
use super::lexer::{Keyword, TokenKind};
use super::parser::Parser;
use crate::error::{Error, JetFault, Result};
use crate::span::Span;
use crate::text::{brief, float, literal};
use crate::value::Text;

/// How many operators, fields, calls and indexes may hang on each other.
const HEIGHT: u16 = 150;

impl Parser<'_> {
    pub(super) fn parse_expression(&mut self) -> Result<Expr> {
        self.enter()?;
        let condition = self.logical()?;
        let expression = if self.eat("?") {
            let then = self.parse_expression()?;
            self.expect(":", ": and the other value")?;
            let otherwise = self.parse_expression()?;
            let span = condition.span.to(otherwise.span);
            Expr::new(ExprKind::Ternary(Box::new([condition, then, otherwise])), span)
        } else {
            condition
        };
        self.leave();
        Ok(expression)
    }

    /// `&&` and `||` bind alike, from left to right.
    fn logical(&mut self) -> Result<Expr> {
        let mut left = self.equality()?;
        loop {
            let operator = match self.peek().kind {
                TokenKind::Operator("&&") | TokenKind::Keyword(Keyword::And) => Operator::And,
                TokenKind::Operator("||") | TokenKind::Keyword(Keyword::Or) => Operator::Or,
                _ => return Ok(left),
            };
            self.next();
            left = binary(operator, left, self.equality()?);
            self.bounded(&left)?;
        }
    }

    fn equality(&mut self) -> Result<Expr> {
        self.binary_level(&[("==", Operator::Equal), ("!=", Operator::NotEqual)], Self::comparison)
    }

    fn comparison(&mut self) -> Result<Expr> {
        const LEVEL: &[(&str, Operator)] = &[
            (">", Operator::Greater),
            (">=", Operator::GreaterEqual),
            ("<", Operator::Less),
            ("<=", Operator::LessEqual),
        ];
        self.binary_level(LEVEL, Self::sum)
    }

    fn sum(&mut self) -> Result<Expr> {
        self.binary_level(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Result<Expr> {
        const LEVEL: &[(&str, Operator)] =
            &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
        self.binary_level(LEVEL, Self::unary)
    }

    fn binary_level(&mut self, level: &[(&str, Operator)], operand: fn(&mut Self) -> Result<Expr>) -> Result<Expr> {
        let mut left = operand(self)?;
        loop {
            let TokenKind::Operator(found) = self.peek().kind else { return Ok(left) };
            let Some((_, operator)) = level.iter().find(|(text, _)| *text == found) else { return Ok(left) };
            self.next();
            left = binary(*operator, left, operand(self)?);
            self.bounded(&left)?;
        }
    }

    fn unary(&mut self) -> Result<Expr> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Operator("!") | TokenKind::Keyword(Keyword::Not) => {
                self.next();
                self.enter()?;
                let of = self.equality()?;
                self.leave();
                let span = token.span.to(of.span);
                Ok(Expr::new(ExprKind::Not(Box::new(of)), span))
            }
            TokenKind::Operator(sign @ ("-" | "+")) => {
                self.next();
                let of = self.operand()?;
                let span = token.span.to(of.span);
                Ok(Expr::new(ExprKind::Sign { negative: sign == "-", of: Box::new(of) }, span))
            }
            _ => self.operand(),
        }
    }

    /// A term with the fields, calls and indexes behind it.
    fn operand(&mut self) -> Result<Expr> {
        let mut node = self.term()?;
        loop {
            self.bounded(&node)?;
            if self.peek_any().kind == TokenKind::Field {
                node = self.fields(node)?;
            }
            if !matches!(
                node.kind,
                ExprKind::Identifier(_)
                    | ExprKind::Call(..)
                    | ExprKind::Field(_)
                    | ExprKind::Chain(..)
                    | ExprKind::Index(..)
            ) {
                return Ok(node);
            }
            if self.eat("(") {
                let arguments = self.arguments()?;
                let close = self.expect(")", "a closing parenthesis")?;
                let span = node.span.to(close.span);
                node = Expr::new(ExprKind::Call(Box::new(node), arguments), span);
            } else if self.eat("[") {
                node = self.index(node)?;
            } else {
                return Ok(node);
            }
        }
    }

    fn fields(&mut self, node: Expr) -> Result<Expr> {
        let mut names = Vec::new();
        let mut span = node.span;
        while self.peek().kind == TokenKind::Field {
            let token = self.next();
            span = span.to(token.span);
            names.push(self.field_name(token.span));
        }
        let kind = match node.kind {
            ExprKind::Field(mut first) => {
                first.append(&mut names);
                ExprKind::Field(first)
            }
            ExprKind::Bool(_) | ExprKind::Text(_) | ExprKind::Number(_) | ExprKind::Nil => {
                let found = JetFault::UnexpectedToken("a field".into(), "an operator: a literal has no fields");
                return Err(self.fault(span, found));
            }
            _ => ExprKind::Chain(Box::new(node), names),
        };
        Ok(Expr::new(kind, span))
    }

    fn field_name(&self, span: Span) -> Text {
        span.of(self.source.text()).trim_start_matches('.').into()
    }

    /// An index or a slice, the bracket passed.
    fn index(&mut self, base: Expr) -> Result<Expr> {
        let mut first = None;
        if !self.is(":") {
            first = Some(self.parse_expression()?);
        }
        let slices = self.eat(":");
        let mut last = None;
        if slices && !self.is("]") {
            last = Some(Box::new(self.parse_expression()?));
        }
        let close = self.expect("]", "a closing bracket")?;
        let span = base.span.to(close.span);
        let base = Box::new(base);
        let kind = match (slices, first) {
            (false, Some(index)) => ExprKind::Index(base, Box::new(index)),
            (_, first) => ExprKind::Slice(base, first.map(Box::new), last),
        };
        Ok(Expr::new(kind, span))
    }

    pub(super) fn arguments(&mut self) -> Result<Arguments> {
        let mut arguments = Arguments::default();
        loop {
            if self.is(")") {
                return Ok(arguments);
            }
            let argument = self.parse_expression()?;
            if matches!(argument.kind, ExprKind::Underscore) {
                if arguments.has_slot {
                    let fault = JetFault::UnexpectedToken("a second _".into(), "one place for the piped value");
                    return Err(self.fault(argument.span, fault));
                }
                arguments.has_slot = true;
            }
            arguments.list.push(argument);
            if !self.eat(",") {
                return Ok(arguments);
            }
        }
    }

    fn term(&mut self) -> Result<Expr> {
        let token = self.next();
        let span = token.span;
        let written = span.of(self.source.text());
        let kind = match token.kind {
            TokenKind::Identifier => ExprKind::Identifier(self.name(span)),
            TokenKind::Underscore => ExprKind::Underscore,
            TokenKind::Keyword(Keyword::Nil) => ExprKind::Nil,
            TokenKind::Field => ExprKind::Field(vec![self.field_name(span)]),
            TokenKind::Bool(value) => ExprKind::Bool(value),
            TokenKind::Character => ExprKind::Number(self.character(span, written)?),
            TokenKind::Number => {
                ExprKind::Number(number(written).ok_or_else(|| self.fault(span, JetFault::BadNumber(brief(written))))?)
            }
            TokenKind::Quoted => ExprKind::Text(self.quoted(span, written)?.into()),
            TokenKind::Raw => ExprKind::Text(written.trim_matches('`').replace('\r', "").into()),
            TokenKind::Operator("(") => {
                let inner = self.parse_expression()?;
                let close = self.peek_any().clone();
                if close.kind != TokenKind::Operator(")") {
                    return self.unexpected(&close, "a closing parenthesis");
                }
                self.next();
                return Ok(inner);
            }
            _ => return self.unexpected(&token, "a value"),
        };
        Ok(Expr::new(kind, span))
    }

    fn quoted(&self, span: Span, written: &str) -> Result<String> {
        let body = written.get(1..written.len().saturating_sub(1)).unwrap_or("");
        let bad = |what| self.fault(span, JetFault::BadString(what));
        let bytes =
            literal::unescape(body, &literal::Escapes::GO).map_err(|_| bad("unknown escape after a backslash"))?;
        String::from_utf8(bytes).map_err(|_| bad("text is not UTF-8"))
    }

    fn character(&self, span: Span, written: &str) -> Result<f64> {
        let body = written.get(1..written.len().saturating_sub(1)).unwrap_or("");
        let bad = || self.fault(span, JetFault::BadString("not one character in single quotes"));
        let bytes = literal::unescape(body, &literal::Escapes::GO_CHARACTER).map_err(|_| bad())?;
        if let ([byte], true) = (&*bytes, body.starts_with('\\')) {
            return Ok(f64::from(*byte));
        }
        let text = String::from_utf8(bytes).map_err(|_| bad())?;
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(f64::from(u32::from(letter))),
            _ => Err(bad()),
        }
    }

    /// Chains grow without nesting in the text, yet evaluation descends into them.
    fn bounded(&self, expr: &Expr) -> Result<()> {
        if expr.height <= HEIGHT {
            return Ok(());
        }
        Err(Error::limit(format!("expression has more than {HEIGHT} operators in a row")).at(self.source.at(expr.span)))
    }
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr::new(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span)
}

/// A number as the language reads it: hexadecimal, octal with a leading zero, else decimal, always a float.
fn number(written: &str) -> Option<f64> {
    let (negative, digits) = match written.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, written.strip_prefix('+').unwrap_or(written)),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let octal = digits.strip_prefix('0').filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    let magnitude = match (hex, octal) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok()? as f64,
        (None, Some(octal)) => match u64::from_str_radix(octal, 8) {
            Ok(number) => number as f64,
            Err(_) => float::parse(digits).ok()?,
        },
        (None, None) => float::parse(digits).ok()?,
    };
    Some(if negative { -magnitude } else { magnitude })
}
