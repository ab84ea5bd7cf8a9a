//! Tokens into a tree.
//!
//! Actions that enclose others (`if`, `range`, `define`, …) are kept on a stack of their own; only
//! parentheses recurse. Both are limited.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::Options;
use super::ast::{Call, Choice, Definition, Loop, Node, Pipeline, Set, Variable};
use super::lexer::{self, Keyword, Lexeme, Lexer, Token};
use super::scope::Scopes;
use crate::error::{Error, GotmplFault as Fault, Kind, Result};
use crate::names::Signature;
use crate::span::{Source, Span};

mod pipeline;

/// Largest template text, in bytes.
const SIZE: usize = 4 << 20;
/// How deep actions may enclose each other.
const NESTING: usize = 100;
/// How deep parentheses may.
const PARENTHESES: usize = 50;

/// Reads a template and those it defines.
pub(super) fn parse(source: &Source, options: &Options<'_>) -> Result<Set> {
    if source.text().len() > SIZE {
        return Err(Error::limit(format!("template is larger than {} MiB", SIZE >> 20)));
    }
    let mut parser = Parser::new(source, options);
    let outcome = parser.run(options.name);
    if let Some(span) = parser.lexer.exceeded() {
        let text = format!("template has more than {} words and signs in its actions", lexer::TOKENS);
        return Err(Error::limit(text).at(source.at(span)));
    }
    match outcome {
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
    /// The functions that the caller provides.
    provided: &'t [Signature],
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
        let provided = options.functions;
        let keyword = |name| provided.iter().all(|function| function.name != name);
        let lexer = Lexer::new(source.text(), options.delimiters, (keyword("break"), keyword("continue")));
        let mut parser = Self {
            text: source.text(),
            lexer,
            ahead: Vec::new(),
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
        Set {
            definitions,
            variables: self.variables,
            functions: self.provided.iter().map(|function| function.name.into()).collect(),
        }
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
