//! Text without meaning: what several languages and formats need to read and write the same small things.
//!
//! - [`cursor`] walks over text; [`literal`] reads quoted strings and numbers after a language's rule
//! - [`float`] and [`pow`] are Go's float text and powers, since documents of the reference carry both
//! - [`quote`] writes text in quotes, as Go does
//! - [`case`] and [`unicode`] know characters: upper and lower case, categories, scripts
//! - [`path`] cleans and joins `/` paths without asking any file system
//! - [`time`] holds moments, durations, calendar layouts and zones
//! - [`pattern`] is Go's regular-expression syntax, run in linear time
//! - [`nearest`] finds the known name that a misspelt one probably meant
//!
//! Nothing here knows a [`crate::Value`]. Faults are small enums of their own; the room that calls turns
//! them into its [`crate::error::Kind`] and adds the site.

pub mod case;
pub mod cursor;
pub mod float;
pub mod literal;
pub mod nearest;
pub mod path;
pub mod pattern;
pub mod pow;
pub mod quote;
pub mod time;
pub mod unicode;

pub use cursor::Cursor;
pub use nearest::nearest;
pub use time::Timestamp;
