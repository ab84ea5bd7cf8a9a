//! Checks a template against the shape of its data before there are any.
//!
//! Go notices an unknown field when the line with it runs, which it may never do: in a branch not taken, in a loop
//! over nothing, in a template that nobody calls. The check follows every path with sets of types instead of values: a
//! variable has the types of all that is ever assigned to it, and a field is refused when none of the types has it.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Template;
use super::ast::{Call, Choice, Command, Field, Function, Loop, Node, Operand, OperandKind, Pipeline, Variable};
use super::builtins::Builtin;
use super::scope::Scopes;
use crate::error::{Error, GotmplFault as Fault, Kind};
use crate::span::Span;
use crate::text::nearest;
use crate::value::Layout;

/// The type of some data.
#[derive(Debug)]
pub enum Type {
    /// Text.
    Text,
    /// A list of one type.
    List(&'static Type),
    /// A [`crate::value::Shape::Struct`].
    Record(&'static Record),
}

/// The members of a record.
#[derive(Debug)]
pub struct Record {
    /// Names, and the name of the type.
    pub layout: &'static Layout,
    /// The types of the members, in the order of the layout's names.
    pub types: &'static [Type],
}

impl Template {
    /// Everything that is wrong with this template over data of a type, whatever the data: in the order of the text.
    #[must_use]
    pub fn check(&self, root: &'static Type) -> Vec<Error> {
        let mut checker = Checker::new(self, root);
        checker.all(checker.dot);
        let Checker { mut found, .. } = checker;
        found.sort_by_key(|(span, _)| *span);
        found.dedup_by(|a, b| a.0 == b.0);
        found.into_iter().map(|(span, fault)| Error::new(Kind::Gotmpl(fault)).at(self.source.at(span))).collect()
    }
}

impl Template {
    /// Whether what it renders may depend on a member of the root record: it asks for it, or shows the root whole.
    #[must_use]
    pub fn reads(&self, root: &'static Type, member: &str) -> bool {
        let mut checker = Checker::new(self, root);
        checker.watched = Some((checker.dot, member.to_owned()));
        checker.all(checker.dot);
        checker.read
    }
}

/// A set of types, one bit each: those below, then the composites of the universe.
type Set = u32;

const NOTHING: Set = 1;
const BOOL: Set = 1 << 1;
const INT: Set = 1 << 2;
const FLOAT: Set = 1 << 3;
const COMPLEX: Set = 1 << 4;
const TEXT: Set = 1 << 5;
const SCALARS: u32 = 6;
/// What came of a fault that is told already: nothing that is done with it is told again.
const FAULTY: Set = 1 << 31;
/// Of functions that the caller provides, anything may come.
const ANYTHING: Set = !FAULTY;

/// The lists and records that can be reached from the root.
struct Universe {
    composites: Vec<Composite>,
}

enum Composite {
    List { of: &'static Type, members: Set },
    Record { record: &'static Record, members: Vec<Set> },
}

impl Universe {
    /// The set of one type; types that were not met before are added with their members.
    fn set_of(&mut self, wanted: &'static Type) -> Set {
        let known = |composite: &Composite| match (composite, wanted) {
            (Composite::List { of, .. }, Type::List(wanted)) => core::ptr::eq(*of, *wanted),
            (Composite::Record { record, .. }, Type::Record(wanted)) => core::ptr::eq(*record, *wanted),
            _ => false,
        };
        if let Type::Text = wanted {
            return TEXT;
        }
        let at = match self.composites.iter().position(known) {
            Some(at) => at,
            None => {
                let at = self.composites.len();
                self.composites.push(match wanted {
                    Type::List(of) => Composite::List { of, members: 0 },
                    Type::Record(record) => Composite::Record { record, members: Vec::new() },
                    Type::Text => return TEXT,
                });
                self.fill(at, wanted);
                at
            }
        };
        1_u32
            .checked_shl(u32::try_from(at).unwrap_or(31) + SCALARS)
            .filter(|&set| set < FAULTY && set > 0)
            .unwrap_or(ANYTHING)
    }

    fn fill(&mut self, at: usize, wanted: &'static Type) {
        match wanted {
            Type::Text => {}
            Type::List(of) => {
                let inside = self.set_of(of);
                if let Some(Composite::List { members, .. }) = self.composites.get_mut(at) {
                    *members = inside;
                }
            }
            Type::Record(record) => {
                let inside: Vec<Set> = record.types.iter().map(|member| self.set_of(member)).collect();
                if let Some(Composite::Record { members, .. }) = self.composites.get_mut(at) {
                    *members = inside;
                }
            }
        }
    }

    fn of(&self, set: Set) -> impl Iterator<Item = &Composite> {
        let in_set =
            move |at: usize| u32::try_from(at).is_ok_and(|at| set.checked_shr(at + SCALARS).unwrap_or(0) & 1 == 1);
        self.composites.iter().enumerate().filter(move |(at, _)| in_set(*at)).map(|(_, composite)| composite)
    }

    /// What lists of these types hold.
    fn items(&self, set: Set) -> Set {
        self.of(set).fold(0, |items, composite| match composite {
            Composite::List { members, .. } => items | members,
            Composite::Record { .. } => items,
        })
    }

    /// A member of those records that have it; `None` when none has.
    fn member(&self, set: Set, name: &str) -> Option<Set> {
        let mut found = None;
        for composite in self.of(set) {
            if let Composite::Record { record, members } = composite
                && let Some(at) = record.layout.fields.iter().position(|known| *known == name)
            {
                found = Some(found.unwrap_or(0) | members.get(at).copied().unwrap_or(ANYTHING));
            }
        }
        found
    }

    /// The members that there are, each once.
    fn members(&self, set: Set) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for composite in self.of(set) {
            if let Composite::Record { record, .. } = composite {
                for name in record.layout.fields {
                    if !names.iter().any(|known| known == name) {
                        names.push((*name).to_owned());
                    }
                }
            }
        }
        names
    }

    fn name(&self, set: Set) -> String {
        let single = match set {
            NOTHING => "nothing (the template is called without data)",
            BOOL => "a bool",
            INT => "an integer",
            FLOAT => "a float",
            COMPLEX => "a complex number",
            TEXT => "text",
            _ => "",
        };
        if !single.is_empty() {
            return single.to_owned();
        }
        let mut names: Vec<&str> = Vec::new();
        for composite in self.of(set) {
            names.push(match composite {
                Composite::List { .. } => "a list",
                Composite::Record { record, .. } => record.layout.name,
            });
        }
        names.dedup();
        match *names {
            [] => "a plain value".to_owned(),
            _ if set == ANYTHING => "the view".to_owned(),
            _ => names.join(" or "),
        }
    }
}

struct Checker<'t> {
    template: &'t Template,
    universe: Universe,
    /// Definitions still to be checked, each with the types of its dot.
    tasks: Vec<(usize, Set)>,
    seen: BTreeSet<(usize, Set)>,
    /// The calls met on the current walk.
    planned: Vec<(usize, Set)>,
    found: Vec<(Span, Fault)>,
    /// Each variable is the number of its declaration in the order of the walk.
    scopes: Scopes<usize>,
    /// What is ever assigned to each declaration.
    sites: Vec<Set>,
    declared: usize,
    changed: bool,
    dot: Set,
    /// The root and the member of it that [`Template::reads`] asks about.
    watched: Option<(Set, String)>,
    read: bool,
}

impl<'t> Checker<'t> {
    fn new(template: &'t Template, root: &'static Type) -> Self {
        let mut universe = Universe { composites: Vec::new() };
        let dot = universe.set_of(root);
        Self {
            template,
            universe,
            tasks: Vec::new(),
            seen: BTreeSet::new(),
            planned: Vec::new(),
            found: Vec::new(),
            scopes: Scopes::new(),
            sites: Vec::new(),
            declared: 0,
            changed: false,
            dot,
            watched: None,
            read: false,
        }
    }

    /// A value leaves the sight of the check: it is shown, or given to a function.
    fn show(&mut self, set: Set) {
        if let Some((root, _)) = &self.watched {
            self.read |= set & root != 0;
        }
    }

    /// The template itself, what it calls, and then what nobody calls: there the dot may be anything.
    fn all(&mut self, data: Set) {
        let definitions = &self.template.set.definitions;
        self.plan(&self.template.name, data);
        self.commit();
        self.work();
        for at in 0..definitions.len() {
            if self.seen.range((at, 0)..=(at, Set::MAX)).next().is_none() {
                self.seen.insert((at, ANYTHING));
                self.tasks.push((at, ANYTHING));
                self.work();
            }
        }
    }

    /// How often a body is walked until the types of its variables are known.
    const WALKS: usize = 24;

    /// How many types of dot one definition is checked with before they are taken together.
    const DOTS: usize = 16;

    fn plan(&mut self, name: &str, dot: Set) -> bool {
        let definitions = &self.template.set.definitions;
        let Ok(at) = definitions.binary_search_by(|known| (*known.name).cmp(name)) else { return false };
        self.planned.push((at, dot));
        true
    }

    /// Takes up the calls that the last walk over a definition met, when all its types were known.
    fn commit(&mut self) {
        for (at, dot) in core::mem::take(&mut self.planned) {
            let crowded = self.seen.range((at, 0)..=(at, Set::MAX)).count() >= Self::DOTS;
            let task = (at, if crowded { ANYTHING } else { dot });
            if self.seen.insert(task) {
                self.tasks.push(task);
            }
        }
    }

    fn work(&mut self) {
        while let Some((at, dot)) = self.tasks.pop() {
            let Some(definition) = self.template.set.definitions.get(at) else { continue };
            self.sites.clear();
            let before = self.found.len();
            for walk in 0.. {
                if walk == Self::WALKS {
                    // Types that creep from variable to variable: from here on any of them may be anything.
                    self.sites.fill(ANYTHING);
                }
                self.changed = false;
                self.declared = 0;
                self.dot = dot;
                self.found.truncate(before);
                self.planned.clear();
                let base = self.scopes.enter();
                self.declare(0, dot);
                self.body(&definition.body);
                self.scopes.leave(base);
                if !self.changed {
                    break;
                }
            }
            self.commit();
        }
    }

    fn fault(&mut self, fault: Fault, span: Span) {
        self.found.push((span, fault));
    }

    fn body(&mut self, body: &'t [Node]) {
        for node in body {
            match node {
                Node::Text(_) | Node::Break | Node::Continue => {}
                Node::Member(field) => {
                    self.field(self.dot, field);
                }
                Node::Action(pipeline) => {
                    let shown = self.pipeline(pipeline);
                    if pipeline.targets.is_empty() {
                        self.show(shown);
                    }
                }
                Node::If(choice) => self.choice(choice, false),
                Node::With(choice) => self.choice(choice, true),
                Node::Range(range) => self.range(range),
                Node::Call(call) => self.call(call),
            }
        }
    }

    fn choice(&mut self, choice: &'t Choice, with: bool) {
        let (mark, dot) = (self.scopes.mark(), self.dot);
        for (condition, body) in &choice.branches {
            let value = self.pipeline(condition);
            if with {
                self.dot = value;
            }
            self.body(body);
            self.dot = dot;
        }
        self.body(&choice.otherwise);
        self.scopes.release(mark);
    }

    fn range(&mut self, range: &'t Loop) {
        let (mark, dot) = (self.scopes.mark(), self.dot);
        let over = self.pipeline(&range.over);
        let has_lists = self.universe.of(over).any(|composite| matches!(composite, Composite::List { .. }));
        if over & (INT | NOTHING | FAULTY) == 0 && over != 0 && !has_lists {
            let text = format!("cannot range over {}", self.universe.name(over));
            self.fault(Fault::CannotIterate(text), range.over.span);
        }
        let item = if over == ANYTHING { ANYTHING } else { self.universe.items(over) | (over & (INT | FAULTY)) };
        let inner = self.scopes.mark();
        match *range.over.targets {
            [only] => self.bind(only, item, range.over.assigns),
            [first, second, ..] => {
                self.bind(first, INT, range.over.assigns);
                self.bind(second, item, range.over.assigns);
            }
            [] => {}
        }
        self.dot = item;
        self.body(&range.body);
        self.dot = dot;
        self.scopes.release(inner);
        self.body(&range.otherwise);
        self.scopes.release(mark);
    }

    fn call(&mut self, call: &'t Call) {
        let data = call.argument.as_ref().map_or(NOTHING, |argument| self.pipeline(argument));
        if !self.plan(&call.name, data) {
            let known = self.template.set.definitions.iter().map(|known| (*known.name).to_owned()).collect();
            self.fault(Fault::NoTemplate { name: (*call.name).to_owned(), known }, call.span);
        }
    }

    // Variables.

    fn declare(&mut self, name: Variable, set: Set) {
        let site = self.declared;
        self.declared += 1;
        if site >= self.sites.len() {
            self.sites.push(0);
        }
        self.widen(site, set);
        self.scopes.declare(name, site);
    }

    fn widen(&mut self, site: usize, set: Set) {
        if let Some(known) = self.sites.get_mut(site)
            && *known | set != *known
        {
            *known |= set;
            self.changed = true;
        }
    }

    fn bind(&mut self, name: Variable, set: Set, assigns: bool) {
        if !assigns {
            return self.declare(name, set);
        }
        if let Some(&site) = self.scopes.get(name) {
            self.widen(site, set);
        }
    }

    fn variable(&mut self, name: Variable, span: Span) -> Set {
        match self.scopes.get(name).and_then(|&site| self.sites.get(site)) {
            Some(set) => *set,
            None => {
                let name = self.template.set.variables.get(name as usize).map_or("", |name| name).to_owned();
                self.fault(Fault::UndeclaredVariable(name), span);
                FAULTY
            }
        }
    }

    // Values.

    fn pipeline(&mut self, pipeline: &'t Pipeline) -> Set {
        let mut value = None;
        for command in &pipeline.commands {
            value = Some(self.command(command, value));
        }
        let value = value.unwrap_or(NOTHING);
        for &target in &pipeline.targets {
            if pipeline.assigns && self.scopes.get(target).is_none() {
                self.variable(target, pipeline.span);
            }
            self.bind(target, value, pipeline.assigns);
        }
        value
    }

    fn command(&mut self, command: &'t Command, last: Option<Set>) -> Set {
        let mut arguments: Vec<Set> = Vec::with_capacity(command.arguments.len() + 1);
        for argument in &command.arguments {
            arguments.push(self.operand(argument));
        }
        arguments.extend(last);
        match &command.head.kind {
            OperandKind::Function(function) => self.apply(*function, &arguments, command.head.span),
            OperandKind::Nil => {
                self.fault(Fault::NilValue("nil is no command".to_owned()), command.head.span);
                NOTHING
            }
            _ => {
                if !arguments.is_empty() {
                    let text = command.head.span.of(self.template.source.text()).to_owned();
                    self.fault(Fault::NotFunction(text), command.head.span);
                }
                self.operand(&command.head)
            }
        }
    }

    fn operand(&mut self, operand: &'t Operand) -> Set {
        match &operand.kind {
            OperandKind::Dot => self.dot,
            OperandKind::Nil => NOTHING,
            OperandKind::Bool(_) => BOOL,
            OperandKind::Int(_) => INT,
            OperandKind::Huge => {
                let number = operand.span.of(self.template.source.text()).to_owned();
                self.fault(Fault::Overflow(number), operand.span);
                INT
            }
            OperandKind::Float(_) => FLOAT,
            OperandKind::Complex(..) => COMPLEX,
            OperandKind::Text(_) => TEXT,
            OperandKind::Field(fields) => self.fields(self.dot, fields),
            OperandKind::Variable(name, fields) => {
                let value = self.variable(*name, operand.span);
                self.fields(value, fields)
            }
            OperandKind::Function(function) => self.apply(*function, &[], operand.span),
            OperandKind::Parens(pipeline) => self.pipeline(pipeline),
            OperandKind::Chain(term, fields) => {
                let value = self.operand(term);
                self.fields(value, fields)
            }
        }
    }

    fn fields(&mut self, mut set: Set, fields: &'t [Field]) -> Set {
        for field in fields {
            set = self.field(set, field);
        }
        set
    }

    fn field(&mut self, set: Set, field: &'t Field) -> Set {
        if set == 0 || set & FAULTY != 0 {
            // A variable that nothing was assigned to yet, in the first of several walks; or a fault was told.
            return set;
        }
        if let Some((root, wanted)) = &self.watched {
            self.read |= set & root != 0 && **wanted == *field.name;
        }
        if let Some(member) = self.universe.member(set, &field.name) {
            return member;
        }
        let known = self.universe.members(set);
        let nearest = nearest(&field.name, known.iter().map(String::as_str)).map(ToOwned::to_owned);
        let of = self.universe.name(set);
        self.fault(Fault::UnknownField { field: (*field.name).to_owned(), of, known, nearest }, field.span);
        FAULTY
    }

    fn apply(&mut self, function: Function, arguments: &[Set], span: Span) -> Set {
        let (name, (least, most)) = match function {
            Function::Builtin(builtin) => (builtin.name(), builtin.arity()),
            Function::Provided { at, least, most } => {
                (self.template.set.functions.get(at as usize).map_or("", |name| name), (least, most))
            }
        };
        for &argument in arguments {
            self.show(argument);
        }
        let given = arguments.len();
        if given < usize::from(least) || (most < u8::MAX && given > usize::from(most)) {
            let wanted = Fault::wanted(least, most);
            self.fault(Fault::ArgumentCount { name: name.to_owned(), wanted, given }, span);
            return FAULTY;
        }
        let Function::Builtin(builtin) = function else { return ANYTHING };
        let first = arguments.first().copied().unwrap_or(NOTHING);
        match builtin {
            Builtin::And | Builtin::Or => arguments.iter().fold(0, |all, set| all | set),
            Builtin::Eq | Builtin::Ge | Builtin::Gt | Builtin::Le | Builtin::Lt | Builtin::Ne | Builtin::Not => BOOL,
            Builtin::Html | Builtin::Js | Builtin::Print | Builtin::Printf | Builtin::Println | Builtin::Urlquery => {
                TEXT
            }
            Builtin::Len => INT,
            Builtin::Call => ANYTHING,
            Builtin::Slice => first,
            Builtin::Index => arguments.iter().skip(1).fold(first, |set, _| {
                let byte = if set & TEXT == 0 { 0 } else { INT };
                match self.universe.items(set) | byte | (set & FAULTY) {
                    0 => FAULTY,
                    items => items,
                }
            }),
        }
    }
}
