//! Text without meaning: what several languages and formats need to read and write the same small things.
//!
//! - [`cursor`] walks over text; [`literal`] reads quoted strings and numbers after a language's rule
//! - [`float`] and [`pow`] are Go's float text and powers, since documents of the reference carry both
//! - [`quote`] writes text in quotes, as Go does
//! - [`case`] and [`unicode`] know characters: upper and lower case, categories, scripts
//! - [`path`] cleans and joins `/` paths without asking any file system
//! - [`time`] holds moments, durations, calendar layouts and zones
//! - [`pattern`] is Go's regular-expression syntax, run in linear time
//! - [`mod@nearest`] finds the known name that a misspelt one probably meant
//!
//! Nothing here knows a [`crate::Value`]. Faults are small enums of their own; the room that calls turns
//! them into its [`crate::error::Kind`] and adds the site.

pub mod case;
pub mod cursor;
pub mod float;
pub mod literal;
pub mod nearest;
pub mod path;
pub mod pattern;
pub mod pow;
pub mod quote;
pub mod time;
pub mod unicode;

/// As much of a text as anybody reads in a message.
#[must_use]
pub fn brief(text: &str) -> alloc::string::String {
    match text.char_indices().nth(80) {
        Some((end, _)) => alloc::format!("{}…", text.get(..end).unwrap_or("")),
        None => text.into(),
    }
}

pub use cursor::Cursor;
pub use nearest::nearest;
pub use time::Timestamp;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// A small generator with a fixed seed: the same noise every time.
    struct Noise(u64);

    impl Noise {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) as usize) % most
        }

        /// A text with a few characters changed, doubled or left out.
        fn over(&mut self, text: &str) -> String {
            const OTHERS: [&str; 16] =
                ["", "0", "9", "-", "+", ".", ":", "e", "x", "µ", "(", "[", "{9", "\\", "99999999999999999999", "é"];
            let mut out = String::new();
            for character in text.chars() {
                match self.below(8) {
                    0 => out.push_str(OTHERS[self.below(OTHERS.len())]),
                    1 => out.extend([character, character]),
                    _ => out.push(character),
                }
            }
            out
        }
    }

    #[test]
    fn noise_is_answered_and_nothing_panics() {
        let mut noise = Noise(7);
        let zone = time::Zone::fixed("", 3600);
        let texts = [
            "1.5e-300",
            "0x1.8p-1022",
            "1h30m5.5s",
            "1y2M3w",
            "2024-02-29T10:11:12.5+01:00",
            "Mon, 02 Jan 2006 15:04:05 MST",
            "2006-002 .000 _2 PM",
            "(?i)^[a-zé]+(?P<n>\\pL|x{2,5})*$",
            "\\u{41}\\x41\\101",
            "/a/../b//c",
            "$1${n}$$",
        ];
        for _ in 0..400 {
            for text in texts {
                let text = noise.over(text);
                let at = noise.below(texts.len());
                let other = noise.over(texts[at]);
                let number = float::parse(&text).unwrap_or(f64::from_bits(noise.0));
                let _any = (float::shortest(number), float::json(number), pow::pow(number, number / 3.0));
                let _any = (literal::signed_integer(&text, 0), literal::unescape(&text, &literal::Escapes::GO));
                let _any = (path::clean(&text), path::parent(&text), path::is_local(&text), case::upper(&text));
                let _any = (nearest(&text, [other.as_str()]), quote::is_print(text.chars().next().unwrap_or('a')));
                let _any = time::duration::parse_extended(&text).map(time::duration::format);
                let moment = time::layout::parse(&text, &other, &zone);
                let moment = moment.unwrap_or_else(|_| time::Moment {
                    at: Timestamp { seconds: noise.0 as i64, nanos: 1 },
                    zone: zone.clone(),
                });
                let _any = (time::layout::format(&moment, &text), moment.civil().iso_week());
                if let Ok(pattern) = pattern::Pattern::with_groups(&text) {
                    let _any = (pattern.is_match(&other), pattern.replace_all(&other, &text));
                }
            }
        }
    }
}
