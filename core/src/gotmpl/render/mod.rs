//! Applies a template to data.
//!
//! Bodies are walked with a stack of their own, one frame for each body being read, so that `break`, `continue` and
//! templates that call each other cost heap and steps. Pipelines recurse as deep as parentheses do.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::slice;

use super::ast::{Call, Choice, Field, Loop, Node, Set, Variable};
use super::printf;
use super::scope::Scopes;
use super::val::{Dict, List, Val};
use crate::error::{Error, GotmplFault as Fault, Kind, Result};
use crate::names::{Fuel, Functions};
use crate::span::{Source, Span};
use crate::value::{Value, show};

mod evaluate;

/// How deep templates may call each other: such calls take no native stack.
const CALLS: usize = 1_000;

/// Renders the template of a name.
pub(super) fn render(
    source: &Source,
    set: &Set,
    name: &str,
    data: &Value,
    functions: &dyn Functions,
    fuel: &Fuel,
) -> Result<Vec<u8>> {
    let data = match data {
        Value::Null => Val::Absent,
        value => value.into(),
    };
    let mut renderer = Renderer {
        source,
        text: source.text(),
        set,
        functions,
        fuel,
        out: Vec::new(),
        scopes: Scopes::new(),
        dot: data.clone(),
        frames: Vec::new(),
        calls: 0,
    };
    renderer.make_room(source.text().len().min(AHEAD))?;
    renderer.scopes.declare(DOLLAR, data);
    if let Some(definition) = set.find(name) {
        renderer.push(&definition.body, Then::Release(0));
        renderer.run()?;
    }
    Ok(renderer.out)
}

/// Room is made ahead for the text of a template up to this size.
const AHEAD: usize = 1 << 18;

/// `$`: the data that the template was called with.
const DOLLAR: Variable = 0;

struct Renderer<'a> {
    source: &'a Source,
    text: &'a str,
    set: &'a Set,
    functions: &'a dyn Functions,
    fuel: &'a Fuel,
    out: Vec<u8>,
    scopes: Scopes<Val<'a>>,
    dot: Val<'a>,
    frames: Vec<Frame<'a>>,
    calls: usize,
}

/// A body being read, and what to do at its end.
struct Frame<'a> {
    rest: slice::Iter<'a, Node>,
    then: Then<'a>,
}

