//! The binary from outside: its output to the byte, its exit codes, and what it leaves alone.

#[path = "../support/mod.rs"]
#[allow(dead_code)]
mod support;

mod call;
mod ensure;
mod errors;
mod help;
mod mesh;
mod runs;
mod usage;
