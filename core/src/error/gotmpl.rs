//! What can be wrong with a Go template: when it is read, and when it is rendered.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A fault of a Go template. The first group is found by reading it, the second by rendering it.
#[derive(Debug, Clone, PartialEq)]
pub enum GotmplFault {
    /// An action without its closing delimiter.
    UnclosedAction,
    /// A comment without its end, or one that does not fill its action.
    UnclosedComment(&'static str),
    /// A quoted text without its closing quote; says which kind of literal.
    UnterminatedLiteral(&'static str),
    /// A number, character or text that Go's syntax does not know.
    BadLiteral(String),
    /// A name where a function must stand.
    UnknownFunction {
        /// As written.
        name: String,
        /// The known function that is spelled most like it.
        nearest: Option<String>,
    },
    /// A variable that no enclosing action declares.
    UndefinedVariable(String),
    /// A token that cannot stand where it stands.
    UnexpectedToken {
        /// The token, quoted or in angle brackets.
        found: String,
        /// What was being read.
        context: &'static str,
    },
    /// An `end`, `else`, `break` or `continue` with nothing to end, choose or leave.
    UnexpectedControl(&'static str),
    /// The text ends inside `if`, `range`, `with`, `define` or `block`.
    UnexpectedEnd {
        /// The keyword of the innermost open action.
        open: &'static str,
    },
    /// An action that needs a value and has none.
    MissingValue(&'static str),
    /// A later stage of a pipeline that cannot take a value.
    NotACommand {
        /// From 1, as a person counts.
        stage: usize,
    },
    /// Two non-empty templates of one name.
    Redefinition(String),

    /// A field that the value lacks.
    UnknownField {
        /// The field asked for.
        field: String,
        /// What was asked, as `text` or `mesh.Machine`.
        of: String,
        /// The fields there are; empty when it is no record at all.
        known: Vec<String>,
        /// The one of them that is spelled most like it.
        nearest: Option<String>,
    },
    /// Nothing where something is needed.
    NilValue(String),
    /// A value of the wrong kind.
    WrongType(String),
    /// Arguments given to something that takes none.
    NotFunction(String),
    /// A number of arguments that a function does not take.
    ArgumentCount {
        /// The function.
        name: String,
        /// What it takes, as `2` or `at least 1`.
        wanted: String,
        /// How many it was given.
        given: usize,
    },
    /// A comparison with nothing to compare to.
    MissingArgument(&'static str),
    /// An index outside the list or text.
    IndexRange(String),
    /// `range` over something that has no members.
    CannotIterate(String),
    /// A comparison of two kinds that are never equal.
    IncompatibleTypes(String, String),
    /// Kinds that cannot be compared or ordered.
    NotComparable(String),
    /// `template` with a name that nothing defines.
    NoTemplate {
        /// As written.
        name: String,
        /// The names that are defined, in order.
        known: Vec<String>,
    },
    /// An integer that does not fit.
    Overflow(String),
    /// An assignment to a variable that was never declared.
    UndeclaredVariable(String),
    /// The result is no UTF-8 where text is wanted: a `slice` or `index` cut a character.
    NotText,
}

impl GotmplFault {
    /// An arity in words: `2`, `1 to 4`, `at least 1`.
    #[must_use]
    pub fn wanted(least: u8, most: u8) -> String {
        match most {
            u8::MAX => format!("at least {least}"),
            most if most == least => format!("{least}"),
            most => format!("{least} to {most}"),
        }
    }

    /// Found while rendering, not while reading.
    #[must_use]
    pub fn is_rendering(&self) -> bool {
        matches!(
            self,
            Self::UnknownField { .. }
                | Self::NilValue(_)
                | Self::WrongType(_)
                | Self::NotFunction(_)
                | Self::ArgumentCount { .. }
                | Self::MissingArgument(_)
                | Self::IndexRange(_)
                | Self::CannotIterate(_)
                | Self::IncompatibleTypes(..)
                | Self::NotComparable(_)
                | Self::NoTemplate { .. }
                | Self::Overflow(_)
                | Self::UndeclaredVariable(_)
                | Self::NotText
        )
    }
}

impl fmt::Display for GotmplFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnclosedAction => f.write_str("unclosed action"),
            Self::UnclosedComment(why) => f.write_str(why),
            Self::UnterminatedLiteral(what) => write!(f, "unterminated {what}"),
            Self::BadLiteral(why) | Self::NilValue(why) | Self::WrongType(why) => f.write_str(why),
            Self::IndexRange(why) | Self::CannotIterate(why) | Self::NotComparable(why) => f.write_str(why),
            Self::UnknownFunction { name, nearest: None } => write!(f, "unknown function {name}"),
            Self::UnknownFunction { name, nearest: Some(nearest) } => {
                write!(f, "unknown function {name}, did you mean {nearest}?")
            }
            Self::UndefinedVariable(name) => write!(f, "undefined variable {name}"),
            Self::UnexpectedToken { found, context } => write!(f, "unexpected {found} in {context}"),
            Self::UnexpectedControl(what) => f.write_str(what),
            Self::UnexpectedEnd { open } => write!(f, "the text ends inside {{{{{open}}}}}: {{{{end}}}} is missing"),
            Self::MissingValue(context) => write!(f, "missing value for {context}"),
            Self::NotACommand { stage } => write!(f, "stage {stage} of the pipeline takes no value"),
            Self::Redefinition(name) => write!(f, "template {name:?} is defined twice"),
            Self::UnknownField { field, of, known, nearest } => {
                write!(f, "unknown field {field} of {of}")?;
                if let Some(nearest) = nearest {
                    write!(f, ", did you mean {nearest}?")?;
                }
                list(f, if nearest.is_some() { " It has " } else { "; it has " }, known)
            }
            Self::NotFunction(what) => write!(f, "{what} is no function and takes no arguments"),
            Self::ArgumentCount { name, wanted, given } => {
                write!(f, "function {name} takes {wanted} argument(s), got {given}")
            }
            Self::MissingArgument(name) => write!(f, "{name} has nothing to compare with"),
            Self::IncompatibleTypes(left, right) => write!(f, "cannot compare {left} with {right}"),
            Self::NoTemplate { name, known } => {
                write!(f, "template {name:?} is not defined")?;
                list(f, "; defined are ", known)
            }
            Self::Overflow(number) => write!(f, "{number} overflows a 64-bit integer"),
            Self::UndeclaredVariable(name) => {
                write!(f, "assignment to {name}, which was not declared; declare it with {name} := …")
            }
            Self::NotText => f.write_str("the result is not UTF-8: slice or index cut a character"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, lead: &str, names: &[String]) -> fmt::Result {
    for (at, name) in names.iter().enumerate() {
        f.write_str(if at == 0 { lead } else { ", " })?;
        f.write_str(name)?;
    }
    Ok(())
}
