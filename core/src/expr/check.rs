//! Names, arity and static kinds, before anything runs.
//!
//! Follows the reference's checker closely, because what it refuses, and where, depends on the order in which it
//! looks: the first fault counts. Parts of an expression that it never looks at (the bounds of a slice of something
//! unknown, the arguments of an unknown function) are not looked at here either.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::names::{Scope, Signature};
use crate::span::{Source, Span};
use crate::text::nearest::nearest;
use crate::text::pattern::Pattern;
use crate::value::{Shape, Value};

use super::ast::{Ast, Binary, Children, Id, Loop, Node, Pointer, Unary};
use super::builtins::{self, Check, METHODS, Overload};
use super::nature::Nature;

/// The outcome of a check: what is known of every node looked at, and the patterns that were compiled for it.
pub(super) struct Natures {
    known: Vec<Option<Nature>>,
    patterns: Vec<(Id, Pattern)>,
}

impl Natures {
    /// What is known of a node; a node that was not looked at may be anything.
    pub(super) fn of(&self, id: Id) -> Nature {
        self.known.get(id.index()).copied().flatten().unwrap_or(Nature::ANY)
    }

    pub(super) fn set(&mut self, id: Id, nature: Nature) {
        if let Some(place) = self.known.get_mut(id.index()) {
            *place = Some(nature);
        }
    }
}

impl Natures {
    /// The pattern that was compiled from the text of a node.
    pub(super) fn pattern(&self, id: Id) -> Option<&Pattern> {
        self.patterns.iter().find(|(known, _)| *known == id).map(|(_, pattern)| pattern)
    }
}

/// Checks a whole tree.
pub(super) fn check(ast: &Ast, source: &Source, scope: &Scope<'_>) -> Result<Natures> {
    let natures = Natures { known: alloc::vec![None; ast.len()], patterns: Vec::new() };
    let mut checker =
        Checker { ast, source, scope, natures, lets: Vec::new(), predicates: Vec::new(), spine: Vec::new() };
    if let Some(root) = ast.root {
        checker.visit(root)?;
    }
    Ok(checker.natures)
}

struct Checker<'a> {
    ast: &'a Ast,
    source: &'a Source,
    scope: &'a Scope<'a>,
    natures: Natures,
    /// Names that `let` has made, innermost last.
    lets: Vec<(Span, Nature)>,
    /// Predicates around the current node, innermost last.
    predicates: Vec<Predicate>,
    /// Nodes whose left side is being looked at.
    spine: Vec<Id>,
}

/// What `#`, `#index` and `#acc` are inside of a predicate.
struct Predicate {
    collection: Nature,
    index: bool,
    accumulator: bool,
}

type Checked = Result<Nature>;

