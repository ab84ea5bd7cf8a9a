//! Rewrites of a checked tree, where they change the answer.
//!
//! These are the reference's optimisations. Most of them only make it faster, but a fault depends on what was
//! rewritten: `Data.i and true` is `Data.i`, not a boolean; `first(filter(…))` stops at the first match and never
//! sees the bad item behind it; `sum([a, b])` is `a + b` and so joins text. They run in the reference's order,
//! each over the whole tree, children before parents.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::span::Source;
use crate::text::pattern::Pattern;
use crate::text::pow::pow;
use crate::value::Value;

use super::ast::{Ast, Binary, Children, Id, Loop, Node, Pointer, Unary};
use super::check::Natures;
use super::nature::Nature;
use super::print;

/// Rewrites a whole tree.
pub(super) fn fold(ast: &mut Ast, natures: &mut Natures, source: &Source) -> Result<()> {
    let mut folder = Folder { ast, natures, source };
    folder.each(Folder::sets);
    for id in folder.ast.ids() {
        folder.constant(id)?;
    }
    folder.each(Folder::ranges);
    if folder.ast.has_loops() {
        folder.each(Folder::filter_then_map);
        folder.each(Folder::len_of_filter);
        folder.each(Folder::last_of_filter);
        folder.each(Folder::first_of_filter);
        folder.each(Folder::combine);
        folder.each(Folder::sum_of_range);
        folder.each(Folder::sum_of_list);
        folder.each(Folder::sum_of_map);
        folder.each(Folder::count_to_any);
        folder.each(Folder::count_enough);
    }
    for id in folder.ast.ids() {
        folder.specialize(id)?;
    }
    Ok(())
}

struct Folder<'a> {
    ast: &'a mut Ast,
    natures: &'a mut Natures,
    source: &'a Source,
}

/// What a literal is worth.
enum Literal {
    Int(i64),
    Float(f64),
}

