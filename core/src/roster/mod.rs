//! The mesh: which machines there are, what they are called, and how software that runs on them is told.
//!
//! The mesh owns the data, a module owns the format: it brings a path and a template, and nothing here knows any
//! file's syntax but WireGuard's. [`Mesh::new`] refuses a record or a module with everything that is wrong with it;
//! what it lets pass, [`Mesh::compose`] turns into an ordinary manifest for one machine.
//!
//! - [`record`]: `mesh.yaml`, read and checked
//! - [`module`]: what a module brings
//! - [`view`]: what its templates see of the mesh
//! - [`compose`]: a machine's manifest out of these
//! - [`wireguard`]: the one computed file
//! - [`region`]: a marked region in a file that others write too

pub mod compose;
pub mod module;
mod origin;
pub mod record;
pub mod region;
mod strict;
pub mod view;
pub mod wireguard;

pub use compose::{Composition, Mesh};
pub use module::Module;
pub use record::Record;
