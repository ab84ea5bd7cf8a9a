//! Permission bits as people write them (F56).

use core::fmt;

/// Permission bits with setuid, setgid and sticky: at most 07777.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(u16);

impl Mode {
    /// Reads `644`, `0644`, `0o644`, `4755`, `04755`: three or four octal digits, with or without a leading
    /// zero. The text is the one in the manifest, whatever number YAML sees in it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("0o").or_else(|| text.strip_prefix("0O")).unwrap_or(text);
        let digits = match digits.len() {
            5 => digits.strip_prefix('0')?,
            3 | 4 => digits,
            _ => return None,
        };
        digits
            .bytes()
            .try_fold(0, |bits: u16, digit| matches!(digit, b'0'..=b'7').then(|| bits << 3 | u16::from(digit - b'0')))
            .map(Self)
    }

    /// The bits: 07777.
    #[must_use]
    pub fn bits(self) -> u32 {
        u32::from(self.0)
    }

    /// The bits of a directory of this mode: whoever may read or write it may also enter it.
    #[must_use]
    pub fn of_directory(self) -> u32 {
        let bits = self.bits();
        bits | (bits >> 2 & 0o111) | (bits >> 1 & 0o111)
    }
}

/// Four octal digits, as `ls` and every manual have it.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_a_mode_are_one() {
        for text in ["644", "0644", "0o644", "0o0644", "0O644"] {
            assert_eq!(Mode::parse(text).map(Mode::bits), Some(0o644), "{text}");
        }
        assert_eq!(Mode::parse("01777").map(Mode::bits), Some(0o1777));
        assert_eq!(Mode::parse("2755").map(Mode::bits), Some(0o2755));
    }

    #[test]
    fn what_is_no_mode_is_refused() {
        for text in ["", "8", "0", "64", "rw-r--r--", "07777777", "17777", "-1", "6.44", "0x1ff", "648", "+644", "٦٤٤"]
        {
            assert_eq!(Mode::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_directory_can_be_entered_by_whoever_may_read_it() {
        let of = |text| Mode::parse(text).unwrap().of_directory();
        assert_eq!((of("640"), of("644"), of("1777"), of("0200")), (0o750, 0o755, 0o1777, 0o300));
    }
}