impl Folder<'_> {
    fn each(&mut self, rewrite: impl Fn(&mut Self, Id) -> Option<()>) {
        for id in self.ast.ids() {
            let _unchanged = rewrite(self, id);
        }
    }

    /// Puts a literal in place of a node.
    fn put(&mut self, id: Id, node: Node) {
        let nature = match &node {
            Node::Bool(_) => Nature::BOOL,
            Node::Int(_) => Nature::INT,
            Node::Float(_) => Nature::FLOAT,
            Node::Text(_) => Nature::TEXT,
            _ => Nature::LIST,
        };
        self.natures.set(id, nature);
        self.ast.replace(id, node);
    }

    fn set_loop(&mut self, id: Id, kind: Loop, arguments: &[Id]) {
        let arguments = self.ast.children(arguments);
        self.ast.replace(id, Node::Loop { kind, arguments });
    }

    /// The arguments of a loop of this kind.
    fn loop_of(&self, id: Id, kind: Loop) -> Option<(Id, Option<Id>, Option<Id>)> {
        match self.ast.node(id) {
            Node::Loop { kind: found, arguments } if *found == kind => self.arguments(*arguments),
            _ => None,
        }
    }

    fn arguments(&self, arguments: Children) -> Option<(Id, Option<Id>, Option<Id>)> {
        let child = |index| self.ast.child(arguments, index);
        Some((child(0)?, child(1), child(2)))
    }

    // Constants

    /// `in` a list of nothing but text, or of integers when the left side is one, asks a set.
    fn sets(&mut self, id: Id) -> Option<()> {
        let Node::Binary(Binary::In, left, right) = *self.ast.node(id) else { return None };
        let Node::List(items) = *self.ast.node(right) else { return None };
        let all = |wanted: fn(&Node) -> bool| self.ast.list(items).iter().all(|&item| wanted(self.ast.node(item)));
        let integers = self.natures.of(left).is_int_kind() && all(|node| matches!(node, Node::Int(_)));
        let texts = all(|node| matches!(node, Node::Text(_)));
        if items.len() > 0 && (integers || texts) {
            self.ast.replace(id, Node::InSet { texts: !integers, left, items });
        }
        Some(())
    }

    fn ranges(&mut self, id: Id) -> Option<()> {
        let Node::Binary(Binary::In, left, right) = *self.ast.node(id) else { return None };
        let Node::Binary(Binary::Range, from, to) = *self.ast.node(right) else { return None };
        let literal = |id| matches!(self.ast.node(id), Node::Int(_));
        if self.natures.of(left).is_int_kind() && literal(from) && literal(to) {
            self.ast.replace(id, Node::InRange { left, from, to });
        }
        Some(())
    }

    fn literal(&self, id: Id) -> Option<Literal> {
        match self.ast.node(id) {
            Node::Int(value) => Some(Literal::Int(*value)),
            Node::Float(value) => Some(Literal::Float(*value)),
            _ => None,
        }
    }

    fn truth(&self, id: Id) -> Option<bool> {
        match self.ast.node(id) {
            Node::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    fn constant(&mut self, id: Id) -> Result<()> {
        match *self.ast.node(id) {
            Node::Unary(operator, operand) => self.unary(id, operator, operand),
            Node::Binary(Binary::Modulo, left, right) => return self.modulo(id, left, right),
            Node::Binary(operator, left, right) => self.binary(id, operator, left, right),
            Node::List(items) => self.list(id, items),
            Node::Loop { kind: Loop::Filter, .. } => {
                let _unchanged = self.filter_of_filter(id);
            }
            _ => {}
        }
        Ok(())
    }

    fn unary(&mut self, id: Id, operator: Unary, operand: Id) {
        let folded = match (operator, self.ast.node(operand)) {
            (Unary::Minus, Node::Int(value)) => Node::Int(value.wrapping_neg()),
            (Unary::Minus, Node::Float(value)) => Node::Float(-value),
            (Unary::Plus, Node::Int(value)) => Node::Int(*value),
            (Unary::Plus, Node::Float(value)) => Node::Float(*value),
            (Unary::Not | Unary::NotWord, Node::Bool(truth)) => Node::Bool(!truth),
            _ => return,
        };
        self.put(id, folded);
    }

    fn binary(&mut self, id: Id, operator: Binary, left: Id, right: Id) {
        match operator {
            Binary::And | Binary::AndAnd => self.junction(id, true, left, right),
            Binary::Or | Binary::OrOr => self.junction(id, false, left, right),
            Binary::Equal => self.equal(id, left, right),
            Binary::Add if matches!(self.ast.node(left), Node::Text(_)) => self.join(id, left, right),
            _ => {
                if let (Some(left), Some(right)) = (self.literal(left), self.literal(right))
                    && let Some(folded) = arithmetic(operator, &left, &right)
                {
                    self.put(id, folded);
                }
            }
        }
    }

    /// `and` with a literal `true` on a side is the other side, unchecked; with `false` it is false. `or` mirrors it.
    fn junction(&mut self, id: Id, neutral: bool, left: Id, right: Id) {
        let (l, r) = (self.truth(left), self.truth(right));
        if l == Some(neutral) {
            self.become_child(id, right);
        } else if r == Some(neutral) {
            self.become_child(id, left);
        } else if l.or(r).is_some() {
            self.put(id, Node::Bool(!neutral));
        }
    }

    fn become_child(&mut self, id: Id, child: Id) {
        let node = self.ast.node(child).clone();
        self.ast.replace(id, node);
    }

    fn equal(&mut self, id: Id, left: Id, right: Id) {
        let equal = match (self.ast.node(left), self.ast.node(right)) {
            (Node::Int(a), Node::Int(b)) => a == b,
            (Node::Text(a), Node::Text(b)) => a == b,
            (Node::Bool(a), Node::Bool(b)) => a == b,
            _ => return,
        };
        self.put(id, Node::Bool(equal));
    }

    fn join(&mut self, id: Id, left: Id, right: Id) {
        if let (Node::Text(a), Node::Text(b)) = (self.ast.node(left), self.ast.node(right)) {
            let joined: String = [&**a, &**b].concat();
            self.put(id, Node::Text(joined.into()));
        }
    }

    fn modulo(&mut self, id: Id, left: Id, right: Id) -> Result<()> {
        match (self.ast.node(left), self.ast.node(right)) {
            (Node::Int(_), Node::Int(0)) => {
                Err(crate::Error::from(ExprFault::DivideByZero).at(self.source.at(self.ast.span(id))))
            }
            (Node::Int(a), Node::Int(b)) => {
                self.put(id, Node::Int(a.wrapping_rem(*b)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A list of literals is made once.
    fn list(&mut self, id: Id, items: Children) {
        let mut values = Vec::with_capacity(items.len());
        for &item in self.ast.list(items) {
            values.push(match self.ast.node(item) {
                Node::Int(value) => Value::from(*value),
                Node::Float(value) => Value::from(*value),
                Node::Text(text) => Value::Text(text.clone()),
                Node::Bool(truth) => Value::from(*truth),
                _ => return,
            });
        }
        if !values.is_empty() {
            self.put(id, Node::Constant(values.into()));
        }
    }

    // Loops

    fn filter_of_filter(&mut self, id: Id) -> Option<()> {
        let (base, Some(outer), None) = self.loop_of(id, Loop::Filter)? else { return None };
        let (list, Some(inner), None) = self.loop_of(base, Loop::Filter)? else { return None };
        let both = self.ast.add(Node::Binary(Binary::AndAnd, inner, outer), self.ast.span(outer))?;
        self.set_loop(id, Loop::Filter, &[list, both]);
        Some(())
    }

    fn filter_then_map(&mut self, id: Id) -> Option<()> {
        let (base, Some(mapping), None) = self.loop_of(id, Loop::Map)? else { return None };
        let (list, Some(predicate), None) = self.loop_of(base, Loop::Filter)? else { return None };
        if self.ast.any_below(mapping, |node| matches!(node, Node::Pointer(Pointer::Index))) {
            return None;
        }
        self.set_loop(id, Loop::Filter, &[list, predicate, mapping]);
        Some(())
    }

    /// The filter that is the only argument of a builtin.
    fn filter_in(&self, id: Id, name: &str) -> Option<(Id, Id, Option<Id>)> {
        let Node::Builtin(builtin, arguments) = self.ast.node(id) else { return None };
        if builtin.name != name || arguments.len() != 1 {
            return None;
        }
        let (list, predicate, mapping) = self.loop_of(self.ast.child(*arguments, 0)?, Loop::Filter)?;
        Some((list, predicate?, mapping))
    }

    fn len_of_filter(&mut self, id: Id) -> Option<()> {
        let (list, predicate, _) = self.filter_in(id, "len")?;
        self.set_loop(id, Loop::Count, &[list, predicate]);
        Some(())
    }

    fn first_of_filter(&mut self, id: Id) -> Option<()> {
        self.end_of_filter(id, "first", 0, Loop::Find, Loop::MustFind)
    }

    fn last_of_filter(&mut self, id: Id) -> Option<()> {
        self.end_of_filter(id, "last", -1, Loop::FindLast, Loop::MustFindLast)
    }

    fn end_of_filter(&mut self, id: Id, name: &str, index: i64, may: Loop, must: Loop) -> Option<()> {
        let (kind, (list, predicate, mapping)) = match *self.ast.node(id) {
            Node::Index { base, key, optional: false } if matches!(self.ast.node(key), Node::Int(at) if *at == index) =>
            {
                let (list, predicate, mapping) = self.loop_of(base, Loop::Filter)?;
                (must, (list, predicate?, mapping))
            }
            _ => (may, self.filter_in(id, name)?),
        };
        let arguments: Vec<Id> = [list, predicate].into_iter().chain(mapping).collect();
        self.set_loop(id, kind, &arguments);
        Some(())
    }

    /// `all(x, p) and all(x, q)` runs once over `x`; so do `any … or any …` and `none … and none …`.
    fn combine(&mut self, id: Id) -> Option<()> {
        let Node::Binary(operator, left, right) = *self.ast.node(id) else { return None };
        let Node::Loop { kind, .. } = *self.ast.node(left) else { return None };
        let joined = match kind {
            Loop::All if operator.is_and() => operator,
            Loop::Any if operator.is_or() => operator,
            Loop::None if operator == Binary::And => Binary::Or,
            Loop::None if operator == Binary::AndAnd => Binary::OrOr,
            _ => return None,
        };
        let (list, Some(one), None) = self.loop_of(left, kind)? else { return None };
        let (other, Some(two), None) = self.loop_of(right, kind)? else { return None };
        let text = self.source.text();
        if self.natures.of(list) != self.natures.of(other)
            || print::print(self.ast, list, text) != print::print(self.ast, other, text)
        {
            return None;
        }
        let both = self.ast.add(Node::Binary(joined, one, two), self.ast.span(id))?;
        let _unchanged = self.combine(both);
        self.set_loop(id, kind, &[list, both]);
        Some(())
    }

    /// The sum and the length of a range of literal bounds that is not empty.
    fn series(&self, id: Id) -> Option<(i64, i64)> {
        let Node::Binary(Binary::Range, from, to) = *self.ast.node(id) else { return None };
        let (Node::Int(from), Node::Int(to)) = (self.ast.node(from), self.ast.node(to)) else { return None };
        if to < from {
            return None;
        }
        let count = to.wrapping_sub(*from).wrapping_add(1);
        Some((count.wrapping_mul(from.wrapping_add(*to)).wrapping_div(2), count))
    }

    fn sum_of_range(&mut self, id: Id) -> Option<()> {
        let Node::Loop { kind, arguments } = *self.ast.node(id) else { return None };
        let (range, body, first) = self.arguments(arguments)?;
        let (sum, count) = self.series(range)?;
        let total = match (kind, body) {
            (Loop::Sum, None) => sum,
            (Loop::Sum, Some(body)) => self.summed(sum, count, body)?,
            (Loop::Reduce, Some(body)) if self.is_running_sum(body) => match first.map(|first| self.ast.node(first)) {
                None => sum,
                Some(Node::Int(first)) => first.wrapping_add(sum),
                Some(_) => return None,
            },
            _ => return None,
        };
        self.put(id, Node::Int(total));
        Some(())
    }

    fn is_item(&self, id: Id) -> bool {
        matches!(self.ast.node(id), Node::Pointer(Pointer::Item))
    }

    fn is_running_sum(&self, id: Id) -> bool {
        let Node::Binary(Binary::Add, a, b) = *self.ast.node(id) else { return false };
        let accumulator = |id| matches!(self.ast.node(id), Node::Pointer(Pointer::Accumulator));
        self.is_item(a) && accumulator(b) || accumulator(a) && self.is_item(b)
    }

    /// A series under `#`, `# * k`, `# + k`, `# - k` and their mirrors.
    fn summed(&self, sum: i64, count: i64, body: Id) -> Option<i64> {
        if self.is_item(body) {
            return Some(sum);
        }
        let Node::Binary(operator, left, right) = *self.ast.node(body) else { return None };
        let (by, item_first) = match (self.ast.node(left), self.ast.node(right)) {
            (_, Node::Int(by)) if self.is_item(left) => (*by, true),
            (Node::Int(by), _) if self.is_item(right) => (*by, false),
            _ => return None,
        };
        let shift = count.wrapping_mul(by);
        match operator {
            Binary::Multiply => Some(by.wrapping_mul(sum)),
            Binary::Add => Some(sum.wrapping_add(shift)),
            Binary::Subtract if item_first => Some(sum.wrapping_sub(shift)),
            Binary::Subtract => Some(shift.wrapping_sub(sum)),
            _ => None,
        }
    }

    fn sum_of_list(&mut self, id: Id) -> Option<()> {
        let (list, None, None) = self.loop_of(id, Loop::Sum)? else { return None };
        let Node::List(items) = *self.ast.node(list) else { return None };
        if items.len() >= 2 {
            self.ast.replace(id, Node::Total(items));
        }
        Some(())
    }

    fn sum_of_map(&mut self, id: Id) -> Option<()> {
        let (base, None, None) = self.loop_of(id, Loop::Sum)? else { return None };
        let (list, Some(mapping), None) = self.loop_of(base, Loop::Map)? else { return None };
        self.set_loop(id, Loop::Sum, &[list, mapping]);
        Some(())
    }

    /// The count on the left of a comparison with a literal: its arguments, the operator, the literal.
    fn compared_count(&self, id: Id) -> Option<(Id, Children, Binary, i64)> {
        let Node::Binary(operator, left, right) = *self.ast.node(id) else { return None };
        let Node::Loop { kind: Loop::Count, arguments } = *self.ast.node(left) else { return None };
        match *self.ast.node(right) {
            Node::Int(limit) if arguments.len() == 2 => Some((left, arguments, operator, limit)),
            _ => None,
        }
    }

    fn count_to_any(&mut self, id: Id) -> Option<()> {
        let (_, arguments, operator, limit) = self.compared_count(id)?;
        if matches!((operator, limit), (Binary::More, 0) | (Binary::MoreEqual, 1)) {
            self.ast.replace(id, Node::Loop { kind: Loop::Any, arguments });
        }
        Some(())
    }

    /// A count that is compared stops where the comparison is decided.
    fn count_enough(&mut self, id: Id) -> Option<()> {
        let (count, arguments, operator, limit) = self.compared_count(id)?;
        let enough = match operator {
            Binary::More | Binary::LessEqual => limit.checked_add(1)?,
            Binary::MoreEqual | Binary::Less => limit,
            _ => return None,
        };
        if limit >= 0 && enough > 1 {
            let enough = u32::try_from(enough).unwrap_or(u32::MAX);
            self.ast.replace(count, Node::CountUpTo { arguments, enough });
        }
        Some(())
    }

    // What the operators will meet

    /// `==` of what is known to be integers or text; `matches` of a known pattern.
    fn specialize(&mut self, id: Id) -> Result<()> {
        let Node::Binary(operator, left, right) = *self.ast.node(id) else { return Ok(()) };
        let both = |nature| self.natures.of(left) == nature && self.natures.of(right) == nature;
        let special = match operator {
            Binary::Equal if both(Nature::INT) => Binary::EqualInts,
            Binary::NotEqual if both(Nature::INT) => Binary::NotEqualInts,
            Binary::Equal if both(Nature::TEXT) => Binary::EqualTexts,
            Binary::NotEqual if both(Nature::TEXT) => Binary::NotEqualTexts,
            Binary::Matches => return self.compile_pattern(id, left, right),
            _ => return Ok(()),
        };
        self.ast.replace(id, Node::Binary(special, left, right));
        Ok(())
    }

    /// The pattern is there already where it was written as text; folding may have joined another.
    fn compile_pattern(&mut self, id: Id, left: Id, right: Id) -> Result<()> {
        let Node::Text(text) = self.ast.node(right) else { return Ok(()) };
        let pattern = match self.natures.pattern(right) {
            Some(pattern) => pattern.clone(),
            None => Pattern::new(text).map_err(|fault| {
                let fault = ExprFault::BadPattern(fault.to_string());
                crate::Error::from(fault).at(self.source.at(self.ast.span(id)))
            })?,
        };
        self.ast.replace(id, Node::Matches(left, pattern));
        Ok(())
    }
}

/// Arithmetic on two literals.
fn arithmetic(operator: Binary, left: &Literal, right: &Literal) -> Option<Node> {
    if let (Literal::Int(a), Literal::Int(b)) = (left, right) {
        match operator {
            Binary::Add => return Some(Node::Int(a.wrapping_add(*b))),
            Binary::Subtract => return Some(Node::Int(a.wrapping_sub(*b))),
            Binary::Multiply => return Some(Node::Int(a.wrapping_mul(*b))),
            _ => {}
        }
    }
    let float = |literal: &Literal| match literal {
        Literal::Int(value) => *value as f64,
        Literal::Float(value) => *value,
    };
    let (a, b) = (float(left), float(right));
    Some(Node::Float(match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        Binary::Power | Binary::Caret => pow(a, b),
        _ => return None,
    }))
}
