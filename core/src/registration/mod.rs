//! Service registration entries.
