//! Anchors, aliases and tags.

use super::{Events, Fault, Kind, Leaf, Reason, space};

/// What is written before a node.
#[derive(Clone, Copy, Default)]
pub(super) struct Properties {
    pub(super) tag: Tag,
    pub(super) anchor: u32,
    /// Where the first of them stands.
    pub(super) start: usize,
}

/// Tags by what they mean to data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tag {
    /// None is written.
    #[default]
    None,
    /// `!!str`
    Str,
    /// `!!int`
    Int,
    /// `!!float`
    Float,
    /// `!!bool`
    Bool,
    /// `!!null`
    Null,
    /// `!!binary`
    Binary,
    /// `!!timestamp`
    Timestamp,
    /// `!!merge`
    Merge,
    /// `!!map`
    Map,
    /// `!!set`
    Set,
    /// `!!seq`
    Seq,
    /// `!!omap`
    Omap,
    /// `!!pairs`
    Pairs,
    /// One that means nothing here.
    Other,
}

/// The tags of the YAML types begin with this.
const CORE: &str = "tag:yaml.org,2002:";

impl Properties {
    pub(super) fn any(self) -> bool {
        self.anchor != 0 || self.tag != Tag::None
    }

    /// Those of one node, written in two places.
    pub(super) fn and(self, other: Self) -> Result<Self, Fault> {
        if !self.any() {
            return Ok(other);
        }
        if (self.anchor != 0 && other.anchor != 0) || (self.tag != Tag::None && other.tag != Tag::None) {
            return Err(Fault { at: other.start, reason: Reason::TwoProperties });
        }
        let tag = if self.tag == Tag::None { other.tag } else { self.tag };
        Ok(Self { tag, anchor: self.anchor.max(other.anchor), start: self.start })
    }
}

impl<'t> Events<'t> {
    /// The anchor and the tag that stand here, and the blanks behind them.
    pub(super) fn properties(&mut self) -> Result<Properties, Fault> {
        let mut all = Properties::default();
        loop {
            let mut one = Properties { start: self.at, ..Properties::default() };
            match self.peek(0) {
                b'&' => {
                    let name = self.name()?;
                    self.anchor_count += 1;
                    self.anchors.insert(name, self.anchor_count);
                    one.anchor = self.anchor_count;
                }
                b'!' => one.tag = self.tag()?,
                _ => return Ok(all),
            }
            all = all.and(one)?;
            self.skip_blanks();
        }
    }

    /// The alias that stands here.
    pub(super) fn alias(&mut self) -> Result<Leaf, Fault> {
        let start = self.at;
        let name = self.name()?;
        let Some(&anchor) = self.anchors.get(name) else { return Err(Fault { at: start, reason: Reason::NoAnchor }) };
        Ok(Leaf { kind: Kind::Alias, anchor, start, end: self.at, text: (0, 0), in_buffer: false })
    }

    /// The name behind `&` or `*`.
    fn name(&mut self) -> Result<&'t str, Fault> {
        let start = self.at;
        self.take(1);
        let rest = self.text.get(self.at..).unwrap_or("");
        let stops =
            |c: char| c.is_ascii() && (space::is_blank(c as u8) || space::is_flow_sign(c as u8)) || c == '\u{feff}';
        let end = rest.find(stops).unwrap_or(rest.len());
        self.at += end;
        match rest.get(..end) {
            Some(name) if !name.is_empty() => Ok(name),
            _ => Err(Fault { at: start, reason: Reason::NoName }),
        }
    }

    fn tag(&mut self) -> Result<Tag, Fault> {
        let start = self.at;
        let bad = Fault { at: start, reason: Reason::BadTag };
        let rest = self.text.get(start..).unwrap_or("");
        let (prefix, suffix, width) = if rest.starts_with("!<") {
            let end = rest.bytes().position(|byte| byte == b'>' || space::is_blank(byte)).ok_or(bad)?;
            let uri = rest.get(2..end).filter(|uri| is_uri(uri) && !uri.is_empty()).ok_or(bad)?;
            if rest.as_bytes().get(end) != Some(&b'>') {
                return Err(bad);
            }
            ("", uri, end + 1)
        } else {
            let end = rest.bytes().position(|byte| space::is_blank(byte) || space::is_flow_sign(byte));
            let word = rest.get(..end.unwrap_or(rest.len())).ok_or(bad)?;
            let handle =
                word.get(1..).and_then(|inside| inside.find('!')).map_or("!", |at| word.get(..at + 2).unwrap_or("!"));
            let suffix = word.get(handle.len()..).unwrap_or("");
            let is_named = handle.len() > 1;
            if !is_uri(suffix) || suffix.contains('!') || is_named && (!is_handle(handle) || suffix.is_empty()) {
                return Err(bad);
            }
            let prefix = match self.handles.get(handle) {
                Some(prefix) => prefix,
                None if handle == "!" => "!",
                None if handle == "!!" => CORE,
                None => return Err(Fault { at: start, reason: Reason::NoHandle }),
            };
            (prefix, suffix, word.len())
        };
        self.take(width);
        // A node that is not there may have a tag too.
        let next = self.peek(0);
        let is_apart = space::is_blank(next) || self.in_brackets() && matches!(next, b',' | b']' | b'}');
        if !is_apart {
            return Err(bad);
        }
        Ok(meaning(prefix, suffix))
    }

    fn in_brackets(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.kind.is_flow())
    }
}

/// `!`, `!!` or `!name!`.
pub(super) fn is_handle(text: &str) -> bool {
    let name = text.strip_prefix('!').map(|rest| rest.strip_suffix('!').unwrap_or(rest));
    text == "!"
        || name.is_some_and(|name| {
            text.len() > 1
                && text.ends_with('!')
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

/// Characters of a URI, with escapes that are complete.
pub(super) fn is_uri(text: &str) -> bool {
    let is_hex = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    text.bytes().enumerate().all(|(at, byte)| match byte {
        b'%' => is_hex(at + 1) && is_hex(at + 2),
        byte => byte.is_ascii_alphanumeric() || b"-#;/?:@&=+$,_.!~*'()[]".contains(&byte),
    })
}

/// The tag that a prefix and a suffix make, its escapes undone.
fn meaning(prefix: &str, suffix: &str) -> Tag {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    let mut name = [0_u8; 48];
    let mut length = 0;
    let mut bytes = prefix.bytes().chain(suffix.bytes());
    while let Some(byte) = bytes.next() {
        let Some(slot) = name.get_mut(length) else { return Tag::Other };
        *slot = match byte {
            b'%' => (digit(bytes.next().unwrap_or(b'0')) << 4) | digit(bytes.next().unwrap_or(b'0')),
            byte => byte,
        };
        length += 1;
    }
    let name = name.get(..length).and_then(|name| name.strip_prefix(CORE.as_bytes()));
    match name.unwrap_or(b"") {
        b"str" => Tag::Str,
        b"int" => Tag::Int,
        b"float" => Tag::Float,
        b"bool" => Tag::Bool,
        b"null" => Tag::Null,
        b"binary" => Tag::Binary,
        b"timestamp" => Tag::Timestamp,
        b"merge" => Tag::Merge,
        b"map" => Tag::Map,
        b"set" => Tag::Set,
        b"seq" => Tag::Seq,
        b"omap" => Tag::Omap,
        b"pairs" => Tag::Pairs,
        _ => Tag::Other,
    }
}
