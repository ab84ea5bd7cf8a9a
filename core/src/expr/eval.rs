//! Runs a program by walking its tree.
//!
//! Every node costs a step of fuel, every list or map made costs the reference's memory units. A fault gets the
//! site of the node that found it; where fuel ran out, that is the outermost loop: what it does too often or too much. Functions here are small on purpose: the deepest tree takes
//! [`super::ast::HEIGHT`] of their frames.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::expr::ExprFault;
use crate::error::{Error, Result};
use crate::names::{Fuel, Level, Scope, Signature};
use crate::span::Source;
use crate::text::pattern::Pattern;
use crate::value::{Text, Value};

use super::access;
use super::ast::{Ast, Binary, Children, HEIGHT, Id, Node, Unary};
use super::builtins::{Builtin, Call, METHODS};
use super::loops::Frame;
use super::val::Val;
use super::{ops, show};

/// The reference's memory units: items of lists and maps made by one evaluation.
#[derive(Debug, Default)]
pub(super) struct Budget {
    spent: u64,
}

impl Budget {
    /// Units of one evaluation.
    pub(super) const UNITS: u64 = 1_000_000;

    /// Spends units.
    pub(super) fn charge(&mut self, units: usize) -> Result<()> {
        self.spent = self.spent.saturating_add(units as u64);
        if self.spent >= Self::UNITS { Err(ExprFault::Memory(Self::UNITS).into()) } else { Ok(()) }
    }
}

/// Levels of an expression that weigh as much as one call of a template by another.
const LEVELS_A_CALL: usize = 8;

/// So many arguments of a builtin need no list.
const FEW: usize = 3;

/// One evaluation.
pub(super) struct Evaluator<'a> {
    pub(super) ast: &'a Ast,
    source: &'a Source,
    pub(super) scope: &'a Scope<'a>,
    pub(super) budget: Budget,
    /// What `let` has named, innermost last.
    lets: Vec<(&'a str, Val)>,
    /// Predicates that run, innermost last.
    pub(super) frames: Vec<Frame>,
    /// Operators whose left side is being evaluated.
    spine: Vec<Id>,
    /// The pattern that was made last: in a loop it is mostly the same again.
    pattern: Option<(Text, Pattern)>,
    /// A `?.` has met nil: the members behind it are skipped up to the end of the chain.
    ended: bool,
}

/// A value on its way through a path: of the scope, or made.
enum Held<'a> {
    Borrowed(&'a Value),
    Owned(Val),
}

