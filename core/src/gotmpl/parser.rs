//! Tokens into a tree.
//!
//! Actions that enclose others (`if`, `range`, `define`, …) are kept on a stack of their own; only
//! parentheses recurse. Both are limited.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::Options;
use super::ast::{
    Call, Choice, Command, Definition, Field, Function, Loop, Node, Operand, OperandKind, Pipeline, Set, Variable,
};
use super::builtins::Builtin;
use super::constant;
use super::lexer::{Keyword, Lexeme, Lexer, Token};
use super::scope::Scopes;
use crate::error::{Error, GotmplFault as Fault, Kind, Result};
use crate::names::Signature;
use crate::span::{Source, Span};
use crate::text::nearest;

/// How deep actions may enclose each other.
const NESTING: usize = 100;
/// How deep parentheses may.
const PARENTHESES: usize = 50;

/// Reads a template and those it defines.
pub(super) fn parse(source: &Source, options: &Options<'_>) -> Result<Set> {
    let mut parser = Parser::new(source, options);
    match parser.run(options.name) {
        Ok(()) => Ok(parser.finish()),
        Err(Refusal { kind, span }) => Err(Error::new(kind).at(source.at(span))),
    }
}

/// A fault and its place. Boxed kinds keep the results of the parser's functions small.
struct Refusal {
    kind: Kind,
    span: Span,
}

type Parsed<T> = core::result::Result<T, Box<Refusal>>;

fn refuse<T>(fault: Fault, span: Span) -> Parsed<T> {
    Err(Box::new(Refusal { kind: Kind::Gotmpl(fault), span }))
}

fn too_deep<T>(what: &str, limit: usize, span: Span) -> Parsed<T> {
    Err(Box::new(Refusal { kind: Kind::Limit(format!("{what} nested deeper than {limit}")), span }))
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// Lexemes given back, the next one last.
    ahead: Vec<Lexeme>,
    functions: BTreeMap<&'t str, Function>,
    provided: Vec<Box<str>>,
    names: BTreeMap<&'t str, Variable>,
    variables: Vec<Box<str>>,
    scopes: Scopes<()>,
    definitions: BTreeMap<Box<str>, Vec<Node>>,
    /// The body being read.
    nodes: Vec<Node>,
    open: Vec<Open>,
    /// Enclosing `range` bodies in this definition.
    loops: usize,
    parens: usize,
}

/// An action that waits for its `end`.
struct Open {
    what: What,
    span: Span,
    /// The enclosing body so far.
    before: Vec<Node>,
    mark: usize,
}

enum What {
    Choice { with: bool, condition: Pipeline, done: Vec<(Pipeline, Vec<Node>)>, otherwise: bool },
    Range { over: Pipeline, body: Option<Vec<Node>> },
    Define { name: Box<str>, base: usize },
    Block { name: Box<str>, argument: Pipeline, base: usize, loops: usize, span: Span },
}

impl What {
    fn keyword(&self) -> &'static str {
        match self {
            Self::Choice { with: false, .. } => "if",
            Self::Choice { with: true, .. } => "with",
            Self::Range { .. } => "range",
            Self::Define { .. } => "define",
            Self::Block { .. } => "block",
        }
    }
}

impl<'t> Parser<'t> {
    fn new(source: &'t Source, options: &Options<'t>) -> Self {
        let mut functions = BTreeMap::new();
        for builtin in Builtin::ALL {
            functions.insert(builtin.name(), Function::Builtin(builtin));
        }
        let mut provided = Vec::new();
        for &Signature { name, least, most, .. } in options.functions {
            let at = u32::try_from(provided.len()).unwrap_or(u32::MAX);
            functions.insert(name, Function::Provided { at, least, most });
            provided.push(name.into());
        }
        let keyword = |name| !functions.contains_key(name);
        let lexer = Lexer::new(source.text(), options.delimiters, (keyword("break"), keyword("continue")));
        let mut parser = Self {
            text: source.text(),
            lexer,
            ahead: Vec::new(),
            functions,
            provided,
            names: BTreeMap::new(),
            variables: Vec::new(),
            scopes: Scopes::new(),
            definitions: BTreeMap::new(),
            nodes: Vec::new(),
            open: Vec::new(),
            loops: 0,
            parens: 0,
        };
        parser.declare("$");
        parser
    }

