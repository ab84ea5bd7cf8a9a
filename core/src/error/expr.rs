//! What can be wrong with an expression, from its first character to its last step.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

/// Words for a message: mostly names of kinds of values, known when the program is built.
pub type Words = Cow<'static, str>;

/// A fault of an expression. [`ExprFault::code`] is its stable name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprFault {
    /// A token where the grammar has no place for it; the text as written.
    UnexpectedToken(String),
    /// The text stopped early.
    UnexpectedEnd,
    /// A character that begins no token.
    BadCharacter(char),
    /// Digits followed by letters, or by digits of another base.
    BadNumber(String),
    /// A number that no value can hold, or with no digits.
    BadLiteral(String),
    /// A backslash followed by something unknown.
    BadEscape,
    /// Quoted text without its closing quote.
    Unterminated,
    /// `/*` without `*/`.
    UnclosedComment,
    /// Something that cannot be the key of a map literal.
    MapKey(String),
    /// No name after a dot.
    ExpectedName,
    /// A predicate builtin with too few arguments.
    MissingArgument(String),
    /// `;` in a predicate without braces.
    PredicateBraces,
    /// `??` mixed with another operator without parentheses.
    MixedCoalesce(&'static str),

    /// A name that nothing bears, and the nearest that something does.
    UnknownName(String, Option<String>),
    /// A member that this kind of value does not have.
    NoField(Words, String, Option<String>),
    /// `let` over a name in use.
    Redeclared(String),
    /// `#name` that this predicate does not have, or `#` outside of one.
    BadPointer(String),
    /// An operator between kinds it does not take.
    TypeMismatch(&'static str, Words, Words),
    /// A key or index of the wrong kind; the container comes second.
    IndexType(Words, Words),
    /// Something that has no slices, or a bound that is no integer.
    SliceType(Words),
    /// A predicate of the wrong kind: what it gives.
    PredicateType(Words),
    /// A condition that is no boolean.
    ConditionType(Words),
    /// An argument of the wrong kind: the function, what it got.
    ArgumentType(Words, Words),
    /// Too few or too many arguments: the function, how many it got.
    ArgumentCount(Words, usize),
    /// A call of something that is no function.
    NotCallable(Words),
    /// A method that gives more than an expression can take.
    Signature(Words),
    /// A boolean was demanded of the whole expression.
    ExpectedBool(Words),

    /// An operator applied at run time to values it does not take.
    OperandType(&'static str, Words, Words),
    /// A value that turned out to be of another kind than its place demands: wanted, found.
    WrongType(&'static str, Words),
    /// A value that cannot become the wanted number: wanted, found.
    Conversion(&'static str, Words),
    /// A member asked of something that has none.
    Fetch(String, Words),
    /// An index outside of a list: index, length.
    IndexRange(i64, usize),
    /// Integer division by zero.
    DivideByZero,
    /// A shift by less than nothing.
    NegativeShift(i64),
    /// `reduce` of nothing, without a first value.
    EmptyReduce,
    /// A key that maps cannot have.
    Unhashable(Words),
    /// A sort order that is neither `asc` nor `desc`.
    BadSortOrder(String),
    /// A slice or index that would cut a character in two.
    SplitCharacter,

    /// A tree of more nodes than allowed.
    Nodes(usize),
    /// Nested deeper than allowed.
    Depth(usize),
    /// More data than one evaluation may make.
    Memory(u64),

    /// A regular expression that does not compile, and why.
    BadPattern(String),
    /// Text that is no JSON, or a value that JSON cannot hold.
    BadJson(String),
    /// Text that is no base64, or whose bytes are no text.
    BadBase64(String),
    /// Text that is no date.
    BadDate(String),
    /// Text that is no duration.
    BadDuration(String),
    /// A time zone this machine does not know.
    BadZone(String),
}

impl ExprFault {
    /// The stable name of the kind of fault, as the golden vectors have it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnexpectedToken(_) => "syntax_unexpected_token",
            Self::UnexpectedEnd => "syntax_unexpected_end",
            Self::BadCharacter(_) => "syntax_bad_char",
            Self::BadNumber(_) => "syntax_bad_number",
            Self::BadLiteral(_) => "syntax_bad_literal",
            Self::BadEscape => "syntax_bad_escape",
            Self::Unterminated => "syntax_unterminated",
            Self::UnclosedComment => "syntax_unclosed_comment",
            Self::MapKey(_) => "syntax_map_key",
            Self::ExpectedName => "syntax_expected_name",
            Self::MissingArgument(_) => "syntax_arg_count",
            Self::PredicateBraces => "syntax_predicate_brackets",
            Self::MixedCoalesce(_) => "syntax_mixed_coalesce",
            Self::UnknownName(..) => "unknown_name",
            Self::NoField(..) => "no_field",
            Self::Redeclared(_) => "redeclare",
            Self::BadPointer(_) => "bad_pointer",
            Self::TypeMismatch(..) => "type_mismatch",
            Self::IndexType(..) => "index_type",
            Self::SliceType(_) => "slice_type",
            Self::PredicateType(_) => "predicate_type",
            Self::ConditionType(_) => "cond_type",
            Self::ArgumentType(..) => "arg_type",
            Self::ArgumentCount(..) => "arg_count",
            Self::NotCallable(_) => "not_callable",
            Self::Signature(_) => "func_signature",
            Self::ExpectedBool(_) => "expected_bool",
            Self::OperandType(..) => "operand_type",
            Self::WrongType(..) => "wrong_dynamic_type",
            Self::Conversion(..) => "conversion",
            Self::Fetch(..) => "fetch",
            Self::IndexRange(..) => "index_range",
            Self::DivideByZero => "div_by_zero",
            Self::NegativeShift(_) => "negative_shift",
            Self::EmptyReduce => "reduce_empty",
            Self::Unhashable(_) => "unhashable",
            Self::BadSortOrder(_) => "bad_sort_order",
            Self::SplitCharacter => "split_character",
            Self::Nodes(_) | Self::Depth(_) => "limit_nodes",
            Self::Memory(_) => "limit_memory",
            Self::BadPattern(_) => "bad_regex",
            Self::BadJson(_) => "bad_json",
            Self::BadBase64(_) => "bad_base64",
            Self::BadDate(_) => "bad_date",
            Self::BadDuration(_) => "bad_duration",
            Self::BadZone(_) => "bad_timezone",
        }
    }
}

impl fmt::Display for ExprFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnexpectedToken(found) => write!(f, "unexpected {found}"),
            Self::UnexpectedEnd => f.write_str("unexpected end of the expression (EOF)"),
            Self::BadCharacter(found) => write!(f, "character {found:?} has no meaning here"),
            Self::BadNumber(text) => write!(f, "{text} is not a number"),
            Self::BadLiteral(text) => write!(f, "number {text} is out of range or has no digits"),
            Self::BadEscape => f.write_str("unknown escape after a backslash"),
            Self::Unterminated => f.write_str("quoted text has no closing quote"),
            Self::UnclosedComment => f.write_str("comment is not closed by */"),
            Self::MapKey(found) => {
                write!(f, "a map key is a name, a number, a quoted text or (an expression), not {found}")
            }
            Self::ExpectedName => f.write_str("expected a name after the dot"),
            Self::MissingArgument(name) => write!(f, "{name} needs more arguments"),
            Self::PredicateBraces => f.write_str("a predicate of several statements needs braces { }"),
            Self::MixedCoalesce(operator) => {
                write!(f, "?? and {operator} cannot be mixed without parentheses")
            }
            Self::UnknownName(name, near) => {
                write!(f, "unknown name {name}")?;
                suggest(f, near.as_deref())
            }
            Self::NoField(kind, name, near) => {
                write!(f, "{kind} has no member {name}")?;
                suggest(f, near.as_deref())
            }
            Self::Redeclared(name) => write!(f, "{name} is already declared"),
            Self::BadPointer(name) => write!(f, "#{name} has no meaning here"),
            Self::TypeMismatch("", operand, _) | Self::OperandType("", operand, _) => {
                write!(f, "the operator does not take {operand}")
            }
            Self::TypeMismatch(operator, operand, other) | Self::OperandType(operator, operand, other)
                if other.is_empty() =>
            {
                write!(f, "operator {operator} does not take {operand}")
            }
            Self::TypeMismatch(operator, left, right) | Self::OperandType(operator, left, right) => {
                write!(f, "operator {operator} does not take {left} and {right}")
            }
            Self::IndexType(key, container) => write!(f, "{container} cannot be indexed by {key}"),
            Self::SliceType(kind) => write!(f, "cannot slice with {kind}"),
            Self::PredicateType(kind) => write!(f, "the predicate gives {kind}, wanted is a boolean"),
            Self::ConditionType(kind) => write!(f, "the condition is {kind}, wanted is a boolean"),
            Self::ArgumentType(name, kind) => write!(f, "{name} does not take {kind}"),
            Self::ArgumentCount(name, given) => write!(f, "{name} does not take {given} arguments"),
            Self::NotCallable(kind) => write!(f, "{kind} is not a function"),
            Self::Signature(name) => write!(f, "{name} gives more than one value"),
            Self::ExpectedBool(kind) => write!(f, "expected bool, got {kind}"),
            Self::WrongType(wanted, found) => write!(f, "expected {wanted}, got {found}"),
            Self::Conversion(wanted, found) => write!(f, "{found} cannot become {wanted}"),
            Self::Fetch(member, from) => write!(f, "cannot get {member} from {from}"),
            Self::IndexRange(index, length) => write!(f, "index {index} is out of range of a list of {length}"),
            Self::DivideByZero => f.write_str("integer division by zero"),
            Self::NegativeShift(by) => write!(f, "cannot shift by {by}"),
            Self::EmptyReduce => f.write_str("reduce of an empty list needs a first value"),
            Self::Unhashable(kind) => write!(f, "{kind} cannot be the key of a map"),
            Self::BadSortOrder(order) => write!(f, "sort order is asc or desc, not {order}"),
            Self::SplitCharacter => f.write_str("the slice cuts a character in two"),
            Self::Nodes(most) => write!(f, "the expression has more than {most} parts"),
            Self::Depth(most) => write!(f, "the expression nests deeper than {most} levels"),
            Self::Memory(most) => write!(f, "memory budget exceeded: the expression makes more than {most} items"),
            Self::BadPattern(why) => write!(f, "bad regular expression: {why}"),
            Self::BadJson(why) => write!(f, "bad JSON: {why}"),
            Self::BadBase64(why) => write!(f, "bad base64: {why}"),
            Self::BadDate(text) => write!(f, "{text} is not a date"),
            Self::BadDuration(text) => write!(f, "{text:?} is not a duration"),
            Self::BadZone(name) => write!(f, "unknown time zone {name}"),
        }
    }
}

fn suggest(f: &mut fmt::Formatter<'_>, near: Option<&str>) -> fmt::Result {
    match near {
        Some(near) => write!(f, ", did you mean {near}?"),
        None => Ok(()),
    }
}

impl From<ExprFault> for super::Error {
    #[cold]
    fn from(fault: ExprFault) -> Self {
        Self::new(super::Kind::Expr(fault))
    }
}
