//! What a scenario sees of files: snapshots, and checks of one file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::prestate::{base64, belongs, octal};
use super::text::{self, Tokens, strings};

/// Type, mode, owner, inode and bytes of one thing.
#[derive(PartialEq, Eq, Debug, Clone)]
pub struct Seen {
    mode: u32,
    owner: (u32, u32),
    pub inode: u64,
    bytes: String,
}

/// Everything below a folder.
pub fn snapshot(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let (mut seen, mut walk) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(path) = walk.pop() {
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        let bytes = if found.is_symlink() {
            fs::read_link(&path).map(|link| link.display().to_string()).unwrap_or_default()
        } else if found.is_file() {
            digest(&fs::read(&path).unwrap_or_default())
        } else {
            String::new()
        };
        if found.is_dir() {
            walk.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        seen.insert(path, Seen { mode: found.mode(), owner: (found.uid(), found.gid()), inode: found.ino(), bytes });
    }
    seen
}

/// SHA-256 in lower-case hex.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A path without `.`, `..` and doubled slashes.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// Whether a path is a place, lies below it, or matches it as a glob.
pub fn under(path: &Path, root: &Path, glob: &str) -> bool {
    let top = normal(&root.join(glob));
    path.starts_with(&top) || wild(&top.display().to_string()).is_match(&path.display().to_string())
}

/// A glob over whole texts: `*` and `?`, slashes included, as shells do in `case`.
fn wild(glob: &str) -> regex::Regex {
    let pattern = regex::escape(glob).replace(r"\*", ".*").replace(r"\?", ".").replace(r"\[", "[").replace(r"\]", "]");
    text::regex(&format!("^{pattern}$"))
}

/// Whether a path holds glob characters.
fn has_glob(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The paths that a glob matches, component by component.
pub fn expand(root: &Path, glob: &str) -> Vec<PathBuf> {
    let mut found = vec![if glob.starts_with('/') { PathBuf::from("/") } else { root.to_path_buf() }];
    for part in glob.split('/').filter(|part| !part.is_empty()) {
        if !has_glob(part) {
            found = found
                .into_iter()
                .map(|path| path.join(part))
                .filter(|path| fs::symlink_metadata(path).is_ok())
                .collect();
            continue;
        }
        let pattern = wild(part);
        found = found
            .iter()
            .flat_map(|path| fs::read_dir(path).into_iter().flatten().flatten())
            .filter(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                pattern.is_match(&name) && (part.starts_with('.') || !name.starts_with('.'))
            })
            .map(|entry| entry.path())
            .collect();
    }
    found.sort();
    found
}

/// Checks one file, or every file that a glob matches.
pub fn check(
    root: &Path,
    name: &str,
    wanted: &Json,
    before: &BTreeMap<PathBuf, Seen>,
    tokens: &Tokens,
    bad: &mut Vec<String>,
) {
    let name = tokens.fill(name);
    if has_glob(&name) {
        let found = expand(root, &name);
        if wanted["count"].as_u64().is_some_and(|count| count != found.len() as u64) {
            bad.push(format!("{name}: {} matches, not {}", found.len(), wanted["count"]));
        }
        let mut rest = wanted.clone();
        if let Some(map) = rest.as_object_mut() {
            map.remove("count");
            if map.is_empty() {
                return;
            }
        }
        for path in found {
            check_one(&path, &path.display().to_string(), &rest, before, tokens, bad);
        }
        return;
    }
    check_one(&root.join(&name), &name, wanted, before, tokens, bad);
}

fn check_one(
    path: &Path,
    name: &str,
    wanted: &Json,
    before: &BTreeMap<PathBuf, Seen>,
    tokens: &Tokens,
    bad: &mut Vec<String>,
) {
    let whole;
    let wanted = match wanted {
        Json::String(_) => {
            whole = serde_json::json!({ "content": wanted });
            &whole
        }
        other => other,
    };
    let found = fs::symlink_metadata(path).ok();
    if wanted["absent"].as_bool() == Some(true) {
        if found.is_some() {
            bad.push(format!("{name} exists"));
        }
        return;
    }
    let Some(found) = found else {
        bad.push(format!("{name} does not exist"));
        return;
    };
    let mut fault = |holds: bool, what: String| {
        if !holds {
            bad.push(format!("{name} {what}"));
        }
    };
    let kind = found.file_type();
    if wanted["dir"].as_bool() == Some(true) {
        fault(kind.is_dir(), "is no directory".into());
    }
    if let Some(wanted) = wanted["kind"].as_str() {
        let is = match wanted {
            "file" => kind.is_file(),
            "dir" => kind.is_dir(),
            "symlink" => kind.is_symlink(),
            _ => kind.is_fifo(),
        };
        fault(is, format!("is not a {wanted}"));
    }
    if let Some(mode) = octal(&wanted["mode"]) {
        fault(found.mode() & 0o7777 == mode, format!("has mode {:04o}, not {mode:04o}", found.mode() & 0o7777));
    }
    if !wanted["owner"].is_null() {
        let owner = tokens.fill_json(&wanted["owner"]);
        fault(belongs(&found, &owner), format!("belongs to {}:{}, not {owner}", found.uid(), found.gid()));
    }
    if let Some(target) = wanted["symlink"].as_str() {
        let is =
            kind.is_symlink() && fs::read_link(path).is_ok_and(|link| link.as_os_str() == tokens.fill(target).as_str());
        fault(is, format!("is not a link to {target}"));
    }
    if let Some(links) = wanted["nlink"].as_u64() {
        fault(found.nlink() == links, format!("has {} links, not {links}", found.nlink()));
    }
    if let Some(size) = wanted["size"].as_u64() {
        fault(found.size() == size, format!("has size {}, not {size}", found.size()));
    }
    if wanted["entries"].is_array() && kind.is_dir() {
        let mut names: Vec<String> = fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let mut entries = strings(&wanted["entries"]);
        names.sort();
        entries.sort_unstable();
        fault(names == entries, format!("holds {names:?}, not {entries:?}"));
    }
    if let Some(same) = wanted["same_inode"].as_bool() {
        let is = before.get(&normal(path)).is_some_and(|seen| seen.inode == found.ino());
        fault(is == same, format!("has {} inode", if is { "the same" } else { "another" }));
    }
    for (attribute, value) in wanted["xattr"].as_object().into_iter().flatten() {
        let is = xattr::get(path, attribute).ok().flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        fault(is.as_deref() == value.as_str(), format!("xattr {attribute} is {is:?}, not {value}"));
    }
    let follow = kind.is_symlink() && wanted["follow"].as_bool() == Some(true);
    if kind.is_file() || follow {
        check_bytes(&fs::read(path).unwrap_or_default(), name, wanted, tokens, bad);
    } else if ["content", "contains", "regex", "sha256", "json", "lines", "content_b64"]
        .iter()
        .any(|key| !wanted[*key].is_null())
    {
        bad.push(format!("{name} is not a regular file"));
    }
}

fn check_bytes(data: &[u8], name: &str, wanted: &Json, tokens: &Tokens, bad: &mut Vec<String>) {
    let shown = text::short(&String::from_utf8_lossy(data));
    let mut fault = |holds: bool, what: String| {
        if !holds {
            bad.push(format!("{name} {what}: {shown}"));
        }
    };
    if let Some(content) = wanted["content"].as_str() {
        let content = tokens.fill(content);
        fault(data == content.as_bytes(), format!("does not hold {}", text::short(&content)));
    }
    if let Some(content) = wanted["content_b64"].as_str() {
        fault(data == base64(content), "holds other bytes".into());
    }
    let has = |part: &str| {
        let part = tokens.fill(part);
        part.is_empty() || data.windows(part.len()).any(|window| window == part.as_bytes())
    };
    for part in strings(&wanted["contains"]) {
        fault(has(part), format!("lacks {part:?}"));
    }
    for part in strings(&wanted["not_contains"]) {
        fault(!has(part), format!("has {part:?}"));
    }
    if let Some(pattern) = wanted["regex"].as_str() {
        let pattern = tokens.pattern(pattern);
        fault(text::regex(&pattern).is_match(&String::from_utf8_lossy(data)), format!("does not match /{pattern}/"));
    }
    if let Some(sum) = wanted["sha256"].as_str() {
        fault(digest(data) == tokens.fill(sum), "has another sha256".into());
    }
    if let Some(lines) = wanted["lines"].as_u64() {
        let found = String::from_utf8_lossy(data).lines().count() as u64;
        fault(found == lines, format!("has {found} lines, not {lines}"));
    }
    if !wanted["json"].is_null() {
        match serde_json::from_slice(data) {
            Ok(document) => text::check_json(name, &document, &wanted["json"], tokens, bad),
            Err(error) => bad.push(format!("{name} is no JSON: {error}")),
        }
    }
}
