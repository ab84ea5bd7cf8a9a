//! Finds expressions in text and gives fields their values.
//!
//! A [`World`] is what templates see: facts, data and the process environment, the directory that
//! relative files start at, and what a missing `lookup` means. It is built once for a run (or once
//! for a hierarchy) and owns its values. An [`Env`] is a world together with the machine that
//! `file()` and the clock reach; it is made of references, cheap, and lives for one use:
//!
//! ```
//! use ccm_core::render::{Env, World};
//! use ccm_core::value::json;
//!
//! let world = World::sandbox(json::parse(r#"{"os": {"family": "debian"}, "cpus": 4}"#)?);
//! let env = Env::confined(&world);
//! assert_eq!(env.text("os:{{ Facts.os.family }}")?, "os:debian");
//! assert_eq!(env.typed(" ${ Facts.cpus } ")?, 4_i64.into());
//! assert!(env.condition("Facts.cpus > 2")?);
//! # Ok::<(), ccm_core::Error>(())
//! ```
//!
//! Everything is evaluated once: text that came out of an expression is never scanned again. The
//! sandbox of a hierarchy is not a flag to remember but an `Env` without a machine: it has `lookup`
//! and nothing else.

use alloc::borrow::ToOwned;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

pub use field::{Field, Template};
pub use functions::Offered;
pub use scan::{expressions, has_expression, literal};
pub use tree::literals;

use crate::error::{Error, RenderFault, Result};
use crate::expr::Program;
use crate::host::{Clock, Files, Host};
use crate::names::{Fuel, Scope};
use crate::span::{Source, Span};
use crate::value::wire::room;
use crate::value::{Map, Named, Shape, Value, show};

mod field;
mod functions;
mod scan;
mod tree;

/// What templates see.
#[derive(Debug)]
pub struct World {
    /// `Facts`, `Data`, `Environ`; always maps, so that a member of one that was not given is null.
    variables: [(&'static str, Value); 3],
    /// Which of them paths see as null, as they were not given.
    absent: [bool; 3],
    directory: String,
    missing: Missing,
    nil: Nil,
    /// Compiled expressions by their text: a manifest repeats itself.
    programs: RefCell<Named<Rc<Program>>>,
    conditions: RefCell<Named<Rc<Program>>>,
}

/// What `lookup` of a path that leads nowhere gives when it has no default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// An error.
    Refused,
    /// Empty text.
    Empty,
}

/// What becomes of a null that an expression prints into text.
#[derive(Debug)]
enum Nil {
    /// It prints as `<nil>`.
    Printed,
    /// It prints as `<nil>` and the expression is noted for a warning.
    Noted(RefCell<Vec<String>>),
}

/// How many compiled expressions a world keeps.
const KEPT_PROGRAMS: usize = 512;

impl World {
    /// The world of a manifest: `lookup` of something missing is an error.
    #[must_use]
    pub fn new(facts: Value, data: Value, environ: impl Into<Value>) -> Self {
        Self::of(facts, data, environ.into(), Missing::Refused)
    }

    /// The world of a hierarchy: facts alone, and `lookup` of something missing is empty text.
    #[must_use]
    pub fn sandbox(facts: Value) -> Self {
        let mut world = Self::of(facts, Value::Null, Value::Null, Missing::Empty);
        world.nil = Nil::Noted(RefCell::default());
        world
    }

    fn of(facts: Value, data: Value, environ: Value, missing: Missing) -> Self {
        let given = [facts, data, environ];
        let absent = given.each_ref().map(|value| matches!(value, Value::Null));
        let [facts, data, environ] = given.map(|value| match value {
            Value::Null => Value::Map(Map::new().shaped(Shape::Absent)),
            given => given,
        });
        let environ = match environ {
            Value::Map(map) => Value::Map(map.shaped(Shape::Texts)),
            other => other,
        };
        Self {
            variables: [("Facts", facts), ("Data", data), ("Environ", environ)],
            absent,
            directory: String::new(),
            missing,
            nil: Nil::Printed,
            programs: RefCell::default(),
            conditions: RefCell::default(),
        }
    }

    /// The directory that relative paths of `file()` and `template()` start at.
    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<String>) -> Self {
        self.directory = directory.into();
        self
    }

    /// What a `lookup` without default gives for a missing path.
    #[must_use]
    pub fn with_missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// The same facts, environment and directory with other data.
    #[must_use]
    pub fn with_data(&self, data: Value) -> Self {
        let [facts, _, environ] = self.roots().map(|(_, value)| value.clone());
        Self::of(facts, data, environ, self.missing).in_directory(self.directory.clone())
    }

    /// The gathered facts.
    #[must_use]
    pub fn facts(&self) -> &Value {
        &self.variables[0].1
    }

    /// The resolved data.
    #[must_use]
    pub fn data(&self) -> &Value {
        &self.variables[1].1
    }

