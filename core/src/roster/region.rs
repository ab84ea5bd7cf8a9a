//! A marked region in a file that others write too (`into: block` of the file resource).
//!
//! The region stands between `# BEGIN ccm ID` and `# END ccm ID`, each a line of its own. Bytes outside it are never
//! changed, and [`remove`] gives back exactly the bytes that [`put`] found: a file without a final newline gets one
//! before the region, and the end marker is then written without one, which is how `remove` knows.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::error::{Error, Result};

/// Which region, and how its marks look.
#[derive(Debug, Clone, Copy)]
pub struct Region<'a> {
    /// The name in the marks: one line, not empty.
    pub id: &'a str,
    /// What begins a comment in this file: `#`, `;`, `//`.
    pub comment: &'a str,
    /// Where a new region goes; one that is there already stays where it is.
    pub place: Place,
}

/// Where a new region goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    /// Before everything else.
    Start,
    /// After everything else.
    #[default]
    End,
}

/// What is left of a file without its region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rest {
    /// The file has no such region: nothing to do.
    Unchanged,
    /// The bytes around the region.
    Bytes(Vec<u8>),
    /// Nothing: the file held the region alone and is to be removed.
    Nothing,
}

/// The file with the region holding this content; equal to `existing` when it does so already. `None` is a missing file.
///
/// # Errors
/// A begin without an end, an end first, two regions of one id, or a content that holds a mark of its own region: the
/// file must then stay as it is.
pub fn put(existing: Option<&[u8]>, region: &Region<'_>, content: &[u8]) -> Result<Vec<u8>> {
    let marks = Marks::of(region)?;
    if lines(content).any(|line| marks.is_mark(&content[line])) {
        return Err(Error::invalid(format!("the content holds a mark of its own region: {}", marks.begin)));
    }
    let existing = existing.unwrap_or_default();
    let mut file = Vec::with_capacity(existing.len() + content.len() + 2 * marks.end.len() + 8);
    match marks.find(existing)? {
        Some(found) => {
            file.extend_from_slice(&existing[..found.inside.start]);
            push_lines(&mut file, content);
            file.extend_from_slice(&existing[found.inside.end..]);
        }
        None if region.place == Place::Start => {
            marks.write(&mut file, content);
            file.push(b'\n');
            file.extend_from_slice(existing);
        }
        None => {
            file.extend_from_slice(existing);
            let whole_lines = existing.last().is_none_or(|&last| last == b'\n');
            if !whole_lines {
                file.push(b'\n');
            }
            marks.write(&mut file, content);
            if whole_lines {
                file.push(b'\n');
            }
        }
    }
    Ok(file)
}

/// The file without the region.
///
/// # Errors
/// As [`put`], about the marks.
pub fn remove(existing: &[u8], region: &Region<'_>) -> Result<Rest> {
    let Some(found) = Marks::of(region)?.find(existing)? else { return Ok(Rest::Unchanged) };
    let (mut before, mut after) = (&existing[..found.whole.start], &existing[found.whole.end..]);
    match after.strip_prefix(b"\n") {
        Some(rest) => after = rest,
        None => before = before.strip_suffix(b"\n").unwrap_or(before),
    }
    if before.is_empty() && after.is_empty() {
        return Ok(Rest::Nothing);
    }
    Ok(Rest::Bytes([before, after].concat()))
}

/// What the region holds now, its final newline included; `None` where there is no region.
///
/// # Errors
/// As [`put`], about the marks.
pub fn content<'f>(existing: &'f [u8], region: &Region<'_>) -> Result<Option<&'f [u8]>> {
    Ok(Marks::of(region)?.find(existing)?.map(|found| &existing[found.inside]))
}

struct Marks {
    begin: String,
    end: String,
}

struct Found {
    /// From the first byte of the begin mark to the last of the end mark, its line end not included.
    whole: Range<usize>,
    /// The lines between the marks.
    inside: Range<usize>,
}

impl Marks {
    fn of(region: &Region<'_>) -> Result<Self> {
        let one_line = |text: &str| !text.contains(['\n', '\r']);
        let id = region.id.trim_matches(BLANKS);
        if id.is_empty() || !one_line(id) {
            return Err(Error::invalid("the id of a block must be one line that is not empty"));
        }
        let comment = region.comment.trim_matches(BLANKS);
        if comment.is_empty() || !one_line(comment) {
            return Err(Error::invalid(
                "the comment mark of a block must be on one line and not empty, as \"#\" or \";\"",
            ));
        }
        Ok(Self { begin: format!("{comment} BEGIN ccm {id}"), end: format!("{comment} END ccm {id}") })
    }

    fn is_mark(&self, line: &[u8]) -> bool {
        let line = trimmed(line);
        line == self.begin.as_bytes() || line == self.end.as_bytes()
    }

    fn find(&self, file: &[u8]) -> Result<Option<Found>> {
        let refuse = |why: &str| Error::invalid(format!("{why} ({}); the file is left as it is", self.begin));
        let mut begin: Option<Range<usize>> = None;
        let mut found = None;
        for line in lines(file) {
            let text = trimmed(&file[line.clone()]);
            if text == self.begin.as_bytes() {
                if begin.is_some() {
                    return Err(refuse("the file holds two regions of one id, or a begin mark without its end"));
                }
                begin = Some(line);
            } else if text == self.end.as_bytes() {
                match (&begin, &found) {
                    (Some(begin), None) => {
                        let last = line.end - usize::from(file[line.clone()].ends_with(b"\n"));
                        found = Some(Found { whole: begin.start..last, inside: begin.end..line.start });
                    }
                    (_, Some(_)) => return Err(refuse("the file holds two end marks of one region")),
                    (None, None) => return Err(refuse("the file holds an end mark before its begin mark")),
                }
            }
        }
        if begin.is_some() && found.is_none() {
            return Err(refuse("the file holds a begin mark without its end mark"));
        }
        Ok(found)
    }

