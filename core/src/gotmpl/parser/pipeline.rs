//! Inside an action: pipelines, commands and operands.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Fault, PARENTHESES, Parsed, Parser, refuse, too_deep};
use crate::gotmpl::ast::{Command, Field, Function, Node, Operand, OperandKind, Pipeline, Variable};
use crate::gotmpl::builtins::Builtin;
use crate::gotmpl::constant;
use crate::gotmpl::lexer::{Lexeme, Token};
use crate::names::Signature;
use crate::span::Span;
use crate::text::nearest;

impl<'t> Parser<'t> {
    pub(super) fn pipeline(&mut self, context: &'static str, end: Token) -> Parsed<Pipeline> {
        let mut pipeline = Pipeline { span: self.peek_solid().span, ..Pipeline::empty() };
        self.targets(&mut pipeline, context)?;
        loop {
            let lexeme = self.next_solid();
            match lexeme.token {
                token if token == end => {
                    pipeline.span = pipeline.span.to(Span { end: lexeme.span.start, ..lexeme.span });
                    check(&pipeline, context)?;
                    return Ok(pipeline);
                }
                Token::Bool
                | Token::Character
                | Token::Complex
                | Token::Dot
                | Token::Field
                | Token::Identifier
                | Token::Number
                | Token::Nil
                | Token::Raw
                | Token::Quoted
                | Token::Variable
                | Token::LeftParen => {
                    self.ahead.push(lexeme);
                    let command = self.command()?;
                    pipeline.commands.push(command);
                }
                _ => return self.unexpected(lexeme, context),
            }
        }
    }

    /// `$x :=`, `$x =`, or `$i, $x :=` of a range.
    fn targets(&mut self, pipeline: &mut Pipeline, context: &'static str) -> Parsed<()> {
        loop {
            let variable = self.peek_solid();
            if variable.token != Token::Variable {
                return Ok(());
            }
            self.next();
            let after = self.peek();
            let next = self.peek_solid();
            let comma = next.token == Token::Other && next.span.of(self.text) == ",";
            if !matches!(next.token, Token::Assign | Token::Declare) && !comma {
                if after.token == Token::Space {
                    self.ahead.push(after);
                }
                self.ahead.push(variable);
                return Ok(());
            }
            self.next_solid();
            let name = variable.span.of(self.text);
            self.declare(name);
            pipeline.targets.push(self.intern(name));
            if !comma {
                pipeline.assigns = next.token == Token::Assign;
                return Ok(());
            }
            let second = context == "range" && pipeline.targets.len() < 2;
            let follows = self.peek_solid();
            if !second || !matches!(follows.token, Token::Variable | Token::RightDelimiter | Token::RightParen) {
                let context = if context == "range" { "the variables of range" } else { "a declaration: one variable" };
                return refuse(Fault::UnexpectedToken { found: ",".into(), context }, next.span);
            }
        }
    }

    fn command(&mut self) -> Parsed<Command> {
        let mut operands = Vec::new();
        loop {
            self.peek_solid();
            if let Some(operand) = self.operand()? {
                operands.push(operand);
            }
            let lexeme = self.next();
            match lexeme.token {
                Token::Space => {}
                Token::RightDelimiter | Token::RightParen => {
                    self.ahead.push(lexeme);
                    break;
                }
                Token::Pipe => break,
                _ => return self.unexpected(lexeme, "operand"),
            }
        }
        let mut operands = operands.into_iter();
        match operands.next() {
            Some(head) => Ok(Command { head, arguments: operands.collect() }),
            None => {
                let here = self.peek().span;
                refuse(Fault::MissingValue("command"), here)
            }
        }
    }

    /// A term and the fields asked of it.
    fn operand(&mut self) -> Parsed<Option<Operand>> {
        let Some(mut term) = self.term()? else { return Ok(None) };
        if self.peek().token != Token::Field {
            return Ok(Some(term));
        }
        let mut fields = Vec::new();
        while self.peek().token == Token::Field {
            let span = self.next().span;
            fields.push(self.field(span));
        }
        let dot = fields.first().map_or(term.span, |field| field.span);
        let span = fields.last().map_or(term.span, |last| term.span.to(last.span));
        match &mut term.kind {
            OperandKind::Field(known) | OperandKind::Variable(_, known) => known.append(&mut fields),
            OperandKind::Function(_) | OperandKind::Parens(_) => {
                return Ok(Some(Operand { span, kind: OperandKind::Chain(Box::new(term), fields) }));
            }
            _ => {
                return refuse(Fault::UnexpectedToken { found: ".".into(), context: "a literal" }, dot);
            }
        }
        term.span = span;
        Ok(Some(term))
    }

    fn field(&self, span: Span) -> Field {
        Field { span, name: span.of(self.text).get(1..).unwrap_or("").into() }
    }

