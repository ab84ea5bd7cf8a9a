//! Go's regular expressions (RE2 syntax): read by `parse`, compiled to an automaton, and run by a Pike VM,
//! in time linear in the text whatever the pattern.
//!
//! The parser of regex-syntax is not used: its dialect differs (`\d` beyond ASCII, `(?x)`, set operations in
//! classes, `\Q`), and its Unicode tables weigh 300 KB where ours weigh 9 KB.

mod classes;
mod parse;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use core::panic::{RefUnwindSafe, UnwindSafe};

use regex_automata::nfa::thompson::pikevm::{Cache, PikeVM};
use regex_automata::nfa::thompson::{Compiler, Config, WhichCaptures};
use regex_automata::util::captures::Captures;
use regex_automata::util::pool::Pool;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};

/// A compiled pattern. A clone is a count.
#[derive(Clone)]
pub struct Pattern(Arc<Compiled>);

struct Compiled {
    source: String,
    vm: PikeVM,
    /// Scratch space of searches, one for each that runs at the same time.
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>>,
}

/// Why a pattern is refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFault {
    /// What is wrong.
    pub problem: PatternProblem,
    /// The bytes of the pattern that are wrong.
    pub at: Range<usize>,
    /// Those bytes.
    pub text: String,
}

/// What may be wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternProblem {
    /// `[` without `]`.
    MissingBracket,
    /// `(` without `)`.
    MissingParenthesis,
    /// `)` without `(`.
    UnexpectedParenthesis,
    /// `*` and the like with nothing before.
    MissingArgument,
    /// `a**`, `a++`.
    DoubledRepeat,
    /// `{n,m}` beyond 1000 copies, nested ones multiplied, or with the lesser number last.
    RepeatSize,
    /// `z-a`, or an unknown class such as `\p{Nope}` and `[:nope:]`.
    BadRange,
    /// A backslash before what it has no meaning for; back references are among these.
    BadEscape,
    /// A backslash at the very end.
    TrailingBackslash,
    /// `(?…` of an unknown kind; looking around is among these.
    BadGroup,
    /// `(?P<name>` with a name of more than letters, digits and `_`.
    BadName,
    /// Nested deeper than [`Pattern::DEPTH`].
    TooDeep,
    /// Written in more than [`Pattern::LENGTH`] bytes.
    TooLong,
    /// An automaton of more than [`Pattern::SIZE`] bytes, or too many groups for its size.
    TooLarge,
}

impl fmt::Display for PatternProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MissingBracket => "missing ]",
            Self::MissingParenthesis => "missing )",
            Self::UnexpectedParenthesis => "unexpected )",
            Self::MissingArgument => "nothing to repeat",
            Self::DoubledRepeat => "repeat of a repeat",
            Self::RepeatSize => "bad repeat count, at most 1000 copies",
            Self::BadRange => "unknown class or range",
            Self::BadEscape => "unknown escape",
            Self::TrailingBackslash => "backslash at the end",
            Self::BadGroup => "unknown kind of group",
            Self::BadName => "bad name of a group",
            Self::TooDeep => return write!(f, "nested deeper than {} levels", Pattern::DEPTH),
            Self::TooLong => return write!(f, "longer than {} KiB", Pattern::LENGTH / 1024),
            Self::TooLarge => return write!(f, "larger than {} KiB when compiled", Pattern::SIZE / 1024),
        })
    }
}

/// `missing ] in "[a" at byte 0`.
impl fmt::Display for PatternFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.text.char_indices().nth(40).map_or(self.text.len(), |(at, _)| at);
        let shown = self.text.get(..end).unwrap_or("");
        write!(f, "{} in {shown:?} at byte {}", self.problem, self.at.start)
    }
}

impl Pattern {
    /// How deep groups, repeats and alternatives may nest: the compiler of automata recurses, and half of a stack of 256 KiB must do.
    pub const DEPTH: usize = 90;
    /// How many bytes an automaton may take: refusing one must not take long either.
    pub const SIZE: usize = 1 << 20;
    /// How many bytes a pattern may be written in. A longer one could not fit in [`Pattern::SIZE`].
    pub const LENGTH: usize = 32 << 10;
    /// How many places of groups a search may have to keep, for all states together.
    const PLACES: usize = 1 << 18;

    /// Compiles a pattern to search with; its groups are not kept apart.
    ///
    /// # Errors
    /// [`PatternFault`] with the place.
    pub fn new(source: &str) -> Result<Self, PatternFault> {
        Self::compile(source, WhichCaptures::Implicit)
    }