    fn run(&mut self, name: &str) -> Result<(), Refusal> {
        self.body(name).map_err(|refusal| *refusal)
    }

    fn finish(self) -> Set {
        let definitions = self.definitions.into_iter().map(|(name, body)| Definition { name, body }).collect();
        Set { definitions, variables: self.variables, functions: self.provided }
    }

    fn body(&mut self, name: &str) -> Parsed<()> {
        loop {
            let lexeme = self.next_solid();
            match lexeme.token {
                Token::Text => self.nodes.push(Node::Text(lexeme.span)),
                Token::LeftDelimiter => self.action()?,
                Token::End => match self.open.last() {
                    Some(open) => return refuse(Fault::UnexpectedEnd { open: open.what.keyword() }, open.span),
                    None => break,
                },
                _ => return self.unexpected(lexeme, "the text after else"),
            }
        }
        let body = core::mem::take(&mut self.nodes);
        self.define(name.into(), body, Span::point(0))
    }

    /// Everything between the delimiters, the left one passed.
    fn action(&mut self) -> Parsed<()> {
        let first = self.next_solid();
        let Token::Keyword(keyword) = first.token else { return self.value_action(first) };
        match keyword {
            Keyword::Define if self.open.is_empty() => self.open_define(first.span),
            Keyword::Define => self.unexpected(first, "command"),
            Keyword::Block => self.open_block(first.span),
            Keyword::If | Keyword::With => self.open_choice(keyword == Keyword::With, first.span),
            Keyword::Range => self.open_range(first.span),
            Keyword::Template => self.call(first.span),
            Keyword::Else => self.else_action(first.span),
            Keyword::End => {
                self.expect(Token::RightDelimiter, "end")?;
                self.close(first.span)
            }
            Keyword::Break | Keyword::Continue => self.leave_loop(keyword, first.span),
        }
    }

    fn value_action(&mut self, first: Lexeme) -> Parsed<()> {
        self.ahead.push(first);
        let pipeline = self.pipeline("command", Token::RightDelimiter)?;
        self.nodes.push(pipeline.into_node());
        Ok(())
    }

    fn leave_loop(&mut self, keyword: Keyword, span: Span) -> Parsed<()> {
        let breaks = keyword == Keyword::Break;
        self.expect(Token::RightDelimiter, if breaks { "{{break}}" } else { "{{continue}}" })?;
        if self.loops == 0 {
            let text = if breaks { "{{break}} outside {{range}}" } else { "{{continue}} outside {{range}}" };
            return refuse(Fault::UnexpectedControl(text), span);
        }
        self.nodes.push(if breaks { Node::Break } else { Node::Continue });
        Ok(())
    }

    fn call(&mut self, span: Span) -> Parsed<()> {
        let name = self.template_name("template clause")?;
        let next = self.next_solid();
        let argument = if next.token == Token::RightDelimiter {
            None
        } else {
            self.ahead.push(next);
            Some(self.pipeline("template clause", Token::RightDelimiter)?)
        };
        self.nodes.push(Node::Call(Box::new(Call { span, name, argument })));
        Ok(())
    }

    fn template_name(&mut self, context: &'static str) -> Parsed<Box<str>> {
        let lexeme = self.next_solid();
        if !matches!(lexeme.token, Token::Quoted | Token::Raw) {
            return self.unexpected(lexeme, context);
        }
        let bytes = self.text_literal(lexeme)?;
        match core::str::from_utf8(&bytes) {
            Ok(name) => Ok(name.into()),
            Err(_) => refuse(Fault::BadLiteral("the name of a template must be UTF-8".into()), lexeme.span),
        }
    }

    // Actions that enclose others.

    fn push(&mut self, what: What, span: Span, mark: usize) -> Parsed<()> {
        if self.open.len() >= NESTING {
            return too_deep("actions are", NESTING, span);
        }
        let before = core::mem::take(&mut self.nodes);
        self.open.push(Open { what, span, before, mark });
        Ok(())
    }

