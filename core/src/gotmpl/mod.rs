//! Go text/template, byte for byte.
