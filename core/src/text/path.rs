//! `/` paths as text: no file system is asked, no symlink followed.

use alloc::string::String;
use alloc::vec::Vec;

/// The shortest path of the same meaning: no `.`, no doubled `/`, no `..` that has a name before it, no
/// `/` at the end. An empty path is `.`. As Go's `path.Clean`.
#[must_use]
pub fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if rooted => {}
            part => kept.push(part),
        }
    }
    let mut clean = String::with_capacity(path.len().max(1));
    if rooted {
        clean.push('/');
    }
    for (at, part) in kept.iter().enumerate() {
        if at > 0 {
            clean.push('/');
        }
        clean.push_str(part);
    }
    if clean.is_empty() {
        clean.push('.');
    }
    clean
}

/// Whether [`clean`] would change nothing.
#[must_use]
pub fn is_clean(path: &str) -> bool {
    let rooted = path.starts_with('/');
    let below = path.strip_prefix('/').unwrap_or(path);
    if below.is_empty() || path == "." {
        return !path.is_empty();
    }
    let mut leading = !rooted;
    below.split('/').all(|part| {
        leading &= part == "..";
        !matches!(part, "" | ".") && (part != ".." || leading)
    })
}

/// Parts joined by `/` and cleaned; empty parts are left out, and nothing but empty parts is an empty
/// path. As Go's `path.Join`: a part that begins with `/` does not start again from the root.
#[must_use]
pub fn join(parts: &[&str]) -> String {
    let mut joined = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if !joined.is_empty() {
            joined.push('/');
        }
        joined.push_str(part);
    }
    if joined.is_empty() { joined } else { clean(&joined) }
}

/// A path as seen from a directory: an absolute one stays what it is.
#[must_use]
pub fn resolve(directory: &str, path: &str) -> String {
    if is_absolute(path) { clean(path) } else { join(&[directory, path]) }
}

/// All before the last name, cleaned: `/` of `/a`, `.` of `a`. As Go's `path.Dir`.
#[must_use]
pub fn parent(path: &str) -> String {
    let end = path.rfind('/').map_or(0, |slash| slash + 1);
    clean(path.get(..end).unwrap_or(""))
}

/// The last name; `.` of an empty path and `/` of the root. As Go's `path.Base`.
#[must_use]
pub fn name(path: &str) -> &str {
    if path.is_empty() {
        return ".";
    }
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit('/').next() {
        None | Some("") => "/",
        Some(name) => name,
    }
}

/// Begins at the root.
#[must_use]
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/')
}

/// Stays below the directory it is used in: not absolute, not empty, and no `..` leads out of it, not
/// even for a moment.
#[must_use]
pub fn is_local(path: &str) -> bool {
    if path.is_empty() || is_absolute(path) {
        return false;
    }
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return false,
            },
            _ => depth += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_clean_if_cleaning_changes_nothing() {
        for path in [
            "", "/", ".", "..", "a", "/a/b", "../..", "../a", "/..", "a/..", "a//b", "a/", "/./a", "./a", "//",
            "/a/../b",
        ] {
            assert_eq!(is_clean(path), clean(path) == path, "{path:?}");
        }
    }

    #[test]
    fn cleaning_keeps_the_meaning() {
        for (path, wanted) in [
            ("", "."),
            ("/", "/"),
            ("//", "/"),
            ("a/b/", "a/b"),
            ("a//b/./c", "a/b/c"),
            ("a/../..", ".."),
            ("../../a/..", "../.."),
            ("/../a", "/a"),
            ("/a/b/../../..", "/"),
            ("./.", "."),
        ] {
            assert_eq!(clean(path), wanted, "{path}");
        }
    }

    #[test]
    fn joining_leaves_out_what_is_empty() {
        assert_eq!(join(&[]), "");
        assert_eq!(join(&["", ""]), "");
        assert_eq!(join(&["a", "", "../b"]), "b");
        assert_eq!(join(&["/a", "/b"]), "/a/b");
        assert_eq!(resolve("/etc", "/b"), "/b");
        assert_eq!(resolve("/etc", "../b"), "/b");
    }

    #[test]
    fn a_path_is_its_parent_and_its_name() {
        for (path, above, last) in [
            ("/a/b", "/a", "b"),
            ("/a", "/", "a"),
            ("a", ".", "a"),
            ("a/b/", "a/b", "b"),
            ("/", "/", "/"),
            ("", ".", "."),
        ] {
            assert_eq!((parent(path).as_str(), name(path)), (above, last), "{path}");
        }
    }

    #[test]
    fn a_local_path_never_leaves_its_directory() {
        assert!(is_local("a/../b") && is_local("."));
        assert!(!is_local("a/../../b/c") && !is_local("/a") && !is_local("") && !is_local(".."));
    }
}
