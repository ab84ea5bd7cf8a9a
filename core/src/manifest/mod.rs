//! A document as a manifest: sections and ordered, still untyped resources.
