//! Tokens to a tree, by precedence climbing.
//!
//! The grammar is expr-lang's, its odd corners included: numbers, `true`, `false` and `nil` take nothing behind
//! them (`nil.a` is refused), a unary operator's operand may still be sliced (`-1[0]`), a chain of comparisons
//! reads its middle once. The first fault ends the reading.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::expr::ExprFault;
use crate::span::Span;
use crate::value::Text;

use super::ast::{Ast, Binary, Children, HEIGHT, Id, Loop, Node, Pointer, Unary};
use super::builtins;
use super::lexer::{Fault, Lexer, Operator, Tok, Token, fault_at, is_name};

/// The most nodes an expression may have, as in the reference.
pub(super) const NODES: usize = 10_000;
/// The most levels of brackets, unary operators, `let` and ternaries: what a stack of 256 KiB holds with room to spare.
const DEPTH: usize = 64;

type Parsed<T = Id> = Result<T, Fault>;

/// Reads an expression.
pub(super) fn parse(text: &str) -> Result<Ast, Fault> {
    parse_within(text, DEPTH)
}

/// Reads an expression that was printed: its parentheses may nest twice as deep as those of what was read first.
pub(super) fn parse_printed(text: &str) -> Result<Ast, Fault> {
    parse_within(text, 2 * DEPTH)
}

fn parse_within(text: &str, most: usize) -> Result<Ast, Fault> {
    let mut lexer = Lexer::new(text);
    let current = lexer.next()?;
    let mut parser = Parser {
        text,
        lexer,
        current,
        held: None,
        ast: Ast::for_text(text.len()),
        nodes: 0,
        depth: 0,
        most,
        predicates: 0,
    };
    let root = parser.sequence()?;
    if parser.current.tok != Tok::End {
        return Err(parser.unexpected());
    }
    parser.ast.root = Some(root);
    Ok(parser.ast)
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    current: Token,
    /// A token that was read ahead and given back.
    held: Option<Token>,
    ast: Ast,
    /// Nodes of the reference's tree, which has a few more than ours.
    nodes: usize,
    depth: usize,
    /// The depth allowed.
    most: usize,
    /// Predicates around the current place: inside of one `#` and `.name` have a meaning.
    predicates: usize,
}