    /// Compiles a pattern whose groups [`Pattern::captures_at`] and [`Pattern::replace_all`] will ask for.
    ///
    /// # Errors
    /// [`PatternFault`] with the place.
    pub fn with_groups(source: &str) -> Result<Self, PatternFault> {
        Self::compile(source, WhichCaptures::All)
    }

    fn compile(source: &str, groups: WhichCaptures) -> Result<Self, PatternFault> {
        let whole = |problem| PatternFault { problem, at: 0..source.len(), text: source.into() };
        let too_large = || whole(PatternProblem::TooLarge);
        if source.len() > Self::LENGTH {
            return Err(whole(PatternProblem::TooLong));
        }
        let hir = parse::parse(source, matches!(groups, WhichCaptures::All))?;
        let config = Config::new().which_captures(groups).nfa_size_limit(Some(Self::SIZE));
        let nfa = Compiler::new().configure(config).build_from_hir(&hir).map_err(|_| too_large())?;
        let places = nfa.states().len().saturating_mul(nfa.group_info().slot_len());
        if matches!(groups, WhichCaptures::All) && places > Self::PLACES {
            return Err(too_large());
        }
        let vm = PikeVM::new_from_nfa(nfa).map_err(|_| too_large())?;
        let maker = vm.clone();
        let make: Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe> =
            Box::new(move || maker.create_cache());
        Ok(Self(Arc::new(Compiled { source: source.into(), vm, caches: Pool::new(make) })))
    }

    /// The pattern as written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// What a search through a text of this many bytes costs at most, in steps of about the work of one
    /// step of an evaluator.
    #[must_use]
    pub fn steps(&self, bytes: usize) -> u64 {
        let states = self.0.vm.get_nfa().states().len() as u64;
        states.saturating_mul(bytes as u64) / 3 + 1
    }

    /// Occurs anywhere in a text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.0.vm.is_match(&mut self.0.caches.get(), text)
    }

    /// The leftmost match that begins at or after a place.
    #[must_use]
    pub fn find_at(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let mut slots = [None; 2];
        self.search(text, start, &mut slots)?;
        range(&slots, 0)
    }

    /// The groups of the leftmost match at or after a place; the whole match is the first.
    #[must_use]
    pub fn captures_at(&self, text: &str, start: usize) -> Option<Vec<Option<Range<usize>>>> {
        let info = self.0.vm.get_nfa().group_info();
        let mut slots = alloc::vec![None; info.slot_len()];
        self.search(text, start, &mut slots)?;
        Some((0..info.group_len(regex_automata::PatternID::ZERO)).map(|group| range(&slots, group)).collect())
    }

    fn search(&self, text: &str, start: usize, slots: &mut [Option<NonMaxUsize>]) -> Option<()> {
        if start > text.len() || !text.is_char_boundary(start) {
            return None;
        }
        let input = Input::new(text).range(start..).anchored(Anchored::No);
        self.0.vm.search_slots(&mut self.0.caches.get(), &input, slots).map(|_| ())
    }

    /// Every match replaced; `$1`, `${1}`, `$name` and `$$` are expanded as in Go's `ReplaceAllString`.
    #[must_use]
    pub fn replace_all(&self, text: &str, with: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut captures = self.0.vm.create_captures();
        let mut cache = self.0.caches.get();
        let (mut done, mut start) = (0, 0);
        while start <= text.len() {
            self.0.vm.search(&mut cache, &Input::new(text).range(start..), &mut captures);
            let Some(found) = captures.get_match().map(|found| found.range()) else { break };
            let next = text.get(found.end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            // An empty match right behind the one before it is none.
            if !(found.is_empty() && found.start == done && done > 0) {
                out.push_str(text.get(done..found.start).unwrap_or(""));
                expand(with, text, &captures, &mut out);
                done = found.end;
            }
            start = if found.is_empty() { found.end + next } else { found.end };
        }
        out.push_str(text.get(done..).unwrap_or(""));
        out
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?})", self.0.source)
    }
}

fn range(slots: &[Option<NonMaxUsize>], group: usize) -> Option<Range<usize>> {
    let start = slots.get(group * 2).copied().flatten()?;
    let end = slots.get(group * 2 + 1).copied().flatten()?;
    Some(start.get()..end.get())
}

/// Appends a replacement, its `$` references filled in; a reference to no group is empty text.
fn expand(with: &str, text: &str, captures: &Captures, out: &mut String) {
    let mut rest = with;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        let Some((name, after)) = reference(after) else {
            out.push('$');
            rest = after;
            continue;
        };
        let span = match name.parse::<usize>() {
            Ok(index) => captures.get_group(index),
            Err(_) => captures.get_group_by_name(name),
        };
        out.push_str(span.and_then(|span| text.get(span.range())).unwrap_or(""));
        rest = after;
    }
    out.push_str(rest);
}

