//! Faults of hierarchical data.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// What is wrong with a hiera document, or with the data that came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HieraFault {
    /// The document holds nothing.
    Empty,
    /// The document is a list or a scalar.
    DocumentNotMap,
    /// `hierarchy` is there but no mapping.
    HierarchyNotMap,
    /// `hierarchy.order` is missing or no list.
    OrderNotList,
    /// An item of `hierarchy.order` is no text.
    OrderNotTexts,
    /// `hierarchy.merge` is neither `first` nor `deep`; what it is.
    UnknownMerge(String),
    /// `overrides` is no mapping.
    OverridesNotMap,
    /// What `overrides` has for this level is no mapping.
    LevelNotMap(String),
    /// Data breaks rules written in comments: a sentence each, with its place.
    Broken(Vec<String>),
}

impl fmt::Display for HieraFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the document is empty, it must be a map with data, hierarchy or overrides"),
            Self::DocumentNotMap => f.write_str("the document must be a map with data, hierarchy or overrides"),
            Self::HierarchyNotMap => f.write_str("hierarchy must be a map with order and merge"),
            Self::OrderNotList => f.write_str("hierarchy.order must be a list"),
            Self::OrderNotTexts => f.write_str("hierarchy.order must contain only strings"),
            Self::UnknownMerge(merge) => {
                write!(f, "unsupported merge mode {merge} in hierarchy.merge, it must be first or deep")
            }
            Self::OverridesNotMap => f.write_str("overrides must be a map of levels"),
            Self::LevelNotMap(level) => write!(f, "overrides for level {level} must be a map"),
            Self::Broken(faults) => {
                for (at, fault) in faults.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { "\n" })?;
                    f.write_str(fault)?;
                }
                Ok(())
            }
        }
    }
}
