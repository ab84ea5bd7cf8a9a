//! What can be wrong with a jet template: when it is read, and when it is rendered.

use alloc::string::String;
use core::fmt;

/// A fault of a jet template. The first group is found by reading it, the second by rendering it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JetFault {
    /// An action without its closing delimiter.
    UnclosedAction,
    /// A comment without its end.
    UnclosedComment,
    /// A token that cannot stand where it stands: as written, and what was wanted.
    UnexpectedToken(String, &'static str),
    /// A keyword that cannot stand where it stands: as written, and what was wanted.
    UnexpectedKeyword(String, &'static str),
    /// The text ends inside an open `if`, `range`, `block`, `try` or `content`.
    UnexpectedEnd,
    /// An `end`, `else` or `content` with nothing open.
    UnexpectedControl(&'static str),
    /// A number that is none.
    BadNumber(String),
    /// A quoted text that is none.
    BadString(&'static str),
    /// The two sides of an assignment do not fit.
    BadAssignment(&'static str),
    /// `extends` and `import` come first or not at all.
    NotAtStart(&'static str),
    /// `extends`, `import` and `include` name a template, and there are none but this one.
    NoTemplate(String),

    /// A name that nothing has; with the known name spelled most like it.
    UnknownIdentifier {
        /// As written.
        name: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
    },
    /// A field of something that lacks it or has none.
    NoSuchField {
        /// The field asked for.
        field: String,
        /// Of what, as `map`, `null`, `integer`.
        of: &'static str,
    },
    /// An index that is out of range or no index.
    Index(String),
    /// An operator, given what it does not work on.
    Type(String),
    /// A function, given arguments it does not take.
    BadArguments(String),
    /// A division by nothing.
    DivisionByZero,
    /// `range` over what has no members.
    Range(String),
    /// A call of what is no function.
    NotFunction(String),
    /// A null where a value is needed.
    InvalidValue(&'static str),
    /// A block, yielded or defined without a value for one of its parameters.
    MissingParameter(String),
    /// A block that is not defined.
    UnresolvedBlock(String),
    /// A pipeline that goes on after `raw`, `unsafe`, `safeHtml` or `safeJs`.
    WriterNotLast,
    /// Anything else that rendering refuses.
    Other(String),
}

impl fmt::Display for JetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnclosedAction => f.write_str("action is not closed"),
            Self::UnclosedComment => f.write_str("comment is not closed; it ends with *}"),
            Self::UnexpectedToken(found, wanted) => write!(f, "unexpected {found}, wanted {wanted}"),
            Self::UnexpectedKeyword(found, wanted) => write!(f, "unexpected keyword {found}, wanted {wanted}"),
            Self::UnexpectedEnd => f.write_str("text ends before the end of an open if, range, block, try or content"),
            Self::UnexpectedControl(word) => write!(f, "{word} without anything open"),
            Self::BadNumber(text) => write!(f, "not a number: {text}"),
            Self::BadString(what) => f.write_str(what),
            Self::BadAssignment(what) => f.write_str(what),
            Self::NotAtStart(word) => write!(f, "{word} must come first in the template"),
            Self::NoTemplate(name) => {
                write!(
                    f,
                    "no template {name}: templates here cannot name others; template(\"FILE.jet\") renders a file"
                )
            }
            Self::UnknownIdentifier { name, hint } => write!(f, "unknown name {name}{hint}"),
            Self::NoSuchField { field, of } => write!(f, "no field {field} in {of}"),
            Self::Index(what)
            | Self::Type(what)
            | Self::BadArguments(what)
            | Self::Range(what)
            | Self::NotFunction(what)
            | Self::Other(what) => f.write_str(what),
            Self::DivisionByZero => f.write_str("division by zero"),
            Self::InvalidValue(what) => write!(f, "{what} is null"),
            Self::MissingParameter(name) => {
                write!(f, "block parameter {name} has neither a default nor a value; write {name}=…")
            }
            Self::UnresolvedBlock(name) => write!(f, "no block {name}"),
            Self::WriterNotLast => f.write_str("raw, unsafe, safeHtml and safeJs write at once: they end a pipeline"),
        }
    }
}
