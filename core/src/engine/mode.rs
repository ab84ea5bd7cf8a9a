//! How much a run may do.

/// What a run, or the child run of an `apply`, holds itself back from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mode {
    /// Nothing is changed; what would be is said.
    pub noop: bool,
    /// In noop, guard commands may run all the same.
    pub noop_guards: bool,
    /// Health checks only: gates hold, nothing else is looked at or changed.
    pub health_only: bool,
}

impl Mode {
    /// A child run may ask for more restraint than its parent, never for less.
    #[must_use]
    pub fn strengthen(self, child: Self) -> Self {
        Self {
            noop: self.noop | child.noop,
            health_only: self.health_only | child.health_only,
            noop_guards: self.noop_guards,
        }
    }

    /// Both restraints together say nothing: a dry run looks at what would be done, the other does nothing.
    #[must_use]
    pub fn is_contradictory(self) -> bool {
        self.noop && self.health_only
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_cannot_do_more_than_its_parent() {
        let noop = Mode { noop: true, ..Mode::default() };
        assert_eq!(noop.strengthen(Mode::default()), noop);
        assert_eq!(Mode::default().strengthen(noop), noop);
    }
}
