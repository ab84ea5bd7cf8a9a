//! Sets of characters: the classes with names, and which characters differ in case alone.
//!
//! The tables beside this file are Go's own (Unicode 15.0), written by `xtask/unicode/main.go`, which tells
//! their form: 9 KB for all general categories, scripts and case pairs.

use alloc::vec::Vec;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

const CATEGORIES: &[u8] = include_bytes!("categories.bin");
const SCRIPTS: &[u8] = include_bytes!("scripts.bin");
const FOLDS: &[u8] = include_bytes!("folds.bin");

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

/// A set of characters that grows: ranges in any order until it is made a class.
#[derive(Clone, Debug, Default)]
pub(super) struct Set {
    ranges: Vec<ClassUnicodeRange>,
    /// Ranges whose other cases belong to the set too.
    folded: Vec<ClassUnicodeRange>,
}

impl Set {
    /// These characters.
    pub(super) fn of(characters: &str) -> Self {
        Self { ranges: characters.chars().map(|c| ClassUnicodeRange::new(c, c)).collect(), folded: Vec::new() }
    }

    /// ASCII ranges as pairs of characters: `azAZ`.
    fn ascii(pairs: &str) -> Self {
        let bytes = pairs.as_bytes().chunks_exact(2);
        let ranges = bytes.filter_map(|pair| match pair {
            [low, high] => Some(ClassUnicodeRange::new(char::from(*low), char::from(*high))),
            _ => None,
        });
        Self { ranges: ranges.collect(), folded: Vec::new() }
    }

    /// How many ranges.
    pub(super) fn len(&self) -> usize {
        self.ranges.len() + self.folded.len()
    }

    /// Adds a range, with its other cases if asked to.
    pub(super) fn push(&mut self, low: char, high: char, fold: bool) {
        let ranges = if fold { &mut self.folded } else { &mut self.ranges };
        ranges.push(ClassUnicodeRange::new(low, high));
    }

    /// Adds a whole set.
    pub(super) fn extend(&mut self, other: &Self) {
        self.ranges.extend_from_slice(&other.ranges);
        self.folded.extend_from_slice(&other.folded);
    }

    /// Adds the other cases of all there is.
    pub(super) fn fold(&mut self) {
        self.folded.append(&mut self.ranges);
    }

    /// All other characters instead.
    pub(super) fn negate(&mut self) {
        let mut class = core::mem::take(self).into_class();
        class.negate();
        self.ranges = class.ranges().to_vec();
    }

    /// The class.
    pub(super) fn into_class(mut self) -> ClassUnicode {
        if !self.folded.is_empty() {
            let plain = ClassUnicode::new(core::mem::take(&mut self.folded));
            self.ranges.extend_from_slice(plain.ranges());
            self.ranges.extend(other_cases(&plain));
        }
        ClassUnicode::new(self.ranges)
    }
}

/// `\d`, `\s`, `\w`.
pub(super) fn perl(letter: char) -> Option<Set> {
    match letter {
        'd' => Some(Set::ascii("09")),
        's' => Some(Set::of("\t\n\x0c\r ")),
        'w' => Some(Set::ascii("09AZaz__")),
        _ => None,
    }
}

/// `[:alpha:]` and its like.
pub(super) fn posix(name: &str) -> Option<Set> {
    Some(Set::ascii(match name {
        "alnum" => "09AZaz",
        "alpha" => "AZaz",
        "ascii" => "\0\x7f",
        "blank" => "\t\t  ",
        "cntrl" => "\0\x1f\x7f\x7f",
        "digit" => "09",
        "graph" => "!~",
        "lower" => "az",
        "print" => " ~",
        "punct" => "!/:@[`{~",
        "space" => "\t\r  ",
        "upper" => "AZ",
        "word" => "09AZaz__",
        "xdigit" => "09AFaf",
        _ => return None,
    }))
}

/// A class of Unicode: a general category (`L`, `Lu`, `Letter`), a script (`Greek`), or `Any`, `ASCII`,
/// `Assigned`. As in Go, case, blanks, `-` and `_` in the name do not count.
pub(super) fn unicode(name: &str) -> Option<Set> {
    let name: alloc::string::String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
    match name.as_str() {
        "any" => return Some(Set { ranges: [ClassUnicodeRange::new('\0', char::MAX)].into(), folded: Vec::new() }),
        "ascii" => return posix("ascii"),
        "assigned" => return Some(of_runs(categories(), |index| category(index).0 != "Cn")),
        "lc" | "casedletter" => {
            return Some(of_runs(categories(), |index| matches!(category(index).0, "Ll" | "Lt" | "Lu")));
        }
        "cntrl" => return unicode("Cc"),
        "digit" => return unicode("Nd"),
        _ => {}
    }
    let group = CATEGORY_GROUPS.iter().find(|(long, letter)| name == *long || letter.eq_ignore_ascii_case(&name));
    if let Some((_, letter)) = group {
        return Some(of_runs(categories(), |index| category(index).0.starts_with(letter)));
    }
    let known = |(short, long): &(&str, &str)| short.eq_ignore_ascii_case(&name) || *long == name;
    if let Some(wanted) = CATEGORY_NAMES.iter().position(known) {
        return Some(of_runs(categories(), |index| usize::from(index) == wanted));
    }
    let script = SCRIPT_NAMES.split_ascii_whitespace().position(|script| script == name)?;
    Some(of_runs(scripts(), |index| usize::from(index) == script + 1))
}

