//! The tree of a jet template.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::span::Span;
use crate::value::Text;

/// What a template is made of, in order.
pub(super) type List = Vec<Node>;

/// A name as a number, one for each spelling in a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(pub(super) u32);

impl Id {
    /// The name of the context, `.`.
    pub(super) const DOT: Self = Self(0);
    /// Of a root that the template does not mention.
    pub(super) const UNWRITTEN: Self = Self(u32::MAX);
}

/// A name of a variable or function.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) id: Id,
    pub(super) text: Text,
}

/// A part of a template.
#[derive(Debug)]
pub(super) enum Node {
    Text(Box<str>),
    /// `text[[ x ]]`, what most of a template is: text and behind it a variable, printed from where it is.
    Show {
        before: Box<str>,
        name: Name,
        span: Span,
    },
    /// `[[ x := 1; x | upper ]]`
    Action {
        set: Option<Set>,
        pipe: Option<Pipe>,
    },
    /// `[[ if ]]`
    If {
        set: Option<Set>,
        condition: Expr,
        then: List,
        otherwise: Option<List>,
    },
    /// `[[ range ]]`: over the right side of `set`, or over `over`.
    Range {
        set: Option<Set>,
        over: Option<Expr>,
        body: List,
        otherwise: Option<List>,
        span: Span,
    },
    /// `[[ try ]]`
    Try {
        body: List,
        catch: Option<Catch>,
    },
    /// `[[ yield b() ]]`
    Yield(Yield),
    /// `[[ yield content ]]`
    YieldContent {
        context: Option<Expr>,
    },
    /// `[[ block b() ]]`: the name, looked up when rendered, since a later block of one name replaces an earlier.
    Block {
        name: Text,
    },
    /// `[[ include "x" ]]`
    Include {
        name: Expr,
    },
    /// `[[ return x ]]`
    Return(Expr),
    /// A word that closes nothing here, which rendering passes over.
    Stray,
}

/// A part that closes another.
#[derive(Debug)]
pub(super) enum Closer {
    End,
    Else,
    Content,
    Catch(Catch),
}

#[derive(Debug)]
pub(super) struct Catch {
    pub(super) variable: Option<Name>,
    pub(super) body: List,
}

/// A block as defined.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) parameters: Vec<Parameter>,
    pub(super) context: Option<Expr>,
    pub(super) body: List,
    pub(super) content: Option<List>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Yield {
    pub(super) name: Text,
    pub(super) parameters: Vec<Parameter>,
    pub(super) context: Option<Expr>,
    pub(super) content: Option<List>,
    pub(super) span: Span,
}

/// A parameter of a block, or a value for one: `name`, `name=value`, or a value alone.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: Option<Name>,
    pub(super) value: Option<Expr>,
}

/// `a, b := x, y` or `a = x`.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) declares: bool,
    /// `v, found := map[key]`
    pub(super) asks: bool,
    pub(super) left: Vec<Expr>,
    pub(super) right: Vec<Expr>,
}

/// `first | second: 1`
#[derive(Debug)]
pub(super) struct Pipe {
    pub(super) commands: Vec<Command>,
}

/// One stage: a value, or a function with the arguments written behind it.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) base: Expr,
    pub(super) arguments: Option<Arguments>,
}

#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) list: Vec<Expr>,
    /// `_` stands among them: the piped value goes there instead of first.
    pub(super) has_slot: bool,
}

/// An expression with its place.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// Levels below and with this one: evaluation recurses as deep as that.
    pub(super) height: u16,
}

impl Expr {
    pub(super) fn new(kind: ExprKind, span: Span) -> Self {
        let of = |expr: &Self| expr.height;
        let most = |list: &[Self]| list.iter().map(of).max().unwrap_or(0);
        let below = match &kind {
            ExprKind::Chain(base, _) | ExprKind::Not(base) | ExprKind::Sign { of: base, .. } => of(base),
            ExprKind::Call(base, arguments) => of(base).max(most(&arguments.list)),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => of(a).max(of(b)),
            ExprKind::Slice(base, from, to) => {
                let bound = |bound: &Option<Box<Self>>| bound.as_deref().map_or(0, of);
                of(base).max(bound(from)).max(bound(to))
            }
            ExprKind::Ternary(parts) => most(&**parts),
            _ => 0,
        };
        Self { kind, span, height: below.saturating_add(1) }
    }
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Nil,
    Bool(bool),
    Number(f64),
    Text(Text),
    /// A name, or `.`.
    Identifier(Name),
    Underscore,
    /// `.a.b`: fields of the context.
    Field(Vec<Text>),
    /// Fields of a value.
    Chain(Box<Expr>, Vec<Text>),
    Call(Box<Expr>, Arguments),
    Index(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    Not(Box<Expr>),
    /// `+x`, `-x`
    Sign {
        negative: bool,
        of: Box<Expr>,
    },
    Binary(Operator, Box<Expr>, Box<Expr>),
    Ternary(Box<[Expr; 3]>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    And,
    Or,
}
