//! YAML as written: a tree with sites, scalar styles and comments.
