//! A tree as text again: what is printed reads back as the same tree.
//!
//! Parentheses stand where the grammar needs them and around anything that is not plainly a single piece, which is
//! more often than a person would write them, and never in doubt.

use alloc::string::{String, ToString};
use core::fmt::Write;

use super::ast::{Ast, Binary, Children, Id, Node, Pointer, Unary};

/// The text of a part of a tree; names are taken from the source it was read from.
pub(super) fn print(ast: &Ast, id: Id, source: &str) -> String {
    let mut printer = Printer { ast, source, out: String::new() };
    printer.node(id);
    printer.out
}

/// Two trees say the same, each about its own source.
pub(super) fn same(a: (&Ast, &str), b: (&Ast, &str)) -> bool {
    let mut open = alloc::vec![(a.0.root, b.0.root)];
    while let Some(pair) = open.pop() {
        match pair {
            (None, None) => {}
            (Some(left), Some(right)) => {
                if !same_node(a, b, left, right) {
                    return false;
                }
                let (left, right) = (a.0.below(left), b.0.below(right));
                if left.len() != right.len() {
                    return false;
                }
                open.extend(left.into_iter().map(Some).zip(right.into_iter().map(Some)));
            }
            _ => return false,
        }
    }
    true
}

/// Two nodes are alike, whatever lies below them.
fn same_node(a: (&Ast, &str), b: (&Ast, &str), left: Id, right: Id) -> bool {
    match (a.0.node(left), b.0.node(right)) {
        (Node::Bool(x), Node::Bool(y)) => x == y,
        (Node::Int(x), Node::Int(y)) => x == y,
        (Node::Float(x), Node::Float(y)) => x.to_bits() == y.to_bits(),
        (Node::Text(x), Node::Text(y)) => x == y,
        (Node::Bytes(x), Node::Bytes(y)) => x == y,
        (Node::Name(x), Node::Name(y)) => x.of(a.1) == y.of(b.1),
        (Node::Unary(x, _), Node::Unary(y, _)) => x == y,
        (Node::Binary(x, ..), Node::Binary(y, ..)) => x == y,
        (Node::Compare(x), Node::Compare(y)) => {
            let operators = |ast: &Ast, pairs| {
                let operator = |&pair: &Id| match ast.node(pair) {
                    Node::Binary(operator, ..) => Some(*operator),
                    _ => None,
                };
                ast.list(pairs).iter().map(operator).collect::<alloc::vec::Vec<_>>()
            };
            operators(a.0, *x) == operators(b.0, *y)
        }
        (Node::Field { name: x, optional: p, .. }, Node::Field { name: y, optional: q, .. }) => {
            x.of(a.1) == y.of(b.1) && p == q
        }
        (Node::Index { optional: p, .. }, Node::Index { optional: q, .. }) => p == q,
        (Node::Slice { from: f, to: t, .. }, Node::Slice { from: g, to: u, .. }) => {
            f.is_some() == g.is_some() && t.is_some() == u.is_some()
        }
        (Node::Builtin(x, _), Node::Builtin(y, _)) => core::ptr::eq(*x, *y),
        (Node::Loop { kind: x, .. }, Node::Loop { kind: y, .. }) => x == y,
        (Node::Pointer(x), Node::Pointer(y)) => x == y,
        (Node::Let { .. }, Node::Let { .. }) => a.0.span(left).of(a.1) == b.0.span(right).of(b.1),
        (Node::If { ternary: x, .. }, Node::If { ternary: y, .. }) => x == y,
        (x, y) => core::mem::discriminant(x) == core::mem::discriminant(y),
    }
}

