//! The tree of an expression, flat: nodes in one vector, named by number, children before parents.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::span::Span;
use crate::text::pattern::Pattern;
use crate::value::{List, Text};

use super::builtins::Builtin;

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

/// Children of a node: a range of [`Ast::children`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Children {
    start: u32,
    len: u32,
}

impl Children {
    pub(super) fn len(self) -> usize {
        self.len as usize
    }
}

/// A whole expression.
#[derive(Default)]
pub(super) struct Ast {
    places: Vec<Place>,
    children: Vec<Id>,
    loops: bool,
    pub(super) root: Option<Id>,
}

/// A node, where it is, and how many levels of recursion a walk of it takes.
struct Place {
    node: Node,
    span: Span,
    height: u8,
}

/// The most levels a tree may have; with the parser's own bound it keeps every walk within a small stack.
pub(super) const HEIGHT: usize = 100;

/// One part of an expression.
#[derive(Clone)]
pub(super) enum Node {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Text),
    Bytes(Arc<[u8]>),
    /// A list of literals, made once.
    Constant(List),
    /// A name, as written at this span.
    Name(Span),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    /// `a < b <= c` as its pairs `a < b`, `b <= c`, which share `b`.
    Compare(Children),
    /// `in` a list literal of nothing but text, or of nothing but integers.
    InSet {
        texts: bool,
        left: Id,
        items: Children,
    },
    /// `in` a range of literal bounds, of what is known to be an integer.
    InRange {
        left: Id,
        from: Id,
        to: Id,
    },
    /// `matches` a pattern known beforehand.
    Matches(Id, Pattern),
    /// The end of `?.`: nil found in the chain ends it here.
    Chain(Id),
    /// `base.name`
    Field {
        base: Id,
        name: Span,
        optional: bool,
    },
    /// `base[key]`
    Index {
        base: Id,
        key: Id,
        optional: bool,
    },
    Slice {
        base: Id,
        from: Option<Id>,
        to: Option<Id>,
    },
    /// A call of a name or member: the first child is what is called.
    Call(Children),
    Builtin(&'static Builtin, Children),
    /// A builtin that runs a predicate over a list: list, predicate, and what else it takes.
    Loop {
        kind: Loop,
        arguments: Children,
    },
    Pointer(Pointer),
    /// `let name = value; body`: the name is this node's span.
    Let {
        value: Id,
        body: Id,
    },
    Sequence(Children),
    /// `if`, or `?:` when not in words.
    If {
        ternary: bool,
        condition: Id,
        yes: Id,
        no: Id,
    },
    /// `a ?: b`
    Elvis(Id, Id),
    List(Children),
    /// Keys and values in turn.
    Map(Children),
    /// A sum of list items, added from the last to the first.
    Total(Children),
    /// As many matches as the second child says are enough.
    CountUpTo {
        arguments: Children,
        enough: u32,
    },
}

/// Operators before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    /// `!`, or `not` in words.
    Not,
    /// `not` in words; the same, but printed so.
    NotWord,
    Minus,
    Plus,
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    OrOr,
    And,
    AndAnd,
    Equal,
    NotEqual,
    /// `==` of what is known to be integers on both sides: the reference fails when one is not, after all.
    EqualInts,
    NotEqualInts,
    /// `==` of what is known to be text on both sides.
    EqualTexts,
    NotEqualTexts,
    Less,
    More,
    LessEqual,
    MoreEqual,
    In,
    Matches,
    Contains,
    StartsWith,
    EndsWith,
    Range,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Caret,
    Coalesce,
}

/// What a predicate may point at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pointer {
    /// `#`
    Item,
    /// `#index`
    Index,
    /// `#acc`
    Accumulator,
    /// `#other`: refused by the checker.
    Unknown,
}

/// Builtins that run a predicate over a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    All,
    None,
    Any,
    One,
    /// With a third child each kept item is mapped by it.
    Filter,
    Map,
    Count,
    Sum,
    /// With a third child the found item is mapped by it.
    Find,
    FindIndex,
    FindLast,
    FindLastIndex,
    GroupBy,
    SortBy,
    Reduce,
    /// `filter(…)[0]`: as [`Loop::Find`], but nothing found is an error.
    MustFind,
    /// `filter(…)[-1]`
    MustFindLast,
}

