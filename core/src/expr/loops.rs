//! Builtins that run a predicate over a list.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::names::Fuel;
use crate::value::Value;

use super::access;
use super::ast::{Children, Id, Loop, Pointer};
use super::eval::Evaluator;
use super::groups::Key;
use super::ops;
use super::val::{Groups, Items, Val};

/// A list that a predicate runs over, and where it is.
pub(super) struct Frame {
    collection: Val,
    length: usize,
    index: usize,
    accumulator: Val,
}

impl Frame {
    /// The current item. Text has bytes; a map has a length but no items: only `#` itself is a fault.
    fn item(&self) -> Option<Val> {
        match &self.collection {
            Val::Plain(Value::Text(text)) => Items::Bytes(text.as_bytes()).get(self.index),
            collection => collection.items()?.get(self.index),
        }
    }
}

impl Evaluator<'_> {
    pub(super) fn pointer(&self, id: Id, pointer: Pointer) -> Result<Val> {
        let Some(frame) = self.frames.last() else { return self.fault(id, ExprFault::BadPointer("".into())) };
        match pointer {
            Pointer::Index => Ok(Val::int(i64::try_from(frame.index).unwrap_or(i64::MAX))),
            Pointer::Accumulator => Ok(frame.accumulator.clone()),
            Pointer::Item | Pointer::Unknown => match frame.item() {
                Some(item) => Ok(item),
                None => self.fault(id, ExprFault::WrongType("a list", frame.collection.kind())),
            },
        }
    }

    /// Opens a frame over the first argument.
    fn open(&mut self, id: Id, arguments: Children) -> Result<usize> {
        let collection = match self.ast.child(arguments, 0) {
            Some(list) => self.eval(list)?,
            None => Val::NIL,
        };
        let Some(length) = access::length(&collection) else {
            return self.fault(id, ExprFault::WrongType("a list", collection.kind()));
        };
        self.frames.push(Frame { collection, length, index: 0, accumulator: Val::NIL });
        Ok(length)
    }

    fn at(&mut self, index: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.index = index;
        }
    }

    fn accumulate(&mut self, value: Val) {
        if let Some(frame) = self.frames.last_mut() {
            frame.accumulator = value;
        }
    }

    fn accumulated(&mut self) -> Val {
        self.frames.last_mut().map_or(Val::NIL, |frame| core::mem::replace(&mut frame.accumulator, Val::NIL))
    }

    pub(super) fn looped(&mut self, id: Id, kind: Loop, arguments: Children) -> Result<Val> {
        let length = self.open(id, arguments)?;
        let body = self.ast.child(arguments, 1);
        let extra = self.ast.child(arguments, 2);
        let outcome = match kind {
            Loop::All => self.holds(id, body, false).map(|found| found.is_none().into()),
            Loop::None => self.holds(id, body, true).map(|found| found.is_none().into()),
            Loop::Any => self.holds(id, body, true).map(|found| found.is_some().into()),
            Loop::One => self.matching(id, body, None).map(|count| (count == 1).into()),
            Loop::Count => {
                self.matching(id, body, None).map(|count| Val::int(i64::try_from(count).unwrap_or(i64::MAX)))
            }
            Loop::Filter => self.filter(id, body, extra),
            Loop::Map => self.map_each(id, body),
            Loop::Sum => self.sum(id, body),
            Loop::Find | Loop::MustFind => {
                let found = self.holds(id, body, true);
                self.found(id, found, kind, extra)
            }
            Loop::FindLast | Loop::MustFindLast => {
                let found = self.holds_last(id, body);
                self.found(id, found, kind, extra)
            }
            Loop::FindIndex => self.holds(id, body, true).map(index),
            Loop::FindLastIndex => self.holds_last(id, body).map(index),
            Loop::GroupBy => self.group(id, body),
            Loop::SortBy => self.sort(id, body, extra),
            Loop::Reduce => self.reduce(id, body, extra, length),
        };
        self.frames.pop();
        self.left(id, outcome)
    }

    /// Where fuel ran out nobody says where: it is the outermost loop that took too much.
    fn left(&self, id: Id, outcome: Result<Val>) -> Result<Val> {
        match outcome {
            Err(error) if self.frames.is_empty() => Err(self.sited(id, error)),
            outcome => outcome,
        }
    }

    pub(super) fn count_up_to(&mut self, id: Id, arguments: Children, enough: u32) -> Result<Val> {
        self.open(id, arguments)?;
        let body = self.ast.child(arguments, 1);
        let count = self.matching(id, body, Some(enough as usize));
        self.frames.pop();
        self.left(id, count.map(|count| Val::int(i64::try_from(count).unwrap_or(i64::MAX))))
    }

    fn length(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.length)
    }

    /// What the body gives for an item; without a body the item itself. Whatever else the body made is gone.
    fn give(&mut self, id: Id, index: usize, body: Option<Id>) -> Result<Val> {
        self.at(index);
        match body {
            Some(body) => {
                let mark = self.scope.fuel.mark();
                let value = self.eval(body)?;
                if let Val::Time(_) | Val::Method(_) = value {
                    self.scope.fuel.allocate(Fuel::CONTAINER)?;
                } else if self.scope.fuel.mark() != mark {
                    self.keep(mark, &value);
                }
                Ok(value)
            }
            None => {
                self.scope.fuel.step(1)?;
                self.pointer(id, Pointer::Item)
            }
        }
    }

    /// Of what was made since a mark only this value is left.
    fn keep(&self, mark: u64, value: &Val) {
        if let Some(held) = value.most_bytes() {
            self.scope.fuel.forget(mark, held);
        }
    }

    fn decide(&mut self, id: Id, index: usize, body: Option<Id>) -> Result<bool> {
        self.scope.fuel.step(1)?;
        let value = self.give(id, index, body)?;
        value.expect_bool().map_err(|error| self.site(id, error))
    }

    /// The first item for which the body is this.
    fn holds(&mut self, id: Id, body: Option<Id>, wanted: bool) -> Result<Option<usize>> {
        for index in 0..self.length() {
            if self.decide(id, index, body)? == wanted {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn holds_last(&mut self, id: Id, body: Option<Id>) -> Result<Option<usize>> {
        for index in (0..self.length()).rev() {
            if self.decide(id, index, body)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn matching(&mut self, id: Id, body: Option<Id>, enough: Option<usize>) -> Result<usize> {
        let mut count = 0;
        for index in 0..self.length() {
            count += usize::from(self.decide(id, index, body)?);
            if enough.is_some_and(|enough| count >= enough) {
                break;
            }
        }
        Ok(count)
    }

    fn filter(&mut self, id: Id, body: Option<Id>, mapping: Option<Id>) -> Result<Val> {
        let fuel = self.scope.fuel;
        let Some(mapping) = mapping else {
            let mark = fuel.mark();
            let mut kept: Vec<u32> = Vec::new();
            for index in 0..self.length() {
                if self.decide(id, index, body)? {
                    if kept.is_empty() {
                        self.pointer(id, Pointer::Item)?;
                    }
                    push(&mut kept, index as u32, fuel)?;
                }
            }
            self.charge(id, kept.len())?;
            fuel.list(kept.len())?;
            let items = self.picked(id, kept.iter().copied())?;
            drop(kept);
            self.keep(mark, &Val::NIL);
            fuel.list(items.len())?;
            return Ok(Val::list(items));
        };
        let mut kept = Vec::new();
        for index in 0..self.length() {
            if self.decide(id, index, body)? {
                let value = self.give(id, index, Some(mapping))?;
                push(&mut kept, value, fuel)?;
            }
        }
        self.charge(id, kept.len())?;
        Ok(Val::list(kept))
    }

    fn map_each(&mut self, id: Id, body: Option<Id>) -> Result<Val> {
        let length = self.length();
        self.scope.fuel.list(length)?;
        let mut mapped = Vec::with_capacity(length);
        for index in 0..length {
            mapped.push(self.give(id, index, body)?);
        }
        self.charge(id, length)?;
        Ok(Val::list(mapped))
    }

    fn sum(&mut self, id: Id, body: Option<Id>) -> Result<Val> {
        let mut sum = Val::int(0);
        for index in 0..self.length() {
            self.scope.fuel.step(1)?;
            let value = self.give(id, index, body)?;
            sum = ops::add(&value, &sum).map_err(|error| self.site(id, error))?;
        }
        Ok(sum)
    }

    /// The items at these places.
    fn picked(&mut self, id: Id, places: impl ExactSizeIterator<Item = u32>) -> Result<Vec<Val>> {
        let mut items = Vec::with_capacity(places.len());
        for place in places {
            self.at(place as usize);
            items.push(self.pointer(id, Pointer::Item)?);
        }
        Ok(items)
    }

    fn found(&mut self, id: Id, found: Result<Option<usize>>, kind: Loop, mapping: Option<Id>) -> Result<Val> {
        match found? {
            Some(index) => self.give(id, index, mapping),
            None if matches!(kind, Loop::MustFind | Loop::MustFindLast) => {
                let index = if kind == Loop::MustFind { 0 } else { -1 };
                self.fault(id, ExprFault::IndexRange(index, 0))
            }
            None => Ok(Val::NIL),
        }
    }

    fn group(&mut self, id: Id, body: Option<Id>) -> Result<Val> {
        let fuel = self.scope.fuel;
        let mut groups: BTreeMap<Key, Vec<Val>> = BTreeMap::new();
        for index in 0..self.length() {
            let key = self.give(id, index, body)?;
            search_cost(groups.len(), &key, fuel)?;
            let key = Key::new(key).map_err(|error| self.site(id, error))?;
            let item = self.pointer(id, Pointer::Item)?;
            let items = groups.entry(key).or_default();
            if items.is_empty() {
                fuel.step(16)?;
                fuel.allocate(GROUP)?;
            }
            push(items, item, fuel)?;
        }
        Ok(Val::Groups(Arc::new(Groups::of(groups))))
    }

    /// Stable, unlike the reference beyond twelve items.
    fn sort(&mut self, id: Id, body: Option<Id>, order: Option<Id>) -> Result<Val> {
        let descending = match order {
            Some(order) => {
                let order = self.eval(order)?;
                descending(&order).map_err(|error| self.site(id, error))?
            }
            None => false,
        };
        let (length, fuel) = (self.length(), self.scope.fuel);
        fuel.list(length)?;
        let mark = fuel.mark();
        fuel.allocate(length.saturating_mul(size_of::<(Val, u32)>()))?;
        let mut keyed = Vec::with_capacity(length);
        for index in 0..length {
            let key = self.give(id, index, body)?;
            fuel.step(1)?;
            self.pointer(id, Pointer::Item)?;
            keyed.push((key, index as u32));
        }
        sort_keyed(&mut keyed, descending, fuel).map_err(|error| self.site(id, error))?;
        self.charge(id, length)?;
        let sorted = self.picked(id, keyed.iter().map(|(_, index)| *index))?;
        // The keys are gone with their table.
        self.keep(mark, &Val::NIL);
        Ok(Val::list(sorted))
    }

    fn reduce(&mut self, id: Id, body: Option<Id>, first: Option<Id>, length: usize) -> Result<Val> {
        let mut from = 0;
        match first {
            Some(first) => {
                let first = self.eval(first)?;
                self.accumulate(first);
            }
            None if length == 0 => return self.fault(id, ExprFault::EmptyReduce),
            None => {
                let first = self.pointer(id, Pointer::Item)?;
                self.accumulate(first);
                from = 1;
            }
        }
        let mark = self.scope.fuel.mark();
        for index in from..length {
            let value = self.give(id, index, body)?;
            if self.scope.fuel.mark() != mark {
                // The value before this one is gone as well.
                self.keep(mark, &value);
            }
            self.accumulate(value);
        }
        Ok(self.accumulated())
    }
}

fn index(found: Option<usize>) -> Val {
    found.map_or(Val::NIL, |index| Val::int(i64::try_from(index).unwrap_or(i64::MAX)))
}

/// `asc` or `desc`.
pub(super) fn descending(order: &Val) -> Result<bool> {
    match order.expect_text()? {
        "asc" => Ok(false),
        "desc" => Ok(true),
        other => Err(ExprFault::BadSortOrder(other.into()).into()),
    }
}

/// What a group takes besides its items: a place in two tables, and two lists.
const GROUP: usize = 352;

/// Appends to a list that is paid for as it grows.
pub(super) fn push<T>(list: &mut Vec<T>, item: T, fuel: &Fuel) -> Result<()> {
    let room = list.capacity();
    if list.len() == room {
        let wider = room.saturating_mul(2).max(4);
        fuel.grow(room.saturating_mul(size_of::<T>()), wider.saturating_mul(size_of::<T>()))?;
        list.reserve_exact(wider - room);
    }
    list.push(item);
    Ok(())
}

/// Pays for a search among so many ordered keys.
pub(super) fn search_cost(keys: usize, key: &Val, fuel: &Fuel) -> Result<()> {
    fuel.step(1 + u64::from(keys.checked_ilog2().unwrap_or(0) / 2))?;
    key.as_text().map_or(Ok(()), |text| fuel.scan(text.len()))
}

/// Sorts by keys that all have an order among each other; of equal ones the earlier stays before the later.
pub(super) fn sort_keyed(keyed: &mut [(Val, u32)], descending: bool, fuel: &Fuel) -> Result<()> {
    if let [(first, _), rest @ ..] = &*keyed {
        let class = ops::class(first);
        let odd = rest.iter().find(|(key, _)| class.is_none() || ops::class(key) != class);
        if let Some((odd, _)) = odd {
            return Err(ExprFault::OperandType("<", first.kind(), odd.kind()).into());
        }
    }
    let rounds = keyed.len().checked_ilog2().unwrap_or(0) as usize + 1;
    let bytes: usize = keyed.iter().map(|(key, _)| key.as_text().map_or(0, str::len)).sum();
    fuel.scan(keyed.len().saturating_mul(4).saturating_add(bytes / 4).saturating_mul(rounds))?;
    keyed.sort_unstable_by(|(a, at), (b, other)| {
        let order = ops::total_order(a, b);
        if descending { order.reverse() } else { order }.then(at.cmp(other))
    });
    Ok(())
}
