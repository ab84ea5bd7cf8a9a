//! Renders the tree: text, actions, conditions, ranges, blocks.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Template;
use super::ast::{Block, Command, Expr, ExprKind, List, Node, Parameter, Pipe, Set, Yield};
use super::builtins::{Function, Writer};
use super::value::Val;
use crate::error::{Error, JetFault, Kind, Result};
use crate::names::Scope;
use crate::span::Span;
use crate::value::{Map, Shape, Text, Value};

/// The state of one rendering.
pub(super) struct Runtime<'t> {
    pub(super) template: &'t Template,
    pub(super) scope: &'t Scope<'t>,
    out: String,
    /// Variables, innermost last; the first frame holds the roots.
    frames: Vec<Frame>,
    /// `.`
    pub(super) context: Val,
    /// What `yield content` renders.
    content: Option<Rc<Content<'t>>>,
}

type Frame = Vec<(Text, Val)>;

/// Content given to a block, with the frames and the outer content it was written in.
struct Content<'t> {
    list: &'t List,
    frames: usize,
    outer: Option<Rc<Content<'t>>>,
}

/// Whether a `return` was passed, which ends the ranges around it.
type Returned = bool;

impl<'t> Runtime<'t> {
    pub(super) fn new(template: &'t Template, scope: &'t Scope<'t>) -> Self {
        let root = |value: &Value| if matches!(value, Value::Null) { Val::NoMap } else { value.clone().into() };
        let roots: Frame = scope.variables.iter().map(|(name, value)| ((*name).into(), root(value))).collect();
        let context: Map = scope.variables.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        Self {
            template,
            scope,
            out: String::new(),
            frames: alloc::vec![roots],
            context: Val::Plain(context.shaped(Shape::Record(&[])).into()),
            content: None,
        }
    }

    pub(super) fn run(mut self) -> Result<String> {
        let template = self.template;
        self.list(&template.parsed.root)?;
        Ok(self.out)
    }

    pub(super) fn fault(&self, span: Span, fault: JetFault) -> Error {
        Error::new(Kind::Jet(fault)).at(self.template.source.at(span))
    }

    fn list(&mut self, list: &'t List) -> Result<Returned> {
        let frames = self.frames.len();
        let mut returned = false;
        for node in list {
            self.scope.fuel.step(1)?;
            match node {
                Node::Text(span) => self.write(span.of(self.template.source.text()))?,
                Node::Action { set, pipe } => {
                    if let Some(set) = set {
                        if set.declares && self.frames.len() == frames {
                            self.frames.push(Frame::new());
                        }
                        self.set(set)?;
                    }
                    if let Some(pipe) = pipe {
                        self.pipe(pipe)?;
                    }
                }
                other => returned = self.statement(other)?,
            }
        }
        self.frames.truncate(frames);
        Ok(returned)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.scope.fuel.allocate(text.len())?;
        self.out.push_str(text);
        Ok(())
    }

    fn statement(&mut self, node: &'t Node) -> Result<Returned> {
        match node {
            Node::If { set, condition, then, otherwise } => {
                let frames = self.frames.len();
                if let Some(set) = set {
                    if set.declares {
                        self.frames.push(Frame::new());
                    }
                    self.set(set)?;
                }
                let returned = match (self.eval(condition)?.is_true(), otherwise) {
                    (true, _) => self.list(then)?,
                    (false, Some(otherwise)) => self.list(otherwise)?,
                    (false, None) => false,
                };
                self.frames.truncate(frames);
                Ok(returned)
            }
            Node::Range { set, over, body, otherwise, span } => {
                let over = match (set, over) {
                    (Some(set), _) => set.right.first(),
                    (None, over) => over.as_ref(),
                };
                let over = match over {
                    Some(over) => self.eval(over)?,
                    None => Val::Missing,
                };
                self.range(set.as_ref(), over, body, otherwise.as_ref(), *span)
            }
            Node::Try { body, catch } => {
                let (written, frames, context) = (self.out.len(), self.frames.len(), self.context.clone());
                let content = self.content.clone();
                match self.list(body) {
                    Ok(returned) => Ok(returned),
                    // What was spent is not given back by catching it.
                    Err(error) if matches!(error.kind(), Kind::Limit(_)) => Err(error),
                    Err(error) => {
                        self.out.truncate(written);
                        self.frames.truncate(frames);
                        (self.context, self.content) = (context, content);
                        let Some(catch) = catch else { return Ok(false) };
                        if let Some(name) = &catch.variable {
                            self.frames.push(alloc::vec![(name.clone(), Val::Plain(error.to_string().into()))]);
                        }
                        let returned = self.list(&catch.body)?;
                        self.frames.truncate(frames);
                        Ok(returned)
                    }
                }
            }
            Node::Yield(yielded) => {
                let Some(block) = self.template.parsed.blocks.get(&yielded.name) else {
                    return Err(self.fault(yielded.span, JetFault::UnresolvedBlock((*yielded.name).into())));
                };
                let Yield { parameters, context, content, .. } = yielded;
                self.block(block, parameters, context.as_ref(), content.as_ref())?;
                Ok(false)
            }
            Node::Block { name } => {
                if let Some(block) = self.template.parsed.blocks.get(name) {
                    self.block(block, &block.parameters, block.context.as_ref(), block.content.as_ref())?;
                }
                Ok(false)
            }
            Node::YieldContent { context } => {
                self.yield_content(context.as_ref())?;
                Ok(false)
            }
            Node::Include { name } => Err(self.include(name)),
            Node::Return(value) => {
                let value = self.eval(value)?;
                Ok(!matches!(value, Val::Missing))
            }
            Node::Stray | Node::Text(_) | Node::Action { .. } => Ok(false),
        }
    }

