//! Names and what they stand for, the innermost declaration winning, each found in one step.
//!
//! Parser and renderer keep the same discipline: a declaration lasts to the `end` of the action that
//! encloses it, and a called template sees none of its caller's.

use alloc::vec::Vec;

use super::ast::Variable;

/// A stack of declarations.
#[derive(Debug)]
pub(super) struct Scopes<T> {
    stack: Vec<Entry<T>>,
    /// By name: one more than the index of its innermost declaration, 0 for none.
    innermost: Vec<u32>,
    /// Where the declarations of the current template begin.
    base: usize,
}

#[derive(Debug)]
struct Entry<T> {
    name: Variable,
    shadowed: u32,
    value: T,
}

impl<T> Scopes<T> {
    pub(super) fn new() -> Self {
        Self { stack: Vec::new(), innermost: Vec::new(), base: 0 }
    }

    pub(super) fn declare(&mut self, name: Variable, value: T) {
        let at = name as usize;
        if at >= self.innermost.len() {
            self.innermost.resize(at + 1, 0);
        }
        self.stack.push(Entry { name, shadowed: self.innermost[at], value });
        self.innermost[at] = u32::try_from(self.stack.len()).unwrap_or(u32::MAX);
    }

    fn find(&self, name: Variable) -> Option<usize> {
        let at = (*self.innermost.get(name as usize)? as usize).checked_sub(1)?;
        (at >= self.base).then_some(at)
    }

    pub(super) fn get(&self, name: Variable) -> Option<&T> {
        self.find(name).map(|at| &self.stack[at].value)
    }

    pub(super) fn get_mut(&mut self, name: Variable) -> Option<&mut T> {
        self.find(name).map(|at| &mut self.stack[at].value)
    }

    /// The declaration that is `back` places below the last.
    pub(super) fn nth_last(&mut self, back: usize) -> Option<&mut T> {
        let at = self.stack.len().checked_sub(back + 1)?;
        self.stack.get_mut(at).map(|entry| &mut entry.value)
    }

    /// Where the stack stands, for [`Scopes::release`].
    pub(super) fn mark(&self) -> usize {
        self.stack.len()
    }

    /// Forgets every declaration since a mark.
    pub(super) fn release(&mut self, mark: usize) {
        while self.stack.len() > mark {
            if let Some(entry) = self.stack.pop() {
                self.innermost[entry.name as usize] = entry.shadowed;
            }
        }
    }

    /// Hides all declarations so far; gives what [`Scopes::leave`] wants back.
    pub(super) fn enter(&mut self) -> usize {
        core::mem::replace(&mut self.base, self.stack.len())
    }

    /// Forgets the declarations since [`Scopes::enter`] and shows the earlier ones again.
    pub(super) fn leave(&mut self, base: usize) {
        self.release(self.base);
        self.base = base;
    }
}
