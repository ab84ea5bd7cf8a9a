//! A small seeded generator, and what it does to text.

/// Makes damaged texts from good ones.
pub struct Mutator {
    state: u64,
    words: &'static [&'static str],
}

/// Longest input, in characters: most of what matters shows in short ones.
const LONGEST: usize = 4_000;

impl Mutator {
    pub fn new(seed: u64, words: &'static [&'static str]) -> Self {
        Self { state: seed ^ 0x5851_f42d_4c95_7f2d, words }
    }

    /// The next number, by the splitmix64 recurrence.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        let at = self.below(from.len());
        &from[at]
    }

    /// One to six changes to one input of the corpus.
    pub fn mutate(&mut self, corpus: &[String]) -> String {
        let mut text: Vec<char> = self.pick(corpus).chars().take(LONGEST).collect();
        for _ in 0..=self.below(6) {
            self.change(&mut text, corpus);
        }
        text.truncate(LONGEST);
        text.into_iter().collect()
    }

    fn change(&mut self, text: &mut Vec<char>, corpus: &[String]) {
        const LETTERS: &[char] = &[
            '{', '}', '[', ']', '(', ')', '"', '\'', '`', '\\', '\n', '\t', ' ', ':', '-', '#', '|', '.', ',', '0',
            '9', '_', '*', '&', '!', '%', '@', '$', '<', '>', '=', '?', '~', '/', '+', 'e', 'x', '\0', '\u{7f}', 'é',
            '\u{feff}', '\u{2028}', '😀', '\r',
        ];
        let at = self.below(text.len() + 1);
        let end = (at + self.below(12)).min(text.len());
        match self.below(9) {
            0 => drop(text.drain(at..end)),
            1 => {
                let letter = LETTERS[self.below(LETTERS.len())];
                text.insert(at, letter);
            }
            2 => {
                let word = self.words[self.below(self.words.len())];
                text.splice(at..at, word.chars());
            }
            3 => {
                let word = self.words[self.below(self.words.len())];
                text.splice(at..end, word.chars());
            }
            4 => {
                let copy: Vec<char> = text[at..end].to_vec();
                let to = self.below(text.len() + 1);
                text.splice(to..to, copy);
            }
            5 => {
                let other: Vec<char> = self.pick(corpus).chars().take(LONGEST).collect();
                let cut = self.below(other.len() + 1);
                text.truncate(at);
                text.extend_from_slice(&other[cut..]);
            }
            6 => {
                let times = 1 << self.below(10);
                let word = self.words[self.below(self.words.len())];
                text.splice(at..at, word.repeat(times).chars().take(LONGEST).collect::<Vec<_>>());
            }
            7 => {
                if let Some(letter) = text.get_mut(at) {
                    *letter = char::from_u32(u32::from(*letter) ^ (1 << self.below(7))).unwrap_or('?');
                }
            }
            _ => {
                const NUMBERS: &[&str] = &[
                    "0",
                    "-1",
                    "9223372036854775807",
                    "-9223372036854775808",
                    "18446744073709551616",
                    "1e309",
                    "0x",
                    "1_0",
                    ".5",
                    "NaN",
                ];
                let number = NUMBERS[self.below(NUMBERS.len())];
                text.splice(at..end, number.chars());
            }
        }
    }
}
