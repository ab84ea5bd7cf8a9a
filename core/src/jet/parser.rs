//! Tokens as a tree.
//!
//! The order of look-aheads follows the language's own parser, since it decides which of two faults is told
//! and what a stray `else` means.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::ast::{Block, Catch, Closer, Command, Expr, ExprKind, Id, List, Name, Node, Parameter, Pipe, Set, Yield};
use super::lexer::{Keyword, Token, TokenKind};
use crate::error::{Error, JetFault, Kind, Result};
use crate::span::{Source, Span};
use crate::text::brief;
use crate::value::{Named, Text};

/// How deep actions and expressions may nest.
const DEPTH: u16 = 50;

/// The parts of a template and its blocks by name, of which the last of a name counts.
pub(super) struct Parsed {
    pub(super) root: List,
    pub(super) blocks: Named<Block>,
    /// Every name written, by its number.
    pub(super) names: Named<Id>,
}

pub(super) fn parse(source: &Source, tokens: Vec<Token>) -> Result<Parsed> {
    let mut names = Named::default();
    names.insert(".".into(), Id::DOT);
    let mut parser = Parser { source, tokens, at: 0, blocks: Named::default(), names, depth: 0 };
    let root = parser.template()?;
    Ok(Parsed { root, blocks: parser.blocks, names: parser.names })
}

pub(super) struct Parser<'a> {
    pub(super) source: &'a Source,
    tokens: Vec<Token>,
    at: usize,
    blocks: Named<Block>,
    names: Named<Id>,
    depth: u16,
}

/// A node, or what closes the list it stands in.
enum Part {
    Node(Node),
    Closer(Closer),
}

