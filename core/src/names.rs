//! What a language sees of the world: variables, functions, and how much work it may do.

use alloc::vec::Vec;
use core::cell::Cell;

use crate::error::{Error, Result};
use crate::value::Value;

/// The environment of one evaluation: the same for all three languages.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The roots, by name: `Facts`, `Data`, `Environ`. A root's [`crate::value::Shape`] says how its
    /// members behave when they are missing.
    pub variables: &'a [(&'a str, Value)],
    /// Functions that reach beyond the language: `lookup`, `file`, `template`, `jet`, ...
    pub functions: &'a dyn Functions,
    /// What may still be spent; shared with everything this evaluation calls.
    pub fuel: &'a Fuel,
}

impl<'a> Scope<'a> {
    /// The root of this name.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&'a Value> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// Functions provided by the caller of a language.
pub trait Functions {
    /// The functions there are, with the number of arguments each takes.
    fn signatures(&self) -> &[Signature];

    /// Calls one of them. Arguments are plain data; arity has been checked.
    ///
    /// # Errors
    /// What the function itself finds wrong; the caller adds the site.
    fn call(&self, name: &str, arguments: &[Value], fuel: &Fuel) -> Result<Value>;

    /// The TZif bytes of a zone, for the date functions; `None` where it is unknown.
    fn zone(&self, _name: &str) -> Option<Vec<u8>> {
        None
    }

    /// The wall clock as seconds since 1970 and nanoseconds; `None` where there is none.
    fn now(&self) -> Option<(i64, u32)> {
        None
    }
}

/// Name and arity of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// As written in the source text.
    pub name: &'static str,
    /// Fewest arguments.
    pub least: u8,
    /// Most arguments; `u8::MAX` for any number.
    pub most: u8,
    /// It takes nothing but text and answers true or false, which a language that knows kinds beforehand
    /// holds its calls to.
    pub of_text: bool,
}

impl Signature {
    /// A function of anything, with so many arguments.
    #[must_use]
    pub const fn any(name: &'static str, least: u8, most: u8) -> Self {
        Self { name, least, most, of_text: false }
    }

    /// A question about so many texts.
    #[must_use]
    pub const fn of_text(name: &'static str, count: u8) -> Self {
        Self { name, least: count, most: count, of_text: true }
    }
}

/// No functions at all.
#[derive(Debug, Clone, Copy)]
pub struct NoFunctions;

impl Functions for NoFunctions {
    fn signatures(&self) -> &[Signature] {
        &[]
    }

    fn call(&self, name: &str, _: &[Value], _: &Fuel) -> Result<Value> {
        Err(Error::invalid(alloc::format!("function {name} is not available here")))
    }
}

/// Bounds on one evaluation, counted down. Shared by reference, so that a template that calls a
/// template spends from one purse.
#[derive(Debug)]
pub struct Fuel {
    steps: Cell<u64>,
    bytes: Cell<u64>,
    depth: Cell<u16>,
}

impl Fuel {
    /// Evaluation steps of one field, template or resource list.
    pub const STEPS: u64 = 3_000_000;
    /// Bytes that one evaluation may allocate for its results.
    pub const BYTES: u64 = 256 << 20;
    /// How deep `template()`, `jet()`, blocks and nested templates may call each other.
    pub const DEPTH: u16 = 32;

    /// A full purse.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Self::STEPS, Self::BYTES, Self::DEPTH)
    }

    /// A purse of a given size, for tests and for callers with stricter limits.
    #[must_use]
    pub fn with(steps: u64, bytes: u64, depth: u16) -> Self {
        Self { steps: Cell::new(steps), bytes: Cell::new(bytes), depth: Cell::new(depth) }
    }

    /// Spends steps.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] when none are left.
    #[inline]
    pub fn step(&self, steps: u64) -> Result<()> {
        match self.steps.get().checked_sub(steps) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => Err(Error::limit("evaluation takes too many steps")),
        }
    }

    /// Spends bytes of results.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] when none are left.
    #[inline]
    pub fn allocate(&self, bytes: usize) -> Result<()> {
        match self.bytes.get().checked_sub(bytes as u64) {
            Some(left) => {
                self.bytes.set(left);
                Ok(())
            }
            None => Err(Error::limit("evaluation makes too much data")),
        }
    }

    /// Goes one level deeper; the guard comes back up when it is dropped.
    ///
    /// # Errors
    /// [`crate::error::Kind::Limit`] when the nesting is too deep.
    pub fn enter(&self) -> Result<Level<'_>> {
        match self.depth.get().checked_sub(1) {
            Some(left) => {
                self.depth.set(left);
                Ok(Level(self))
            }
            None => Err(Error::limit("templates call each other too deeply")),
        }
    }

    /// Steps left: tests count work with it, not time.
    #[must_use]
    pub fn steps_left(&self) -> u64 {
        self.steps.get()
    }
}

impl Default for Fuel {
    fn default() -> Self {
        Self::new()
    }
}

/// One level of nesting, given back on drop.
#[derive(Debug)]
pub struct Level<'a>(&'a Fuel);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.depth.set(self.0.depth.get() + 1);
    }
}
