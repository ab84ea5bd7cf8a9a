//! Jet templates as the reference configures them.
