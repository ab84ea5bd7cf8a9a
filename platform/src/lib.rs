//! The Linux host: files, processes, accounts, clock, facts and sources behind the traits of `ccm-core`.
//!
//! There is no policy here: a branch in this crate is about an errno, never about a manifest.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
