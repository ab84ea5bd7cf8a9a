//! `hierarchy` and `overrides`: which levels there are, in what order, and how they merge.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::part::Part;
use crate::error::{Error, HieraFault, Kind, Result};
use crate::span::Site;
use crate::value::Named;

/// How an override meets the data before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Merge {
    /// The first level with an override replaces whole top-level keys, and ends the walk.
    First,
    /// Every level is merged into maps and appended to lists.
    Deep,
}

/// The levels of a document.
pub(super) struct Hierarchy<'a> {
    pub(super) order: Vec<Level<'a>>,
    pub(super) merge: Merge,
    /// By level, those that are maps.
    pub(super) overrides: Named<Part<'a>>,
}

/// One level as written, its expressions not filled in yet.
pub(super) struct Level<'a> {
    pub(super) text: &'a str,
    pub(super) site: Option<Site>,
}

impl<'a> Hierarchy<'a> {
    /// Reads both sections; without `hierarchy` there is one level, `default`.
    pub(super) fn read(root: Part<'a>) -> Result<Self> {
        let overrides = overrides(root)?;
        let Some(section) = root.get("hierarchy") else {
            let order = alloc::vec![Level { text: "default", site: None }];
            return Ok(Self { order, merge: Merge::First, overrides });
        };
        if !section.is_map() {
            return Err(fault(HieraFault::HierarchyNotMap, section));
        }
        Ok(Self { order: order(section)?, merge: mode(section)?, overrides })
    }
}

impl Level<'_> {
    /// Adds to a fault of this level's expression where the level stands.
    pub(super) fn blame(&self, fault: Error) -> Error {
        let fault = fault.doing(alloc::format!("resolving hierarchy level {}", self.text));
        match &self.site {
            Some(site) => fault.at(site.clone()),
            None => fault,
        }
    }
}

/// How many levels a hierarchy may have.
const LEVELS: usize = 10_000;

fn order(section: Part<'_>) -> Result<Vec<Level<'_>>> {
    let Some(order) = section.get("order") else { return Err(fault(HieraFault::OrderNotList, section)) };
    let items = order.items().ok_or_else(|| fault(HieraFault::OrderNotList, order))?;
    if items.len() > LEVELS {
        let error = Error::limit(alloc::format!("hierarchy.order has more than {LEVELS} levels"));
        return Err(match order.site() {
            Some(site) => error.at(site),
            None => error,
        });
    }
    items
        .into_iter()
        .map(|item| match item.text() {
            Some(text) => Ok(Level { text, site: item.site() }),
            None => Err(fault(HieraFault::OrderNotTexts, item)),
        })
        .collect()
}

fn mode(section: Part<'_>) -> Result<Merge> {
    let Some(mode) = section.get("merge").filter(|mode| !mode.is_null()) else { return Ok(Merge::First) };
    match mode.text() {
        Some("") => Ok(Merge::First),
        Some(text) if text.eq_ignore_ascii_case("first") => Ok(Merge::First),
        Some(text) if text.eq_ignore_ascii_case("deep") => Ok(Merge::Deep),
        text => Err(fault(HieraFault::UnknownMerge(text.map_or_else(|| mode.shown(), ToString::to_string)), mode)),
    }
}

fn overrides(root: Part<'_>) -> Result<Named<Part<'_>>> {
    let mut overrides = Named::default();
    let Some(section) = root.get("overrides").filter(|section| !section.is_null()) else { return Ok(overrides) };
    for (name, level) in section.members().ok_or_else(|| fault(HieraFault::OverridesNotMap, section))? {
        if level.is_map() {
            overrides.insert(name.clone(), level);
        } else if !level.is_null() {
            return Err(fault(HieraFault::LevelNotMap(String::from(&**name)), level));
        }
    }
    Ok(overrides)
}

fn fault(fault: HieraFault, part: Part<'_>) -> Error {
    let error = Error::new(Kind::Hiera(fault));
    match part.site() {
        Some(site) => error.at(site),
        None => error,
    }
}
