//! Faults of YAML documents.

use alloc::string::String;
use core::fmt;

/// What is wrong with a YAML document. The site of the error is the place; a second place is told by its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlFault {
    /// The text breaks the grammar; the parser's words.
    Syntax(String),
    /// A value begins with `{{` without quotes, which YAML reads as a mapping inside a mapping.
    UnquotedExpression,
    /// A mapping has two entries of one key.
    DuplicateKey {
        /// The key as text: `1` and `'1'` are the same.
        key: String,
        /// The line of the earlier entry, from 1.
        first: u32,
    },
    /// A list or a mapping stands where a key must be.
    ComplexKey,
    /// An alias stands inside the node that it names.
    AliasInsideItself,
    /// `<<` was given something other than a mapping or a list of mappings.
    MergeOfNonMap,
    /// A scalar does not fit its tag, as `!!int five`.
    BadTag {
        /// The tag without its `!!`.
        tag: &'static str,
        /// The text that does not fit.
        text: String,
    },
}

impl fmt::Display for YamlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(text) => write!(f, "not valid YAML: {text}"),
            Self::UnquotedExpression => {
                f.write_str("a value that begins with {{ must be quoted, as in \"{{ lookup('data.x') }}\"")
            }
            Self::DuplicateKey { key, first } => write!(f, "key {key} is already set on line {first}"),
            Self::ComplexKey => f.write_str("a key must be a scalar, not a list or a mapping"),
            Self::AliasInsideItself => f.write_str("an alias cannot stand inside the node that it names"),
            Self::MergeOfNonMap => f.write_str("<< wants a mapping or a list of mappings"),
            Self::BadTag { tag, text } => write!(f, "{text:?} is no value for the tag !!{tag}"),
        }
    }
}
