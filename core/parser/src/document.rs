//! What stands around the content of documents: byte-order marks, directives, `---` and `...`.

use super::properties::{self, Properties};
use super::{Awaits, Events, Fault, Kind, Open, Reason, space};

impl<'t> Events<'t> {
    /// Between documents.
    pub(super) fn document(&mut self) -> Result<(), Fault> {
        if self.at == 0
            && let Some(at) = unprintable(self.text)
        {
            return Err(Fault { at, reason: Reason::Unprintable });
        }
        loop {
            if !self.skip() {
                return Ok(());
            }
            // A document may begin with a byte-order mark.
            if self.at != self.line || !self.text.get(self.at..).is_some_and(|rest| rest.starts_with('\u{feff}')) {
                break;
            }
            self.at += '\u{feff}'.len_utf8();
            self.line = self.at;
        }
        if self.is_end() && self.has_directives && self.peek(0) != b'-' {
            return self.fault(Reason::Directive);
        }
        if self.at >= self.bytes.len() {
            self.ended = true;
            return Ok(());
        }
        if self.at == self.line && self.peek(0) == b'%' {
            return self.directive();
        }
        if self.is_marker() && self.peek(0) == b'.' {
            self.take(3);
            return if self.skip_line() { Ok(()) } else { self.fault(Reason::Marker) };
        }
        self.give(Kind::DocumentStart, Properties::default(), self.at, self.at);
        self.open(Open::Document, Awaits::Node, -1, self.at)?;
        if self.is_marker() {
            self.take(3);
        } else if self.has_directives {
            return self.fault(Reason::Directive);
        }
        self.has_directives = false;
        Ok(())
    }

    /// The content of a document is complete.
    pub(super) fn end_document(&mut self) {
        self.frames.clear();
        self.anchors.clear();
        self.handles.clear();
        self.has_version = false;
        self.give(Kind::DocumentEnd, Properties::default(), self.at, self.at);
    }

    fn directive(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.has_directives = true;
        self.take(1);
        let known = match self.word() {
            "" => false,
            "YAML" => !core::mem::replace(&mut self.has_version, true) && is_version(self.next_word()),
            "TAG" => {
                let (handle, prefix) = (self.next_word(), self.next_word());
                properties::is_handle(handle)
                    && !prefix.is_empty()
                    && properties::is_uri(prefix)
                    && self.handles.insert(handle, prefix).is_none()
            }
            _ => {
                while !self.next_word().is_empty() {}
                true
            }
        };
        if !known || !self.skip_line() {
            return Err(Fault { at: start, reason: Reason::Directive });
        }
        Ok(())
    }

    fn next_word(&mut self) -> &'t str {
        self.skip_blanks();
        if self.peek(0) == b'#' { "" } else { self.word() }
    }

    /// What stands here up to a blank or a line end.
    pub(super) fn word(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let end = rest.bytes().position(space::is_blank).unwrap_or(rest.len());
        self.take(end);
        rest.get(..end).unwrap_or("")
    }
}

/// `1.2`, or another version that is read as this one.
fn is_version(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once('.').is_some_and(|(major, minor)| major == "1" && is_number(minor))
}

/// Where the first character stands that no document may hold.
fn unprintable(text: &str) -> Option<usize> {
    /// Bytes looked at together: nearly all text is found clean by this.
    const TOGETHER: usize = 32;
    let is_suspect = |byte: u8| {
        (byte < b' ') & (byte != b'\n') & (byte != b'\t') & (byte != b'\r')
            | (byte == 0x7f)
            | (byte == 0xc2)
            | (byte == 0xef)
    };
    let mut at = 0;
    for chunk in text.as_bytes().chunks(TOGETHER) {
        if chunk.iter().fold(false, |any, &byte| any | is_suspect(byte)) {
            for (inside, &byte) in chunk.iter().enumerate() {
                if is_suspect(byte) && text.get(at + inside..)?.chars().next().is_some_and(|c| !is_printable(c)) {
                    return Some(at + inside);
                }
            }
        }
        at += chunk.len();
    }
    None
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}
