//! Runs resources in the order written and records what happened.