impl Parser<'_> {
    // Tokens

    /// Steps to the next token and gives the one that was current.
    fn advance(&mut self) -> Parsed<Token> {
        let next = match self.held.take() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        Ok(core::mem::replace(&mut self.current, next))
    }

    fn eat(&mut self, operator: Operator) -> Parsed<bool> {
        let found = self.current.is(operator);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, operator: Operator) -> Parsed<Token> {
        if self.current.is(operator) { self.advance() } else { Err(self.unexpected()) }
    }

    fn expect_bracket(&mut self, bracket: u8) -> Parsed<Token> {
        if self.current.opens(bracket) { self.advance() } else { Err(self.unexpected()) }
    }

    fn expect_name(&mut self) -> Parsed<Token> {
        if self.current.tok == Tok::Name { self.advance() } else { Err(self.unexpected()) }
    }

    #[cold]
    fn unexpected(&self) -> Fault {
        let fault = match &self.current.tok {
            Tok::End => ExprFault::UnexpectedEnd,
            _ => ExprFault::UnexpectedToken(self.spelled()),
        };
        fault_at(fault, self.current.span)
    }

    /// The current token as written, shortened.
    fn spelled(&self) -> String {
        match &self.current.tok {
            Tok::End => "the end".into(),
            _ => self.current.span.of(self.text).chars().take(40).collect(),
        }
    }

    #[cold]
    fn here(&self, fault: ExprFault) -> Fault {
        fault_at(fault, self.current.span)
    }

    // Nodes

    fn count(&mut self) -> Parsed<()> {
        self.nodes += 1;
        if self.nodes > NODES { Err(self.here(ExprFault::Nodes(NODES))) } else { Ok(()) }
    }

    fn add(&mut self, node: Node, span: Span) -> Parsed {
        self.count()?;
        self.add_uncounted(node, span)
    }

    fn add_uncounted(&mut self, node: Node, span: Span) -> Parsed {
        match self.ast.add(node, span) {
            Some(id) => Ok(id),
            None => Err(self.here(ExprFault::Depth(HEIGHT))),
        }
    }

    /// Goes one level deeper; who enters leaves again, unless a fault ends the reading.
    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > self.most { Err(self.here(ExprFault::Depth(DEPTH))) } else { Ok(()) }
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The operand of an operator.
    fn operand(&mut self, least: u16) -> Parsed {
        self.enter()?;
        let node = self.operation(least)?;
        self.leave();
        Ok(node)
    }

    // Rules

    fn sequence(&mut self) -> Parsed {
        let first = self.expression()?;
        if !self.current.is(Operator::Semicolon) {
            return Ok(first);
        }
        let mut all = alloc::vec![first];
        while self.eat(Operator::Semicolon)? {
            if self.current.tok == Tok::End {
                break;
            }
            all.push(self.expression()?);
        }
        if all.len() == 1 {
            return Ok(first);
        }
        let children = self.ast.children(&all);
        self.add(Node::Sequence(children), self.ast.span(first))
    }

    /// An expression of the lowest precedence: where `let`, `if` and `?:` may stand.
    fn expression(&mut self) -> Parsed {
        self.enter()?;
        let node = match self.current.tok {
            Tok::Operator(Operator::Let) => self.declaration()?,
            Tok::Operator(Operator::If) => self.conditional()?,
            _ => self.ternary()?,
        };
        self.leave();
        Ok(node)
    }

    fn declaration(&mut self) -> Parsed {
        self.advance()?;
        let name = self.expect_name()?.span;
        self.expect(Operator::Equal)?;
        let value = self.expression()?;
        self.expect(Operator::Semicolon)?;
        let body = self.sequence()?;
        self.add(Node::Let { value, body }, name)
    }

    fn conditional(&mut self) -> Parsed {
        let span = self.advance()?.span;
        let condition = self.expression()?;
        let yes = self.block()?;
        self.expect(Operator::Else)?;
        let no = if self.current.is(Operator::If) {
            self.enter()?;
            let no = self.conditional()?;
            self.leave();
            no
        } else {
            self.block()?
        };
        self.add_uncounted(Node::If { ternary: false, condition, yes, no }, span)
    }

    fn block(&mut self) -> Parsed {
        self.expect_bracket(b'{')?;
        let body = self.sequence()?;
        self.expect_bracket(b'}')?;
        Ok(body)
    }

    fn ternary(&mut self) -> Parsed {
        let mut node = self.operation(0)?;
        while self.eat(Operator::Question)? {
            let built = if self.eat(Operator::Colon)? {
                Node::Elvis(node, self.expression()?)
            } else {
                let yes = self.expression()?;
                self.expect(Operator::Colon)?;
                Node::If { ternary: true, condition: node, yes, no: self.expression()? }
            };
            // As in the reference, the site of a ternary is the token behind it.
            node = self.add(built, self.current.span)?;
        }
        Ok(node)
    }

    fn operation(&mut self, least: u16) -> Parsed {
        let mut left = self.primary()?;
        let mut after_coalesce = false;
        loop {
            let negated = self.current.is(Operator::Not);
            if negated && !self.step_over_not(least)? {
                return Ok(left);
            }
            if self.current.is(Operator::Pipe) && least == 0 {
                self.advance()?;
                let name = self.expect_name()?;
                left = self.call(&name, Some(left))?;
                after_coalesce = false;
                continue;
            }
            let Some(operator) = binary(&self.current).filter(|operator| operator.precedence() >= least) else {
                return Ok(left);
            };
            let span = self.advance()?.span;
            if after_coalesce && operator != Binary::Coalesce {
                return Err(fault_at(ExprFault::MixedCoalesce(operator.text()), span));
            }
            after_coalesce = operator == Binary::Coalesce;
            if operator.is_comparison() {
                left = self.comparison(left, operator, span)?;
                continue;
            }
            let beyond = operator.precedence() + u16::from(!operator.to_the_right());
            let right = self.operand(beyond)?;
            left = self.add(Node::Binary(operator, left, right), span)?;
            if negated {
                left = self.add(Node::Unary(Unary::NotWord, left), span)?;
            }
        }
    }

    /// Between operands `not` must be followed by an operator that it can turn round; false gives it back.
    fn step_over_not(&mut self, least: u16) -> Parsed<bool> {
        let not = self.advance()?;
        match binary(&self.current) {
            Some(
                operator @ (Binary::In | Binary::Matches | Binary::Contains | Binary::StartsWith | Binary::EndsWith),
            ) => {
                if operator.precedence() >= least {
                    return Ok(true);
                }
                self.held = Some(core::mem::replace(&mut self.current, not));
                Ok(false)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `a < b`, or a chain `a < b < c`, which is true when each pair is.
    fn comparison(&mut self, first: Id, operator: Binary, span: Span) -> Parsed {
        let next = self.operand(operator.precedence() + 1)?;
        let pair = self.add(Node::Binary(operator, first, next), span)?;
        if !binary(&self.current).is_some_and(Binary::is_comparison) {
            return Ok(pair);
        }
        let (mut pairs, mut last, mut span) = (alloc::vec![pair], next, span);
        while let Some(operator) = binary(&self.current).filter(|operator| operator.is_comparison()) {
            span = self.advance()?.span;
            let next = self.operand(operator.precedence() + 1)?;
            pairs.push(self.add(Node::Binary(operator, last, next), span)?);
            self.count()?;
            last = next;
        }
        let children = self.ast.children(&pairs);
        self.add_uncounted(Node::Compare(children), span)
    }

    fn primary(&mut self) -> Parsed {
        let span = self.current.span;
        match self.current.tok {
            Tok::Operator(Operator::Not) => self.unary(Unary::NotWord),
            Tok::Operator(Operator::Bang) => self.unary(Unary::Not),
            Tok::Operator(Operator::Minus) => self.unary(Unary::Minus),
            Tok::Operator(Operator::Plus) => self.unary(Unary::Plus),
            Tok::Bracket(b'(') => {
                self.advance()?;
                let inside = self.sequence()?;
                self.expect_bracket(b')')?;
                self.postfix(inside)
            }
            Tok::Operator(Operator::Pointer) if self.predicates > 0 => {
                self.advance()?;
                let pointer = self.pointer()?;
                let node = self.add(Node::Pointer(pointer), span)?;
                self.postfix(node)
            }
            Tok::Operator(Operator::Dot) if self.predicates > 0 => {
                let node = self.add(Node::Pointer(Pointer::Item), span)?;
                self.postfix(node)
            }
            Tok::Operator(Operator::Scope) => {
                self.advance()?;
                let name = self.expect_name()?;
                let node = self.call(&name, None)?;
                self.postfix(node)
            }
            Tok::Name => self.named(),
            Tok::Number => self.number(),
            Tok::Text(_) | Tok::Bytes(_) => self.quoted(),
            Tok::Bracket(b'[') => self.list(),
            Tok::Bracket(b'{') => self.map(),
            _ => Err(self.unexpected()),
        }
    }

    fn unary(&mut self, operator: Unary) -> Parsed {
        let span = self.advance()?.span;
        let operand = self.operand(operator.precedence())?;
        let node = self.add(Node::Unary(operator, operand), span)?;
        self.postfix(node)
    }

    fn pointer(&mut self) -> Parsed<Pointer> {
        if self.current.tok != Tok::Name {
            return Ok(Pointer::Item);
        }
        let name = self.advance()?.span;
        Ok(match name.of(self.text) {
            "index" => Pointer::Index,
            "acc" => Pointer::Accumulator,
            _ => Pointer::Unknown,
        })
    }

    fn named(&mut self) -> Parsed {
        let name = self.advance()?;
        let literal = match name.span.of(self.text) {
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            "nil" => Node::Nil,
            _ => {
                let node = if self.current.opens(b'(') {
                    self.call(&name, None)?
                } else {
                    self.add(Node::Name(name.span), name.span)?
                };
                return self.postfix(node);
            }
        };
        self.add(literal, name.span)
    }

    fn number(&mut self) -> Parsed {
        let span = self.advance()?.span;
        let written = span.of(self.text);
        let node = literal(written).ok_or_else(|| self.here(ExprFault::BadLiteral(written.into())))?;
        self.add(node, span)
    }

    fn quoted(&mut self) -> Parsed {
        let token = self.advance()?;
        let node = match token.tok {
            Tok::Text(text) => Node::Text(text),
            Tok::Bytes(bytes) => Node::Bytes(bytes),
            _ => Node::Nil,
        };
        let node = self.add(node, token.span)?;
        self.postfix(node)
    }

    fn list(&mut self) -> Parsed {
        let span = self.advance()?.span;
        let mut items = Vec::new();
        while !self.current.opens(b']') {
            if !items.is_empty() {
                self.expect(Operator::Comma)?;
                if self.current.opens(b']') {
                    break;
                }
            }
            items.push(self.expression()?);
        }
        self.expect_bracket(b']')?;
        let children = self.ast.children(&items);
        let node = self.add(Node::List(children), span)?;
        self.postfix(node)
    }

    fn map(&mut self) -> Parsed {
        let span = self.advance()?.span;
        let mut pairs = Vec::new();
        while !self.current.opens(b'}') {
            if !pairs.is_empty() {
                self.expect(Operator::Comma)?;
                if self.current.opens(b'}') {
                    break;
                }
                if self.current.is(Operator::Comma) {
                    return Err(self.unexpected());
                }
            }
            let key = self.key()?;
            self.expect(Operator::Colon)?;
            let value = self.expression()?;
            self.count()?;
            pairs.extend([key, value]);
        }
        self.expect_bracket(b'}')?;
        let children = self.ast.children(&pairs);
        let node = self.add(Node::Map(children), span)?;
        self.postfix(node)
    }

    /// A key: numbers and names are taken as their own text.
    fn key(&mut self) -> Parsed {
        let span = self.current.span;
        let text: Text = match &self.current.tok {
            Tok::Text(text) => text.clone(),
            Tok::Name | Tok::Number => span.of(self.text).into(),
            Tok::Bracket(b'(') => return self.expression(),
            _ => return Err(self.here(ExprFault::MapKey(self.spelled()))),
        };
        let key = self.add(Node::Text(text), span)?;
        self.advance()?;
        Ok(key)
    }

    /// A call by name; a pipe gives the first argument.
    fn call(&mut self, name: &Token, piped: Option<Id>) -> Parsed {
        let spelling = name.span.of(self.text);
        if let Some(kind) = Loop::named(spelling) {
            let arguments = self.loop_arguments(kind, piped)?;
            return self.add(Node::Loop { kind, arguments }, name.span);
        }
        if let Some(builtin) = builtins::find(spelling) {
            let arguments = self.arguments(piped.into_iter().collect())?;
            return self.add(Node::Builtin(builtin, arguments), name.span);
        }
        let callee = self.add(Node::Name(name.span), name.span)?;
        let children = self.arguments(core::iter::once(callee).chain(piped).collect())?;
        self.add(Node::Call(children), name.span)
    }

    /// Arguments in parentheses, put behind those given.
    fn arguments(&mut self, mut all: Vec<Id>) -> Parsed<Children> {
        let given = all.len();
        self.expect_bracket(b'(')?;
        while !self.current.opens(b')') {
            if all.len() > given {
                self.expect(Operator::Comma)?;
                if self.current.opens(b')') {
                    break;
                }
            }
            all.push(self.expression()?);
        }
        self.expect_bracket(b')')?;
        Ok(self.ast.children(&all))
    }

    fn loop_arguments(&mut self, kind: Loop, piped: Option<Id>) -> Parsed<Children> {
        let (least, most) = kind.arity();
        let mut all: Vec<Id> = piped.into_iter().collect();
        let given = all.len();
        self.expect_bracket(b'(')?;
        while all.len() < most {
            if self.current.opens(b')') {
                if all.len() < least {
                    return Err(self.here(ExprFault::MissingArgument(kind.name().into())));
                }
                break;
            }
            if all.len() > given {
                self.expect(Operator::Comma)?;
            }
            let argument = if all.len() == 1 { self.predicate()? } else { self.expression()? };
            all.push(argument);
        }
        self.eat(Operator::Comma)?;
        self.expect_bracket(b')')?;
        Ok(self.ast.children(&all))
    }

    fn predicate(&mut self) -> Parsed {
        let braced = self.current.opens(b'{');
        if braced {
            self.advance()?;
        }
        self.predicates += 1;
        let node = if braced { self.sequence()? } else { self.expression()? };
        self.predicates -= 1;
        if braced {
            self.expect_bracket(b'}')?;
        } else if self.current.is(Operator::Semicolon) {
            return Err(self.here(ExprFault::PredicateBraces));
        }
        self.count()?;
        Ok(node)
    }

    fn postfix(&mut self, mut node: Id) -> Parsed {
        loop {
            let span = self.current.span;
            if self.current.opens(b'[') {
                self.advance()?;
                node = self.bracketed(node, span, false)?;
            } else if self.current.is(Operator::Dot) {
                self.advance()?;
                node = self.member(node, false)?;
            } else if self.current.is(Operator::QuestionDot) {
                self.advance()?;
                let span = self.current.span;
                if self.current.opens(b'[') {
                    self.advance()?;
                    node = self.bracketed(node, span, true)?;
                } else {
                    node = self.member(node, true)?;
                }
            } else {
                return Ok(node);
            }
        }
    }

    /// A name behind a dot, and the call of it if parentheses follow.
    fn member(&mut self, node: Id, optional: bool) -> Parsed {
        if self.current.tok == Tok::End {
            return Err(self.unexpected());
        }
        let name = self.advance()?;
        let is_word = match name.tok {
            Tok::Name => true,
            Tok::Operator(_) => is_name(name.span.of(self.text)),
            _ => false,
        };
        if !is_word {
            return Err(self.here(ExprFault::ExpectedName));
        }
        self.count()?;
        let chained = match self.ast.node(node) {
            Node::Chain(inside) => Some(*inside),
            _ => None,
        };
        let base = chained.unwrap_or(node);
        let mut node = self.add(Node::Field { base, name: name.span, optional }, name.span)?;
        if self.current.opens(b'(') {
            let children = self.arguments(alloc::vec![node])?;
            node = self.add(Node::Call(children), name.span)?;
        }
        if chained.is_some() || optional {
            node = self.add(Node::Chain(node), name.span)?;
        }
        Ok(node)
    }

    /// An index or a slice, behind its `[`.
    fn bracketed(&mut self, base: Id, span: Span, optional: bool) -> Parsed {
        let from = if self.current.is(Operator::Colon) { None } else { Some(self.expression()?) };
        if self.eat(Operator::Colon)? {
            let to = if self.current.opens(b']') { None } else { Some(self.expression()?) };
            let node = self.add(Node::Slice { base, from, to }, span)?;
            self.expect_bracket(b']')?;
            return Ok(node);
        }
        let Some(key) = from else { return Err(self.unexpected()) };
        let mut node = self.add(Node::Index { base, key, optional }, span)?;
        if optional {
            node = self.add(Node::Chain(node), span)?;
        }
        self.expect_bracket(b']')?;
        Ok(node)
    }
}

fn binary(token: &Token) -> Option<Binary> {
    let Tok::Operator(operator) = token.tok else { return None };
    Some(match operator {
        Operator::Or => Binary::Or,
        Operator::OrOr => Binary::OrOr,
        Operator::And => Binary::And,
        Operator::AndAnd => Binary::AndAnd,
        Operator::EqualEqual => Binary::Equal,
        Operator::BangEqual => Binary::NotEqual,
        Operator::Less => Binary::Less,
        Operator::More => Binary::More,
        Operator::LessEqual => Binary::LessEqual,
        Operator::MoreEqual => Binary::MoreEqual,
        Operator::In => Binary::In,
        Operator::Matches => Binary::Matches,
        Operator::Contains => Binary::Contains,
        Operator::StartsWith => Binary::StartsWith,
        Operator::EndsWith => Binary::EndsWith,
        Operator::Range => Binary::Range,
        Operator::Plus => Binary::Add,
        Operator::Minus => Binary::Subtract,
        Operator::Star => Binary::Multiply,
        Operator::Slash => Binary::Divide,
        Operator::Percent => Binary::Modulo,
        Operator::StarStar => Binary::Power,
        Operator::Caret => Binary::Caret,
        Operator::Coalesce => Binary::Coalesce,
        _ => return None,
    })
}

/// What a number means: an integer of 64 bits in one of four bases, or a float.
fn literal(written: &str) -> Option<Node> {
    let digits: String;
    let written = if written.bytes().any(|byte| byte == b'_') {
        digits = written.replace('_', "");
        &digits
    } else {
        written
    };
    let radix = |base| i64::from_str_radix(written.get(2..)?, base).ok().map(Node::Int);
    match written.get(..2) {
        Some("0x" | "0X") => radix(16),
        _ if written.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
            written.parse::<f64>().ok().filter(|value| value.is_finite()).map(Node::Float)
        }
        Some("0b" | "0B") => radix(2),
        Some("0o" | "0O") => radix(8),
        _ => written.parse().ok().map(Node::Int),
    }
}
