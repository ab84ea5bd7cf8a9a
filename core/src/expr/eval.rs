//! Runs a program by walking its tree.

use crate::error::Result;
use crate::error::expr::ExprFault;

/// The reference's memory units: items of lists and maps made by one evaluation.
#[derive(Debug)]
pub(super) struct Budget {
    spent: u64,
}

impl Budget {
    /// Units of one evaluation.
    pub(super) const UNITS: u64 = 1_000_000;

    /// Spends units.
    ///
    /// # Errors
    /// [`ExprFault::Memory`] when [`Budget::UNITS`] are spent.
    pub(super) fn charge(&mut self, units: usize) -> Result<()> {
        self.spent = self.spent.saturating_add(units as u64);
        if self.spent >= Self::UNITS { Err(ExprFault::Memory(Self::UNITS).into()) } else { Ok(()) }
    }
}
