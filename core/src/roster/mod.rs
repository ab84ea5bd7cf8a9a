//! The mesh: which machines there are, what they are called, and how software that runs on them is told.
//!
//! - [`view`]: what a template sees of the mesh
//! - [`region`]: a marked region in a file that others write too

pub mod region;
pub mod view;