struct Printer<'a> {
    ast: &'a Ast,
    source: &'a str,
    out: String,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// A part that must be one piece.
    fn piece(&mut self, id: Id) {
        if self.is_piece(id) {
            self.node(id);
        } else {
            self.push("(");
            self.node(id);
            self.push(")");
        }
    }

    /// What may be followed by `.`, `[` or an operator of any strength.
    fn is_piece(&self, id: Id) -> bool {
        match self.ast.node(id) {
            Node::Int(value) => *value >= 0,
            Node::Float(value) => !value.is_sign_negative(),
            Node::Nil | Node::Bool(_) | Node::Text(_) | Node::Bytes(_) | Node::Constant(_) | Node::Name(_) => true,
            Node::Chain(_) | Node::Field { .. } | Node::Index { .. } | Node::Slice { .. } => true,
            Node::Call(_) | Node::Builtin(..) | Node::Loop { .. } | Node::Pointer(_) => true,
            Node::List(_) | Node::Map(_) | Node::CountUpTo { .. } => true,
            _ => false,
        }
    }

    /// What is in front of `.` or `[`: literals that take nothing behind them go in parentheses, and so does the
    /// end of a chain, which would otherwise go on.
    fn base(&mut self, id: Id) {
        match self.ast.node(id) {
            Node::Int(_) | Node::Float(_) | Node::Nil | Node::Bool(_) | Node::Chain(_) => {
                self.push("(");
                self.node(id);
                self.push(")");
            }
            _ => self.piece(id),
        }
    }

    fn separated(&mut self, ids: &[Id]) {
        for (at, &id) in ids.iter().enumerate() {
            if at > 0 {
                self.push(", ");
            }
            self.argument(id);
        }
    }

    /// A part between commas: only a sequence or a declaration needs parentheses there.
    fn argument(&mut self, id: Id) {
        match self.ast.node(id) {
            Node::Sequence(_) | Node::Let { .. } => self.piece(id),
            _ => self.node(id),
        }
    }

    /// What may stand before `?`: everything that operators make.
    fn operation(&mut self, id: Id) {
        match self.ast.node(id) {
            Node::Unary(..) | Node::Binary(..) | Node::Compare(_) => self.node(id),
            _ => self.piece(id),
        }
    }

    fn node(&mut self, id: Id) {
        match self.ast.node(id) {
            Node::Nil => self.push("nil"),
            Node::Bool(truth) => self.push(if *truth { "true" } else { "false" }),
            Node::Int(value) => self.push(&value.to_string()),
            Node::Float(value) => self.float(*value),
            Node::Text(text) => self.quoted(text),
            Node::Bytes(bytes) => self.bytes(bytes),
            Node::Name(span) => self.push(span.of(self.source)),
            Node::Unary(operator, operand) => self.unary(*operator, *operand),
            Node::Binary(..) => self.operators(id),
            Node::Compare(pairs) => self.comparison(*pairs),
            Node::Chain(inside) => self.node(*inside),
            Node::Field { .. } => self.fields(id),
            Node::Index { base, key, optional } => {
                self.base(*base);
                self.push(if *optional { "?.[" } else { "[" });
                self.argument(*key);
                self.push("]");
            }
            Node::Slice { base, from, to } => self.slice(*base, *from, *to),
            Node::Call(children) => self.call(*children),
            Node::Builtin(builtin, arguments) => self.builtin(builtin.name, *arguments),
            Node::Loop { kind, arguments } => self.looped(kind.name(), *arguments),
            Node::CountUpTo { arguments, .. } => self.looped("count", *arguments),
            Node::Pointer(Pointer::Item) => self.push("#"),
            Node::Pointer(Pointer::Unknown) => self.push("#unknown"),
            Node::Pointer(Pointer::Index) => self.push("#index"),
            Node::Pointer(Pointer::Accumulator) => self.push("#acc"),
            Node::Let { value, body } => {
                self.push("let ");
                self.push(self.ast.span(id).of(self.source));
                self.push(" = ");
                self.argument(*value);
                self.push("; ");
                self.node(*body);
            }
            Node::Sequence(all) => self.sequence(*all),
            Node::If { ternary, condition, yes, no } => self.conditional(*ternary, *condition, *yes, *no),
            Node::Elvis(condition, no) => {
                self.operation(*condition);
                self.push(" ?: ");
                self.argument(*no);
            }
            Node::List(items) | Node::Total(items) => {
                self.push("[");
                self.separated(self.ast.list(*items));
                self.push("]");
            }
            Node::Constant(items) => {
                let _written = write!(self.out, "{items:?}");
            }
            Node::Map(pairs) => self.map(*pairs),
            Node::InSet { left, items, .. } => {
                self.piece(*left);
                self.push(" in [");
                self.separated(self.ast.list(*items));
                self.push("]");
            }
            Node::InRange { left, from, to } => {
                self.piece(*left);
                self.push(" in ");
                self.node(*from);
                self.push("..");
                self.node(*to);
            }
            Node::Matches(left, pattern) => {
                self.piece(*left);
                self.push(" matches ");
                self.quoted(pattern.source());
            }
        }
    }

    /// Members behind members, in a loop.
    fn fields(&mut self, top: Id) {
        let mut spine = alloc::vec::Vec::new();
        let mut at = top;
        while let Node::Field { base, name, optional } = *self.ast.node(at) {
            spine.push((name, optional));
            at = base;
        }
        if !matches!(self.ast.node(at), Node::Pointer(Pointer::Item)) {
            self.base(at);
        }
        for (name, optional) in spine.into_iter().rev() {
            self.push(if optional { "?." } else { "." });
            self.push(name.of(self.source));
        }
    }

    fn float(&mut self, value: f64) {
        let mut text = value.to_string();
        if !text.contains(['.', 'e']) {
            text.push_str(".0");
        }
        self.push(&text);
    }

    fn quoted(&mut self, text: &str) {
        self.push("\"");
        for next in text.chars() {
            match next {
                '"' => self.push("\\\""),
                '\\' => self.push("\\\\"),
                '\n' => self.push("\\n"),
                '\r' => self.push("\\r"),
                next => self.out.push(next),
            }
        }
        self.push("\"");
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.push("b\"");
        for byte in bytes {
            let _written = write!(self.out, "\\x{byte:02x}");
        }
        self.push("\"");
    }

    fn unary(&mut self, operator: Unary, operand: Id) {
        self.push(operator.text());
        if operator == Unary::NotWord {
            self.push(" ");
        }
        match self.ast.node(operand) {
            Node::Unary(..) => self.node(operand),
            Node::Binary(inner, ..) if binds(*inner, operator.precedence()) => self.node(operand),
            _ => self.piece(operand),
        }
    }

    /// The left side in a loop, as deep as it may be; it needs no parentheses where it binds as tightly.
    fn operators(&mut self, top: Id) {
        let mut spine = alloc::vec::Vec::new();
        let mut at = top;
        while let Node::Binary(operator, left, right) = *self.ast.node(at) {
            spine.push((operator, right));
            at = left;
            match self.ast.node(left) {
                Node::Binary(inner, ..) if flows(*inner, operator) => {}
                _ => break,
            }
        }
        // A left operand that does not flow on is one piece, and may hold operators of its own.
        self.piece(at);
        for (operator, right) in spine.into_iter().rev() {
            self.push(" ");
            self.push(operator.text());
            self.push(" ");
            self.right_of(operator, right);
        }
    }

    /// A right operand needs no parentheses when it binds more tightly, or is a signed number or the like; what
    /// `not` would take along, or `??` forbid, gets them.
    fn right_of(&mut self, outer: Binary, right: Id) {
        let least = outer.precedence() + u16::from(!outer.to_the_right());
        match self.ast.node(right) {
            _ if outer == Binary::Coalesce => self.piece(right),
            Node::Binary(inner, ..) if binds(*inner, least) => self.node(right),
            Node::Unary(Unary::Minus | Unary::Plus, _) => self.node(right),
            _ => self.piece(right),
        }
    }

    fn comparison(&mut self, pairs: Children) {
        for (at, &pair) in self.ast.list(pairs).iter().enumerate() {
            let Node::Binary(operator, left, right) = *self.ast.node(pair) else { continue };
            if at == 0 {
                self.piece(left);
            }
            self.push(" ");
            self.push(operator.text());
            self.push(" ");
            self.piece(right);
        }
    }

    fn slice(&mut self, base: Id, from: Option<Id>, to: Option<Id>) {
        self.base(base);
        self.push("[");
        if let Some(from) = from {
            self.piece(from);
        }
        self.push(":");
        if let Some(to) = to {
            self.piece(to);
        }
        self.push("]");
    }

    fn call(&mut self, children: Children) {
        if let Some((&callee, arguments)) = self.ast.list(children).split_first() {
            self.node(callee);
            self.push("(");
            self.separated(arguments);
            self.push(")");
        }
    }

    fn builtin(&mut self, name: &str, arguments: Children) {
        self.push(name);
        self.push("(");
        self.separated(self.ast.list(arguments));
        self.push(")");
    }

    fn looped(&mut self, name: &str, arguments: Children) {
        self.push(name);
        self.push("(");
        for (at, &argument) in self.ast.list(arguments).iter().enumerate() {
            match at {
                0 => self.argument(argument),
                1 => {
                    self.push(", {");
                    self.node(argument);
                    self.push("}");
                }
                _ => {
                    self.push(", ");
                    self.argument(argument);
                }
            }
        }
        self.push(")");
    }

    fn sequence(&mut self, all: Children) {
        for (at, &each) in self.ast.list(all).iter().enumerate() {
            if at > 0 {
                self.push("; ");
            }
            match self.ast.node(each) {
                Node::Let { .. } | Node::Sequence(_) => self.piece(each),
                _ => self.node(each),
            }
        }
    }

    fn conditional(&mut self, ternary: bool, condition: Id, yes: Id, no: Id) {
        if ternary {
            self.operation(condition);
            self.push(" ? ");
            self.argument(yes);
            self.push(" : ");
            self.argument(no);
            return;
        }
        self.push("if ");
        self.piece(condition);
        self.push(" { ");
        self.node(yes);
        self.push(" } else { ");
        self.node(no);
        self.push(" }");
    }

    fn map(&mut self, pairs: Children) {
        self.push("{");
        for (at, pair) in self.ast.list(pairs).chunks_exact(2).enumerate() {
            if at > 0 {
                self.push(", ");
            }
            if let &[key, value] = pair {
                match self.ast.node(key) {
                    Node::Text(text) => self.quoted(text),
                    _ => {
                        self.push("(");
                        self.node(key);
                        self.push(")");
                    }
                }
                self.push(": ");
                self.argument(value);
            }
        }
        self.push("}");
    }
}

/// An operator that reads on where at least this precedence is wanted, without parentheses.
fn binds(inner: Binary, least: u16) -> bool {
    inner.precedence() >= least && inner != Binary::Coalesce && !inner.is_comparison()
}

/// `a op b op c` reads as `(a op b) op c` without parentheses.
fn flows(inner: Binary, outer: Binary) -> bool {
    inner.precedence() == outer.precedence()
        && !outer.to_the_right()
        && !inner.is_comparison()
        && !outer.is_comparison()
}
