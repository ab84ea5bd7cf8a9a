//! What Unicode says of a character: its category, its script, and which others differ in case alone.
//!
//! The tables beside this file are Go's own (Unicode 15.0), written by `xtask/unicode/main.go`, which tells
//! their form: 11 KB in all. They are read from the start for each question, which is what patterns need
//! when they are compiled and what text in quotes needs for rare characters.

use alloc::vec::Vec;

const CATEGORIES: &[u8] = include_bytes!("categories.bin");
const SCRIPTS: &[u8] = include_bytes!("scripts.bin");
const FOLDS: &[u8] = include_bytes!("folds.bin");

/// A general category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category(u8);

impl Category {
    /// `Lu`.
    #[must_use]
    pub fn short(self) -> &'static str {
        CATEGORY_NAMES.get(usize::from(self.0)).map_or("Cn", |(short, _)| short)
    }
}

/// A script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script(u8);

/// The category of a character.
#[must_use]
pub fn category(character: char) -> Category {
    let mut left = u32::from(character);
    let holds = |(category, length): (Category, u32)| match left.checked_sub(length) {
        Some(rest) => {
            left = rest;
            None
        }
        None => Some(category),
    };
    categories().find_map(holds).unwrap_or(Category(2))
}

/// Whether a character leaves ink on paper, the ASCII space included: Go's `unicode.IsPrint`.
#[must_use]
pub fn is_print(character: char) -> bool {
    match character {
        ' '..='~' => true,
        _ if character.is_ascii() => false,
        _ => character.is_alphanumeric() || category(character).short().starts_with(['L', 'M', 'N', 'P', 'S']),
    }
}

/// The runs of categories over all code points.
pub fn categories() -> impl Iterator<Item = (Category, u32)> {
    let mut table = Numbers(CATEGORIES);
    core::iter::from_fn(move || {
        let head = table.byte()?;
        let length = match head >> 5 {
            0 => table.next()?,
            length => u32::from(length),
        };
        Some((Category(head & 31), length))
    })
}

/// The runs of scripts over all code points.
pub fn scripts() -> impl Iterator<Item = (Option<Script>, u32)> {
    let mut table = Numbers(SCRIPTS);
    core::iter::from_fn(move || {
        let script = table.byte()?;
        Some(((script > 0).then_some(Script(script)), table.next()?))
    })
}

/// The category of a name: `lu` or `uppercaseletter`, in lower case and without `_`.
#[must_use]
pub fn named_category(name: &str) -> Option<Category> {
    let known = |(short, long): &(&str, &str)| short.eq_ignore_ascii_case(name) || *long == name;
    CATEGORY_NAMES.iter().position(known).and_then(|at| u8::try_from(at).ok()).map(Category)
}

/// The letter that the categories of a group begin with: `L` of `l` or `letter`.
#[must_use]
pub fn group(name: &str) -> Option<&'static str> {
    let known = |(long, letter): &&(&str, &str)| *long == name || letter.eq_ignore_ascii_case(name);
    CATEGORY_GROUPS.iter().find(known).map(|(_, letter)| *letter)
}

/// The script of a name, in lower case and without `_`.
#[must_use]
pub fn named_script(name: &str) -> Option<Script> {
    let at = SCRIPT_NAMES.split_ascii_whitespace().position(|script| script == name)?;
    u8::try_from(at + 1).ok().map(Script)
}

/// The general categories, by their index in the table: short name and long name.
const CATEGORY_NAMES: [(&str, &str); 30] = [
    ("Cc", "control"),
    ("Cf", "format"),
    ("Cn", "unassigned"),
    ("Co", "privateuse"),
    ("Cs", "surrogate"),
    ("Ll", "lowercaseletter"),
    ("Lm", "modifierletter"),
    ("Lo", "otherletter"),
    ("Lt", "titlecaseletter"),
    ("Lu", "uppercaseletter"),
    ("Mc", "spacingmark"),
    ("Me", "enclosingmark"),
    ("Mn", "nonspacingmark"),
    ("Nd", "decimalnumber"),
    ("Nl", "letternumber"),
    ("No", "othernumber"),
    ("Pc", "connectorpunctuation"),
    ("Pd", "dashpunctuation"),
    ("Pe", "closepunctuation"),
    ("Pf", "finalpunctuation"),
    ("Pi", "initialpunctuation"),
    ("Po", "otherpunctuation"),
    ("Ps", "openpunctuation"),
    ("Sc", "currencysymbol"),
    ("Sk", "modifiersymbol"),
    ("Sm", "mathsymbol"),
    ("So", "othersymbol"),
    ("Zl", "lineseparator"),
    ("Zp", "paragraphseparator"),
    ("Zs", "spaceseparator"),
];

/// Names of groups of categories, and the letter that those begin with.
const CATEGORY_GROUPS: [(&str, &str); 9] = [
    ("other", "C"),
    ("letter", "L"),
    ("mark", "M"),
    ("combiningmark", "M"),
    ("number", "N"),
    ("punctuation", "P"),
    ("punct", "P"),
    ("symbol", "S"),
    ("separator", "Z"),
];