    /// No template has a name here.
    fn include(&mut self, name: &'t Expr) -> Error {
        match self.eval(name) {
            Ok(Val::Plain(Value::Text(text))) => self.fault(name.span, JetFault::NoTemplate(format!("{text:?}"))),
            Ok(other) => {
                let what = format!("include wants the name of a template, not {}", other.kind());
                self.fault(name.span, JetFault::Other(what))
            }
            Err(error) => error,
        }
    }

    fn range(
        &mut self,
        set: Option<&'t Set>,
        over: Val,
        body: &'t List,
        otherwise: Option<&'t List>,
        span: Span,
    ) -> Result<Returned> {
        let not_rangeable =
            |this: &Self, what: &str| this.fault(span, JetFault::Range(format!("cannot range over {what}")));
        let (frames, context) = (self.frames.len(), self.context.clone());
        if set.is_some_and(|set| set.declares) {
            self.frames.push(Frame::new());
        }
        let index = |at: usize| Value::from(at as i64);
        let mut pass = Pass { set, body, any: false, returned: false };
        match over {
            Val::Plain(Value::List(items)) | Val::Inside(Value::List(items)) => {
                for (at, item) in items.iter().enumerate() {
                    if pass.once(self, index(at), Val::Inside(item.clone()))? {
                        break;
                    }
                }
            }
            Val::Plain(Value::Map(map)) | Val::Inside(Value::Map(map)) => {
                for (key, value) in map.iter() {
                    if pass.once(self, Value::Text(key.clone()), Val::Inside(value.clone()))? {
                        break;
                    }
                }
            }
            Val::Texts(items) => {
                for (at, item) in items.iter().enumerate() {
                    if pass.once(self, index(at), Val::Plain(item.clone()))? {
                        break;
                    }
                }
            }
            Val::Bytes(text) => {
                for (at, byte) in text.bytes().enumerate() {
                    if pass.once(self, index(at), Val::Plain(Value::from(i64::from(byte))))? {
                        break;
                    }
                }
            }
            Val::Ints(from, to) => {
                for (at, number) in (from..to).enumerate() {
                    if pass.once(self, index(at), Val::Plain(Value::from(number)))? {
                        break;
                    }
                }
            }
            Val::NoMap => {}
            Val::Missing => return Err(not_rangeable(self, "nothing; a missing member, or nil")),
            other => return Err(not_rangeable(self, other.kind())),
        }
        let (any, mut returned) = (pass.any, pass.returned);
        if let (false, Some(otherwise)) = (any, otherwise) {
            returned = self.list(otherwise)?;
        }
        self.context = context;
        self.frames.truncate(frames);
        Ok(returned)
    }

    /// A block with its parameters, a context and content.
    fn block(
        &mut self,
        block: &'t Block,
        given: &'t [Parameter],
        context: Option<&'t Expr>,
        content: Option<&'t List>,
    ) -> Result<()> {
        let _level = self.scope.fuel.enter()?;
        let (frames, outer, before) = (self.frames.len(), self.content.clone(), self.context.clone());
        if !block.parameters.is_empty() || !given.is_empty() {
            self.frames.push(Frame::new());
            for parameter in given {
                let Some(value) = &parameter.value else {
                    let name = parameter.name.as_deref().unwrap_or("?");
                    return Err(self.fault(block.span, JetFault::MissingParameter(name.into())));
                };
                let value = self.eval(value)?;
                self.declare(parameter.name.as_ref(), value);
            }
            for parameter in &block.parameters {
                let known = self
                    .frames
                    .last()
                    .is_some_and(|frame| frame.iter().any(|(name, _)| Some(name) == parameter.name.as_ref()));
                if !known {
                    let value = match &parameter.value {
                        Some(value) => self.eval(value)?,
                        None => Val::bool(false),
                    };
                    self.declare(parameter.name.as_ref(), value);
                }
            }
        }
        if let Some(list) = content {
            self.content = Some(Rc::new(Content { list, frames: self.frames.len(), outer: outer.clone() }));
        }
        if let Some(context) = context {
            self.context = self.eval(context)?;
        }
        self.list(&block.body)?;
        self.context = before;
        self.content = outer;
        self.frames.truncate(frames);
        Ok(())
    }

