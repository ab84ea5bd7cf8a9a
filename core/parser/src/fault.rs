//! What can be wrong with a text.

/// A fault and the byte at which it was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The byte.
    pub at: usize,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Lists and mappings are deeper than allowed.
    TooDeep,
    /// A character that no document may hold.
    Unprintable,
    /// What stands here fits neither the block before it nor one around it.
    Indentation,
    /// A tab stands where spaces decide.
    Tab,
    /// What stands in brackets or quotes is not deeper than the block around it.
    Shallow,
    /// Something stands behind a complete value.
    Trailing,
    /// A key has no `:`.
    NoColon,
    /// A mapping begins where none can.
    MapHere,
    /// A list begins where none can.
    ListHere,
    /// A sign that begins no value stands where a value must.
    Sign,
    /// `[` or `{` is not closed.
    Unclosed,
    /// `]` or `}` closes nothing, or something else.
    Mismatch,
    /// In brackets, a comma or the end must stand here.
    NoComma,
    /// A quote is not closed.
    Quote,
    /// An escape that does not exist, or is not complete.
    Escape,
    /// What stands behind `|` or `>` is no header.
    Header,
    /// A line of a block scalar is less deep than the blank lines before it, or than wanted.
    Depth,
    /// An anchor or an alias has no name.
    NoName,
    /// An alias of an anchor that is not there.
    NoAnchor,
    /// Two anchors or two tags for one node, or either for an alias.
    TwoProperties,
    /// What begins as a tag is none.
    BadTag,
    /// The handle of a tag is not declared.
    NoHandle,
    /// A directive that is broken, repeated or stands where none can.
    Directive,
    /// Something stands behind `...`.
    Marker,
}

impl Reason {
    /// In words: lower case, no full stop.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::TooDeep => "lists and mappings are nested too deep",
            Self::Unprintable => "this character cannot stand in YAML; write it as an escape in double quotes",
            Self::Indentation => "this is indented neither as what stands before it nor as anything around it",
            Self::Tab => "a tab cannot indent a block",
            Self::Shallow => "this must stand deeper than the block around it",
            Self::Trailing => "nothing more can stand here, a value is complete before it",
            Self::NoColon => "a key must be followed by ': ' on its line",
            Self::MapHere => "a mapping cannot begin here; quote a value that holds ': '",
            Self::ListHere => "a list cannot begin here",
            Self::Sign => "no value begins with this sign; quote it",
            Self::Unclosed => "this bracket is not closed",
            Self::Mismatch => "this closes no bracket that is open",
            Self::NoComma => "a comma or the closing bracket is missing before this",
            Self::Quote => "this quote is not closed",
            Self::Escape => "no such escape in double quotes",
            Self::Header => "behind | or > only a digit from 1 to 9, - or + can stand, then the line ends",
            Self::Depth => "this line is less deep than the text it should belong to",
            Self::NoName => "a name must follow",
            Self::NoAnchor => "no anchor of this name stands before",
            Self::TwoProperties => "one value has one anchor and one tag, an alias none",
            Self::BadTag => "this is no tag",
            Self::NoHandle => "no %TAG declares the handle of this tag",
            Self::Directive => "this directive is not complete, or cannot stand here",
            Self::Marker => "nothing more can stand on the line of ...",
        }
    }
}