    fn open_define(&mut self, span: Span) -> Parsed<()> {
        let name = self.template_name("define clause")?;
        self.expect(Token::RightDelimiter, "define clause")?;
        let base = self.scopes.enter();
        self.declare("$");
        let mark = self.scopes.mark();
        self.push(What::Define { name, base }, span, mark)
    }

    fn open_block(&mut self, span: Span) -> Parsed<()> {
        let name = self.template_name("block clause")?;
        let argument = self.pipeline("block clause", Token::RightDelimiter)?;
        let base = self.scopes.enter();
        self.declare("$");
        let mark = self.scopes.mark();
        let loops = core::mem::take(&mut self.loops);
        self.push(What::Block { name, argument, base, loops, span }, span, mark)
    }

    fn open_choice(&mut self, with: bool, span: Span) -> Parsed<()> {
        let mark = self.scopes.mark();
        let condition = self.pipeline(if with { "with" } else { "if" }, Token::RightDelimiter)?;
        self.push(What::Choice { with, condition, done: Vec::new(), otherwise: false }, span, mark)
    }

    fn open_range(&mut self, span: Span) -> Parsed<()> {
        let mark = self.scopes.mark();
        let over = self.pipeline("range", Token::RightDelimiter)?;
        self.loops += 1;
        self.push(What::Range { over, body: None }, span, mark)
    }

    /// `else`, `else if` inside `if`, `else with` inside `with`.
    fn else_action(&mut self, span: Span) -> Parsed<()> {
        let pending = self.peek_solid().token;
        let chained = match pending {
            Token::Keyword(Keyword::If) => Some(false),
            Token::Keyword(Keyword::With) => Some(true),
            _ => {
                self.expect(Token::RightDelimiter, "else")?;
                None
            }
        };
        let Some(open) = self.open.last_mut() else {
            return refuse(Fault::UnexpectedControl("{{else}} without {{if}}, {{with}} or {{range}}"), span);
        };
        let again = Fault::UnexpectedToken { found: "{{else}}".into(), context: "an action that has one already" };
        match &mut open.what {
            What::Choice { otherwise: true, .. } | What::Range { body: Some(_), .. } => refuse(again, span),
            What::Choice { with, otherwise, .. } => {
                if chained != Some(*with) {
                    *otherwise = true;
                    return self.end_branch(None);
                }
                let context = if *with { "with" } else { "if" };
                self.next_solid();
                let condition = self.pipeline(context, Token::RightDelimiter)?;
                self.end_branch(Some(condition))
            }
            What::Range { body, .. } => {
                *body = Some(core::mem::take(&mut self.nodes));
                self.loops -= 1;
                Ok(())
            }
            What::Define { .. } | What::Block { .. } => {
                refuse(Fault::UnexpectedControl("{{else}} without {{if}}, {{with}} or {{range}}"), span)
            }
        }
    }

    /// Puts the body just read with its condition, and takes up the next condition.
    fn end_branch(&mut self, next: Option<Pipeline>) -> Parsed<()> {
        let body = core::mem::take(&mut self.nodes);
        if let Some(Open { what: What::Choice { condition, done, .. }, .. }) = self.open.last_mut() {
            let next = next.unwrap_or_else(Pipeline::empty);
            done.push((core::mem::replace(condition, next), body));
        }
        Ok(())
    }

    fn close(&mut self, span: Span) -> Parsed<()> {
        let Some(open) = self.open.pop() else {
            return refuse(Fault::UnexpectedControl("{{end}} without an action to end"), span);
        };
        let body = core::mem::replace(&mut self.nodes, open.before);
        match open.what {
            What::Choice { with, condition, mut done, otherwise } => {
                self.scopes.release(open.mark);
                let otherwise = if otherwise {
                    body
                } else {
                    done.push((condition, body));
                    Vec::new()
                };
                let choice = Box::new(Choice { branches: done, otherwise });
                self.nodes.push(if with { Node::With(choice) } else { Node::If(choice) });
            }
            What::Range { over, body: first } => {
                self.scopes.release(open.mark);
                let (body, otherwise) = match first {
                    Some(first) => (first, body),
                    None => {
                        self.loops -= 1;
                        (body, Vec::new())
                    }
                };
                self.nodes.push(Node::Range(Box::new(Loop { over, body, otherwise })));
            }
            What::Define { name, base } => {
                self.scopes.leave(base);
                self.define(name, body, open.span)?;
            }
            What::Block { name, argument, base, loops, span, .. } => {
                self.scopes.leave(base);
                self.loops = loops;
                self.define(name.clone(), body, open.span)?;
                self.nodes.push(Node::Call(Box::new(Call { span, name, argument: Some(argument) })));
            }
        }
        Ok(())
    }

