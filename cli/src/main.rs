//! The `ccm` command: reads argv, calls core with the Linux host, shows the outcome.
fn main() {}
