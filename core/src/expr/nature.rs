//! What is known of a value before it exists: the static kind of a part of an expression.
//!
//! The reference checks expressions against Go's types, and some of its answers depend on them: `1 == "1"` is
//! refused before anything runs, `Data.i == "1"` is false. A [`Nature`] keeps as much of a Go type as
//! shows in an answer, in two bytes.

use crate::error::expr::Words;

/// The static kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    base: Base,
    /// How many lists of anything stand around the base: `[[1]]` is two around an integer.
    lists: u8,
}

/// What stands inside of all lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// Nothing is known, not even a type: the outcome of an operator on what is only known at run time.
    Unknown,
    /// Of the type "anything": a member of `Data`, what a function gives. Other types are assignable to it.
    Any,
    Nil,
    Bool,
    Int,
    Int64,
    Byte,
    Float,
    Text,
    Bytes,
    Texts,
    Time,
    Duration,
    Zone,
    Month,
    Weekday,
    Map,
    TextMap,
    Pairs,
    Groups,
    Function,
    Method(u8),
}

/// Go's kinds, as far as an answer depends on two of them being the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Invalid,
    Interface,
    Bool,
    Int,
    Int64,
    Uint8,
    Float,
    String,
    Slice,
    Map,
    Struct,
    Pointer,
    Function,
}

/// The most lists around a base that are told apart.
const NESTED: u8 = 200;

impl Nature {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self::of(Base::Unknown);
    /// Anything, by its declared type.
    pub const ANY: Self = Self::of(Base::Any);
    /// The literal `nil`.
    pub const NIL: Self = Self::of(Base::Nil);
    /// True or false.
    pub const BOOL: Self = Self::of(Base::Bool);
    /// The native integer.
    pub const INT: Self = Self::of(Base::Int);
    /// A 64-bit integer that is not the native one, as `Unix()` gives.
    pub const INT64: Self = Self::of(Base::Int64);
    /// One byte of a bytes literal.
    pub const BYTE: Self = Self::of(Base::Byte);
    /// A float.
    pub const FLOAT: Self = Self::of(Base::Float);
    /// Text.
    pub const TEXT: Self = Self::of(Base::Text);
    /// Bytes.
    pub const BYTES: Self = Self::of(Base::Bytes);
    /// A list declared to hold nothing but text, as `split` gives.
    pub const TEXTS: Self = Self::of(Base::Texts);
    /// A moment.
    pub const TIME: Self = Self::of(Base::Time);
    /// A duration.
    pub const DURATION: Self = Self::of(Base::Duration);
    /// A time zone.
    pub const ZONE: Self = Self::of(Base::Zone);
    /// A month.
    pub const MONTH: Self = Self::of(Base::Month);
    /// A day of the week.
    pub const WEEKDAY: Self = Self::of(Base::Weekday);
    /// A map of text to anything.
    pub const MAP: Self = Self::of(Base::Map);
    /// A map of text to text.
    pub const TEXT_MAP: Self = Self::of(Base::TextMap);
    /// A map of anything to anything.
    pub const PAIRS: Self = Self::of(Base::Pairs);
    /// What `groupBy` gives: anything to a list.
    pub const GROUPS: Self = Self::of(Base::Groups);
    /// A list of anything.
    pub const LIST: Self = Self { base: Base::Any, lists: 1 };
    /// A function.
    pub const FUNCTION: Self = Self::of(Base::Function);

    const fn of(base: Base) -> Self {
        Self { base, lists: 0 }
    }

    /// The method with this index in [`super::builtins::METHODS`].
    pub(super) const fn method(index: u8) -> Self {
        Self::of(Base::Method(index))
    }

    /// The index of the method, if it is one.
    pub(super) fn as_method(self) -> Option<u8> {
        match self.base {
            Base::Method(index) if self.lists == 0 => Some(index),
            _ => None,
        }
    }

    /// A list of this.
    #[must_use]
    pub fn list_of(self) -> Self {
        if self.lists >= NESTED { Self::LIST } else { Self { base: self.base, lists: self.lists + 1 } }
    }

    /// What a list or map of this nature holds; unknown for anything else.
    #[must_use]
    pub fn element(self) -> Self {
        match self {
            Self { lists: 1.., .. } => Self { base: self.base, lists: self.lists - 1 },
            Self::TEXTS | Self::TEXT_MAP => Self::TEXT,
            Self::BYTES => Self::BYTE,
            Self::MAP | Self::PAIRS => Self::ANY,
            Self::GROUPS => Self::LIST,
            _ => Self::UNKNOWN,
        }
    }

    /// The nature of the keys of a map; unknown for anything else.
    #[must_use]
    pub fn key(self) -> Self {
        match self {
            Self::MAP | Self::TEXT_MAP => Self::TEXT,
            Self::PAIRS | Self::GROUPS => Self::ANY,
            _ => Self::UNKNOWN,
        }
    }

