//! Renders the tree: text, actions, conditions, ranges, blocks.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};

use super::Template;
use super::ast::{Block, Command, Expr, ExprKind, Id, List, Name, Node, Parameter, Pipe, Set, Yield};
use super::builtins::{FAULT, Function, Writer, no_template};
use super::output::Output;
use super::value::Val;
use super::variables::{Slot, Variables};
use crate::error::{Error, JetFault, Kind, Result};
use crate::names::Scope;
use crate::span::Span;
use crate::value::{self as data, Map, Shape, Text, Value};

/// The state of one rendering.
pub(super) struct Runtime<'t> {
    pub(super) template: &'t Template,
    pub(super) scope: &'t Scope<'t>,
    out: Output<'t>,
    pub(super) variables: Variables<'t>,
    /// `.`
    pub(super) context: Val,
    /// What `yield content` renders.
    content: Option<Rc<Content<'t>>>,
}

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
        let context: Map = scope.variables.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        Self {
            template,
            scope,
            out: Output::new(scope.fuel),
            variables: Variables::new(scope, &template.parsed.names),
            context: Val::Plain(context.shaped(Shape::Record(&[])).into()),
            content: None,
        }
    }

    pub(super) fn run(mut self) -> Result<String> {
        let template = self.template;
        self.list(&template.parsed.root)?;
        self.out.finish()
    }

    pub(super) fn fault(&self, span: Span, fault: JetFault) -> Error {
        Error::new(Kind::Jet(fault)).at(self.template.source.at(span))
    }

    fn list(&mut self, list: &'t List) -> Result<Returned> {
        let frames = self.variables.depth();
        let mut returned = false;
        self.scope.fuel.step(list.len() as u64 + 2)?;
        for node in list {
            match node {
                Node::Text(text) => self.out.push(text.as_bytes())?,
                Node::Show { before, name, span } => {
                    self.out.push(before.as_bytes())?;
                    self.show(name, *span)?;
                }
                Node::Action { set, pipe } => {
                    if let Some(set) = set {
                        if set.declares && self.variables.depth() == frames {
                            self.variables.open();
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
        self.variables.close(frames);
        Ok(returned)
    }

    fn show(&mut self, name: &'t Name, span: Span) -> Result<()> {
        match self.variables.get(name) {
            Some(Slot::Value(value)) => self.out.value(value),
            Some(Slot::Item(items, at)) => items.get(*at).map_or(Ok(()), |item| self.out.data(item)),
            None if name.id == Id::DOT => self.out.value(&self.context),
            None => {
                let value = self.identifier(name, span)?;
                self.out.value(&value)
            }
        }
    }

    #[inline(never)]
    fn statement(&mut self, node: &'t Node) -> Result<Returned> {
        match node {
            Node::If { set, condition, then, otherwise } => {
                let frames = self.variables.depth();
                if let Some(set) = set {
                    if set.declares {
                        self.variables.open();
                    }
                    self.set(set)?;
                }
                let returned = match (self.eval(condition)?.is_true(), otherwise) {
                    (true, _) => self.list(then)?,
                    (false, Some(otherwise)) => self.list(otherwise)?,
                    (false, None) => false,
                };
                self.variables.close(frames);
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
                let (written, frames, context) = (self.out.len(), self.variables.depth(), self.context.clone());
                let content = self.content.clone();
                match self.list(body) {
                    Ok(returned) => Ok(returned),
                    // What was spent is not given back by catching it.
                    Err(error) if matches!(error.kind(), Kind::Limit(_)) => Err(error),
                    Err(error) => {
                        self.out.rewind(written)?;
                        self.scope.fuel.step(FAULT)?;
                        self.variables.close(frames);
                        (self.context, self.content) = (context, content);
                        let Some(catch) = catch else { return Ok(false) };
                        if let Some(name) = &catch.variable {
                            self.variables.open();
                            self.variables.declare(name, Val::Plain(error.to_string().into()));
                        }
                        let returned = self.list(&catch.body)?;
                        self.variables.close(frames);
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
            Node::Stray | Node::Text(_) | Node::Show { .. } | Node::Action { .. } => Ok(false),
        }
    }

    /// No template has a name here.
    fn include(&mut self, name: &'t Expr) -> Error {
        match self.eval(name) {
            Ok(text @ Val::Plain(Value::Text(_))) => no_template(&text).at(self.template.source.at(name.span)),
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
        let (frames, context) = (self.variables.depth(), self.context.clone());
        let declares = set.is_some_and(|set| set.declares);
        if declares {
            self.variables.open();
        }
        let index = |at: usize| Value::from(at as i64);
        let mut place = |at: usize, otherwise| match set.and_then(|set| set.left.get(at)) {
            None => otherwise,
            Some(Expr { kind: ExprKind::Identifier(name), .. }) if declares => {
                Place::Own(self.variables.declare(name, Val::Missing))
            }
            Some(place) => Place::Given(place),
        };
        let (index_place, value_place) = (place(0, Place::Nowhere), place(1, Place::Context));
        let mut pass = Pass { index: index_place, value: value_place, body, any: false, returned: false };
        match over {
            Val::Plain(Value::List(items)) | Val::Inside(Value::List(items)) => {
                for at in 0..items.len() {
                    if pass.once(self, index(at), Handed::Item(&items, at))? {
                        break;
                    }
                }
            }
            Val::Plain(Value::Map(map)) | Val::Inside(Value::Map(map)) => {
                for (key, value) in map.iter() {
                    if pass.once(self, Value::Text(key.clone()), Handed::Value(Val::Inside(value.clone())))? {
                        break;
                    }
                }
            }
            Val::Texts(items) => {
                for (at, item) in items.iter().enumerate() {
                    if pass.once(self, index(at), Handed::Value(Val::Plain(item.clone())))? {
                        break;
                    }
                }
            }
            Val::Bytes(text) => {
                for (at, byte) in text.bytes().enumerate() {
                    if pass.once(self, index(at), Handed::Value(Val::Plain(Value::from(i64::from(byte)))))? {
                        break;
                    }
                }
            }
            Val::Ints(from, to) => {
                for (at, number) in (from..to).enumerate() {
                    if pass.once(self, index(at), Handed::Value(Val::Plain(Value::from(number))))? {
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
            self.variables.close(frames);
            returned = self.list(otherwise)?;
        }
        self.context = context;
        self.variables.close(frames);
        Ok(returned)
    }

    fn put(&mut self, place: &Place<'t>, value: Val) -> Result<()> {
        match place {
            Place::Own(at) => self.variables.write(*at, value),
            Place::Given(place) => self.assign(false, place, value)?,
            Place::Context => self.context = value,
            Place::Nowhere => {}
        }
        Ok(())
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
        let (frames, outer, before) = (self.variables.depth(), self.content.clone(), self.context.clone());
        if !block.parameters.is_empty() || !given.is_empty() {
            self.variables.open();
            for parameter in given {
                let Some(value) = &parameter.value else {
                    let name = parameter.name.as_ref().map_or("?", |name| &*name.text);
                    return Err(self.fault(block.span, JetFault::MissingParameter(name.into())));
                };
                let value = self.eval(value)?;
                if let Some(name) = &parameter.name {
                    self.variables.declare(name, value);
                }
            }
            for parameter in &block.parameters {
                let Some(name) = &parameter.name else { continue };
                if !self.variables.declares(name) {
                    let value = match &parameter.value {
                        Some(value) => self.eval(value)?,
                        None => Val::bool(false),
                    };
                    self.variables.declare(name, value);
                }
            }
        }
        if let Some(list) = content {
            self.content = Some(Rc::new(Content { list, frames: self.variables.depth(), outer: outer.clone() }));
        }
        if let Some(context) = context {
            self.context = self.eval(context)?;
        }
        self.list(&block.body)?;
        self.context = before;
        self.content = outer;
        self.variables.close(frames);
        Ok(())
    }

    /// The content that the innermost block was given, in the frames it was written in.
    fn yield_content(&mut self, context: Option<&'t Expr>) -> Result<()> {
        let Some(content) = self.content.clone() else { return Ok(()) };
        let _level = self.scope.fuel.enter()?;
        let before = self.context.clone();
        self.scope.fuel.step(self.variables.width(content.frames).saturating_mul(4))?;
        let hidden = self.variables.hide(content.frames);
        let outer = core::mem::replace(&mut self.content, content.outer.clone());
        let outcome = self.content(content.list, context);
        // A `try` around the block goes on with the block's frames.
        self.context = before;
        self.content = outer;
        self.variables.restore(content.frames, hidden);
        outcome
    }

    fn content(&mut self, list: &'t List, context: Option<&'t Expr>) -> Result<()> {
        if let Some(context) = context {
            self.context = self.eval(context)?;
        }
        self.list(list).map(|_| ())
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
                self.variables.declare(name, value);
                Ok(())
            }
            ExprKind::Identifier(name) => match self.variables.get_mut(name) {
                Some(slot) => {
                    *slot = value.named();
                    Ok(())
                }
                None => {
                    let what = format!("{0} has no value to replace; declare it with {0} := …", name.text);
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
        let Some(Val::Plain(Value::Map(map))) = self.variables.get_mut(name) else { return Ok(()) };
        assign_member(map, path, last, value.data())
            .and_then(|()| Value::Map(map.clone()).check_extent())
            .map_err(|fault| fault.at(source.at(span)))
    }

    fn pipe(&mut self, pipe: &'t Pipe) -> Result<()> {
        let Some((first, rest)) = pipe.commands.split_first() else { return Ok(()) };
        let mut value = self.command(first, None)?;
        for command in rest {
            let Some(piped) = value else { return Err(self.fault(command.base.span, JetFault::WriterNotLast)) };
            value = self.command(command, Some(piped))?;
        }
        if let Some(value) = value {
            self.out.value(&value)?;
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
        let weight = value.data().map_or(0, |data| data.extent().weight);
        // A byte becomes six at most.
        self.scope.fuel.text(usize::try_from(weight).unwrap_or(usize::MAX).saturating_mul(2))?;
        let mut text = String::new();
        value.print(&mut text);
        let mut escaped = String::with_capacity(text.len());
        writer.write(&mut escaped, &text);
        self.out.push(escaped.as_bytes())
    }
}

/// The passes of one range.
struct Pass<'t> {
    index: Place<'t>,
    value: Place<'t>,
    body: &'t List,
    any: bool,
    returned: Returned,
}

/// Where a range puts what it hands out.
enum Place<'t> {
    /// A variable of its own, declared once and then written in place.
    Own(usize),
    /// What else can be assigned to.
    Given(&'t Expr),
    /// With one variable it is the index, and `.` the value.
    Context,
    Nowhere,
}

/// What a range hands out.
enum Handed<'l> {
    Value(Val),
    Item(&'l data::List, usize),
}

impl<'t> Pass<'t> {
    /// One pass; true when the range ends with it.
    fn once(&mut self, runtime: &mut Runtime<'t>, index: Value, handed: Handed<'_>) -> Result<bool> {
        self.any = true;
        runtime.put(&self.index, Val::Plain(index))?;
        match (handed, &self.value) {
            (Handed::Item(items, at), Place::Own(slot)) => runtime.variables.stand(*slot, items, at),
            (Handed::Item(items, at), place) => {
                runtime.put(place, Val::Inside(items.get(at).cloned().unwrap_or_default()))?;
            }
            (Handed::Value(value), place) => runtime.put(place, value)?,
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
