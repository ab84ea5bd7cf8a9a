//! What one lookup may cost. A path can multiply data (`[@this,@this]|[@this,@this]|…`), so both its
//! nesting and every node it looks at or makes are counted.

use core::cell::Cell;

use crate::error::{Error, Result};

/// Nodes that one lookup may look at, make and give out: about a hundredth of a second of work.
const NODES: usize = 200_000;
/// How deep paths, and the data they are followed in, may be nested.
const DEPTH: usize = 160;

/// Counts down during one lookup.
pub(super) struct Budget {
    nodes: Cell<usize>,
    depth: Cell<usize>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { nodes: Cell::new(NODES), depth: Cell::new(DEPTH) }
    }

    /// Nodes counted so far.
    pub(super) fn spent(&self) -> usize {
        NODES - self.nodes.get()
    }

    /// Counts bytes of text, which are cheaper than nodes.
    pub(super) fn spend_bytes(&self, bytes: usize) -> Result<()> {
        self.spend(bytes / 4)
    }

    /// Counts nodes.
    pub(super) fn spend(&self, nodes: usize) -> Result<()> {
        match self.nodes.get().checked_sub(nodes) {
            Some(left) => {
                self.nodes.set(left);
                Ok(())
            }
            None => Err(Error::limit("lookup takes too many steps")),
        }
    }

    /// Goes one level deeper until the guard is dropped.
    pub(super) fn enter(&self) -> Result<Level<'_>> {
        match self.depth.get().checked_sub(1) {
            Some(left) => {
                self.depth.set(left);
                Ok(Level(self))
            }
            None => Err(Error::limit("lookup path or data is nested too deeply")),
        }
    }
}

/// One level, given back on drop.
pub(super) struct Level<'b>(&'b Budget);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.depth.set(self.0.depth.get().saturating_add(1));
    }
}
