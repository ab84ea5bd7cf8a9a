//! The one error of the crate: what is wrong, where, and what was being done.
//!
//! A [`Kind`] is made where the fault is known; each floor above may add the site it knows
//! ([`Error::at`]) and what it was about ([`Error::doing`]). Nobody rewrites an error on its way up.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

pub use gotmpl::GotmplFault;
pub use hiera::HieraFault;
pub use jet::JetFault;
pub use render::RenderFault;
pub use yaml::YamlFault;

use crate::span::Site;

pub mod expr;
mod gotmpl;
mod hiera;
mod jet;
mod render;
mod yaml;

/// Result of anything that can fail in this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What went wrong, where and while doing what. One word wide.
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    /// Innermost first: the place in the expression, then the place of the scalar in the file.
    sites: heapless::Vec<Site, TRAIL>,
    /// Innermost first: `resolving field command`, `in file#/etc/motd`.
    doing: heapless::Vec<Cow<'static, str>, TRAIL>,
}

/// How many sites and contexts an error keeps: nesting deeper than this says nothing more to a person.
const TRAIL: usize = 8;

/// The kinds of fault, by the room that finds them.
///
/// Each language and format has its own enum beside this file; a kind that is a person's input
/// fault that no other code decides upon is [`Kind::Invalid`].
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Input that breaks a rule, told in a sentence: lower case, no full stop, naming thing and remedy.
    Invalid(String),
    /// A bound of the program was reached; the text names the limit and its value.
    Limit(String),
    /// The host refused an operation.
    System(System),
    /// A Go template that cannot be read or rendered.
    Gotmpl(GotmplFault),
    /// A jet template that cannot be read or rendered.
    Jet(JetFault),
    /// Functions that reach beyond a language, and text made from values.
    Render(RenderFault),
    /// A hiera document, or the data that came of it, is at fault.
    Hiera(HieraFault),
    /// A YAML document is at fault.
    Yaml(YamlFault),
    /// An expression is wrong, or came out wrong.
    Expr(expr::ExprFault),
}

/// An operation of the host that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// The operation, as `open`, `rename`, `statfs`.
    pub operation: &'static str,
    /// What it was done to: a path, a command.
    pub object: String,
    /// Why, as far as a decision depends on it.
    pub cause: Cause,
    /// Why, in the system's words: `permission denied`.
    pub text: String,
}

/// Causes that decisions depend on; anything else is `Other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// `ENOENT`
    NotFound,
    /// `EEXIST`
    Exists,
    /// `EACCES`, `EPERM`
    Denied,
    /// `EROFS`
    ReadOnly,
    /// `EBUSY`
    Busy,
    /// `EXDEV`
    CrossDevice,
    /// `ENOTDIR`
    NotDirectory,
    /// `EISDIR`
    IsDirectory,
    /// `ENOTEMPTY`
    NotEmpty,
    /// `ELOOP`: a symlink where none may be
    Symlink,
    /// `ENOSPC`, `EDQUOT`
    Full,
    /// `ENOTSUP`, `EOPNOTSUPP`, `ENOSYS`
    Unsupported,
    /// A deadline passed.
    TimedOut,
    /// This process was asked to stop (INT or TERM) and ended what it was waiting for.
    Stopped,
    /// Anything else.
    Other,
}

impl Error {
    /// An error of a kind, with no place yet.
    #[cold]
    pub fn new(kind: Kind) -> Self {
        Self(Box::new(Inner { kind, sites: heapless::Vec::new(), doing: heapless::Vec::new() }))
    }

    /// [`Kind::Invalid`] from a sentence.
    #[cold]
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(Kind::Invalid(text.into()))
    }

    /// [`Kind::Limit`] from a sentence.
    #[cold]
    pub fn limit(text: impl Into<String>) -> Self {
        Self::new(Kind::Limit(text.into()))
    }

    /// Adds an enclosing site: innermost first.
    #[must_use]
    pub fn at(mut self, site: Site) -> Self {
        let _full = self.0.sites.push(site);
        self
    }

    /// The same fault at another place: the same bytes, as they stand in an outer text.
    #[must_use]
    pub fn moved_to(mut self, site: Site) -> Self {
        self.0.sites.clear();
        self.at(site)
    }

    /// Adds what was being done, as `resolving field command`.
    #[must_use]
    pub fn doing(mut self, what: impl Into<Cow<'static, str>>) -> Self {
        let _full = self.0.doing.push(what.into());
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// The sites, innermost first.
    #[must_use]
    pub fn sites(&self) -> &[Site] {
        &self.0.sites
    }

    /// What was being done, innermost first.
    #[must_use]
    pub fn contexts(&self) -> &[Cow<'static, str>] {
        &self.0.doing
    }
}

/// One line: contexts from the outside in, the fault, the innermost place in brackets.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for context in self.0.doing.iter().rev() {
            write!(f, "{context}: ")?;
        }
        write!(f, "{}", self.0.kind)?;
        match self.0.sites.first() {
            Some(site) => write!(f, " ({site})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} [{:?}]", self.0.kind)
    }
}

impl core::error::Error for Error {}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text) | Self::Limit(text) => f.write_str(text),
            Self::System(System { operation, object, text, .. }) => write!(f, "{operation} {object}: {text}"),
            Self::Jet(fault) => fault.fmt(f),
            Self::Gotmpl(fault) => fault.fmt(f),
            Self::Render(fault) => fault.fmt(f),
            Self::Hiera(fault) => fault.fmt(f),
            Self::Yaml(fault) => fault.fmt(f),
            Self::Expr(fault) => fault.fmt(f),
        }
    }
}

impl From<RenderFault> for Error {
    #[cold]
    fn from(fault: RenderFault) -> Self {
        Self::new(Kind::Render(fault))
    }
}

impl From<Kind> for Error {
    #[cold]
    fn from(kind: Kind) -> Self {
        Self::new(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::{Source, Span};
    use alloc::format;

    #[test]
    fn an_error_reads_from_the_outside_in() {
        let site = Source::anonymous("Facst.port").at(Span::new(0, 5));
        let error = Error::invalid("unknown name Facst").at(site).doing("resolving field command").doing("exec#x");
        assert_eq!(format!("{error}"), "exec#x: resolving field command: unknown name Facst (1:1)");
    }

    #[test]
    fn an_error_is_one_word() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }
}