    /// The content that the innermost block was given, in the frames it was written in.
    fn yield_content(&mut self, context: Option<&'t Expr>) -> Result<()> {
        let Some(content) = self.content.clone() else { return Ok(()) };
        let _level = self.scope.fuel.enter()?;
        let before = self.context.clone();
        let hidden = self.frames.split_off(content.frames.min(self.frames.len()));
        let outer = core::mem::replace(&mut self.content, content.outer.clone());
        if let Some(context) = context {
            self.context = self.eval(context)?;
        }
        self.list(content.list)?;
        self.context = before;
        self.content = outer;
        self.frames.extend(hidden);
        Ok(())
    }

    fn set(&mut self, set: &'t Set) -> Result<()> {
        if let (true, [value, found], [asked]) = (set.asks, &*set.left, &*set.right) {
            let got = self.eval(asked)?;
            let is = !matches!(got, Val::Missing);
            self.assign(set.declares, value, got)?;
            return self.assign(set.declares, found, Val::bool(is));
        }
        for (place, value) in set.left.iter().zip(&set.right) {
            let value = self.eval(value)?;
            self.assign(set.declares, place, value)?;
        }
        Ok(())
    }

    fn assign(&mut self, declares: bool, place: &'t Expr, value: Val) -> Result<()> {
        match &place.kind {
            ExprKind::Underscore => Ok(()),
            ExprKind::Identifier(name) if declares => {
                self.declare(Some(name), value);
                Ok(())
            }
            ExprKind::Identifier(name) => match self.slot(name) {
                Some(slot) => {
                    *slot = value.named();
                    Ok(())
                }
                None => {
                    let what = format!("{name} has no value to replace; declare it with {name} := …");
                    Err(self.fault(place.span, JetFault::Other(what)))
                }
            },
            ExprKind::Chain(base, fields) => self.assign_field(place, base, fields, value),
            _ => Ok(()),
        }
    }

    /// `base.a.b = value`, where base is a variable that holds a map. Of anything else there is nothing to change.
    fn assign_field(&mut self, place: &'t Expr, base: &'t Expr, fields: &'t [Text], value: Val) -> Result<()> {
        let (ExprKind::Identifier(name), Some((last, path))) = (&base.kind, fields.split_last()) else { return Ok(()) };
        let (span, source) = (place.span, self.template.source.clone());
        let Some(Val::Plain(Value::Map(map))) = self.slot(name) else { return Ok(()) };
        assign_member(map, path, last, value.data())
            .and_then(|()| Value::Map(map.clone()).check_extent())
            .map_err(|fault| fault.at(source.at(span)))
    }

    pub(super) fn declare(&mut self, name: Option<&Text>, value: Val) {
        let (Some(name), Some(frame)) = (name, self.frames.last_mut()) else { return };
        match frame.iter_mut().find(|(known, _)| known == name) {
            Some((_, slot)) => *slot = value.named(),
            None => frame.push((name.clone(), value.named())),
        }
    }

    fn slot(&mut self, name: &str) -> Option<&mut Val> {
        let frames = &mut self.frames;
        let at = frames
            .iter()
            .enumerate()
            .rev()
            .find_map(|(depth, frame)| frame.iter().position(|(known, _)| **known == *name).map(|at| (depth, at)))
            .or_else(|| frames.first()?.iter().position(|(known, _)| is_root(known, name)).map(|at| (0, at)))?;
        frames.get_mut(at.0)?.get_mut(at.1).map(|(_, value)| value)
    }

    /// The variable of a name.
    pub(super) fn variable(&self, name: &str) -> Option<&Val> {
        find(&self.frames, name)
    }

