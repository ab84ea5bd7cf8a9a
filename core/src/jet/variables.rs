//! Variables while a template renders: frames on one stack, names as numbers.
//!
//! Which variable a name means depends on the way rendering took (a block sees those of its caller), so a name
//! cannot be a place on the stack before; but as a number it tells at once the place of what it means now.

use alloc::vec;
use alloc::vec::Vec;

use super::ast::{Id, Name};
use super::value::Val;
use crate::names::Scope;
use crate::value::{List, Named, Value};

/// What a variable holds.
pub(super) enum Slot {
    Value(Val),
    /// The item of a list at which a range stands: taken out of it when it is computed with, but not to be printed.
    Item(List, usize),
}

impl Slot {
    /// The value, as one with a name of its own.
    pub(super) fn value(&self) -> Val {
        match self {
            Self::Value(value) => value.clone(),
            Self::Item(items, at) => items.get(*at).cloned().unwrap_or_default().into(),
        }
    }
}

pub(super) struct Variables<'t> {
    /// Innermost last; the roots first.
    held: Vec<Held>,
    /// Where each frame begins.
    frames: Vec<usize>,
    /// By name, the place of what it means now: `data` may mean the root `Data`.
    meanings: Vec<usize>,
    scope: &'t Scope<'t>,
    names: &'t Named<Id>,
}

/// A variable, and the place of what its name means when it is gone.
struct Held {
    id: Id,
    outer: usize,
    slot: Slot,
}

/// The place of a name that means nothing.
const NOWHERE: usize = usize::MAX;

/// Frames put away for a while.
pub(super) struct Hidden {
    held: Vec<Held>,
    frames: Vec<usize>,
}

impl<'t> Variables<'t> {
    /// The roots of the scope, for a template with these names.
    pub(super) fn new(scope: &'t Scope<'t>, names: &'t Named<Id>) -> Self {
        let root = |value: &Value| if matches!(value, Value::Null) { Val::NoMap } else { value.clone().into() };
        let id = |name: &str| names.get(name).copied().unwrap_or(Id::UNWRITTEN);
        let held = scope.variables.iter().map(|(name, value)| Held {
            id: id(name),
            outer: NOWHERE,
            slot: Slot::Value(root(value)),
        });
        let mut meanings = vec![NOWHERE; names.len()];
        for (name, id) in names.iter() {
            let roots = || scope.variables.iter();
            let at = roots().rposition(|(known, _)| *known == &**name);
            if let (Some(at), Some(meaning)) =
                (at.or_else(|| roots().position(|(known, _)| is_root(known, name))), meanings.get_mut(id.0 as usize))
            {
                *meaning = at;
            }
        }
        Self { held: held.collect(), frames: vec![0], meanings, scope, names }
    }

    /// How many frames there are.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Steps that it takes to walk over the frames above a depth.
    pub(super) fn width(&self, depth: usize) -> u64 {
        let start = self.frames.get(depth).copied().unwrap_or(self.held.len());
        (self.held.len().saturating_sub(start) / 16) as u64
    }

    pub(super) fn open(&mut self) {
        self.frames.push(self.held.len());
    }

    /// Drops the frames above a depth.
    pub(super) fn close(&mut self, depth: usize) {
        let Some(start) = self.frames.get(depth).copied() else { return };
        while self.held.len() > start
            && let Some(gone) = self.held.pop()
        {
            self.mean(gone.id, gone.outer);
        }
        self.frames.truncate(depth);
    }

    /// Puts the frames above a depth away.
    pub(super) fn hide(&mut self, depth: usize) -> Hidden {
        let start = self.frames.get(depth).copied().unwrap_or(self.held.len());
        let hidden =
            Hidden { held: self.held.split_off(start), frames: self.frames.split_off(depth.min(self.frames.len())) };
        for gone in hidden.held.iter().rev() {
            self.mean(gone.id, gone.outer);
        }
        hidden
    }