    /// Of two definitions of one name one must be blank, and the other holds.
    fn define(&mut self, name: Box<str>, body: Vec<Node>, span: Span) -> Parsed<()> {
        let blank = |body: &[Node]| {
            body.iter().all(|node| matches!(node, Node::Text(span) if span.of(self.text).trim().is_empty()))
        };
        match self.definitions.get(&name) {
            Some(known) if !blank(known) => {
                if blank(&body) {
                    return Ok(());
                }
                refuse(Fault::Redefinition(name.into()), span)
            }
            _ => {
                self.definitions.insert(name, body);
                Ok(())
            }
        }
    }

    // Pipelines.

    fn pipeline(&mut self, context: &'static str, end: Token) -> Parsed<Pipeline> {
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

    fn text_literal(&self, lexeme: Lexeme) -> Parsed<Vec<u8>> {
        let text = lexeme.span.of(self.text);
        let body = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        if lexeme.token == Token::Raw {
            return Ok(body.bytes().filter(|&byte| byte != b'\r').collect());
        }
        constant::text(body).or_else(|fault| refuse(fault, lexeme.span))
    }

    fn function(&self, name: &str, span: Span) -> Parsed<Function> {
        match self.functions.get(name) {
            Some(function) => Ok(*function),
            None => {
                let nearest = nearest(name, self.functions.keys().copied()).map(Into::into);
                refuse(Fault::UnknownFunction { name: name.into(), nearest }, span)
            }
        }
    }

    fn used(&mut self, name: &'t str, span: Span) -> Parsed<Variable> {
        match self.names.get(name) {
            Some(&variable) if self.scopes.get(variable).is_some() => Ok(variable),
            _ => refuse(Fault::UndefinedVariable(name.into()), span),
        }
    }

    /// Assignments declare too, as far as reading goes: only rendering knows that the variable is missing.
    fn declare(&mut self, name: &'t str) {
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

    // Lexemes.

    fn next(&mut self) -> Lexeme {
        self.ahead.pop().unwrap_or_else(|| self.lexer.next())
    }

    fn peek(&mut self) -> Lexeme {
        let lexeme = self.next();
        self.ahead.push(lexeme);
        lexeme
    }

    fn next_solid(&mut self) -> Lexeme {
        loop {
            let lexeme = self.next();
            if lexeme.token != Token::Space {
                return lexeme;
            }
        }
    }

    /// Spaces before the lexeme are gone after this.
    fn peek_solid(&mut self) -> Lexeme {
        let lexeme = self.next_solid();
        self.ahead.push(lexeme);
        lexeme
    }

    fn expect(&mut self, token: Token, context: &'static str) -> Parsed<()> {
        let lexeme = self.next_solid();
        if lexeme.token == token { Ok(()) } else { self.unexpected(lexeme, context) }
    }

    #[cold]
    fn unexpected<T>(&mut self, lexeme: Lexeme, context: &'static str) -> Parsed<T> {
        if lexeme.token == Token::Error
            && let Some(fault) = self.lexer.take_fault()
        {
            return refuse(fault, lexeme.span);
        }
        let text = lexeme.span.of(self.text);
        let found = match lexeme.token {
            Token::End => "the end of the text".into(),
            Token::RightDelimiter => "the end of the action".into(),
            Token::Keyword(keyword) => format!("<{keyword}>"),
            _ => format!("{:?}", text.chars().take(20).collect::<alloc::string::String>()),
        };
        refuse(Fault::UnexpectedToken { found, context }, lexeme.span)
    }
}

impl Pipeline {
    /// As an action; one that shows a single field has a node of its own.
    fn into_node(mut self) -> Node {
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

    fn empty() -> Self {
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
