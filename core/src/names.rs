//! What a language sees of the world: variables, functions, and how much work it may do.

use alloc::vec::Vec;
use core::cell::Cell;

use crate::error::{Error, Result};
use crate::value::{Text, Value};

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
///
/// A step is about 30 ns of work, so that what is refused is refused soon: a node of a tree, a turn of a loop,
/// a handful of items, [`Fuel::PACE`] bytes that are looked at. Whoever walks data pays **before** it walks, in
/// proportion to what it may have to look at; whoever makes data pays before it makes it.
///
/// Bytes are what an evaluation holds at once, as far as that is cheap to know: what is made is spent, and what a turn
/// of a loop made and did not keep is given back when the turn is over ([`Fuel::forget`]); anything else counts until
/// the evaluation ends.
#[derive(Debug)]
pub struct Fuel {
    steps: Cell<u64>,
    bytes: Cell<u64>,
    depth: Cell<u16>,
}

impl Fuel {
    /// Evaluation steps of one field, template or resource list.
    pub const STEPS: u64 = 1_250_000;
    /// Bytes that one evaluation may hold.
    pub const BYTES: u64 = 12 << 20;
    /// How deep `template()`, `jet()`, blocks and nested templates may call each other.
    pub const DEPTH: u16 = 32;
    /// Bytes that one step looks at.
    pub const PACE: usize = 16;

    /// Bytes that a list or map takes besides its items: counts, sizes and what two allocations cost.
    pub const CONTAINER: usize = 112;

    /// Bytes that a text takes besides its own: counts, and what an allocation costs.
    pub const TEXT: usize = 32;

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
            None => Self::too_many(),
        }
    }

    /// Looks at this many bytes of text or data that exist: one step and one more for each [`Fuel::PACE`] of them.
    ///
    /// # Errors
    /// As [`Fuel::step`].
    pub fn scan(&self, bytes: usize) -> Result<()> {
        self.step(1 + (bytes / Self::PACE) as u64)
    }

    /// Makes text of this many bytes, or of at most as many: asked before it is made. It is looked at once. Shared text
    /// is copied out of the buffer in which it grew, so as many bytes again must be left for that moment.
    ///
    /// # Errors
    /// As [`Fuel::step`] and [`Fuel::allocate`].
    pub fn text(&self, bytes: usize) -> Result<()> {
        self.scan(bytes)?;
        self.copy(bytes)
    }

    /// As [`Fuel::text`], for text that is copied from what there is: that is eight times as fast as looking at it.
    ///
    /// # Errors
    /// As [`Fuel::text`].
    pub fn copy(&self, bytes: usize) -> Result<()> {
        self.scan(bytes / 8)?;
        self.allocate(bytes.saturating_add(Self::TEXT))?;
        self.room(bytes)
    }

    /// Moves what is being made from a room of `from` bytes to one of `to`: only the difference stays spent, but for a
    /// moment there are both.
    ///
    /// # Errors
    /// As [`Fuel::allocate`].
    pub fn grow(&self, from: usize, to: usize) -> Result<()> {
        self.allocate(to.saturating_sub(from))?;
        self.room(from)
    }

    /// So many bytes are left, for what is there only for a moment.
    ///
    /// # Errors
    /// As [`Fuel::allocate`].
    pub fn room(&self, bytes: usize) -> Result<()> {
        if self.bytes.get() < bytes as u64 { Self::too_much() } else { Ok(()) }
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
            None => Self::too_much(),
        }
    }

    /// Makes a list of so many items.
    ///
    /// # Errors
    /// As [`Fuel::allocate`].
    pub fn list(&self, items: usize) -> Result<()> {
        self.allocate(Self::CONTAINER.saturating_add(items.saturating_mul(size_of::<Value>())))
    }

    /// Makes a map of so many entries; its keys exist.
    ///
    /// # Errors
    /// As [`Fuel::allocate`].
    pub fn map(&self, entries: usize) -> Result<()> {
        self.allocate(Self::CONTAINER.saturating_add(entries.saturating_mul(size_of::<(Text, Value)>())))
    }

    /// How many bytes are left, to be given to [`Fuel::forget`].
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.bytes.get()
    }

    /// Of all that was made since the mark, at most so many bytes are still held: the rest is given back.
    pub fn forget(&self, mark: u64, held: u64) {
        self.bytes.set(self.bytes.get().max(mark.saturating_sub(held)));
    }

    #[cold]
    fn too_many() -> Result<()> {
        Err(Error::limit(alloc::format!("evaluation takes more than {} steps", Self::STEPS)))
    }

    #[cold]
    fn too_much() -> Result<()> {
        Err(Error::limit(alloc::format!("evaluation makes more than {} MiB of data", Self::BYTES >> 20)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_needs_room_for_its_copy_but_spends_it_once() {
        let fuel = Fuel::with(1000, 200, 1);
        fuel.text(48).unwrap();
        assert_eq!((fuel.mark(), fuel.steps_left()), (120, 1000 - 5));
        assert!(fuel.text(45).is_err());
    }

    #[test]
    fn what_is_forgotten_is_given_back_and_never_more() {
        let fuel = Fuel::with(1000, 100, 1);
        let mark = fuel.mark();
        fuel.allocate(70).unwrap();
        fuel.forget(mark, 10);
        assert_eq!(fuel.mark(), 90);
        fuel.forget(mark, 50);
        assert_eq!(fuel.mark(), 90);
    }
}