fn category(index: u8) -> (&'static str, &'static str) {
    CATEGORY_NAMES.get(usize::from(index)).copied().unwrap_or_default()
}

/// The set of all runs whose index is wanted.
fn of_runs(runs: impl Iterator<Item = (u8, u32)>, wanted: impl Fn(u8) -> bool) -> Set {
    let mut set = Set::default();
    let mut at = 0_u32;
    for (index, length) in runs {
        let end = at.saturating_add(length);
        if wanted(index) {
            // A run of surrogates has no characters at its ends, and is left out by that.
            if let (Some(low), Some(high)) = (char::from_u32(at), char::from_u32(end.saturating_sub(1))) {
                set.push(low, high, false);
            }
        }
        at = end;
    }
    set
}

fn categories() -> impl Iterator<Item = (u8, u32)> {
    let mut table = Numbers(CATEGORIES);
    core::iter::from_fn(move || {
        let head = table.byte()?;
        let length = match head >> 5 {
            0 => table.next()?,
            length => u32::from(length),
        };
        Some((head & 31, length))
    })
}

fn scripts() -> impl Iterator<Item = (u8, u32)> {
    let mut table = Numbers(SCRIPTS);
    core::iter::from_fn(move || Some((table.byte()?, table.next()?)))
}

/// LEB128 numbers of a table.
struct Numbers(&'static [u8]);

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

/// So many characters from `start` on, `step` apart, each of which has its other case `distance` further.
#[derive(Clone, Copy)]
struct Fold {
    start: u32,
    count: u32,
    step: u32,
    distance: u32,
}

fn folds() -> impl Iterator<Item = Fold> {
    let mut table = Numbers(FOLDS);
    let mut start = 0;
    core::iter::from_fn(move || {
        start += table.next()?;
        Some(Fold { start, count: table.next()?, step: table.next()?, distance: table.next()? })
    })
}

/// A character and all that differ from it in case alone. An orbit is a chain of pairs, so that following
/// them up and down finds all of it.
pub(super) fn orbit(character: char) -> Vec<char> {
    let mut all = alloc::vec![character];
    let mut at = 0;
    while let Some(&member) = all.get(at) {
        let member = u32::from(member);
        for fold in folds() {
            for (from, other) in [
                (member, member.checked_add(fold.distance)),
                (member.wrapping_sub(fold.distance), member.checked_sub(fold.distance)),
            ] {
                let Some(other) = other.and_then(char::from_u32) else { continue };
                let offset = from.wrapping_sub(fold.start);
                let pair =
                    from >= fold.start && offset % fold.step.max(1) == 0 && offset / fold.step.max(1) < fold.count;
                if pair && !all.contains(&other) {
                    all.push(other);
                }
            }
        }
        at += 1;
    }
    all
}

/// The characters that differ in case alone from those of a class.
fn other_cases(class: &ClassUnicode) -> Vec<ClassUnicodeRange> {
    let pairs: Vec<(u32, u32)> = folds()
        .flat_map(|fold| {
            (0..fold.count).map(move |at| fold.start + at * fold.step).map(move |from| (from, from + fold.distance))
        })
        .collect();
    let holds = |code: u32| {
        let ranges = class.ranges();
        let at = ranges.partition_point(|range| u32::from(range.end()) < code);
        ranges.get(at).is_some_and(|range| u32::from(range.start()) <= code)
    };
    let mut added = alloc::collections::BTreeSet::new();
    // Up the chains, then down: an orbit may have four members.
    for upward in [true, false] {
        let mut follow = |&(from, to): &(u32, u32)| {
            let (known, other) = if upward { (from, to) } else { (to, from) };
            if !holds(other) && (holds(known) || added.contains(&known)) {
                added.insert(other);
            }
        };
        if upward { pairs.iter().for_each(&mut follow) } else { pairs.iter().rev().for_each(&mut follow) }
    }
    added.into_iter().filter_map(char::from_u32).map(|other| ClassUnicodeRange::new(other, other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_cover_all_code_points() {
        assert_eq!(categories().map(|(_, length)| length).sum::<u32>(), 0x11_0000);
        assert_eq!(scripts().map(|(_, length)| length).sum::<u32>(), 0x11_0000);
        assert_eq!(
            SCRIPT_NAMES.split_ascii_whitespace().count(),
            usize::from(scripts().map(|(index, _)| index).max().unwrap())
        );
    }

    #[test]
    fn a_class_answers_to_its_names() {
        let holds = |name: &str, c: char| {
            unicode(name).unwrap().into_class().ranges().iter().any(|r| r.start() <= c && c <= r.end())
        };
        for (name, inside, outside) in [
            ("L", 'é', '1'),
            ("Lu", 'É', 'é'),
            ("Uppercase_Letter", 'É', 'é'),
            ("Nd", '٣', 'a'),
            ("greek", 'λ', 'l'),
            ("Old_Italic", '\u{10300}', 'l'),
            ("Han", '漢', 'k'),
            ("ASCII", '~', 'é'),
            ("Sc", '€', '+'),
            ("Assigned", 'a', '\u{378}'),
        ] {
            assert!(holds(name, inside) && !holds(name, outside), "{name}");
        }
        assert!(unicode("Nope").is_none() && unicode("").is_none());
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
        let mut set = Set::default();
        set.push('θ', 'θ', true);
        assert_eq!(set.into_class().ranges().iter().map(|range| range.len()).sum::<usize>(), 4);
    }
}