    /// Back again, at the depth where they were.
    pub(super) fn restore(&mut self, depth: usize, hidden: Hidden) {
        self.close(depth);
        for held in hidden.held {
            self.push(held.id, held.slot);
        }
        self.frames.extend(hidden.frames);
    }

    fn push(&mut self, id: Id, slot: Slot) {
        let outer = self.mean(id, self.held.len());
        self.held.push(Held { id, outer, slot });
    }

    /// Lets a name mean what is at a place; gives where it was before.
    fn mean(&mut self, id: Id, place: usize) -> usize {
        self.meanings.get_mut(id.0 as usize).map_or(NOWHERE, |meaning| core::mem::replace(meaning, place))
    }

    /// Gives a name to a value in the innermost frame; its place.
    pub(super) fn declare(&mut self, name: &Name, value: Val) -> usize {
        let at = self.own(name).unwrap_or(self.held.len());
        let value = Slot::Value(value.named());
        match self.held.get_mut(at) {
            Some(held) => held.slot = value,
            None => self.push(name.id, value),
        }
        at
    }

    /// Replaces the value at a place.
    pub(super) fn write(&mut self, at: usize, value: Val) {
        if let Some(held) = self.held.get_mut(at) {
            held.slot = Slot::Value(value.named());
        }
    }

    /// Lets a variable stand at an item of a list.
    pub(super) fn stand(&mut self, at: usize, list: &List, item: usize) {
        match self.held.get_mut(at).map(|held| &mut held.slot) {
            Some(Slot::Item(same, place)) if same.is(list) => *place = item,
            Some(slot) => *slot = Slot::Item(list.clone(), item),
            None => {}
        }
    }

    /// Whether the innermost frame has it.
    pub(super) fn declares(&self, name: &Name) -> bool {
        self.own(name).is_some()
    }

    fn own(&self, name: &Name) -> Option<usize> {
        let start = self.frames.last().copied().unwrap_or(0);
        self.at(name).filter(|at| *at >= start)
    }

    /// The variable of a name, innermost first.
    pub(super) fn get(&self, name: &Name) -> Option<&Slot> {
        self.held.get(self.at(name)?).map(|held| &held.slot)
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, name: &Name) -> Option<&mut Val> {
        let at = self.at(name)?;
        let slot = &mut self.held.get_mut(at)?.slot;
        if let Slot::Item(..) = slot {
            *slot = Slot::Value(slot.value());
        }
        match slot {
            Slot::Value(value) => Some(value),
            Slot::Item(..) => None,
        }
    }

    fn at(&self, name: &Name) -> Option<usize> {
        self.meanings.get(name.id.0 as usize).copied().filter(|at| *at != NOWHERE)
    }

    /// Every name that is visible, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let roots = self.scope.variables.iter().map(|(name, _)| *name);
        roots.chain(self.names.iter().filter(|(_, id)| self.is_visible(**id)).map(|(name, _)| &**name))
    }

    fn is_visible(&self, id: Id) -> bool {
        self.meanings.get(id.0 as usize).is_some_and(|at| *at != NOWHERE)
    }
}

/// A root of the scope answers to its name with a small first letter too.
fn is_root(root: &str, name: &str) -> bool {
    root.len() == name.len() && root.get(1..) == name.get(1..) && root.eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use crate::jet::{Delimiters, Template};
    use crate::names::{Fuel, NoFunctions, Scope};
    use crate::span::Source;

    #[test]
    fn a_block_keeps_its_variables_when_the_content_it_tried_fails() {
        let text = "[[ block b() ]][[ x := 7 ]][[ try ]][[ yield content ]][[ catch ]]failed [[ end ]][[ x ]];[[ end ]]\
                    [[ yield b() content ]][[ nosuch ]][[ end ]]";
        let template = Template::parse(&Source::anonymous(text), &Delimiters::default()).unwrap();
        let scope = Scope { variables: &[], functions: &NoFunctions, fuel: &Fuel::new() };
        assert_eq!(template.render(&scope).unwrap(), "7;failed 7;");
    }
}