    /// The process environment.
    #[must_use]
    pub fn environ(&self) -> &Value {
        &self.variables[2].1
    }

    /// Where relative paths start.
    #[must_use]
    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// The roots by the names that expressions and templates use: `Facts`, `Data`, `Environ`.
    #[must_use]
    pub fn variables(&self) -> &[(&'static str, Value)] {
        &self.variables
    }

    /// The expressions that printed `<nil>` since this was last asked, for warnings.
    pub fn take_nils(&self) -> Vec<String> {
        match &self.nil {
            Nil::Noted(noted) => noted.take(),
            Nil::Printed => Vec::new(),
        }
    }

    /// The roots by the names that paths use.
    fn roots(&self) -> [(&'static str, &Value); 3] {
        let [facts, data, environ] = self.absent;
        let seen = |absent, value| if absent { &Value::Null } else { value };
        [
            ("facts", seen(facts, self.facts())),
            ("data", seen(data, self.data())),
            ("environ", seen(environ, self.environ())),
        ]
    }
}

/// A world and the machine it may look at.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    world: &'a World,
    reach: Option<&'a dyn Files>,
    clock: Option<&'a dyn Clock>,
}

impl<'a> Env<'a> {
    /// A world on a machine: all functions.
    #[must_use]
    pub fn new(world: &'a World, host: &'a dyn Host) -> Self {
        Self { world, reach: Some(host), clock: Some(host) }
    }

    /// A world alone: `lookup` and no other function, no clock, no zones.
    #[must_use]
    pub fn confined(world: &'a World) -> Self {
        Self { world, reach: None, clock: None }
    }

    /// A world with `lookup`, a clock and its zones, but no files: what a hierarchy is given.
    #[must_use]
    pub fn timed(world: &'a World, clock: &'a dyn Clock) -> Self {
        Self { world, reach: None, clock: Some(clock) }
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &'a World {
        self.world
    }

    /// A text that is one expression, white space around it aside, gives that expression's value;
    /// any other gives text.
    ///
    /// # Errors
    /// What an expression gives, with its site inside the expression.
    pub fn typed(&self, text: &str) -> Result<Value> {
        self.typed_with(text, &Pass::new(&Fuel::new(), Printed::AsNil))
    }

    /// As [`Env::typed`], out of a purse that many texts share: those of one document.
    ///
    /// # Errors
    /// As [`Env::typed`].
    pub fn typed_from(&self, text: &str, fuel: &Fuel) -> Result<Value> {
        let value = self.typed_with(text, &Pass::new(fuel, Printed::AsNil))?;
        // Sharing makes a value cheap that is walked at its full size later on.
        fuel.allocate(usize::try_from(value.extent().weight).unwrap_or(usize::MAX))?;
        Ok(value)
    }

    /// As [`Env::typed`], but a null that would be printed into text is refused. A text that is one
    /// expression may give null.
    ///
    /// # Errors
    /// As [`Env::strict_text`].
    pub fn strict_typed(&self, text: &str) -> Result<Value> {
        self.typed_with(text, &Pass::new(&Fuel::new(), Printed::Refused))
    }

    /// A text with its expressions replaced by what they give; null prints as `<nil>`.
    ///
    /// # Errors
    /// As [`Env::typed`].
    pub fn text(&self, text: &str) -> Result<String> {
        Ok(self.filled(text, &Pass::new(&Fuel::new(), Printed::AsNil))?.text)
    }

    /// As [`Env::text`], but a null that would be printed is refused: what a resource may hold.
    ///
    /// # Errors
    /// As [`Env::typed`], and for a null, naming its expression and showing how to give a default.
    pub fn strict_text(&self, text: &str) -> Result<String> {
        Ok(self.filled(text, &Pass::new(&Fuel::new(), Printed::Refused))?.text)
    }

    /// A level of a hierarchy: its text, and whether it counts. It does when at least one expression
    /// gave something other than null or empty text; text without expressions does unless it is empty.
    ///
    /// # Errors
    /// As [`Env::typed`].
    pub fn matched(&self, text: &str, fuel: &Fuel) -> Result<(String, bool)> {
        let filled = self.filled(text, &Pass::new(fuel, Printed::AsNil))?;
        Ok((filled.text, filled.matched))
    }

    /// A bare expression, without braces, that must give a bool: `if` and `unless` of a resource.
    ///
    /// # Errors
    /// As [`Env::typed`], and for anything but a bool.
    pub fn condition(&self, expression: &str) -> Result<bool> {
        let fuel = Fuel::new();
        let scope = self.scope(&fuel);
        let compile = |source: &Source| Program::compile_bool(source, &scope);
        cached(&self.world.conditions, expression, compile)?.evaluate_bool(&scope)
    }