    fn term(&mut self) -> Parsed<Option<Operand>> {
        let lexeme = self.next_solid();
        let span = lexeme.span;
        let text = span.of(self.text);
        let kind = match lexeme.token {
            Token::Identifier => OperandKind::Function(self.function(text, span)?),
            Token::Dot => OperandKind::Dot,
            Token::Nil => OperandKind::Nil,
            Token::Variable => OperandKind::Variable(self.used(text, span)?, Vec::new()),
            Token::Field => OperandKind::Field([self.field(span)].into()),
            Token::Bool => OperandKind::Bool(text == "true"),
            Token::Number => constant::number(text).or_else(|fault| refuse(fault, span))?,
            Token::Complex => constant::complex(text).or_else(|fault| refuse(fault, span))?,
            Token::Character => constant::character(text).or_else(|fault| refuse(fault, span))?,
            Token::Quoted | Token::Raw => OperandKind::Text(self.text_literal(lexeme)?.into()),
            Token::LeftParen => return self.parenthesized(span).map(Some),
            _ => {
                self.ahead.push(lexeme);
                return Ok(None);
            }
        };
        Ok(Some(Operand { span, kind }))
    }

    fn parenthesized(&mut self, span: Span) -> Parsed<Operand> {
        if self.parens >= PARENTHESES {
            return too_deep("parentheses are", PARENTHESES, span);
        }
        self.parens += 1;
        let pipeline = self.pipeline("parenthesized pipeline", Token::RightParen)?;
        self.parens -= 1;
        let span = Span::new(span.start as usize, pipeline.span.end as usize + 1);
        Ok(Operand { span, kind: OperandKind::Parens(Box::new(pipeline)) })
    }

    pub(super) fn text_literal(&self, lexeme: Lexeme) -> Parsed<Vec<u8>> {
        let text = lexeme.span.of(self.text);
        let body = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        if lexeme.token == Token::Raw {
            return Ok(body.bytes().filter(|&byte| byte != b'\r').collect());
        }
        constant::text(body).or_else(|fault| refuse(fault, lexeme.span))
    }

    fn function(&self, name: &str, span: Span) -> Parsed<Function> {
        if let Some(at) = self.provided.iter().rposition(|function| function.name == name) {
            let Signature { least, most, .. } = self.provided[at];
            return Ok(Function::Provided { at: u32::try_from(at).unwrap_or(u32::MAX), least, most });
        }
        if let Some(builtin) = Builtin::ALL.into_iter().find(|builtin| builtin.name() == name) {
            return Ok(Function::Builtin(builtin));
        }
        let known = self.provided.iter().map(|function| function.name);
        let nearest = nearest(name, known.chain(Builtin::ALL.map(Builtin::name))).map(Into::into);
        refuse(Fault::UnknownFunction { name: name.into(), nearest }, span)
    }

    fn used(&mut self, name: &'t str, span: Span) -> Parsed<Variable> {
        match self.names.get(name) {
            Some(&variable) if self.scopes.get(variable).is_some() => Ok(variable),
            _ => refuse(Fault::UndefinedVariable(name.into()), span),
        }
    }

    /// Assignments declare too, as far as reading goes: only rendering knows that the variable is missing.
    pub(super) fn declare(&mut self, name: &'t str) {
        let variable = self.intern(name);
        self.scopes.declare(variable, ());
    }

    fn intern(&mut self, name: &'t str) -> Variable {
        let next = Variable::try_from(self.variables.len()).unwrap_or(Variable::MAX);
        let variable = *self.names.entry(name).or_insert(next);
        if variable == next {
            self.variables.push(name.into());
        }
        variable
    }
}

impl Pipeline {
    /// As an action; one that shows a single field has a node of its own.
    pub(super) fn into_node(mut self) -> Node {
        match (&*self.targets, self.commands.pop()) {
            ([], Some(Command { head: Operand { kind: OperandKind::Field(mut fields), .. }, arguments }))
                if self.commands.is_empty() && arguments.is_empty() && fields.len() == 1 =>
            {
                fields.pop().map_or(Node::Text(self.span), Node::Member)
            }
            (_, last) => {
                self.commands.extend(last);
                Node::Action(self)
            }
        }
    }

    pub(super) fn empty() -> Self {
        Self { span: Span::default(), targets: Vec::new(), assigns: false, commands: Vec::new() }
    }
}

/// A pipeline has a value, and every stage after the first can take one.
fn check(pipeline: &Pipeline, context: &'static str) -> Parsed<()> {
    if pipeline.commands.is_empty() {
        return refuse(Fault::MissingValue(context), pipeline.span);
    }
    for (at, command) in pipeline.commands.iter().enumerate().skip(1) {
        let callable = matches!(
            command.head.kind,
            OperandKind::Field(_)
                | OperandKind::Variable(..)
                | OperandKind::Function(_)
                | OperandKind::Parens(_)
                | OperandKind::Chain(..)
        );
        if !callable {
            return refuse(Fault::NotACommand { stage: at + 1 }, command.head.span);
        }
    }
    Ok(())
}