impl Loop {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "all" => Self::All,
            "none" => Self::None,
            "any" => Self::Any,
            "one" => Self::One,
            "filter" => Self::Filter,
            "map" => Self::Map,
            "count" => Self::Count,
            "sum" => Self::Sum,
            "find" => Self::Find,
            "findIndex" => Self::FindIndex,
            "findLast" => Self::FindLast,
            "findLastIndex" => Self::FindLastIndex,
            "groupBy" => Self::GroupBy,
            "sortBy" => Self::SortBy,
            "reduce" => Self::Reduce,
            _ => return None,
        })
    }

    pub(super) const NAMES: &[&str] = &[
        "all",
        "none",
        "any",
        "one",
        "filter",
        "map",
        "count",
        "sum",
        "find",
        "findIndex",
        "findLast",
        "findLastIndex",
        "groupBy",
        "sortBy",
        "reduce",
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::None => "none",
            Self::Any => "any",
            Self::One => "one",
            Self::Filter => "filter",
            Self::Map => "map",
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Find | Self::MustFind => "find",
            Self::FindIndex => "findIndex",
            Self::FindLast | Self::MustFindLast => "findLast",
            Self::FindLastIndex => "findLastIndex",
            Self::GroupBy => "groupBy",
            Self::SortBy => "sortBy",
            Self::Reduce => "reduce",
        }
    }

    /// Arguments needed, and allowed.
    pub(super) fn arity(self) -> (usize, usize) {
        match self {
            Self::Count | Self::Sum => (1, 2),
            Self::SortBy | Self::Reduce => (2, 3),
            _ => (2, 2),
        }
    }
}

impl Unary {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::NotWord => "not",
            Self::Minus => "-",
            Self::Plus => "+",
        }
    }

    pub(super) fn precedence(self) -> u16 {
        match self {
            Self::Not | Self::NotWord => 50,
            Self::Minus | Self::Plus => 90,
        }
    }
}

impl Binary {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::OrOr => "||",
            Self::And => "and",
            Self::AndAnd => "&&",
            Self::Equal | Self::EqualInts | Self::EqualTexts => "==",
            Self::NotEqual | Self::NotEqualInts | Self::NotEqualTexts => "!=",
            Self::Less => "<",
            Self::More => ">",
            Self::LessEqual => "<=",
            Self::MoreEqual => ">=",
            Self::In => "in",
            Self::Matches => "matches",
            Self::Contains => "contains",
            Self::StartsWith => "startsWith",
            Self::EndsWith => "endsWith",
            Self::Range => "..",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::Power => "**",
            Self::Caret => "^",
            Self::Coalesce => "??",
        }
    }

    /// How tightly it binds. `??` binds tighter than anything else.
    pub(super) fn precedence(self) -> u16 {
        match self {
            Self::Or | Self::OrOr => 10,
            Self::And | Self::AndAnd => 15,
            Self::Range => 25,
            Self::Add | Self::Subtract => 30,
            Self::Multiply | Self::Divide | Self::Modulo => 60,
            Self::Power | Self::Caret => 100,
            Self::Coalesce => 500,
            _ => 20,
        }
    }

    pub(super) fn is_comparison(self) -> bool {
        matches!(self, Self::Less | Self::More | Self::LessEqual | Self::MoreEqual)
    }

    pub(super) fn is_or(self) -> bool {
        matches!(self, Self::Or | Self::OrOr)
    }

    pub(super) fn is_and(self) -> bool {
        matches!(self, Self::And | Self::AndAnd)
    }

    pub(super) fn to_the_right(self) -> bool {
        matches!(self, Self::Power | Self::Caret)
    }
}

impl Ast {
    /// An empty tree with room for what a text of this length usually holds.
    pub(super) fn for_text(length: usize) -> Self {
        Self { places: Vec::with_capacity((length / 4).clamp(4, 256)), ..Self::default() }
    }