    /// A bare expression, without braces.
    ///
    /// # Errors
    /// As [`Env::typed`].
    pub fn evaluate(&self, expression: &str) -> Result<Value> {
        self.evaluate_with(expression, &Fuel::new())
    }

    fn evaluate_with(&self, expression: &str, fuel: &Fuel) -> Result<Value> {
        let scope = self.scope(fuel);
        let compile = |source: &Source| Program::compile(source, &scope);
        cached(&self.world.programs, expression, compile)?.evaluate_value(&scope)
    }

    fn typed_with(&self, text: &str, pass: &Pass<'_>) -> Result<Value> {
        let found = expressions(text)?;
        match found.as_slice() {
            [] => Ok(Value::from(text)),
            [only] if text.get(only.outer.clone()) == Some(text.trim()) => self.evaluate_found(text, only, pass),
            _ => Ok(Value::from(self.fill(text, &found, pass)?.text)),
        }
    }

    fn filled(&self, text: &str, pass: &Pass<'_>) -> Result<Filled> {
        self.fill(text, &expressions(text)?, pass)
    }

    fn fill(&self, text: &str, found: &[scan::Found], pass: &Pass<'_>) -> Result<Filled> {
        if found.is_empty() {
            return Ok(Filled { text: text.to_owned(), matched: !text.is_empty() });
        }
        let mut filled = Filled::default();
        let mut plain = 0;
        let pay = |from: usize, to: usize| {
            pass.fuel.scan(to - from)?;
            pass.fuel.grow(from, to)
        };
        for expression in found {
            let value = self.evaluate_found(text, expression, pass)?;
            let before = text.get(plain..expression.outer.start).unwrap_or("");
            plain = expression.outer.end;
            match &value {
                Value::Null => self.null_in_text(text, expression, pass)?,
                Value::Text(text) => filled.matched |= !text.is_empty(),
                _ => filled.matched = true,
            }
            room(&mut filled.text, before.len(), &pay)?;
            filled.text.push_str(before);
            match &value {
                Value::Text(text) => {
                    room(&mut filled.text, text.len(), &pay)?;
                    filled.text.push_str(text);
                }
                other => show::write_paid(&mut filled.text, other, &pay)?,
            }
        }
        filled.text.push_str(text.get(plain..).unwrap_or(""));
        Ok(filled)
    }

    fn evaluate_found(&self, text: &str, expression: &scan::Found, pass: &Pass<'_>) -> Result<Value> {
        let inner = text.get(expression.inner.clone()).unwrap_or("");
        self.evaluate_with(inner, pass.fuel).map_err(|fault| pass.sited(fault, expression))
    }

    /// A null that is about to be printed: refused, or noted for a warning.
    fn null_in_text(&self, text: &str, expression: &scan::Found, pass: &Pass<'_>) -> Result<()> {
        let inner = text.get(expression.inner.clone()).unwrap_or("");
        if pass.null == Printed::Refused {
            let fault = RenderFault::NilInText { expression: inner.into() };
            return Err(pass.sited(fault.into(), expression));
        }
        if let Nil::Noted(noted) = &self.world.nil {
            noted.borrow_mut().push(inner.to_owned());
        }
        Ok(())
    }

    /// What a language needs to know of this environment.
    #[must_use]
    pub fn scope<'s>(&'s self, fuel: &'s Fuel) -> Scope<'s> {
        Scope { variables: &self.world.variables, functions: self, fuel }
    }
}

/// What becomes of a null where text is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Printed {
    /// It prints as `<nil>`.
    AsNil,
    /// It is an error.
    Refused,
}

/// One evaluation of a text: what it spends, and where the text stands if it has a file of its own.
struct Pass<'p> {
    fuel: &'p Fuel,
    null: Printed,
    origin: Option<&'p Source>,
}

impl<'p> Pass<'p> {
    fn new(fuel: &'p Fuel, null: Printed) -> Self {
        Self { fuel, null, origin: None }
    }

    /// Adds the place of an expression in its file.
    fn sited(&self, fault: Error, expression: &scan::Found) -> Error {
        match self.origin {
            Some(source) => fault.at(source.at(Span::new(expression.inner.start, expression.inner.end))),
            None => fault,
        }
    }
}

#[derive(Default)]
struct Filled {
    text: String,
    matched: bool,
}

/// The program of a text, compiled once while the cache has room.
fn cached(
    programs: &RefCell<Named<Rc<Program>>>,
    text: &str,
    compile: impl FnOnce(&Source) -> Result<Program>,
) -> Result<Rc<Program>> {
    if let Some(program) = programs.borrow().get(text) {
        return Ok(program.clone());
    }
    let program = Rc::new(compile(&Source::anonymous(text))?);
    let mut kept = programs.borrow_mut();
    if kept.len() < KEPT_PROGRAMS {
        kept.insert(text.into(), program.clone());
    }
    Ok(program)
}