/// The scripts by their index in the table, from 1, without their underscores.
const SCRIPT_NAMES: &str = "adlam ahom anatolianhieroglyphs arabic armenian avestan balinese bamum bassavah batak bengali \
    bhaiksuki bopomofo brahmi braille buginese buhid canadianaboriginal carian caucasianalbanian chakma cham cherokee \
    chorasmian common coptic cuneiform cypriot cyprominoan cyrillic deseret devanagari divesakuru dogra duployan \
    egyptianhieroglyphs elbasan elymaic ethiopic georgian glagolitic gothic grantha greek gujarati gunjalagondi gurmukhi han \
    hangul hanifirohingya hanunoo hatran hebrew hiragana imperialaramaic inherited inscriptionalpahlavi \
    inscriptionalparthian javanese kaithi kannada katakana kawi kayahli kharoshthi khitansmallscript khmer khojki khudawadi \
    lao latin lepcha limbu lineara linearb lisu lycian lydian mahajani makasar malayalam mandaic manichaean marchen \
    masaramgondi medefaidrin meeteimayek mendekikakui meroiticcursive meroitichieroglyphs miao modi mongolian mro multani \
    myanmar nabataean nagmundari nandinagari newtailue newa nko nushu nyiakengpuachuehmong ogham olchiki oldhungarian \
    olditalic oldnortharabian oldpermic oldpersian oldsogdian oldsoutharabian oldturkic olduyghur oriya osage osmanya \
    pahawhhmong palmyrene paucinhau phagspa phoenician psalterpahlavi rejang runic samaritan saurashtra sharada shavian \
    siddham signwriting sinhala sogdian sorasompeng soyombo sundanese sylotinagri syriac tagalog tagbanwa taile taitham \
    taiviet takri tamil tangsa tangut telugu thaana thai tibetan tifinagh tirhuta toto ugaritic vai vithkuqi wancho \
    warangciti yezidi yi zanabazarsquare";

/// LEB128 numbers of a table.
pub(super) struct Numbers(pub(super) &'static [u8]);

impl Numbers {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }
}

impl Iterator for Numbers {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

/// So many characters from a start on, a step apart, each of which has its other case a distance further.
#[derive(Clone, Copy, Debug)]
pub struct Fold {
    start: u32,
    count: u32,
    step: u32,
    distance: u32,
}

impl Fold {
    /// All pairs of it, the lesser first.
    pub fn pairs(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.count).map(move |at| self.start + at * self.step).map(move |from| (from, from + self.distance))
    }

    /// The lesser of a pair is this one.
    fn begins(self, from: u32) -> bool {
        let Some(offset) = from.checked_sub(self.start) else { return false };
        let step = self.step.max(1);
        offset % step == 0 && offset / step < self.count
    }
}

/// All pairs of characters that differ in case alone. The members of an orbit are a chain of pairs.
pub fn folds() -> impl Iterator<Item = Fold> {
    let mut table = Numbers(FOLDS);
    let mut start = 0;
    core::iter::from_fn(move || {
        start += table.next()?;
        Some(Fold { start, count: table.next()?, step: table.next()?, distance: table.next()? })
    })
}

/// A character and all that differ from it in case alone.
#[must_use]
pub fn orbit(character: char) -> Vec<char> {
    let mut all = alloc::vec![character];
    let mut at = 0;
    while let Some(&member) = all.get(at) {
        let code = u32::from(member);
        for fold in folds() {
            let above = fold.begins(code).then(|| code + fold.distance);
            let below = code.checked_sub(fold.distance).filter(|from| fold.begins(*from));
            let others = [above, below].into_iter().flatten().filter_map(char::from_u32);
            for other in others {
                if !all.contains(&other) {
                    all.push(other);
                }
            }
        }
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_cover_all_code_points() {
        assert_eq!(categories().map(|(_, length)| length).sum::<u32>(), 0x11_0000);
        assert_eq!(scripts().map(|(_, length)| length).sum::<u32>(), 0x11_0000);
        let last = scripts().filter_map(|(script, _)| script).map(|Script(index)| index).max();
        assert_eq!(last.map(usize::from), Some(SCRIPT_NAMES.split_ascii_whitespace().count()));
    }

    #[test]
    fn ink_is_letters_marks_numbers_punctuation_and_symbols() {
        assert!(['é', '\u{301}', '٣', '€', '…', ' '].into_iter().all(is_print));
        assert!(!['\u{a0}', '\u{feff}', '\u{7f}', '\u{2028}', '\u{378}', '\u{e000}'].into_iter().any(is_print));
        assert_eq!((category('É').short(), category('\u{10ffff}').short()), ("Lu", "Cn"));
    }

    #[test]
    fn an_orbit_holds_all_cases() {
        let sorted = |c| {
            let mut all = orbit(c);
            all.sort_unstable();
            all
        };
        assert_eq!(sorted('k'), ['K', 'k', '\u{212a}']);
        assert_eq!(sorted('ß'), ['ß', 'ẞ']);
        assert_eq!(sorted('θ').len(), 4);
        assert_eq!(sorted('1'), ['1']);
    }
}