/// The name after a `$`, in braces or as long as it goes, and what follows.
fn reference(text: &str) -> Option<(&str, &str)> {
    let word = |text: &str| text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len());
    let (name, rest) = match text.strip_prefix('{') {
        Some(braced) => {
            let (name, rest) = braced.split_once('}')?;
            (name, rest)
        }
        None => text.split_at(word(text)),
    };
    (!name.is_empty() && word(name) == name.len()).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(source: &str) -> PatternProblem {
        Pattern::new(source).unwrap_err().problem
    }

    #[test]
    fn the_leftmost_match_prefers_the_first_alternative() {
        let pattern = Pattern::new("a|ab").unwrap();
        assert_eq!(pattern.find_at("xab", 0), Some(1..2));
        assert_eq!(pattern.find_at("xab", 2), None);
        assert!(Pattern::new("(?i)straße").unwrap().is_match("STRAẞE"));
    }

    #[test]
    fn groups_are_told_and_replaced() {
        let pattern = Pattern::with_groups(r"(?P<key>\w+)=(\d+)?").unwrap();
        assert_eq!(pattern.captures_at("a=1", 0), Some(alloc::vec![Some(0..3), Some(0..1), Some(2..3)]));
        assert_eq!(pattern.captures_at("a=", 0), Some(alloc::vec![Some(0..2), Some(0..1), None]));
        assert_eq!(pattern.replace_all("a=1 b=2", "${key}:$2$$ $nope"), "a:1$  b:2$ ");
        assert_eq!(Pattern::with_groups("b*").unwrap().replace_all("abé", "-"), "-a-é-");
    }

    #[test]
    fn a_bad_pattern_says_what_and_where() {
        let fault = Pattern::new("ab(c").unwrap_err();
        assert_eq!(alloc::format!("{fault}"), "missing ) in \"(c\" at byte 2");
        for (source, wanted) in [
            ("a)", PatternProblem::UnexpectedParenthesis),
            ("[a", PatternProblem::MissingBracket),
            ("*a", PatternProblem::MissingArgument),
            ("(|*)", PatternProblem::MissingArgument),
            ("a**", PatternProblem::DoubledRepeat),
            ("a{2}{3}", PatternProblem::DoubledRepeat),
            ("a{2,1}", PatternProblem::RepeatSize),
            ("a{1001}", PatternProblem::RepeatSize),
            ("((a{100}){100}){100}", PatternProblem::RepeatSize),
            ("[z-a]", PatternProblem::BadRange),
            ("[[:nope:]]", PatternProblem::BadRange),
            (r"\p{Nope}", PatternProblem::BadRange),
            (r"\8", PatternProblem::BadEscape),
            (r"\1", PatternProblem::BadEscape),
            (r"\Z", PatternProblem::BadEscape),
            ("a\\", PatternProblem::TrailingBackslash),
            ("(?=a)", PatternProblem::BadGroup),
            ("(?<=a)", PatternProblem::BadName),
            ("(?P<a-b>a)", PatternProblem::BadName),
            ("(?i", PatternProblem::MissingParenthesis),
        ] {
            assert_eq!(problem(source), wanted, "{source}");
        }
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let deep = |levels: usize| "(".repeat(levels) + "a" + &")*".repeat(levels);
        assert_eq!(problem(&deep(10_000)), PatternProblem::TooDeep);
        assert_eq!(problem(&"(".repeat(30_000)), PatternProblem::TooDeep);
        assert_eq!(problem(r"\pL{1000}"), PatternProblem::TooLarge);
        for long in [r"\pL", "(?i)[é-\u{1e900}]", r"\pL{100}"] {
            assert_eq!(problem(&long.repeat(32_000 / long.len())), PatternProblem::TooLarge, "{long}");
        }
        assert_eq!(problem(&"a".repeat(100_000)), PatternProblem::TooLong);
        assert!(Pattern::with_groups(&"(a)".repeat(2000)).is_err());
        assert!(Pattern::new(&"(a)".repeat(2000)).is_ok());
        assert!(Pattern::new(&("(".repeat(900) + "a" + &")".repeat(900))).is_ok());
        extern crate std;
        let small = std::thread::Builder::new().stack_size(128 << 10);
        let run = move || Pattern::with_groups(&deep(Pattern::DEPTH / 2 - 1)).unwrap().is_match("aaaa");
        assert!(small.spawn(run).unwrap().join().unwrap());
    }

    #[test]
    fn a_pattern_that_others_backtrack_over_is_linear() {
        let pattern = Pattern::new("(a*)*(a|aa)+b").unwrap();
        assert!(!pattern.is_match(&"a".repeat(20_000)));
        assert!(pattern.steps(2_000) <= 2 * pattern.steps(1_000));
    }
}