    /// Both marks and the content, without a line end after the end mark.
    fn write(&self, file: &mut Vec<u8>, content: &[u8]) {
        file.extend_from_slice(self.begin.as_bytes());
        file.push(b'\n');
        push_lines(file, content);
        file.extend_from_slice(self.end.as_bytes());
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

fn trimmed(line: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let Some(first) = line.iter().position(|byte| !blank(byte)) else { return &[] };
    let last = line.iter().rposition(|byte| !blank(byte)).unwrap_or(first);
    &line[first..=last]
}

/// The lines of a file, each with its line end.
fn lines(file: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    core::iter::from_fn(move || {
        let rest = file.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
        let line = start..start + length;
        start += length;
        Some(line)
    })
}

fn push_lines(file: &mut Vec<u8>, content: &[u8]) {
    file.extend_from_slice(content);
    if content.last().is_some_and(|&last| last != b'\n') {
        file.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    const NET: Region<'_> = Region { id: "network/node-names", comment: "#", place: Place::End };

    #[test]
    fn a_new_region_comes_last_and_leaves_the_rest() {
        let file = put(Some(b"127.0.0.1 localhost\n"), &NET, b"10.0.0.1 gw\n").unwrap();
        assert_eq!(
            core::str::from_utf8(&file).unwrap(),
            "127.0.0.1 localhost\n# BEGIN ccm network/node-names\n10.0.0.1 gw\n# END ccm network/node-names\n"
        );
    }

    #[test]
    fn without_a_final_newline_the_end_mark_has_none_either() {
        let file = put(Some(b"abc"), &NET, b"x").unwrap();
        assert_eq!(file, b"abc\n# BEGIN ccm network/node-names\nx\n# END ccm network/node-names");
        assert_eq!(remove(&file, &NET).unwrap(), Rest::Bytes(b"abc".to_vec()));
    }

    #[test]
    fn a_file_of_the_region_alone_is_removed() {
        let file = put(None, &NET, b"x\n").unwrap();
        assert_eq!(remove(&file, &NET).unwrap(), Rest::Nothing);
        assert_eq!(remove(b"other\n", &NET).unwrap(), Rest::Unchanged);
    }

    #[test]
    fn marks_are_found_among_blanks_and_carriage_returns_and_kept_as_they_are() {
        let file = b"a\r\n  # BEGIN ccm network/node-names \r\nold\r\n\t# END ccm network/node-names";
        let file = put(Some(file), &NET, b"new\n").unwrap();
        assert_eq!(file, b"a\r\n  # BEGIN ccm network/node-names \r\nnew\n\t# END ccm network/node-names");
        assert_eq!(content(&file, &NET).unwrap(), Some(&b"new\n"[..]));
    }

    #[test]
    fn broken_marks_are_refused() {
        for file in ["# BEGIN ccm x\n", "# END ccm x\n# BEGIN ccm x\n", "# BEGIN ccm x\n# BEGIN ccm x\n# END ccm x\n"] {
            let region = Region { id: "x", ..NET };
            assert!(put(Some(file.as_bytes()), &region, b"").is_err(), "{file}");
            assert!(remove(file.as_bytes(), &region).is_err(), "{file}");
        }
        let twice = "# BEGIN ccm x\n# END ccm x\n".repeat(2);
        let error = put(Some(twice.as_bytes()), &Region { id: "x", ..NET }, b"").unwrap_err();
        assert!(error.to_string().contains("two regions"), "{error}");
        assert!(put(None, &Region { id: "x", ..NET }, b"a\n # END ccm x\n").is_err());
    }

    /// Files put together from pieces that could confuse: line ends, marks of others, no final newline.
    #[test]
    fn whatever_the_file_bytes_outside_stay_a_second_put_changes_nothing_and_remove_undoes() {
        const PIECES: [&[u8]; 12] = [
            b"\n",
            b"\r\n",
            b"word",
            b" ",
            b"# BEGIN ccm other\n",
            b"# END ccm other\n",
            b"# BEGIN ccm network\n",
            b"; BEGIN ccm network/node-names\n",
            b"\xff\xfe",
            b"# BEGIN ANSIBLE MANAGED BLOCK\n",
            b"line\n",
            b"\r",
        ];
        let mut seed = 7_u64;
        let mut roll = |sides: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % sides
        };
        for _ in 0..20_000 {
            let mut file = Vec::new();
            for _ in 0..roll(8) {
                file.extend_from_slice(PIECES[roll(12) as usize]);
            }
            let mut content = Vec::new();
            for _ in 0..roll(5) {
                content.extend_from_slice(PIECES[roll(12) as usize]);
            }
            let place = if roll(2) == 0 { Place::Start } else { Place::End };
            let region = Region { place, ..NET };
            let once = put(Some(&file), &region, &content).unwrap();
            let outside: Vec<u8> = match place {
                Place::Start => once[once.len() - file.len()..].to_vec(),
                Place::End => once[..file.len()].to_vec(),
            };
            assert_eq!(outside, file);
            assert_eq!(put(Some(&once), &region, &content).unwrap(), once);
            let other = put(Some(&once), &region, b"something else").unwrap();
            assert_eq!(put(Some(&other), &region, &content).unwrap(), once);
            for version in [&once, &other] {
                match remove(version, &region).unwrap() {
                    Rest::Bytes(rest) => assert_eq!(rest, file),
                    Rest::Nothing => assert!(file.is_empty()),
                    Rest::Unchanged => panic!("the region is there"),
                }
            }
        }
    }
}
