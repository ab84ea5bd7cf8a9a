//! The index: what a bundle is called, its version, and what is in it. It is text, and the only thing signed:
//!
//! ```text
//! ccm bundle 1
//! name site
//! version 7
//! file 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae 3 0644 manifest.yaml
//! ```

use ccm_core::{Error, Result};

use crate::unpack::Limits;

/// What a bundle says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Index {
    pub(super) name: String,
    pub(super) version: u64,
    /// The manifest first, then by path.
    pub(super) files: Vec<Entry>,
}

/// A file of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// SHA-256.
    pub(super) digest: [u8; 32],
    pub(super) size: u64,
    pub(super) executable: bool,
    pub(super) path: String,
}

impl Entry {
    pub(super) fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

const HEAD: &str = "ccm bundle 1";
/// What has to be there, and comes first.
pub(super) const MANIFEST: &str = "manifest.yaml";

impl Index {
    pub(super) fn text(&self) -> String {
        let mut text = format!("{HEAD}\nname {}\nversion {}\n", self.name, self.version);
        for entry in &self.files {
            let digest: String = entry.digest.iter().map(|byte| format!("{byte:02x}")).collect();
            text += &format!("file {digest} {} {:04o} {}\n", entry.size, entry.mode(), entry.path);
        }
        text
    }

    /// Reads a text whose signature was verified. It must be the very text that [`Index::text`] writes.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let index = Self::read(text).filter(|index| index.text() == text);
        let index = index.ok_or_else(|| Error::invalid("its index is none of this version of ccm"))?;
        index.check()?;
        Ok(index)
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        lines.next().filter(|head| *head == HEAD)?;
        let name = lines.next()?.strip_prefix("name ")?.to_owned();
        let version = lines.next()?.strip_prefix("version ")?.parse().ok()?;
        let entry = |line: &str| {
            let mut words = line.strip_prefix("file ")?.splitn(4, ' ');
            let digest = digest(words.next()?)?;
            let size = words.next()?.parse().ok()?;
            let executable = words.next()? == "0755";
            Some(Entry { digest, size, executable, path: words.next()?.to_owned() })
        };
        Some(Self { name, version, files: lines.map(entry).collect::<Option<_>>()? })
    }

    /// The same rules for those who write an index and those who read one.
    pub(super) fn check(&self) -> Result<()> {
        let limits = Limits::default();
        if !is_name(&self.name) {
            return Err(Error::invalid(format!("{:?} cannot name a bundle: letters, digits, . _ -", self.name)));
        }
        let Some((first, rest)) = self.files.split_first().filter(|(first, _)| first.path == MANIFEST) else {
            return Err(Error::invalid(format!("it has no {MANIFEST}")));
        };
        if !rest.is_sorted_by(|one, next| one.path < next.path) || rest.iter().any(|entry| entry.path == first.path) {
            return Err(Error::invalid("its index is in disorder"));
        }
        if let Some(odd) = self.files.iter().find(|entry| !is_path(&entry.path)) {
            return Err(Error::invalid(format!("{:?} cannot be the path of a file in a bundle", odd.path)));
        }
        let bytes = self.files.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.size));
        if bytes > limits.bytes || self.files.len() > limits.members as usize {
            return Err(Error::limit(format!(
                "it holds more than {} MiB or {} files",
                limits.bytes >> 20,
                limits.members
            )));
        }
        Ok(())
    }
}

/// A name is part of a path in the state directory.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    (1..=64).contains(&name.len()) && !name.starts_with('.') && name.chars().all(fits)
}

fn is_path(path: &str) -> bool {
    let fits = |part: &str| !matches!(part, "" | "." | "..") && part.len() <= 100;
    path.len() <= 250
        && path.split('/').all(fits)
        && !path.contains(char::is_control)
        && super::header(path, 0, 0).is_some()
}

fn digest(hex: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(paths: &[&str]) -> Index {
        let entry =
            |path: &&str| Entry { digest: [7; 32], size: 3, executable: path.ends_with(".sh"), path: (*path).into() };
        Index { name: "site".into(), version: 7, files: paths.iter().map(entry).collect() }
    }

    #[test]
    fn an_index_survives_its_text() {
        let whole = index(&["manifest.yaml", "a b/c", "run.sh"]);
        assert_eq!(Index::parse(&whole.text()).unwrap(), whole);
    }

    #[test]
    fn only_the_very_text_is_read() {
        let text = index(&["manifest.yaml"]).text();
        for (from, to) in [("0644", "0600"), ("version 7", "version 07"), ("0707", "0A07"), ("\nname", "\r\nname")] {
            assert!(Index::parse(&text.replacen(from, to, 1)).is_err(), "{to:?}");
        }
        assert!(Index::parse(text.trim_end()).is_err());
    }

    #[test]
    fn paths_stay_inside_and_have_one_place() {
        for odd in ["/etc/x", "../x", "a/../x", "a//b", "./a", "a\tb", ""] {
            assert!(index(&["manifest.yaml", odd]).check().is_err(), "{odd:?}");
        }
        assert!(index(&["manifest.yaml", "b", "a"]).check().is_err());
        assert!(index(&["manifest.yaml", "a", "a"]).check().is_err());
        assert!(index(&["a", "manifest.yaml"]).check().is_err());
        assert!(index(&[]).check().is_err());
    }
}
