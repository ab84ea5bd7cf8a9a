//! Layered data: base, hierarchy, overrides, and the rules written in comments.