enum Then<'a> {
    /// Forget variables back to a mark.
    Release(usize),
    /// The same after `with`, and give back the dot.
    Restore { mark: usize, dot: Val<'a> },
    /// Read the body again with the next item.
    Again(Box<Iteration<'a>>),
    /// Go back into the calling template.
    Return { base: usize, dot: Val<'a> },
}

struct Iteration<'a> {
    body: &'a [Node],
    targets: &'a [Variable],
    assigns: bool,
    items: Items<'a>,
    next: usize,
    /// Before the variables of the range, and after them.
    outer: usize,
    inner: usize,
    dot: Val<'a>,
}

enum Items<'a> {
    Count(i64),
    List(List<'a>),
    Map(Dict<'a>),
}

impl<'a> Renderer<'a> {
    #[cold]
    fn fail<T>(&self, fault: Fault, span: Span) -> Result<T> {
        Err(Error::new(Kind::Gotmpl(fault)).at(self.source.at(span)))
    }

    #[cold]
    fn place(&self, error: Error, span: Span) -> Error {
        error.at(self.source.at(span))
    }

    fn push(&mut self, body: &'a [Node], then: Then<'a>) {
        self.frames.push(Frame { rest: body.iter(), then });
    }

    fn run(&mut self) -> Result<()> {
        while let Some(frame) = self.frames.last_mut() {
            let mut rest = core::mem::take(&mut frame.rest);
            let before = rest.len();
            let next = self.plain_nodes(&mut rest)?;
            self.fuel.step((before - rest.len()) as u64 + 1)?;
            match next {
                Some(node) => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.rest = rest;
                    }
                    self.control(node)?;
                }
                None => self.end_of_body(),
            }
        }
        Ok(())
    }

    /// Writes text and values up to the next node that begins or leaves a body.
    fn plain_nodes(&mut self, rest: &mut slice::Iter<'a, Node>) -> Result<Option<&'a Node>> {
        for node in rest {
            match node {
                Node::Text(span) => {
                    let bytes = self.text.as_bytes().get(span.start as usize..span.end as usize);
                    self.write(bytes.unwrap_or(&[]))?;
                }
                Node::Member(field) => self.member(field)?,
                Node::Action(pipeline) => {
                    let value = self.pipeline(pipeline)?;
                    if pipeline.targets.is_empty() {
                        self.print(&value, pipeline.span)?;
                    }
                }
                other => return Ok(Some(other)),
            }
        }
        Ok(None)
    }

    /// A text member of a map, written without a detour: what most actions are.
    fn member(&mut self, field: &'a Field) -> Result<()> {
        if let Val::Map(Dict::Lent(map)) = self.dot
            && let Some(Value::Text(text)) = map.field(&field.name)
        {
            return self.write(text.as_bytes());
        }
        let value = self.field(&self.dot, field, false)?;
        self.print(&value, field.span)
    }

    fn control(&mut self, node: &'a Node) -> Result<()> {
        match node {
            Node::If(choice) => self.choose(choice, false),
            Node::With(choice) => self.choose(choice, true),
            Node::Range(range) => self.range(range),
            Node::Call(call) => self.call(call),
            Node::Break => {
                self.leave_to_loop();
                if let Some(Frame { then: Then::Again(iteration), .. }) = self.frames.pop() {
                    self.end_loop(*iteration);
                }
                Ok(())
            }
            Node::Continue => {
                self.leave_to_loop();
                Ok(())
            }
            Node::Text(_) | Node::Member(_) | Node::Action(_) => Ok(()),
        }
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() > self.out.capacity() - self.out.len() {
            self.make_room(bytes.len())?;
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Makes room for so much and as much again as there is, and pays for it.
    #[cold]
    fn make_room(&mut self, bytes: usize) -> Result<()> {
        let (room, len) = (self.out.capacity(), self.out.len());
        let wanted = len.saturating_add(bytes).max(room.saturating_mul(2));
        self.fuel.grow(room, wanted)?;
        self.out.reserve_exact(wanted - len);
        Ok(())
    }

    fn print(&mut self, value: &Val<'a>, span: Span) -> Result<()> {
        match value {
            Val::Text(text) => self.write(text.as_slice()),
            Val::Absent | Val::Nil => self.write(b"<no value>"),
            Val::Int(int) => self.write(show::Digits::of((*int).into()).as_bytes()),
            other => {
                let text =
                    printf::sprint(slice::from_ref(other), self.fuel).map_err(|error| self.place(error, span))?;
                self.write(&text)
            }
        }
    }

    fn end_of_body(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        if let Then::Again(iteration) = &mut frame.then {
            self.scopes.release(iteration.inner);
            if let Some((index, item)) = iteration.step() {
                frame.rest = iteration.body.iter();
                if !iteration.assigns {
                    bind(&mut self.scopes, iteration, index, &item);
                } else if assign(&mut self.scopes, iteration, index, &item).is_none() {
                    // The pipeline of the range has assigned to them already.
                    return;
                }
                self.dot = item;
                return;
            }
        }
        match self.frames.pop().map(|frame| frame.then) {
            Some(Then::Again(iteration)) => self.end_loop(*iteration),
            Some(then) => self.finish(then),
            None => {}
        }
    }

    fn finish(&mut self, then: Then<'a>) {
        match then {
            Then::Release(mark) => self.scopes.release(mark),
            Then::Restore { mark, dot } => {
                self.scopes.release(mark);
                self.dot = dot;
            }
            Then::Again(iteration) => self.end_loop(*iteration),
            Then::Return { base, dot } => {
                self.scopes.leave(base);
                self.dot = dot;
                self.calls -= 1;
            }
        }
    }

    fn end_loop(&mut self, iteration: Iteration<'a>) {
        self.scopes.release(iteration.outer);
        self.dot = iteration.dot;
    }

    /// Ends the bodies inside the innermost loop, so that its own is at its end.
    fn leave_to_loop(&mut self) {
        while let Some(frame) = self.frames.last_mut() {
            if matches!(frame.then, Then::Again(_)) {
                frame.rest = [].iter();
                return;
            }
            if let Some(frame) = self.frames.pop() {
                self.finish(frame.then);
            }
        }
    }

    fn choose(&mut self, choice: &'a Choice, with: bool) -> Result<()> {
        let mark = self.scopes.mark();
        for (condition, body) in &choice.branches {
            let value = self.pipeline(condition)?;
            if value.is_true() {
                let then = if with {
                    Then::Restore { mark, dot: core::mem::replace(&mut self.dot, value) }
                } else {
                    Then::Release(mark)
                };
                self.push(body, then);
                return Ok(());
            }
        }
        self.push(&choice.otherwise, Then::Release(mark));
        Ok(())
    }

    fn range(&mut self, range: &'a Loop) -> Result<()> {
        let outer = self.scopes.mark();
        let value = self.pipeline(&range.over)?;
        let span = range.over.span;
        let items = match value {
            Val::Int(_) | Val::Uint(_) | Val::Byte(_) if range.over.targets.len() > 1 => {
                return self.fail(Fault::CannotIterate("an integer has no second variable to range over".into()), span);
            }
            Val::Int(count) => Items::Count(count),
            Val::Uint(count) => Items::Count(i64::try_from(count).unwrap_or(i64::MAX)),
            Val::Byte(count) => Items::Count(i64::from(count)),
            Val::List(list) => Items::List(list),
            Val::Map(map) if !map.is_record() => Items::Map(map),
            Val::Absent | Val::Nil => Items::Count(0),
            other => return self.fail(Fault::CannotIterate(format!("cannot range over {}", other.kind())), span),
        };
        if items.is_empty() {
            self.push(&range.otherwise, Then::Release(outer));
            return Ok(());
        }
        let iteration = Iteration {
            body: &range.body,
            targets: &range.over.targets,
            assigns: range.over.assigns,
            items,
            next: 0,
            outer,
            inner: self.scopes.mark(),
            dot: self.dot.clone(),
        };
        self.push(&[], Then::Again(Box::new(iteration)));
        Ok(())
    }

    fn call(&mut self, call: &'a Call) -> Result<()> {
        let Some(definition) = self.set.find(&call.name) else {
            let known = self.set.definitions.iter().map(|known| (*known.name).into()).collect();
            return self.fail(Fault::NoTemplate { name: (*call.name).into(), known }, call.span);
        };
        if self.calls >= CALLS {
            let error = Error::limit(format!("templates call each other deeper than {CALLS}"));
            return Err(self.place(error, call.span));
        }
        let data = match &call.argument {
            Some(argument) => self.pipeline(argument)?,
            None => Val::Absent,
        };
        self.fuel.step(3)?;
        self.calls += 1;
        let base = self.scopes.enter();
        self.scopes.declare(DOLLAR, data.clone());
        let dot = core::mem::replace(&mut self.dot, data);
        self.push(&definition.body, Then::Return { base, dot });
        Ok(())
    }
}

impl Items<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Count(count) => *count <= 0,
            Self::List(list) => list.items().is_empty(),
            Self::Map(map) => map.map().is_empty(),
        }
    }
}

