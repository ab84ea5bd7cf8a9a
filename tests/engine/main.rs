//! Resources and the engine on a machine in memory: apply, apply again, dry run, failure in the middle.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod checks;
mod machine;
mod noise;
mod resources;
mod runs;
mod sessions;
mod wide;