    /// Adds a node whose children are there already; the height of its tree comes back when it is too much.
    pub(super) fn add(&mut self, node: Node, span: Span) -> Option<Id> {
        let height = self.height_of(&node);
        if height > HEIGHT {
            return None;
        }
        let id = Id(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
        self.loops |= matches!(node, Node::Loop { .. });
        self.places.push(Place { node, span, height: u8::try_from(height).unwrap_or(u8::MAX) });
        Some(id)
    }

    pub(super) fn children(&mut self, ids: &[Id]) -> Children {
        let start = self.children.len();
        self.children.extend_from_slice(ids);
        Children { start: u32::try_from(start).unwrap_or(u32::MAX), len: u32::try_from(ids.len()).unwrap_or(u32::MAX) }
    }

    pub(super) fn list(&self, children: Children) -> &[Id] {
        let start = children.start as usize;
        self.children.get(start..start.saturating_add(children.len as usize)).unwrap_or(&[])
    }

    /// The child at a place; nil's node is never asked for, since the parser knows how many there are.
    pub(super) fn child(&self, children: Children, index: usize) -> Option<Id> {
        self.list(children).get(index).copied()
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        const NOTHING: &Node = &Node::Nil;
        self.places.get(id.0 as usize).map_or(NOTHING, |place| &place.node)
    }

    pub(super) fn span(&self, id: Id) -> Span {
        self.places.get(id.0 as usize).map_or_else(Span::default, |place| place.span)
    }

    /// Puts another node in its place; whoever had the old one as a child now has the new one.
    pub(super) fn replace(&mut self, id: Id, node: Node) {
        if let Some(place) = self.places.get_mut(id.0 as usize) {
            place.node = node;
        }
    }

    /// All numbers, children before parents.
    pub(super) fn ids(&self) -> impl Iterator<Item = Id> + use<> {
        (0..u32::try_from(self.places.len()).unwrap_or(u32::MAX)).map(Id)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// There are builtins that run a predicate.
    pub(super) fn has_loops(&self) -> bool {
        self.loops
    }

    /// Any node of a tree answers to a question. The tree is as high as [`HEIGHT`] allows.
    pub(super) fn any_below(&self, id: Id, wanted: fn(&Node) -> bool) -> bool {
        let mut open = alloc::vec![id];
        while let Some(id) = open.pop() {
            if wanted(self.node(id)) {
                return true;
            }
            open.extend(self.below(id));
        }
        false
    }

    /// The children of a node; what the pairs of a comparison share comes once.
    pub(super) fn below(&self, id: Id) -> Vec<Id> {
        let mut all = Vec::new();
        match self.node(id) {
            Node::Compare(pairs) => {
                for &pair in self.list(*pairs) {
                    let Node::Binary(_, left, right) = self.node(pair) else { continue };
                    if all.is_empty() {
                        all.push(*left);
                    }
                    all.push(*right);
                }
            }
            node => self.each_child(node, |child| all.push(child)),
        }
        all
    }

    fn each_child(&self, node: &Node, mut take: impl FnMut(Id)) {
        match node {
            Node::Binary(_, a, b) | Node::Elvis(a, b) | Node::Index { base: a, key: b, .. } => {
                take(*a);
                take(*b);
            }
            Node::Let { value: a, body: b } => {
                take(*a);
                take(*b);
            }
            Node::Unary(_, a) | Node::Chain(a) | Node::Field { base: a, .. } | Node::Matches(a, _) => take(*a),
            Node::InSet { left, .. } | Node::InRange { left, .. } => take(*left),
            Node::Slice { base, from, to } => {
                take(*base);
                from.iter().chain(to).for_each(|&id| take(id));
            }
            Node::If { condition, yes, no, .. } => [*condition, *yes, *no].into_iter().for_each(take),
            Node::Call(children)
            | Node::Compare(children)
            | Node::Builtin(_, children)
            | Node::Loop { arguments: children, .. }
            | Node::Sequence(children)
            | Node::List(children)
            | Node::Map(children)
            | Node::Total(children)
            | Node::CountUpTo { arguments: children, .. } => self.list(*children).iter().for_each(|&id| take(id)),
            Node::Nil
            | Node::Bool(_)
            | Node::Int(_)
            | Node::Float(_)
            | Node::Text(_)
            | Node::Bytes(_)
            | Node::Constant(_)
            | Node::Name(_)
            | Node::Pointer(_) => {}
        }
    }

    fn height(&self, id: Id) -> usize {
        self.places.get(id.0 as usize).map_or(0, |place| usize::from(place.height))
    }

    /// At most so many levels of a walk lie above a node.
    pub(super) fn levels_above(&self, id: Id) -> usize {
        self.root.map_or(0, |root| self.height(root).saturating_sub(self.height(id)))
    }

    /// One more than the highest child; the left side of an operator and the
    /// members in front of a member are walked in a loop and count once.
    fn height_of(&self, node: &Node) -> usize {
        if let Node::Binary(_, left, right) = node
            && matches!(self.node(*left), Node::Binary(..))
        {
            return self.height(*left).max(1 + self.height(*right));
        }
        if let Node::Field { base, .. } = node
            && matches!(self.node(*base), Node::Field { .. })
        {
            return self.height(*base);
        }
        let mut highest = 0;
        self.each_child(node, |child| highest = highest.max(self.height(child)));
        1 + highest
    }
}

impl Id {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}
