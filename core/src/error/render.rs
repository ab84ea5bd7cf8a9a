//! What goes wrong between an expression and the machine: names that are not there, files that cannot be read.

use alloc::string::String;
use core::fmt;

/// A fault of the functions that reach beyond a language, or of text made from values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderFault {
    /// `lookup` of a path that leads nowhere, without a default.
    LookupMissing {
        /// The path as written.
        path: String,
    },
    /// A function was given too few or too many arguments.
    ArgumentCount {
        /// Its name.
        function: &'static str,
        /// What it takes: `1 or 2 arguments`.
        takes: &'static str,
        /// How many it was given.
        given: usize,
    },
    /// A function was given something other than text.
    ArgumentKind {
        /// Its name.
        function: &'static str,
        /// Which argument, from 1.
        position: usize,
        /// The kind it was given.
        given: &'static str,
    },
    /// A function that this build or this place does not offer.
    Unavailable {
        /// Its name.
        function: &'static str,
    },
    /// An expression printed into text is null.
    NilInText {
        /// The expression as written.
        expression: String,
    },
    /// An expression gave a list, map, number or bool where only text may stand.
    NotText {
        /// The expression as written.
        expression: String,
        /// The kind it gave.
        given: &'static str,
    },
}

impl fmt::Display for RenderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LookupMissing { path } => {
                write!(f, "lookup found nothing at {path:?}; give a default: lookup({path:?}, \"...\")")
            }
            Self::ArgumentCount { function, takes, given } => write!(f, "{function} requires {takes}, not {given}"),
            Self::ArgumentKind { function, position, given } => {
                write!(f, "argument {position} of {function} must be a string, not {given}")
            }
            Self::Unavailable { function } => write!(f, "{function} is not available here"),
            Self::NilInText { expression } => write!(
                f,
                "{expression:?} is null and would print as <nil>; give a default: {expression} ?? \"...\", or lookup(key, default)"
            ),
            Self::NotText { expression, given } => write!(f, "{expression:?} must give text, not {given}"),
        }
    }
}