impl Parser<'_> {
    pub(super) fn fault(&self, span: Span, fault: JetFault) -> Error {
        Error::new(Kind::Jet(fault)).at(self.source.at(span))
    }

    /// Any token, blanks included; the last one stays.
    pub(super) fn peek_any(&self) -> &Token {
        // The lexer always ends with `End` or `Fault`, which is never passed.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn skip_space(&mut self) {
        while self.peek_any().kind == TokenKind::Space {
            self.at += 1;
        }
    }

    pub(super) fn peek(&mut self) -> &Token {
        self.skip_space();
        self.peek_any()
    }

    fn kind(&mut self) -> TokenKind {
        self.peek().kind.clone()
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(super) fn is(&mut self, operator: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Operator(found) if found == operator)
    }

    pub(super) fn eat(&mut self, operator: &str) -> bool {
        let found = self.is(operator);
        if found {
            self.next();
        }
        found
    }

    fn is_keyword(&mut self, keyword: Keyword) -> bool {
        self.peek().kind == TokenKind::Keyword(keyword)
    }

    pub(super) fn text(&self, span: Span) -> Text {
        span.of(self.source.text()).into()
    }

    pub(super) fn name(&mut self, span: Span) -> Name {
        let text = span.of(self.source.text());
        if let Some((text, id)) = self.names.get_full(text) {
            return Name { id: *id, text: text.clone() };
        }
        // A template is far smaller than 2^32 bytes.
        let name = Name { id: Id(self.names.len() as u32), text: text.into() };
        self.names.insert(name.text.clone(), name.id);
        name
    }

    pub(super) fn unexpected<T>(&self, token: &Token, wanted: &'static str) -> Result<T> {
        let written = || format!("`{}`", brief(token.span.of(self.source.text())));
        Err(self.fault(
            token.span,
            match &token.kind {
                TokenKind::Fault(fault) => fault.clone(),
                TokenKind::End => JetFault::UnexpectedToken("end of text".into(), wanted),
                TokenKind::Keyword(Keyword::Import) => JetFault::NotAtStart("import"),
                TokenKind::Keyword(Keyword::Extends) => JetFault::NotAtStart("extends"),
                TokenKind::Keyword(_) => JetFault::UnexpectedKeyword(written(), wanted),
                _ => JetFault::UnexpectedToken(written(), wanted),
            },
        ))
    }

    pub(super) fn expect(&mut self, operator: &str, wanted: &'static str) -> Result<Token> {
        let token = self.next();
        match token.kind {
            TokenKind::Operator(found) if found == operator => Ok(token),
            _ => self.unexpected(&token, wanted),
        }
    }

    fn right_delimiter(&mut self) -> Result<()> {
        let token = self.next();
        if token.kind == TokenKind::RightDelimiter { Ok(()) } else { self.unexpected(&token, "the end of the action") }
    }

    /// One level deeper; every caller comes back up by [`Parser::leave`] when it succeeds.
    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            let span = self.peek_any().span;
            return Err(Error::limit(format!("template nests deeper than {DEPTH} levels")).at(self.source.at(span)));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    fn template(&mut self) -> Result<List> {
        self.start()?;
        let mut list = Vec::new();
        while self.peek_any().kind != TokenKind::End {
            let span = self.peek_any().span;
            match self.part()? {
                Part::Node(node) => append(&mut list, node),
                Part::Closer(Closer::Catch(_)) => list.push(Node::Stray),
                Part::Closer(closer) => {
                    let word = match closer {
                        Closer::Else => "else",
                        Closer::Content => "content",
                        _ => "end",
                    };
                    return Err(self.fault(span, JetFault::UnexpectedControl(word)));
                }
            }
        }
        Ok(list)
    }

    /// White space before the first action is dropped; `extends` and `import` would stand here.
    fn start(&mut self) -> Result<()> {
        loop {
            let token = self.peek_any().clone();
            match token.kind {
                TokenKind::Text if token.span.of(self.source.text()).trim().is_empty() => self.at += 1,
                TokenKind::LeftDelimiter => {
                    let before = self.at;
                    self.next();
                    if !self.is_keyword(Keyword::Extends) && !self.is_keyword(Keyword::Import) {
                        self.at = before;
                        return Ok(());
                    }
                    self.next();
                    let name = self.next();
                    if !matches!(name.kind, TokenKind::Quoted | TokenKind::Raw) {
                        return self.unexpected(&name, "the name of a template in quotes");
                    }
                    let shown = self.text(name.span);
                    return Err(self.fault(name.span, JetFault::NoTemplate((*shown).into())));
                }
                _ => return Ok(()),
            }
        }
    }

    fn part(&mut self) -> Result<Part> {
        let token = self.next();
        match token.kind {
            TokenKind::Text => Ok(Part::Node(Node::Text(token.span.of(self.source.text()).into()))),
            TokenKind::LeftDelimiter => {
                self.enter()?;
                let part = self.action()?;
                self.leave();
                Ok(part)
            }
            _ => self.unexpected(&token, "text or an action"),
        }
    }

    /// Parts up to one that closes; an unwelcome closer stays in the list and means nothing.
    fn list(&mut self, closes: fn(&Closer) -> bool) -> Result<(List, Closer)> {
        let mut list = Vec::new();
        loop {
            if self.peek().kind == TokenKind::End {
                let span = self.peek_any().span;
                return Err(self.fault(span, JetFault::UnexpectedEnd));
            }
            match self.part()? {
                Part::Node(node) => append(&mut list, node),
                Part::Closer(closer) if closes(&closer) => return Ok((list, closer)),
                Part::Closer(_) => list.push(Node::Stray),
            }
        }
    }

    fn until_end(&mut self) -> Result<List> {
        self.list(|closer| matches!(closer, Closer::End)).map(|(list, _)| list)
    }

    fn action(&mut self) -> Result<Part> {
        let TokenKind::Keyword(keyword) = self.kind() else { return self.plain_action().map(Part::Node) };
        let simple = |parser: &mut Self, closer| parser.right_delimiter().map(|()| Part::Closer(closer));
        match keyword {
            Keyword::Include => {
                self.next();
                let name = self.parse_expression()?;
                if self.peek().kind != TokenKind::RightDelimiter {
                    self.parse_expression()?;
                }
                self.right_delimiter()?;
                Ok(Part::Node(Node::Include { name }))
            }
            Keyword::Block => {
                self.next();
                self.block().map(Part::Node)
            }
            Keyword::End => {
                self.next();
                simple(self, Closer::End)
            }
            Keyword::Yield => {
                self.next();
                self.yields().map(Part::Node)
            }
            Keyword::Content => {
                self.next();
                simple(self, Closer::Content)
            }
            Keyword::If => {
                self.next();
                self.conditional().map(Part::Node)
            }
            Keyword::Else => {
                self.next();
                // `else if`: the `if` is left for the one who asked for the else.
                if self.is_keyword(Keyword::If) { Ok(Part::Closer(Closer::Else)) } else { simple(self, Closer::Else) }
            }
            Keyword::Range => {
                self.next();
                self.range().map(Part::Node)
            }
            Keyword::Try => {
                self.next();
                self.right_delimiter()?;
                let (body, closer) = self.list(|closer| matches!(closer, Closer::Catch(_) | Closer::End))?;
                let catch = match closer {
                    Closer::Catch(catch) => Some(catch),
                    _ => None,
                };
                Ok(Part::Node(Node::Try { body, catch }))
            }
            Keyword::Catch => {
                self.next();
                self.catch().map(|catch| Part::Closer(Closer::Catch(catch)))
            }
            Keyword::Return => {
                self.next();
                let value = self.parse_expression()?;
                self.right_delimiter()?;
                Ok(Part::Node(Node::Return(value)))
            }
            _ => self.plain_action().map(Part::Node),
        }
    }

    fn catch(&mut self) -> Result<Catch> {
        let mut variable = None;
        if self.peek().kind != TokenKind::RightDelimiter {
            let token = self.next();
            if token.kind != TokenKind::Identifier {
                return self.unexpected(&token, "a name for the error");
            }
            variable = Some(self.name(token.span));
        }
        self.right_delimiter()?;
        Ok(Catch { variable, body: self.until_end()? })
    }

    fn plain_action(&mut self) -> Result<Node> {
        let (set, mut base) = match self.assignment(false)? {
            Assigned::Set(set) => (Some(set), None),
            Assigned::Value(value) => (None, Some(value)),
        };
        if set.is_some() {
            let token = self.next();
            match token.kind {
                TokenKind::Operator(";") => base = Some(self.parse_expression()?),
                TokenKind::RightDelimiter => {}
                _ => return self.unexpected(&token, "; or the end of the action"),
            }
        }
        let pipe = match base {
            Some(base) => Some(self.pipeline(base)?),
            None => None,
        };
        if let (None, Some(Pipe { commands })) = (&set, &pipe)
            && let [Command { base: Expr { kind: ExprKind::Identifier(name), span, .. }, arguments: None }] =
                &**commands
        {
            return Ok(Node::Show { before: Box::default(), name: name.clone(), span: *span });
        }
        Ok(Node::Action { set, pipe })
    }

    fn pipeline(&mut self, base: Expr) -> Result<Pipe> {
        let mut commands = vec![self.command(base)?];
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::RightDelimiter => return Ok(Pipe { commands }),
                TokenKind::Operator("|") => {}
                _ => return self.unexpected(&token, "| or the end of the action"),
            }
            if !matches!(self.peek().kind, TokenKind::Field | TokenKind::Identifier) {
                let token = self.next();
                return self.unexpected(&token, "the name of a function");
            }
            let base = self.parse_expression()?;
            commands.push(self.command(base)?);
        }
    }

    fn command(&mut self, base: Expr) -> Result<Command> {
        if let ExprKind::Call(function, arguments) = base.kind {
            return Ok(Command { base: *function, arguments: Some(arguments) });
        }
        let arguments = if self.eat(":") { Some(self.arguments()?) } else { None };
        Ok(Command { base, arguments })
    }

    fn conditional(&mut self) -> Result<Node> {
        let (set, condition) = match self.assignment(false)? {
            Assigned::Set(set) => {
                self.expect(";", "; and a condition")?;
                (Some(set), self.parse_expression()?)
            }
            Assigned::Value(value) => (None, value),
        };
        self.right_delimiter()?;
        let (then, closer) = self.list(|closer| matches!(closer, Closer::Else | Closer::End))?;
        let mut otherwise = None;
        if matches!(closer, Closer::Else) {
            if self.peek_any().kind == TokenKind::Keyword(Keyword::If) {
                self.next();
                self.enter()?;
                otherwise = Some(vec![self.conditional()?]);
                self.leave();
            } else {
                otherwise = Some(self.until_end()?);
            }
        }
        Ok(Node::If { set, condition, then, otherwise })
    }

    fn range(&mut self) -> Result<Node> {
        let span = self.peek().span;
        let (set, over) = match self.assignment(true)? {
            Assigned::Set(set) => (Some(set), None),
            Assigned::Value(value) => (None, Some(value)),
        };
        self.right_delimiter()?;
        let (body, closer) = self.list(|closer| matches!(closer, Closer::Else | Closer::End))?;
        let otherwise = match closer {
            Closer::Else => Some(self.until_end()?),
            _ => None,
        };
        Ok(Node::Range { set, over, body, otherwise, span })
    }

    fn block(&mut self) -> Result<Node> {
        let name = self.next();
        if name.kind != TokenKind::Identifier {
            return self.unexpected(&name, "the name of a block");
        }
        let parameters = self.parameters(true)?;
        let context = self.context()?;
        self.right_delimiter()?;
        let (body, closer) = self.list(|closer| matches!(closer, Closer::Content | Closer::End))?;
        let content = match closer {
            Closer::Content => Some(self.until_end()?),
            _ => None,
        };
        let (span, name) = (name.span, self.text(name.span));
        self.blocks.insert(name.clone(), Block { parameters, context, body, content, span });
        Ok(Node::Block { name })
    }

    fn context(&mut self) -> Result<Option<Expr>> {
        if self.peek().kind == TokenKind::RightDelimiter { Ok(None) } else { self.parse_expression().map(Some) }
    }

    fn yields(&mut self) -> Result<Node> {
        let name = self.next();
        if name.kind == TokenKind::Keyword(Keyword::Content) {
            let context = self.context()?;
            self.right_delimiter()?;
            return Ok(Node::YieldContent { context });
        }
        if name.kind != TokenKind::Identifier {
            return self.unexpected(&name, "the name of a block");
        }
        let parameters = self.parameters(false)?;
        let mut context = None;
        if self.peek().kind != TokenKind::RightDelimiter && !self.is_keyword(Keyword::Content) {
            context = Some(self.parse_expression()?);
        }
        let mut content = None;
        if self.is_keyword(Keyword::Content) {
            self.next();
            self.right_delimiter()?;
            content = Some(self.until_end()?);
        } else {
            self.right_delimiter()?;
        }
        Ok(Node::Yield(Yield { name: self.text(name.span), parameters, context, content, span: name.span }))
    }

    fn parameters(&mut self, declares: bool) -> Result<Vec<Parameter>> {
        self.expect("(", "( and parameters")?;
        let mut list = Vec::new();
        loop {
            let first = self.peek().clone();
            if first.kind == TokenKind::Identifier {
                let before = self.at;
                self.next();
                let name = self.name(first.span);
                match self.kind() {
                    TokenKind::Operator("," | ")") => list.push(Parameter { name: Some(name), value: None }),
                    TokenKind::Assign { .. } => {
                        self.next();
                        let value = self.parse_expression()?;
                        list.push(Parameter { name: Some(name), value: Some(value) });
                    }
                    _ if declares => {
                        let token = self.next();
                        return self.unexpected(&token, "a comma, = or )");
                    }
                    _ => {
                        self.at = before;
                        list.push(Parameter { name: None, value: Some(self.parse_expression()?) });
                    }
                }
            } else if !declares && !matches!(first.kind, TokenKind::Operator("," | ")")) {
                list.push(Parameter { name: None, value: Some(self.parse_expression()?) });
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "a closing parenthesis")?;
        Ok(list)
    }

    fn assignment(&mut self, ranges: bool) -> Result<Assigned> {
        let span = self.peek().span;
        let first = self.parse_expression()?;
        if !self.is(",") && !matches!(self.peek().kind, TokenKind::Assign { .. }) {
            return Ok(Assigned::Value(first));
        }
        let bad = |parser: &Self, what| Err(parser.fault(span, JetFault::BadAssignment(what)));
        let mut left = Vec::new();
        let mut operand = first;
        let declares = loop {
            match operand.kind {
                ExprKind::Field(_) | ExprKind::Chain(..) | ExprKind::Identifier(_) | ExprKind::Underscore => {
                    left.push(operand)
                }
                _ => return bad(self, "only a name or a field can be assigned to"),
            }
            let token = self.next();
            match token.kind {
                TokenKind::Operator(",") => operand = self.parse_expression()?,
                TokenKind::Assign { declares } => break declares,
                _ => return self.unexpected(&token, "a comma or an assignment"),
            }
        };
        if declares && left.iter().any(|place| !matches!(place.kind, ExprKind::Identifier(_) | ExprKind::Underscore)) {
            return bad(self, "only a name can be declared with :=");
        }
        let mut right = vec![self.parse_expression()?];
        while self.eat(",") {
            right.push(self.parse_expression()?);
        }
        let asks = !ranges && left.len() == 2 && right.len() == 1 && matches!(right[0].kind, ExprKind::Index(..));
        let fits = if ranges { left.len() <= 2 && right.len() == 1 } else { left.len() == right.len() || asks };
        if !fits {
            return bad(self, "the two sides of the assignment differ in number");
        }
        Ok(Assigned::Set(Set { declares, asks, left, right }))
    }
}

/// Adds a node; what shows a variable takes the text before it in.
fn append(list: &mut List, mut node: Node) {
    if let (Node::Show { before, .. }, Some(Node::Text(text))) = (&mut node, list.last_mut()) {
        *before = core::mem::take(text);
        list.pop();
    }
    list.push(node);
}

enum Assigned {
    Set(Set),
    Value(Expr),
}