    /// What is left of it when only its Go type is kept: a list forgets what it holds.
    #[must_use]
    pub fn forgetful(self) -> Self {
        match self {
            Self { lists: 1.., .. } => Self::LIST,
            Self::UNKNOWN => Self::ANY,
            _ => self,
        }
    }

    /// Only known at run time.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::UNKNOWN | Self::ANY)
    }

    /// Any integer.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, Self::INT | Self::INT64 | Self::BYTE)
    }

    /// Any number.
    #[must_use]
    pub fn is_number(self) -> bool {
        self.is_integer() || self == Self::FLOAT
    }

    /// Any list, bytes included.
    #[must_use]
    pub fn is_list(self) -> bool {
        self.kind() == Kind::Slice
    }

    /// Any map.
    #[must_use]
    pub fn is_map(self) -> bool {
        self.kind() == Kind::Map
    }

    /// Values of this nature fit where the other is declared.
    #[must_use]
    pub fn assignable_to(self, other: Self) -> bool {
        match (self, other) {
            (Self::NIL, _) => {
                matches!(other.kind(), Kind::Pointer | Kind::Interface | Kind::Function | Kind::Map | Kind::Slice)
            }
            (Self::UNKNOWN, _) | (_, Self::UNKNOWN | Self::NIL) => false,
            (_, Self::ANY) => true,
            (Self { lists: 1.., .. }, Self { lists: 1.., .. }) => true,
            _ => self == other,
        }
    }

    /// `==` between the two is not refused.
    #[must_use]
    pub fn comparable_to(self, other: Self) -> bool {
        self.is_unknown()
            || other.is_unknown()
            || self == Self::NIL
            || other == Self::NIL
            || self.is_number() && other.is_number()
            || self.is_list() && other.is_list()
            || self.assignable_to(other)
    }

    /// Two elements of one list literal count as the same kind.
    #[must_use]
    pub fn same_kind(self, other: Self) -> bool {
        self.kind() == other.kind()
    }

    /// The nature of `+`, `-`, `*` on two numbers.
    #[must_use]
    pub fn promoted(self, other: Self) -> Self {
        if self == Self::FLOAT || other == Self::FLOAT { Self::FLOAT } else { Self::INT }
    }

    /// As named in messages.
    #[must_use]
    pub fn name(self) -> Words {
        if self.lists > 0 {
            return "a list".into();
        }
        match self.base {
            Base::Unknown | Base::Any => "anything",
            Base::Nil => "nil",
            Base::Bool => "a boolean",
            Base::Int | Base::Int64 | Base::Byte => "an integer",
            Base::Float => "a float",
            Base::Text => "text",
            Base::Bytes => "bytes",
            Base::Texts => "a list of text",
            Base::Time => "a time",
            Base::Duration => "a duration",
            Base::Zone => "a time zone",
            Base::Month => "a month",
            Base::Weekday => "a weekday",
            Base::Map | Base::TextMap | Base::Pairs | Base::Groups => "a map",
            Base::Function | Base::Method(_) => "a function",
        }
        .into()
    }

    fn kind(self) -> Kind {
        if self.lists > 0 {
            return Kind::Slice;
        }
        match self.base {
            Base::Unknown | Base::Nil => Kind::Invalid,
            Base::Any => Kind::Interface,
            Base::Bool => Kind::Bool,
            Base::Int | Base::Month | Base::Weekday => Kind::Int,
            Base::Int64 | Base::Duration => Kind::Int64,
            Base::Byte => Kind::Uint8,
            Base::Float => Kind::Float,
            Base::Text => Kind::String,
            Base::Bytes | Base::Texts => Kind::Slice,
            Base::Time => Kind::Struct,
            Base::Zone => Kind::Pointer,
            Base::Map | Base::TextMap | Base::Pairs | Base::Groups => Kind::Map,
            Base::Function | Base::Method(_) => Kind::Function,
        }
    }

    /// Its Go kind is the native integer's, which months and weekdays share.
    pub(super) fn is_int_kind(self) -> bool {
        self.kind() == Kind::Int
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_assignable_to_each_other_whatever_they_hold() {
        assert!(Nature::INT.list_of().assignable_to(Nature::TEXT.list_of()));
        assert!(!Nature::TEXTS.assignable_to(Nature::LIST));
        assert_eq!(Nature::INT.list_of().list_of().element().element(), Nature::INT);
    }

    #[test]
    fn everything_is_assignable_to_anything_but_nothing_to_the_unknown() {
        assert!(Nature::INT.assignable_to(Nature::ANY) && !Nature::INT.assignable_to(Nature::UNKNOWN));
    }
}
