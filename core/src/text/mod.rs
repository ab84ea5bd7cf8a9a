//! Text without meaning: cursor, literals, paths, time, patterns.