impl Checker<'_> {
    #[cold]
    fn fault<T>(&self, at: Id, fault: ExprFault) -> Result<T> {
        Err(crate::Error::from(fault).at(self.source.at(self.ast.span(at))))
    }

    /// A node is looked at once, even when two parents share it.
    fn visit(&mut self, id: Id) -> Checked {
        if let Some(Some(known)) = self.natures.known.get(id.index()) {
            return Ok(*known);
        }
        let nature = self.look(id)?;
        self.natures.set(id, nature);
        Ok(nature)
    }

    fn look(&mut self, id: Id) -> Checked {
        match self.ast.node(id) {
            Node::Nil => Ok(Nature::NIL),
            Node::Bool(_) => Ok(Nature::BOOL),
            Node::Int(_) => Ok(Nature::INT),
            Node::Float(_) => Ok(Nature::FLOAT),
            Node::Text(_) => Ok(Nature::TEXT),
            Node::Bytes(_) => Ok(Nature::BYTES),
            Node::Name(name) => self.name(id, *name),
            Node::Unary(operator, operand) => self.unary(id, *operator, *operand),
            Node::Binary(..) => self.operators(id),
            Node::Compare(pairs) => {
                for &pair in self.ast.list(*pairs) {
                    self.visit(pair)?;
                }
                Ok(Nature::BOOL)
            }
            Node::Chain(inside) => self.visit(*inside),
            Node::Field { base, name, optional } => self.field(id, *base, *name, *optional),
            Node::Index { base, key, optional } => self.index(id, *base, *key, *optional),
            Node::Slice { base, from, to } => self.slice(id, *base, *from, *to),
            Node::Call(children) => self.call(id, *children),
            Node::Builtin(builtin, arguments) => self.builtin(id, builtin, *arguments),
            Node::Loop { kind, arguments } => self.looped(*kind, *arguments),
            Node::Pointer(pointer) => self.pointer(id, *pointer),
            Node::Let { value, body } => self.declare(id, *value, *body),
            Node::Sequence(all) => {
                let mut last = Nature::UNKNOWN;
                for &each in self.ast.list(*all) {
                    last = self.visit(each)?;
                }
                Ok(last)
            }
            Node::If { condition, yes, no, .. } => self.conditional(*condition, *yes, *no),
            Node::Elvis(condition, no) => self.conditional(*condition, *condition, *no),
            Node::List(items) => self.list(*items),
            Node::Map(pairs) => {
                for &each in self.ast.list(*pairs) {
                    self.visit(each)?;
                }
                Ok(Nature::MAP)
            }
            _ => Ok(Nature::UNKNOWN),
        }
    }

    // Names

    fn text(&self, span: Span) -> &str {
        span.of(self.source.text())
    }

    fn name(&self, id: Id, span: Span) -> Checked {
        let name = self.text(span);
        if let Some((_, nature)) = self.lets.iter().rev().find(|(known, _)| self.text(*known) == name) {
            return Ok(*nature);
        }
        if name == "$env" {
            return Ok(Nature::UNKNOWN);
        }
        if let Some(nature) = self.variable(name) {
            return Ok(nature);
        }
        if self.is_function(name) || builtins::find(name).is_some() || Loop::named(name).is_some() {
            return Ok(Nature::FUNCTION);
        }
        self.unknown(id, name)
    }

    fn variable(&self, name: &str) -> Option<Nature> {
        self.scope.variable(name).map(|value| match value {
            Value::Map(map) if map.shape() == Shape::Texts => Nature::TEXT_MAP,
            Value::Map(_) | Value::Null => Nature::MAP,
            Value::Bool(_) => Nature::BOOL,
            Value::Int(_) => Nature::INT,
            Value::Float(_) => Nature::FLOAT,
            Value::Text(_) => Nature::TEXT,
            Value::List(_) => Nature::LIST,
        })
    }

    /// The function of the caller that a name means; a `let` over it would have been refused.
    fn provided(&self, callee: Id) -> Option<Signature> {
        let Node::Name(span) = self.ast.node(callee) else { return None };
        let name = self.text(*span);
        self.scope.functions.signatures().iter().find(|signature| signature.name == name).copied()
    }

    fn is_function(&self, name: &str) -> bool {
        self.scope.functions.signatures().iter().any(|signature| signature.name == name)
    }

    #[cold]
    fn unknown<T>(&self, id: Id, name: &str) -> Result<T> {
        let mut known = Vec::new();
        self.lets.iter().for_each(|(span, _)| known.push(self.text(*span)));
        self.scope.variables.iter().for_each(|(name, _)| known.push(name));
        self.scope.functions.signatures().iter().for_each(|signature| known.push(signature.name));
        builtins::names().chain(Loop::NAMES.iter().copied()).for_each(|name| known.push(name));
        let near = nearest(name, known).map(Into::into);
        self.fault(id, ExprFault::UnknownName(name.into(), near))
    }

    fn declare(&mut self, id: Id, value: Id, body: Id) -> Checked {
        let span = self.ast.span(id);
        let name = self.text(span);
        let taken = self.scope.variable(name).is_some()
            || self.is_function(name)
            || builtins::find(name).is_some()
            || Loop::named(name).is_some()
            || self.lets.iter().any(|(known, _)| self.text(*known) == name);
        if taken {
            return self.fault(id, ExprFault::Redeclared(name.into()));
        }
        let nature = self.visit(value)?;
        self.lets.push((span, nature));
        let outcome = self.visit(body);
        self.lets.pop();
        outcome
    }

    // Operators

    fn unary(&mut self, id: Id, operator: Unary, operand: Id) -> Checked {
        let nature = self.visit(operand)?;
        match operator {
            Unary::Not | Unary::NotWord if nature == Nature::BOOL || nature.is_unknown() => Ok(Nature::BOOL),
            Unary::Minus | Unary::Plus if nature.is_number() => Ok(nature),
            Unary::Minus | Unary::Plus if nature.is_unknown() => Ok(Nature::UNKNOWN),
            _ => self.fault(id, ExprFault::TypeMismatch(operator.text(), nature.name(), "".into())),
        }
    }

    /// The left side of an operator is another operator thousands of times over: walked in a loop.
    fn operators(&mut self, top: Id) -> Checked {
        let first = self.spine.len();
        let mut at = top;
        while let Node::Binary(_, left, _) = *self.ast.node(at) {
            self.spine.push(at);
            at = left;
        }
        let mut left = self.visit(at)?;
        while self.spine.len() > first {
            let Some(id) = self.spine.pop() else { break };
            let Node::Binary(operator, _, right) = *self.ast.node(id) else { continue };
            let found = self.visit(right)?;
            left = self.binary(id, operator, left, found, right)?;
            self.natures.set(id, left);
        }
        Ok(left)
    }

    fn binary(&mut self, id: Id, operator: Binary, l: Nature, r: Nature, right: Id) -> Checked {
        const NUMBER: u8 = 1;
        const TEXT: u8 = 2;
        const TIME: u8 = 4;
        const DURATION: u8 = 8;
        const INTEGER: u8 = 16;
        const TRUTH: u8 = 32;
        let is = |nature: Nature, set: u8| {
            set & NUMBER != 0 && nature.is_number()
                || set & TEXT != 0 && nature == Nature::TEXT
                || set & TIME != 0 && nature == Nature::TIME
                || set & DURATION != 0 && nature == Nature::DURATION
                || set & INTEGER != 0 && nature.is_integer()
                || set & TRUTH != 0 && nature == Nature::BOOL
        };
        // One side is unknown, and the other is unknown too or of the set.
        let maybe =
            |set: u8| l.is_unknown() && r.is_unknown() || l.is_unknown() && is(r, set) || r.is_unknown() && is(l, set);
        let both = |set: u8| is(l, set) && is(r, set);
        let outcome = match operator {
            Binary::Equal | Binary::NotEqual if l.comparable_to(r) => Some(Nature::BOOL),
            Binary::Or | Binary::OrOr | Binary::And | Binary::AndAnd if both(TRUTH) || maybe(TRUTH) => {
                Some(Nature::BOOL)
            }
            Binary::Less | Binary::More | Binary::LessEqual | Binary::MoreEqual
                if both(NUMBER)
                    || both(TEXT)
                    || both(TIME)
                    || both(DURATION)
                    || maybe(NUMBER | TEXT | TIME | DURATION) =>
            {
                Some(Nature::BOOL)
            }
            Binary::Subtract | Binary::Multiply | Binary::Add if both(NUMBER) => Some(l.promoted(r)),
            Binary::Subtract => match (l, r) {
                (Nature::TIME, Nature::TIME) | (Nature::DURATION, Nature::DURATION) => Some(Nature::DURATION),
                (Nature::TIME, Nature::DURATION) => Some(Nature::TIME),
                _ => maybe(NUMBER | TIME | DURATION).then_some(Nature::UNKNOWN),
            },
            Binary::Multiply => match (l, r) {
                (Nature::DURATION, Nature::DURATION) => Some(Nature::DURATION),
                (Nature::DURATION, number) | (number, Nature::DURATION) if number.is_number() => Some(Nature::DURATION),
                _ => maybe(NUMBER | DURATION).then_some(Nature::UNKNOWN),
            },
            Binary::Add => match (l, r) {
                (Nature::TEXT, Nature::TEXT) => Some(Nature::TEXT),
                (Nature::TIME, Nature::DURATION) | (Nature::DURATION, Nature::TIME) => Some(Nature::TIME),
                (Nature::DURATION, Nature::DURATION) => Some(Nature::DURATION),
                _ => maybe(NUMBER | TEXT | TIME | DURATION).then_some(Nature::UNKNOWN),
            },
            Binary::Divide | Binary::Power | Binary::Caret if both(NUMBER) || maybe(NUMBER) => Some(Nature::FLOAT),
            Binary::Modulo if both(INTEGER) || maybe(INTEGER) => Some(Nature::INT),
            Binary::Range if both(INTEGER) || maybe(INTEGER) => Some(Nature::INT.list_of()),
            Binary::In => return self.membership(id, l, r),
            Binary::Matches => {
                self.pattern(id, right)?;
                let subject = l == Nature::TEXT || l == Nature::BYTES;
                (subject && r == Nature::TEXT || maybe(TEXT)).then_some(Nature::BOOL)
            }
            Binary::Contains | Binary::StartsWith | Binary::EndsWith if both(TEXT) || maybe(TEXT) => Some(Nature::BOOL),
            Binary::Coalesce => Some(match (l, r) {
                (Nature::NIL, other) | (other, Nature::NIL) => other,
                _ if r.assignable_to(l) => l,
                _ => Nature::UNKNOWN,
            }),
            _ => None,
        };
        match outcome {
            Some(nature) => Ok(nature),
            None => self.fault(id, ExprFault::TypeMismatch(operator.text(), l.name(), r.name())),
        }
    }

    fn membership(&self, id: Id, l: Nature, r: Nature) -> Checked {
        let fits = if r.is_map() {
            l.is_unknown() || l.assignable_to(r.key())
        } else if r.is_list() {
            l.comparable_to(r.element())
        } else {
            r.is_unknown()
                || (l == Nature::TEXT || l.is_unknown()) && r == Nature::TIME
                || l.is_unknown() && r == Nature::TEXT
        };
        if fits { Ok(Nature::BOOL) } else { self.fault(id, ExprFault::TypeMismatch("in", l.name(), r.name())) }
    }

    /// A pattern written as text is compiled here, so that it is wrong before anything runs.
    fn pattern(&mut self, id: Id, right: Id) -> Result<()> {
        let Node::Text(text) = self.ast.node(right) else { return Ok(()) };
        match Pattern::new(text) {
            Ok(pattern) => {
                self.natures.patterns.push((right, pattern));
                Ok(())
            }
            Err(fault) => self.fault(id, ExprFault::BadPattern(fault.to_string())),
        }
    }

    // Members, slices, calls

    fn is_env(&self, id: Id) -> bool {
        matches!(self.ast.node(id), Node::Name(name) if self.text(*name) == "$env")
    }

    /// A root by `$env.Name`: functions are no part of it.
    fn env_member(&self, id: Id, name: &str, optional: bool) -> Checked {
        match self.variable(name) {
            Some(nature) => Ok(nature),
            None if optional => Ok(Nature::UNKNOWN),
            None => self.unknown(id, name),
        }
    }

    /// Members behind members are walked in a loop: `a.b.c.d`.
    fn field(&mut self, id: Id, base: Id, span: Span, optional: bool) -> Checked {
        let first = self.spine.len();
        let mut at = base;
        while let Node::Field { base, .. } = *self.ast.node(at) {
            self.spine.push(at);
            at = base;
        }
        while self.spine.len() > first {
            let Some(id) = self.spine.pop() else { break };
            let Node::Field { base, name, optional } = *self.ast.node(id) else { continue };
            let nature = self.step_into(id, base, name, optional)?;
            self.natures.set(id, nature);
        }
        self.step_into(id, base, span, optional)
    }

    fn step_into(&mut self, id: Id, base: Id, span: Span, optional: bool) -> Checked {
        if self.is_env(base) {
            return self.env_member(id, self.text(span), optional);
        }
        let nature = self.visit(base)?;
        self.member(id, nature, self.text(span))
    }

    /// `base.name`, or `base["name"]`.
    fn member(&self, id: Id, base: Nature, name: &str) -> Checked {
        if base.is_unknown() {
            return Ok(Nature::UNKNOWN);
        }
        if let Some(index) = METHODS.iter().position(|method| method.receiver == base && method.name == name) {
            return Ok(Nature::method(u8::try_from(index).unwrap_or(u8::MAX)));
        }
        if base.is_map() {
            return Ok(base.element());
        }
        if base.is_list() {
            return self.fault(id, ExprFault::IndexType("text".into(), base.name()));
        }
        let methods = METHODS.iter().filter(|method| method.receiver == base).map(|method| method.name);
        let near = nearest(name, methods).map(Into::into);
        self.fault(id, ExprFault::NoField(base.name(), name.into(), near))
    }

    fn index(&mut self, id: Id, base: Id, key: Id, optional: bool) -> Checked {
        if self.is_env(base) {
            return match self.ast.node(key) {
                Node::Text(name) => self.env_member(id, name, optional),
                _ => Ok(Nature::UNKNOWN),
            };
        }
        let (nature, found) = (self.visit(base)?, self.visit(key)?);
        if nature.is_unknown() {
            return Ok(Nature::UNKNOWN);
        }
        if nature.is_map() {
            return self.keyed(key, nature, found);
        }
        if nature.is_list() {
            return self.indexed(key, nature, found);
        }
        match self.ast.node(key) {
            Node::Text(name) => self.member(id, nature, name),
            _ => self.fault(id, ExprFault::NoField(nature.name(), found.name().into_owned(), None)),
        }
    }

    fn keyed(&self, key: Id, map: Nature, found: Nature) -> Checked {
        if found.is_unknown() || found.assignable_to(map.key()) {
            Ok(map.element())
        } else {
            self.fault(key, ExprFault::IndexType(found.name(), map.name()))
        }
    }

    fn indexed(&self, key: Id, list: Nature, found: Nature) -> Checked {
        if found.is_unknown() || found.is_integer() {
            Ok(list.element())
        } else {
            self.fault(key, ExprFault::IndexType(found.name(), list.name()))
        }
    }

    fn slice(&mut self, id: Id, base: Id, from: Option<Id>, to: Option<Id>) -> Checked {
        let nature = self.visit(base)?;
        if nature.is_unknown() {
            return Ok(Nature::UNKNOWN);
        }
        if nature != Nature::TEXT && !nature.is_list() {
            return self.fault(id, ExprFault::SliceType(nature.name()));
        }
        for bound in from.into_iter().chain(to) {
            let found = self.visit(bound)?;
            if !found.is_integer() && !found.is_unknown() {
                return self.fault(bound, ExprFault::SliceType(found.name()));
            }
        }
        Ok(nature)
    }

    fn call(&mut self, id: Id, children: Children) -> Checked {
        let Some((&callee, arguments)) = self.ast.list(children).split_first() else { return Ok(Nature::UNKNOWN) };
        if self.is_env(callee) {
            return self.fault(id, ExprFault::NotCallable("the environment".into()));
        }
        let nature = self.visit(callee)?;
        if nature.is_unknown() {
            return Ok(Nature::UNKNOWN);
        }
        if let Some(method) = nature.as_method().and_then(|index| METHODS.get(usize::from(index))) {
            if method.values > 2 {
                return self.fault(id, ExprFault::Signature(method.name.into()));
            }
            return self.fixed(id, method.name, method.parameters, method.gives, arguments)?;
        }
        if nature != Nature::FUNCTION {
            return self.fault(id, ExprFault::NotCallable(nature.name()));
        }
        if let Some(signature) = self.provided(callee).filter(|signature| signature.of_text) {
            let parameters = [Nature::TEXT; 4];
            let parameters = parameters.get(..usize::from(signature.least)).unwrap_or(&parameters);
            return self.fixed(id, signature.name, parameters, Nature::BOOL, arguments)?;
        }
        for &argument in arguments {
            self.visit(argument)?;
        }
        Ok(Nature::ANY)
    }

    fn builtin(&mut self, id: Id, builtin: &'static builtins::Builtin, children: Children) -> Checked {
        let arguments = self.ast.list(children);
        match builtin.check {
            Check::Overloads(overloads) => self.overloaded(id, builtin.name, overloads, arguments),
            Check::Rule(_) if builtin.name == "get" => self.get(id, arguments),
            Check::Rule(rule) => {
                let mut natures = heapless::Vec::<Nature, 8>::new();
                let mut many = Vec::new();
                for &argument in arguments {
                    let nature = self.visit(argument)?;
                    if natures.push(nature).is_err() {
                        many.push(nature);
                    }
                }
                let outcome = if many.is_empty() {
                    rule(&natures)
                } else {
                    let all: Vec<Nature> = natures.iter().copied().chain(many).collect();
                    rule(&all)
                };
                outcome.or_else(|fault| self.fault(id, fault))
            }
        }
    }

    fn overloaded(&mut self, id: Id, name: &'static str, overloads: &[Overload], arguments: &[Id]) -> Checked {
        let mut last = None;
        for Overload(parameters, gives) in overloads {
            match self.fixed(id, name, parameters, *gives, arguments)? {
                Ok(nature) => return Ok(nature),
                refused => last = Some(refused),
            }
        }
        last.unwrap_or(Ok(Nature::UNKNOWN))
    }

    /// A call of fixed parameters. The outer error is a fault inside of an argument and ends the search for an
    /// overload; the inner one says that this form does not fit.
    fn fixed(
        &mut self,
        id: Id,
        name: &'static str,
        parameters: &[Nature],
        gives: Nature,
        arguments: &[Id],
    ) -> Result<Checked> {
        if arguments.len() != parameters.len() {
            for &argument in arguments {
                self.visit(argument)?;
            }
            return Ok(self.fault(id, ExprFault::ArgumentCount(name.into(), arguments.len())));
        }
        for (&argument, &wanted) in arguments.iter().zip(parameters) {
            let found = self.visit(argument)?;
            let fits = found.is_integer() && wanted.is_integer()
                || found.assignable_to(wanted)
                || found.is_unknown()
                || found == Nature::NIL && wanted == Nature::ANY;
            let refused_nil = found == Nature::NIL && !matches!(wanted, Nature::ANY | Nature::ZONE);
            if refused_nil || !fits {
                return Ok(self.fault(argument, ExprFault::ArgumentType(name.into(), found.name())));
            }
        }
        Ok(Ok(gives))
    }

    /// `get` is an index that gives nil where nothing is.
    fn get(&mut self, id: Id, arguments: &[Id]) -> Checked {
        let &[base, key] = arguments else {
            return self.fault(id, ExprFault::ArgumentCount("get".into(), arguments.len()));
        };
        let (nature, found) = (self.visit(base)?, self.visit(key)?);
        if self.is_env(base) {
            return Ok(match self.ast.node(key) {
                Node::Text(name) => self.variable(name).unwrap_or(Nature::UNKNOWN),
                _ => Nature::UNKNOWN,
            });
        }
        if nature.is_unknown() {
            return Ok(Nature::UNKNOWN);
        }
        if nature.is_list() {
            return match found.is_unknown() || found.is_integer() {
                true => Ok(nature.element()),
                false => self.fault(key, ExprFault::SliceType(found.name())),
            };
        }
        if nature.is_map() {
            return self.keyed(key, nature, found);
        }
        self.fault(base, ExprFault::IndexType(found.name(), nature.name()))
    }

    // Predicates

    fn looped(&mut self, kind: Loop, children: Children) -> Checked {
        let arguments = self.ast.list(children);
        let Some(&list) = arguments.first() else { return Ok(Nature::UNKNOWN) };
        let collection = self.visit(list)?;
        if !collection.is_list() && !collection.is_unknown() {
            return self.fault(list, ExprFault::ArgumentType(kind.name().into(), collection.name()));
        }
        let Some(&body) = arguments.get(1) else {
            return Ok(match kind {
                Loop::Sum if collection.is_unknown() => Nature::UNKNOWN,
                Loop::Sum => collection.element(),
                _ => Nature::INT,
            });
        };
        let index = matches!(kind, Loop::Map | Loop::Reduce);
        self.predicates.push(Predicate { collection, index, accumulator: kind == Loop::Reduce });
        let gives = self.visit(body);
        self.predicates.pop();
        let gives = gives?;
        if let Some(&extra) = arguments.get(2) {
            let extra_nature = self.visit(extra)?;
            if kind == Loop::SortBy && extra_nature != Nature::TEXT && !extra_nature.is_unknown() {
                return self.fault(extra, ExprFault::ArgumentType("sortBy".into(), extra_nature.name()));
            }
        }
        if gives == Nature::NIL {
            // A predicate that is `nil` gives nothing at all, as far as the reference's types go.
            let fault = match kind {
                Loop::Sum => ExprFault::ArgumentType("sum".into(), gives.name()),
                _ => ExprFault::PredicateType(gives.name()),
            };
            return self.fault(body, fault);
        }
        let decides = !matches!(kind, Loop::Map | Loop::Sum | Loop::GroupBy | Loop::SortBy | Loop::Reduce);
        if decides && gives != Nature::BOOL && !gives.is_unknown() {
            return self.fault(body, ExprFault::PredicateType(gives.name()));
        }
        Ok(match kind {
            Loop::All | Loop::None | Loop::Any | Loop::One => Nature::BOOL,
            Loop::Filter if collection.is_unknown() => Nature::LIST,
            Loop::Filter => collection.element().list_of(),
            Loop::Map => gives.list_of(),
            Loop::Count | Loop::FindIndex | Loop::FindLastIndex => Nature::INT,
            Loop::Sum => gives.forgetful(),
            Loop::Find | Loop::FindLast | Loop::MustFind | Loop::MustFindLast => {
                if collection.is_unknown() {
                    Nature::UNKNOWN
                } else {
                    collection.element()
                }
            }
            Loop::GroupBy => Nature::GROUPS,
            Loop::SortBy => collection,
            Loop::Reduce => gives,
        })
    }

    fn pointer(&self, id: Id, pointer: Pointer) -> Checked {
        let name = || {
            let text = self.source.text().get(self.ast.span(id).start as usize..).unwrap_or("");
            text.trim_start_matches('#').chars().take_while(|&next| super::lexer::is_word(next)).collect()
        };
        match (pointer, self.predicates.last()) {
            (Pointer::Item, Some(predicate)) if predicate.collection.is_unknown() => Ok(Nature::UNKNOWN),
            (Pointer::Item, Some(predicate)) => Ok(predicate.collection.element()),
            (Pointer::Index, Some(Predicate { index: true, .. })) => Ok(Nature::INT),
            (Pointer::Accumulator, Some(Predicate { accumulator: true, .. })) => Ok(Nature::UNKNOWN),
            _ => self.fault(id, ExprFault::BadPointer(name())),
        }
    }

    // Conditions and literals

    fn conditional(&mut self, condition: Id, yes: Id, no: Id) -> Checked {
        let truth = self.visit(condition)?;
        if truth != Nature::BOOL && !truth.is_unknown() {
            return self.fault(condition, ExprFault::ConditionType(truth.name()));
        }
        let (yes, no) = (self.visit(yes)?, self.visit(no)?);
        Ok(match (yes, no) {
            (Nature::NIL, other) | (other, Nature::NIL) => other,
            _ if !yes.assignable_to(no) => Nature::UNKNOWN,
            _ if yes.is_list() && no.is_list() => {
                let (a, b) = (yes.element(), no.element());
                if a.assignable_to(b) && b.assignable_to(a) { yes } else { Nature::LIST }
            }
            _ => yes,
        })
    }

    fn list(&mut self, items: Children) -> Checked {
        let mut previous = None;
        let mut alike = true;
        for &item in self.ast.list(items) {
            let nature = self.visit(item)?;
            alike &= previous.is_none_or(|known: Nature| known.same_kind(nature));
            previous = Some(nature);
        }
        Ok(if alike { previous.unwrap_or(Nature::UNKNOWN).list_of() } else { Nature::LIST })
    }
}
