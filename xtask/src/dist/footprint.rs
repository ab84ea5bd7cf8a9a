//! The size of a binary by crate and by room, and the budget that it keeps.
//!
//! `cross/budget/TARGET.tsv` records the last accepted sizes: the file, then the code of each crate and of each room
//! of core. A binary more than 2 % over its record fails, and the parts that grew are named; `dist --record` accepts.

use std::collections::BTreeMap;
use std::fs;

use super::Target;
use super::build::Built;
use crate::shell;

/// How much a binary may grow unrecorded: one part in fifty.
const SLACK: u64 = 50;
/// The whole file.
const FILE: &str = "file";

/// Compares with the record; gives what is over.
pub fn check(target: &Target, built: &Built, record: bool) -> Result<Option<String>, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut now = by_part(&fs::read(&built.symbols).map_err(text)?)?;
    now.insert(FILE.to_owned(), fs::metadata(&built.stripped).map_err(text)?.len());
    let path = shell::root().join("cross/budget").join(format!("{}.tsv", target.triple));
    let before = read(&fs::read_to_string(&path).unwrap_or_default());
    if record || before.is_empty() {
        fs::create_dir_all(shell::root().join("cross/budget")).map_err(text)?;
        let lines: String = now.iter().map(|(part, size)| format!("{part}\t{size}\n")).collect();
        fs::write(&path, lines).map_err(text)?;
        return Ok(None);
    }
    let (size, budget) = (now[FILE], before.get(FILE).copied().unwrap_or(0));
    if size <= budget + budget / SLACK {
        return Ok(None);
    }
    let mut grown: Vec<(u64, &String)> = now
        .iter()
        .filter(|(part, _)| *part != FILE)
        .filter_map(|(part, size)| Some((size.checked_sub(before.get(part).copied().unwrap_or(0))?, part)))
        .filter(|(by, _)| *by > 1024)
        .collect();
    grown.sort_by(|a, b| b.cmp(a));
    let grown: Vec<String> = grown.iter().take(8).map(|(by, part)| format!("{part} +{by}")).collect();
    Ok(Some(format!("{}: {size} bytes, recorded {budget}; grew: {}", target.triple, grown.join(", "))))
}

fn read(text: &str) -> BTreeMap<String, u64> {
    text.lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(part, size)| Some((part.to_owned(), size.parse().ok()?)))
        .collect()
}

/// Code by crate; core's by room, as `core::expr`.
fn by_part(bytes: &[u8]) -> Result<BTreeMap<String, u64>, String> {
    use object::{Object, ObjectSymbol, SymbolKind};
    let file = object::File::parse(bytes).map_err(|error| error.to_string())?;
    let mut parts = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
        let name = symbol.name().unwrap_or_default();
        *parts.entry(part(&format!("{:#}", rustc_demangle::demangle(name)))).or_insert(0) += symbol.size();
    }
    Ok(parts)
}

/// The crate of a demangled name; the first path in `<a as b>::c` counts.
fn part(name: &str) -> String {
    let inner = name.trim_start_matches(['<', '&', '*', '(']);
    let inner = inner.strip_prefix("mut ").or_else(|| inner.strip_prefix("dyn ")).unwrap_or(inner);
    let mut words = inner.split("::");
    let first = words.next().unwrap_or_default();
    let plain = |word: &str| word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    match (first, words.next()) {
        ("ccm_core", Some(room)) if plain(room) => format!("core::{room}"),
        (first, Some(_)) if plain(first) => first.to_owned(),
        _ => "C and assembly".to_owned(),
    }
}
