//! The expression language of manifests: expr-lang as the reference configures it.