impl Held<'_> {
    fn into_val(self) -> Val {
        match self {
            Self::Borrowed(value) => Val::Plain(value.clone()),
            Self::Owned(val) => val,
        }
    }

    fn is_nil(&self) -> bool {
        match self {
            Self::Borrowed(value) => matches!(value, Value::Null),
            Self::Owned(val) => ops::is_nil(val),
        }
    }
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(ast: &'a Ast, source: &'a Source, scope: &'a Scope<'a>) -> Self {
        Self {
            ast,
            source,
            scope,
            budget: Budget::default(),
            lets: Vec::new(),
            frames: Vec::new(),
            spine: Vec::new(),
            pattern: None,
            ended: false,
        }
    }

    /// The outcome of the whole tree.
    pub(super) fn run(&mut self) -> Result<Val> {
        match self.ast.root {
            Some(root) => self.eval(root).map_err(|error| self.sited(root, error)),
            None => Ok(Val::NIL),
        }
    }

    /// Adds the site of a node to a fault that has none yet.
    #[cold]
    pub(super) fn sited(&self, id: Id, error: Error) -> Error {
        if error.sites().is_empty() { self.site(id, error) } else { error }
    }

    /// Adds the site of a node to a fault that was found at it.
    #[cold]
    pub(super) fn site(&self, id: Id, error: Error) -> Error {
        error.at(self.source.at(self.ast.span(id)))
    }

    #[cold]
    pub(super) fn fault<T>(&self, id: Id, fault: ExprFault) -> Result<T> {
        Err(self.site(id, fault.into()))
    }

    pub(super) fn charge(&mut self, id: Id, units: usize) -> Result<()> {
        self.budget.charge(units).map_err(|error| self.site(id, error))
    }

    pub(super) fn eval(&mut self, id: Id) -> Result<Val> {
        self.scope.fuel.step(1)?;
        match self.ast.node(id) {
            Node::Nil => Ok(Val::NIL),
            Node::Bool(truth) => Ok((*truth).into()),
            Node::Int(value) => Ok(Val::int(*value)),
            Node::Float(value) => Ok((*value).into()),
            Node::Text(text) => Ok(Val::Plain(Value::Text(text.clone()))),
            Node::Bytes(bytes) => Ok(Val::Bytes(bytes.clone())),
            Node::Constant(list) => Ok(Val::Plain(Value::List(list.clone()))),
            Node::Name(_) | Node::Field { .. } => self.path(id),
            Node::Unary(operator, operand) => self.unary(id, *operator, *operand),
            Node::Binary(..) => self.operators(id),
            Node::Compare(pairs) => self.comparison(*pairs),
            Node::InSet { texts, left, items } => self.in_set(id, *texts, *left, *items),
            Node::InRange { left, from, to } => self.in_range(id, *left, *from, *to),
            Node::Matches(left, pattern) => self.matches_known(id, *left, pattern),
            Node::Chain(inside) => self.chain(*inside),
            Node::Index { base, key, optional } => self.index(id, *base, *key, *optional),
            Node::Slice { base, from, to } => self.slice(id, *base, *from, *to),
            Node::Call(children) => self.call(id, *children),
            Node::Builtin(builtin, arguments) => {
                self.builtin(id, builtin, *arguments).and_then(|val| self.bounded(id, val))
            }
            Node::Loop { kind, arguments } => self.looped(id, *kind, *arguments).and_then(|val| self.bounded(id, val)),
            Node::CountUpTo { arguments, enough } => self.count_up_to(id, *arguments, *enough),
            Node::Pointer(pointer) => self.pointer(id, *pointer),
            Node::Let { value, body } => self.declare(id, *value, *body),
            Node::Sequence(all) => self.sequence(*all),
            Node::If { condition, yes, no, .. } => self.conditional(id, *condition, *yes, *no),
            Node::Elvis(condition, no) => self.elvis(id, *condition, *no),
            Node::List(items) => self.list(id, *items).and_then(|val| self.bounded(id, val)),
            Node::Map(pairs) => self.map(id, *pairs).and_then(|val| self.bounded(id, val)),
            Node::Total(items) => self.total(id, *items),
        }
    }

    /// Passes on what was made, unless it is nested too deep or too large to be walked: sharing makes such data cheap.
    fn bounded(&self, id: Id, val: Val) -> Result<Val> {
        match val.check_extent(self.scope.fuel) {
            Ok(()) => Ok(val),
            Err(error) => Err(self.site(id, error)),
        }
    }

    // Names and members

    fn text(&self, span: crate::span::Span) -> &'a str {
        span.of(self.source.text())
    }

    /// A name that is looked for: a long one is compared for long.
    #[inline(never)]
    fn name(&self, span: crate::span::Span) -> Result<&'a str> {
        let name = self.text(span);
        ops::pay_text(name, self.scope.fuel)?;
        Ok(name)
    }

    fn named(&self, id: Id, name: &'a str) -> Result<Held<'a>> {
        if let Some((_, value)) = self.lets.iter().rev().find(|(known, _)| *known == name) {
            return Ok(Held::Owned(value.clone()));
        }
        if let Some(value) = self.scope.variable(name) {
            return Ok(Held::Borrowed(value));
        }
        if name == "$env" {
            return Ok(Held::Owned(Val::Env));
        }
        // A function that is not called, or a name in a part that the checker does not look at.
        self.fault(id, ExprFault::Fetch(name.into(), "the environment".into()))
    }

    /// A name and the members behind it, without copying what lies between.
    fn path(&mut self, top: Id) -> Result<Val> {
        let first = self.spine.len();
        let mut at = top;
        while let Node::Field { base, .. } = self.ast.node(at) {
            self.spine.push(at);
            at = *base;
        }
        let mut held = match self.ast.node(at) {
            Node::Name(span) => self.named(at, self.name(*span)?)?,
            _ => Held::Owned(self.eval(at)?),
        };
        self.scope.fuel.step((self.spine.len() - first) as u64)?;
        while self.spine.len() > first {
            let Some(id) = self.spine.pop() else { break };
            if self.ended {
                continue;
            }
            let Node::Field { name, optional, .. } = self.ast.node(id) else { continue };
            if *optional && held.is_nil() {
                self.ended = true;
                continue;
            }
            held = self.step_into(id, held, self.name(*name)?)?;
        }
        Ok(if self.ended { Val::NIL } else { held.into_val() })
    }

    fn step_into(&self, id: Id, held: Held<'a>, name: &str) -> Result<Held<'a>> {
        if let Held::Borrowed(Value::Map(map)) = &held
            && let Some(value) = map.field(name)
        {
            return Ok(Held::Borrowed(value));
        }
        self.member(id, &held.into_val(), name).map(Held::Owned)
    }

    fn member(&self, id: Id, base: &Val, name: &str) -> Result<Val> {
        match base {
            Val::Plain(Value::Map(map)) => match access::member(map, name) {
                Some(value) => Ok(value.into()),
                None => self.fault(id, ExprFault::Fetch(name.into(), base.kind())),
            },
            Val::Env => match self.scope.variable(name) {
                Some(value) => Ok(Val::Plain(value.clone())),
                None => self.fault(id, ExprFault::Fetch(name.into(), base.kind())),
            },
            _ => access::fetch(base, &Val::text(name)).map_err(|error| self.site(id, error)),
        }
    }

    fn chain(&mut self, inside: Id) -> Result<Val> {
        let value = self.eval(inside)?;
        if core::mem::take(&mut self.ended) || ops::is_nil(&value) { Ok(Val::NIL) } else { Ok(value) }
    }

    fn index(&mut self, id: Id, base: Id, key: Id, optional: bool) -> Result<Val> {
        let base = self.eval(base)?;
        if self.ended {
            return Ok(Val::NIL);
        }
        if optional && ops::is_nil(&base) {
            self.ended = true;
            return Ok(Val::NIL);
        }
        let key = self.eval(key)?;
        if let Some(name) = key.as_text() {
            ops::pay_text(name, self.scope.fuel)?;
        }
        match (&base, key.as_text()) {
            (Val::Env, Some(name)) => self.member(id, &base, name),
            _ => access::fetch(&base, &key).map_err(|error| self.site(id, error)),
        }
    }

    /// The end is evaluated before the start, as in the reference; a missing end is the length.
    fn slice(&mut self, id: Id, base: Id, from: Option<Id>, to: Option<Id>) -> Result<Val> {
        let base = self.eval(base)?;
        let to = match to {
            Some(to) => self.eval(to)?,
            None => match access::length(&base) {
                Some(length) => Val::int(i64::try_from(length).unwrap_or(i64::MAX)),
                None => return self.fault(id, ExprFault::ArgumentType("len".into(), base.kind())),
            },
        };
        let from = match from {
            Some(from) => self.eval(from)?,
            None => Val::int(0),
        };
        access::slice(&base, &from, &to, self.scope.fuel).map_err(|error| self.site(id, error))
    }

    // Operators

    fn unary(&mut self, id: Id, operator: Unary, operand: Id) -> Result<Val> {
        let value = self.eval(operand)?;
        match operator {
            Unary::Not | Unary::NotWord => {
                value.expect_bool().map(|truth| (!truth).into()).map_err(|error| self.site(id, error))
            }
            Unary::Minus => ops::negate(&value).map_err(|error| self.site(id, error)),
            Unary::Plus => Ok(value),
        }
    }

    /// The left side of an operator is another operator thousands of times over: walked in a loop.
    fn operators(&mut self, top: Id) -> Result<Val> {
        let first = self.spine.len();
        let mut at = top;
        while let Node::Binary(_, left, _) = self.ast.node(at) {
            self.spine.push(at);
            at = *left;
        }
        // The first of them is paid for.
        self.scope.fuel.step((self.spine.len() - first).saturating_sub(1) as u64)?;
        let mut value = self.eval(at)?;
        while self.spine.len() > first {
            let Some(id) = self.spine.pop() else { break };
            let Node::Binary(operator, _, right) = *self.ast.node(id) else { continue };
            value = self.apply(id, operator, value, right)?;
        }
        Ok(value)
    }

    fn apply(&mut self, id: Id, operator: Binary, left: Val, right: Id) -> Result<Val> {
        let decided = match operator {
            // The right side of `and` and `or` is not checked: as vectors flow-*.
            Binary::And | Binary::AndAnd => !left.expect_bool().map_err(|error| self.site(id, error))?,
            Binary::Or | Binary::OrOr => left.expect_bool().map_err(|error| self.site(id, error))?,
            Binary::Coalesce => !ops::is_nil(&left),
            _ => false,
        };
        if decided {
            return Ok(left);
        }
        let right = self.eval(right)?;
        match operator {
            Binary::And | Binary::AndAnd | Binary::Or | Binary::OrOr | Binary::Coalesce => Ok(right),
            Binary::Range => self.range(id, &left, &right),
            Binary::Matches => self.matches_made(&left, &right).map(Into::into).map_err(|error| self.site(id, error)),
            Binary::In if matches!(right, Val::Env) => {
                let name = left.expect_text().map_err(|error| self.site(id, error))?;
                Ok(self.scope.variable(name).is_some().into())
            }
            Binary::Add => self.add(id, &left, &right),
            _ => operate(operator, &left, &right, self.scope.fuel).map_err(|error| self.site(id, error)),
        }
    }

    fn add(&mut self, id: Id, left: &Val, right: &Val) -> Result<Val> {
        if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
            self.scope.fuel.copy(left.len().saturating_add(right.len()))?;
        }
        ops::add(left, right).map_err(|error| self.site(id, error))
    }

    fn range(&mut self, id: Id, left: &Val, right: &Val) -> Result<Val> {
        let bounds = left.to_int().and_then(|from| Ok((from, right.to_int()?)));
        let (from, to) = bounds.map_err(|error| self.site(id, error))?;
        let size = to.wrapping_sub(from).wrapping_add(1).max(0);
        self.charge(id, usize::try_from(size).unwrap_or(usize::MAX))?;
        Ok(if size == 0 { Val::list(Vec::new()) } else { Val::Range(from, to) })
    }

    /// Pairs that share an operand: the right side of one is the left side of the next.
    fn comparison(&mut self, pairs: Children) -> Result<Val> {
        let mut shared: Option<Val> = None;
        for &pair in self.ast.list(pairs) {
            let Node::Binary(operator, left, right) = *self.ast.node(pair) else { continue };
            let left = match shared.take() {
                Some(left) => left,
                None => self.eval(left)?,
            };
            let right = self.eval(right)?;
            if !ops::compare(operator, &left, &right, self.scope.fuel).map_err(|error| self.site(pair, error))? {
                return Ok(false.into());
            }
            shared = Some(right);
        }
        Ok(true.into())
    }

    /// A set has keys of one kind: asking it for another is a fault, nil is its zero.
    fn in_set(&mut self, id: Id, texts: bool, left: Id, items: Children) -> Result<Val> {
        let needle = self.eval(left)?;
        let items = self.ast.list(items);
        self.scope.fuel.step(items.len() as u64)?;
        let found = match (&needle, texts) {
            (Val::Plain(Value::Text(_) | Value::Null), true) => {
                let needle = needle.as_text().unwrap_or("");
                self.scope.fuel.scan((needle.len() / 8).saturating_mul(items.len()))?;
                items.iter().any(|&item| matches!(self.ast.node(item), Node::Text(text) if **text == *needle))
            }
            (Val::Plain(Value::Int(_) | Value::Null), false) => {
                let needle = needle.to_int().unwrap_or(0);
                items.iter().any(|&item| matches!(self.ast.node(item), Node::Int(value) if *value == needle))
            }
            _ => return self.fault(id, ExprFault::OperandType("in", needle.kind(), "a set".into())),
        };
        Ok(found.into())
    }

    fn in_range(&mut self, id: Id, left: Id, from: Id, to: Id) -> Result<Val> {
        let needle = self.eval(left)?;
        let (from, to) = (self.eval(from)?, self.eval(to)?);
        let fuel = self.scope.fuel;
        let inside = ops::compare(Binary::MoreEqual, &needle, &from, fuel)
            .and_then(|above| Ok(above && ops::compare(Binary::LessEqual, &needle, &to, fuel)?));
        inside.map(Into::into).map_err(|error| self.site(id, error))
    }

    fn matches_known(&mut self, id: Id, left: Id, pattern: &Pattern) -> Result<Val> {
        let subject = self.eval(left)?;
        matches(&subject, pattern, self.scope.fuel).map(Into::into).map_err(|error| self.site(id, error))
    }

    /// `matches` with a pattern that was made at run time.
    fn matches_made(&mut self, subject: &Val, pattern: &Val) -> Result<bool> {
        if ops::is_nil(subject) || ops::is_nil(pattern) {
            return Ok(false);
        }
        let text = pattern.expect_text()?;
        if !matches!(subject, Val::Plain(Value::Text(_)) | Val::Bytes(_)) {
            return Err(ExprFault::WrongType("text", subject.kind()).into());
        }
        if let Some((known, pattern)) = &self.pattern
            && **known == *text
        {
            return matches(subject, pattern, self.scope.fuel);
        }
        let pattern = Pattern::new(text).map_err(|fault| Error::from(ExprFault::BadPattern(fault.to_string())))?;
        // Making it costs about as much as a search through its own text.
        self.scope.fuel.step(pattern.steps(text.len()))?;
        let outcome = matches(subject, &pattern, self.scope.fuel);
        self.pattern = Some((text.into(), pattern));
        outcome
    }

    // Calls

    /// The values of nodes, in order.
    fn values(&mut self, ids: &[Id]) -> Result<Vec<Val>> {
        let mut values = Vec::with_capacity(ids.len());
        for &id in ids {
            values.push(self.eval(id)?);
        }
        Ok(values)
    }

    #[inline(never)]
    fn builtin(&mut self, id: Id, builtin: &'static Builtin, children: Children) -> Result<Val> {
        let arguments = self.ast.list(children);
        let mut few = [const { Val::NIL }; FEW];
        let Some(given) = few.get_mut(..arguments.len()) else {
            let many = self.values(arguments)?;
            return self.invoke(id, builtin.name, builtin.call, &many);
        };
        for (place, &argument) in given.iter_mut().zip(arguments) {
            *place = self.eval(argument)?;
        }
        self.invoke(id, builtin.name, builtin.call, given)
    }

    fn invoke(
        &mut self,
        id: Id,
        name: &'static str,
        function: fn(&mut Call<'_>) -> Result<Val>,
        arguments: &[Val],
    ) -> Result<Val> {
        let scope = self.scope;
        let mut call = Call { name, arguments, scope, budget: &mut self.budget };
        function(&mut call).map_err(|error| self.site(id, error))
    }

    /// Arguments first, then what is called, as in the reference.
    fn call(&mut self, id: Id, children: Children) -> Result<Val> {
        let Some((&callee, arguments)) = self.ast.list(children).split_first() else { return Ok(Val::NIL) };
        let arguments = self.values(arguments)?;
        if let Node::Name(span) = self.ast.node(callee) {
            let name = self.text(*span);
            let is_let = self.lets.iter().any(|(known, _)| *known == name);
            let known = self.scope.functions.signatures().iter().find(|signature| signature.name == name);
            if let (Some(signature), false) = (known, is_let) {
                return self.function(id, signature, arguments);
            }
        }
        let function = self.eval(callee)?;
        if self.ended {
            return Ok(Val::NIL);
        }
        match &function {
            Val::Method(bound) => self.method(id, bound.method, &bound.receiver, arguments),
            _ => self.fault(id, ExprFault::NotCallable(function.kind())),
        }
    }

    fn function(&mut self, id: Id, signature: &Signature, arguments: Vec<Val>) -> Result<Val> {
        let given = u8::try_from(arguments.len()).unwrap_or(u8::MAX);
        if given < signature.least || given > signature.most {
            return self.fault(id, ExprFault::ArgumentCount(signature.name.into(), arguments.len()));
        }
        // A function may evaluate a template of its own: a call from deep inside of an expression leaves less depth
        // to it, so that all of it together fits a small stack.
        let mut levels = heapless::Vec::<Level<'_>, { HEIGHT / LEVELS_A_CALL }>::new();
        for _ in 0..self.ast.levels_above(id) / LEVELS_A_CALL {
            let level = self.scope.fuel.enter().map_err(|error| self.site(id, error))?;
            let _room = levels.push(level);
        }
        let plain = arguments.iter().map(|argument| show::plain(argument, self.scope.fuel)).collect::<Result<Vec<_>>>();
        let plain = plain.map_err(|error| self.site(id, error))?;
        let outcome = self.scope.functions.call(signature.name, &plain, self.scope.fuel);
        outcome.map(Val::Plain).map_err(|error| self.site(id, error))
    }

    fn method(&mut self, id: Id, index: u8, receiver: &Val, arguments: Vec<Val>) -> Result<Val> {
        let Some(method) = METHODS.get(usize::from(index)) else { return Ok(Val::NIL) };
        if arguments.len() != method.parameters.len() {
            return self.fault(id, ExprFault::ArgumentCount(method.name.into(), arguments.len()));
        }
        let all: Vec<Val> = core::iter::once(receiver.clone()).chain(arguments).collect();
        self.invoke(id, method.name, method.call, &all)
    }

    // Statements and literals

    fn declare(&mut self, id: Id, value: Id, body: Id) -> Result<Val> {
        let value = self.eval(value)?;
        self.lets.push((self.text(self.ast.span(id)), value));
        let outcome = self.eval(body);
        self.lets.pop();
        outcome
    }

    fn sequence(&mut self, all: Children) -> Result<Val> {
        let mut last = Val::NIL;
        for &each in self.ast.list(all) {
            last = self.eval(each)?;
        }
        Ok(last)
    }

    fn truth(&mut self, id: Id, condition: Id) -> Result<bool> {
        let value = self.eval(condition)?;
        value.expect_bool().map_err(|error| self.site(id, error))
    }

    fn conditional(&mut self, id: Id, condition: Id, yes: Id, no: Id) -> Result<Val> {
        if self.truth(id, condition)? { self.eval(yes) } else { self.eval(no) }
    }

    fn elvis(&mut self, id: Id, condition: Id, no: Id) -> Result<Val> {
        if self.truth(id, condition)? { Ok(true.into()) } else { self.eval(no) }
    }

    fn list(&mut self, id: Id, items: Children) -> Result<Val> {
        let values = self.values(self.ast.list(items))?;
        self.charge(id, values.len())?;
        self.scope.fuel.list(values.len())?;
        Ok(Val::list(values))
    }

    /// Of two pairs with one key the first stays, as in the reference.
    fn map(&mut self, id: Id, pairs: Children) -> Result<Val> {
        let values = self.values(self.ast.list(pairs))?;
        self.charge(id, values.len() / 2)?;
        self.scope.fuel.map(values.len() / 2)?;
        let mut entries: Vec<(Text, Val)> = Vec::with_capacity(values.len() / 2);
        let mut values = values.into_iter();
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            match key {
                Val::Plain(Value::Text(key)) => entries.push((key, value)),
                key => return self.fault(id, ExprFault::WrongType("text", key.kind())),
            }
        }
        entries.reverse();
        Ok(Val::map(entries))
    }

    /// `a + (b + (c + d))`
    fn total(&mut self, id: Id, items: Children) -> Result<Val> {
        let mut values = self.values(self.ast.list(items))?.into_iter().rev();
        let mut total = values.next().unwrap_or(Val::NIL);
        for value in values {
            total = self.add(id, &value, &total)?;
        }
        Ok(total)
    }
}