    /// Every name that is visible, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().flatten().map(|(name, _)| &**name)
    }

    fn pipe(&mut self, pipe: &'t Pipe) -> Result<()> {
        // The most common action prints a variable: from where it is, without a copy.
        if let [Command { base: Expr { kind: ExprKind::Identifier(name), .. }, arguments: None }] = &*pipe.commands
            && let Some(value) = find(&self.frames, name)
        {
            let before = self.out.len();
            value.print(&mut self.out);
            return self.scope.fuel.allocate(self.out.len() - before);
        }
        let Some((first, rest)) = pipe.commands.split_first() else { return Ok(()) };
        let mut value = self.command(first, None)?;
        for command in rest {
            let Some(piped) = value else { return Err(self.fault(command.base.span, JetFault::WriterNotLast)) };
            value = self.command(command, Some(piped))?;
        }
        if let Some(value) = value {
            let before = self.out.len();
            value.print(&mut self.out);
            self.scope.fuel.allocate(self.out.len() - before)?;
        }
        Ok(())
    }

    /// One stage of a pipeline; `None` when it wrote its output itself.
    fn command(&mut self, command: &'t Command, piped: Option<Val>) -> Result<Option<Val>> {
        let base = self.eval(&command.base)?;
        let span = command.base.span;
        let not_function = |this: &Self, kind| {
            this.fault(span, JetFault::NotFunction(format!("{kind} is called, but is no function")))
        };
        let function = match (base, &command.arguments, &piped) {
            (Val::Missing, _, Some(_)) => {
                return Err(self.fault(span, JetFault::InvalidValue("the function of a pipeline")));
            }
            (base @ Val::Missing, _, None) | (base, None, None) => return Ok(Some(base)),
            (Val::Function(function), ..) => function,
            (other, ..) => return Err(not_function(self, other.kind())),
        };
        if let Function::Writer(writer) = function {
            let arguments = command.arguments.as_ref().map_or(&[][..], |arguments| &arguments.list);
            if let Some(piped) = piped {
                self.escape(writer, &piped)?;
            }
            for argument in arguments {
                let value = self.eval(argument)?;
                self.escape(writer, &value)?;
            }
            return Ok(None);
        }
        self.call(function, command.arguments.as_ref(), piped, span).map(Some)
    }

    fn escape(&mut self, writer: Writer, value: &Val) -> Result<()> {
        let mut text = String::new();
        value.print(&mut text);
        let before = self.out.len();
        writer.write(&mut self.out, &text);
        self.scope.fuel.allocate(self.out.len() - before)
    }
}

/// The variable of a name, innermost first: `data` also means the root `Data`.
fn find<'f>(frames: &'f [Frame], name: &str) -> Option<&'f Val> {
    let found = frames.iter().rev().find_map(|frame| frame.iter().find(|(known, _)| **known == *name));
    let found = found.or_else(|| frames.first()?.iter().find(|(known, _)| is_root(known, name)));
    found.map(|(_, value)| value)
}

/// A root of the scope answers to its name with a small first letter too.
fn is_root(root: &str, name: &str) -> bool {
    root.len() == name.len() && root.get(1..) == name.get(1..) && root.eq_ignore_ascii_case(name)
}

/// The passes of one range.
struct Pass<'t> {
    set: Option<&'t Set>,
    body: &'t List,
    any: bool,
    returned: Returned,
}

impl<'t> Pass<'t> {
    /// One pass; true when the range ends with it. With one variable it is the index, and `.` the value.
    fn once(&mut self, runtime: &mut Runtime<'t>, index: Value, value: Val) -> Result<bool> {
        self.any = true;
        runtime.scope.fuel.step(1)?;
        match self.set {
            Some(set) => {
                if let Some(place) = set.left.first() {
                    runtime.assign(set.declares, place, Val::Plain(index))?;
                }
                match set.left.get(1) {
                    Some(place) => runtime.assign(set.declares, place, value)?,
                    None => runtime.context = value,
                }
            }
            None => runtime.context = value,
        }
        self.returned = runtime.list(self.body)?;
        Ok(self.returned)
    }
}

/// Puts a value where a path of members leads; no value removes what is there.
fn assign_member(map: &mut Map, path: &[Text], last: &Text, value: Option<Value>) -> Result<()> {
    let Some((field, rest)) = path.split_first() else {
        match value {
            Some(data) => map.insert(last.clone(), data),
            None => drop(map.remove(last)),
        }
        return Ok(());
    };
    let inside = map.update(field, |member| match member {
        Value::Map(inner) => assign_member(inner, rest, last, value),
        _ => Ok(()),
    });
    inside.unwrap_or_else(|| {
        let field = rest.first().unwrap_or(last);
        Err(Error::new(Kind::Jet(JetFault::NoSuchField { field: (**field).into(), of: "a missing member" })))
    })
}
