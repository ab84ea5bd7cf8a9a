//! The binary from outside: its output to the byte, its exit codes, and what it leaves alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
#[allow(dead_code, unreachable_pub)]
mod support;

mod bundle;
mod call;
mod ensure;
mod errors;
mod examples;
mod help;
mod mesh;
mod messages;
mod runs;
mod usage;