/// Operators on two values.
fn operate(operator: Binary, left: &Val, right: &Val, fuel: &Fuel) -> Result<Val> {
    match operator {
        Binary::Equal => ops::equal(left, right, fuel).map(Into::into),
        Binary::NotEqual => ops::equal(left, right, fuel).map(|equal| (!equal).into()),
        Binary::EqualInts | Binary::NotEqualInts => {
            let equal = known_int(left)? == known_int(right)?;
            Ok((equal == (operator == Binary::EqualInts)).into())
        }
        Binary::EqualTexts | Binary::NotEqualTexts => {
            let (left, right) = (left.expect_text()?, right.expect_text()?);
            let equal = left.len() == right.len() && {
                ops::pay_text(left, fuel)?;
                left == right
            };
            Ok((equal == (operator == Binary::EqualTexts)).into())
        }
        Binary::Less | Binary::More | Binary::LessEqual | Binary::MoreEqual => {
            ops::compare(operator, left, right, fuel).map(Into::into)
        }
        Binary::Subtract => ops::subtract(left, right),
        Binary::Multiply => ops::multiply(left, right),
        Binary::Divide => ops::divide(left, right),
        Binary::Modulo => ops::modulo(left, right),
        Binary::Power | Binary::Caret => ops::power(left, right),
        Binary::In => ops::contains(left, right, fuel).map(Into::into),
        Binary::Contains | Binary::StartsWith | Binary::EndsWith => ops::on_texts(operator, left, right, fuel),
        Binary::Add | Binary::Range => ops::add(left, right),
        // Those that need more than their two values are applied before.
        Binary::Matches | Binary::And | Binary::AndAnd | Binary::Or | Binary::OrOr | Binary::Coalesce => {
            Ok(right.clone())
        }
    }
}

/// What the checker took for an integer and may be none after all: `(u ? 1 : nil) == 1`.
fn known_int(value: &Val) -> Result<i64> {
    match value {
        Val::Plain(Value::Int(int)) => Ok(int.wrapping_i64()),
        _ => Err(ExprFault::WrongType("an integer", value.kind()).into()),
    }
}

/// A search costs its length times the size of the pattern, whatever it finds.
fn matches(subject: &Val, pattern: &Pattern, fuel: &Fuel) -> Result<bool> {
    match subject {
        Val::Plain(Value::Text(text)) => {
            fuel.step(pattern.steps(text.len()))?;
            Ok(pattern.is_match(text))
        }
        Val::Bytes(bytes) => {
            fuel.step(pattern.steps(bytes.len()))?;
            // What is no UTF-8 becomes three bytes.
            fuel.text(bytes.len().saturating_mul(3))?;
            Ok(pattern.is_match(&String::from_utf8_lossy(bytes)))
        }
        _ if ops::is_nil(subject) => Ok(false),
        _ => Err(ExprFault::WrongType("text", subject.kind()).into()),
    }
}