impl<'a> Iteration<'a> {
    /// The next index or key, and its item.
    fn step(&mut self) -> Option<(Val<'a>, Val<'a>)> {
        let at = self.next;
        let number = i64::try_from(at).ok()?;
        self.next += 1;
        match &self.items {
            Items::Count(count) => (number < *count).then_some((Val::Absent, Val::Int(number))),
            Items::List(list) => Some((Val::Int(number), list.get(at)?)),
            Items::Map(map) => map.entry(at),
        }
    }
}

fn bind<'a>(scopes: &mut Scopes<Val<'a>>, iteration: &Iteration<'a>, index: Val<'a>, item: &Val<'a>) {
    if !iteration.targets.is_empty()
        && let Some(variable) = scopes.nth_last(0)
    {
        *variable = item.clone();
    }
    if iteration.targets.len() > 1
        && let Some(variable) = scopes.nth_last(1)
    {
        *variable = index;
    }
}

fn assign<'a>(scopes: &mut Scopes<Val<'a>>, iteration: &Iteration<'a>, index: Val<'a>, item: &Val<'a>) -> Option<()> {
    match *iteration.targets {
        [] => {}
        [only] => *scopes.get_mut(only)? = item.clone(),
        [first, second, ..] => {
            *scopes.get_mut(first)? = index;
            *scopes.get_mut(second)? = item.clone();
        }
    }
    Some(())
}
