//! Variables while a template renders: frames on one stack, names as numbers.
//!
//! Which variable a name means depends on the way rendering took (a block sees those of its caller), so a name
//! cannot be a place on the stack before; but as a number it is found without comparing text.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::ast::{Id, Name};
use super::value::Val;
use crate::names::Scope;
use crate::value::{List, Text, Value};

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
    slots: Vec<(Id, Slot)>,
    /// Where each frame begins.
    frames: Vec<usize>,
    /// The further spelling of roots, with their slots: `data` also means `Data`.
    spellings: Vec<(Id, usize)>,
    scope: &'t Scope<'t>,
    names: &'t BTreeMap<Text, Id>,
}

/// Frames put away for a while.
pub(super) struct Hidden {
    slots: Vec<(Id, Slot)>,
    frames: Vec<usize>,
}

impl<'t> Variables<'t> {
    /// The roots of the scope, for a template with these names.
    pub(super) fn new(scope: &'t Scope<'t>, names: &'t BTreeMap<Text, Id>) -> Self {
        let root = |value: &Value| if matches!(value, Value::Null) { Val::NoMap } else { value.clone().into() };
        let id = |name: &str| names.get(name).copied().unwrap_or(Id::UNWRITTEN);
        let slots = scope.variables.iter().map(|(name, value)| (id(name), Slot::Value(root(value)))).collect();
        let spellings = names.iter().filter_map(|(name, id)| {
            scope.variables.iter().position(|(known, _)| is_root(known, name)).map(|at| (*id, at))
        });
        Self { slots, frames: alloc::vec![0], spellings: spellings.collect(), scope, names }
    }

    /// How many frames there are.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Steps that it takes to look through the frames above a depth.
    pub(super) fn width(&self, depth: usize) -> u64 {
        let start = self.frames.get(depth).copied().unwrap_or(self.slots.len());
        (self.slots.len().saturating_sub(start) / 16) as u64
    }

    pub(super) fn open(&mut self) {
        self.frames.push(self.slots.len());
    }

    /// Drops the frames above a depth.
    pub(super) fn close(&mut self, depth: usize) {
        if let Some(start) = self.frames.get(depth) {
            self.slots.truncate(*start);
            self.frames.truncate(depth);
        }
    }

    /// Puts the frames above a depth away.
    pub(super) fn hide(&mut self, depth: usize) -> Hidden {
        let start = self.frames.get(depth).copied().unwrap_or(self.slots.len());
        Hidden { slots: self.slots.split_off(start), frames: self.frames.split_off(depth.min(self.frames.len())) }
    }

    /// Back again, at the depth where they were.
    pub(super) fn restore(&mut self, depth: usize, hidden: Hidden) {
        self.close(depth);
        self.slots.extend(hidden.slots);
        self.frames.extend(hidden.frames);
    }

    /// Gives a name to a value in the innermost frame; its slot.
    pub(super) fn declare(&mut self, name: &Name, value: Val) -> usize {
        let at = self.own(name).unwrap_or(self.slots.len());
        let value = Slot::Value(value.named());
        match self.slots.get_mut(at) {
            Some((_, slot)) => *slot = value,
            None => self.slots.push((name.id, value)),
        }
        at
    }

    /// Replaces the value of a slot.
    pub(super) fn write(&mut self, at: usize, value: Val) {
        if let Some((_, slot)) = self.slots.get_mut(at) {
            *slot = Slot::Value(value.named());
        }
    }

    /// Lets a slot stand at an item of a list.
    pub(super) fn stand(&mut self, at: usize, list: &List, item: usize) {
        match self.slots.get_mut(at) {
            Some((_, Slot::Item(same, place))) if same.is(list) => *place = item,
            Some((_, slot)) => *slot = Slot::Item(list.clone(), item),
            None => {}
        }
    }

    /// Whether the innermost frame has it.
    pub(super) fn declares(&self, name: &Name) -> bool {
        self.own(name).is_some()
    }

    fn own(&self, name: &Name) -> Option<usize> {
        let start = self.frames.last().copied().unwrap_or(0);
        self.slots.get(start..)?.iter().position(|(id, _)| *id == name.id).map(|at| start + at)
    }

    /// The variable of a name, innermost first.
    pub(super) fn get(&self, name: &Name) -> Option<&Slot> {
        self.slots.get(self.at(name)?).map(|(_, slot)| slot)
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, name: &Name) -> Option<&mut Val> {
        let at = self.at(name)?;
        let (_, slot) = self.slots.get_mut(at)?;
        if let Slot::Item(..) = slot {
            *slot = Slot::Value(slot.value());
        }
        match slot {
            Slot::Value(value) => Some(value),
            Slot::Item(..) => None,
        }
    }

    fn at(&self, name: &Name) -> Option<usize> {
        let found = self.slots.iter().rposition(|(id, _)| *id == name.id);
        found.or_else(|| self.spellings.iter().find(|(id, _)| *id == name.id).map(|(_, at)| *at))
    }

    /// Every name that is visible, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let roots = self.scope.variables.iter().map(|(name, _)| *name);
        let declared = |id: Id| self.names.iter().find(|(_, known)| **known == id).map(|(name, _)| &**name);
        roots.chain(self.slots.iter().skip(self.scope.variables.len()).filter_map(move |(id, _)| declared(*id)))
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
