//! The parser held against another one: the same events at the same places, and the same texts refused.
//!
//! `granit-parser` reads all of the official suite. Where the two differ on purpose:
//!
//! - it does not ask for all of the suite's indentation: what ours refuses for being too shallow, or for a tab, is not
//!   compared;
//! - it lets a block begin behind the `:` of an empty key (`: a: b`), and `?,` in braces; the grammar does neither;
//! - it refuses `{"a" # comment`, line end, `:b}`, which the grammar allows;
//! - it refuses a key in braces whose lines stand as deep as the block around them even where a quote closes there;
//! - it places a list that stands no deeper than its key at its first item, ours at its first `-`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use ccm_parser::{Events, Kind, Reason, Style, at_most};
use granit_parser::{Event, Parser, Placement, ScalarStyle};

const DEPTH: usize = 100;

/// What both are asked for: the kind, anchor and place of an event, and its text.
#[derive(Debug, PartialEq)]
struct Seen {
    what: String,
    text: String,
    start: usize,
    end: usize,
}

fn ours(text: &str) -> Result<Vec<Seen>, Reason> {
    let mut events = Events::of(text, DEPTH);
    let mut seen = Vec::new();
    while let Some(event) = events.advance().map_err(|fault| fault.reason)? {
        let what = match event.kind {
            Kind::DocumentStart => continue,
            Kind::Scalar(style) => format!("scalar {style:?} {}", event.anchor),
            Kind::Alias => format!("alias {}", event.anchor),
            Kind::ListStart => format!("list {}", event.anchor),
            Kind::MapStart => format!("map {}", event.anchor),
            Kind::Comment(is_behind) => format!("comment {is_behind}"),
            Kind::DocumentEnd | Kind::ListEnd | Kind::MapEnd => format!("{:?}", event.kind),
        };
        seen.push(Seen {
            what,
            text: events.text_of(&event).to_owned(),
            start: event.start as usize,
            end: event.end as usize,
        });
    }
    Ok(seen)
}

fn theirs(text: &str) -> Result<Vec<Seen>, String> {
    let options = granit_parser::options! {
        bom_inside_document_as_content: true,
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: DEPTH,
        block_nesting_limit: DEPTH,
    };
    let mut seen = Vec::new();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| error.info())?;
        let range = span.byte_range().unwrap();
        let (what, content) = match event {
            Event::Scalar(content, style, anchor, _) => {
                let is_absent = style == ScalarStyle::Plain && range.is_empty();
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::SingleQuoted,
                    ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                // It adds a line feed to a block scalar that ends without one.
                let is_cut_off = matches!(style, Style::Literal | Style::Folded)
                    && range.end == text.len()
                    && !text.ends_with(['\n', '\r', ' ', '\t']);
                let content = if is_cut_off { content.strip_suffix('\n').unwrap_or(&content) } else { &content };
                let content = if is_absent { "" } else { content };
                (format!("scalar {style:?} {anchor}"), content.to_owned())
            }
            Event::Alias(anchor) => (format!("alias {anchor}"), String::new()),
            Event::SequenceStart(_, anchor, _) => (format!("list {anchor}"), String::new()),
            Event::MappingStart(_, anchor, _) => (format!("map {anchor}"), String::new()),
            Event::Comment(_, placement) => (format!("comment {}", placement == Placement::Right), String::new()),
            Event::DocumentEnd => ("DocumentEnd".to_owned(), String::new()),
            Event::SequenceEnd => ("ListEnd".to_owned(), String::new()),
            Event::MappingEnd => ("MapEnd".to_owned(), String::new()),
            _ => continue,
        };
        seen.push(Seen { what, text: content, start: range.start, end: range.end });
    }
    Ok(seen)
}

/// How the two differ on a text, if they do. Comments are compared in their own order: one parser notices the end of a
/// block before the comments behind it, the other after them.
fn difference(text: &str) -> Option<String> {
    let is_comment = |seen: &Seen| seen.what.starts_with("comment");
    match (ours(text), theirs(text)) {
        (Ok(ours), Ok(theirs)) => {
            let (ours, our_events): (Vec<_>, Vec<_>) = ours.into_iter().partition(is_comment);
            let (theirs, their_events): (Vec<_>, Vec<_>) = theirs.into_iter().partition(is_comment);
            let mut pairs = ours.iter().zip(&theirs).chain(our_events.iter().zip(&their_events));
            // The ends of documents and blocks, and what is not there, have no place of their own.
            let same = |a: &Seen, b: &Seen| {
                let is_collection = a.what.starts_with("map") || a.what.starts_with("list");
                let both_absent = a.start == a.end && b.start == b.end && !is_collection;
                let is_unindented = a.what.starts_with("list") && text[a.start..].starts_with('-');
                let same_place = is_unindented || a.start == b.start && (a.end == b.end || is_collection);
                let same_node = (&a.what, &a.text) == (&b.what, &b.text);
                same_node && (same_place || both_absent || a.what == "DocumentEnd")
            };
            let first = pairs.find(|(a, b)| !same(a, b)).map(|(a, b)| format!("{a:?} {b:?}"));
            let counts = (ours.len(), our_events.len()) != (theirs.len(), their_events.len());
            first.or_else(|| counts.then(|| "not as many events".to_owned()))
        }
        (Err(_), Err(_)) | (Err(Reason::Shallow | Reason::Tab), Ok(_)) => None,
        (Err(Reason::MapHere | Reason::ListHere), Ok(_))
            if text.lines().any(|line| line.trim_start_matches([' ', '-', '?']).starts_with(':')) =>
        {
            None
        }
        (Err(Reason::Sign), Ok(_)) if text.contains("?,") => None,
        (Ok(_), Err(error)) if text.contains('#') && error.contains("expected ',' or '}'") => None,
        (Ok(_), Err(error)) if error.contains("illegal placement of ':'") => None,
        (Err(reason), Ok(_)) => Some(format!("only ours refuses: {reason:?}")),
        (Ok(_), Err(error)) => Some(format!("only theirs refuses: {error}")),
    }
}

fn vectors() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors");
    let mut texts = Vec::new();
    for name in ["yaml", "hiera", "jet_manifests", "hiera_multi"] {
        for line in std::fs::read_to_string(format!("{folder}/{name}.jsonl")).unwrap().lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = ["yaml", "manifest", "overriding"].iter().filter_map(|name| case[*name].as_str());
            texts.extend(text.map(str::to_owned));
        }
    }
    texts
}

#[test]
fn all_vectors_give_the_same_events_at_the_same_places() {
    let texts = vectors();
    assert!(texts.len() > 1_000);
    let found: Vec<String> =
        texts.iter().filter_map(|text| difference(text).map(|found| format!("{text:?}: {found}"))).collect();
    assert!(found.is_empty(), "{} differ\n{}", found.len(), found.join("\n"));
}

/// A small generator: the same texts every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

const PIECES: &[&str] = &[
    " ", "  ", "\n", "\t", "- ", ": ", ":", "? ", "# c\n", " #", ",", "[", "]", "{", "}", "\"", "'", "|\n", ">-\n",
    "&a ", "*a", "!!str ", "!x", "---\n", "...\n", "%", "a", "\\", "\r\n", "a: ", "\n  ", "é", "~", "<<: ",
];

fn mutate(text: &str, dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.roll(3) {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = ends[dice.roll(ends.len())];
        let end = ends[dice.roll(ends.len())].min(at + 8).max(at);
        let end = if dice.roll(2) == 0 || !text.is_char_boundary(end) { at } else { end };
        let piece = if dice.roll(3) == 0 { "" } else { PIECES[dice.roll(PIECES.len())] };
        text.replace_range(at..end, piece);
    }
    text
}

#[test]
fn damaged_vectors_give_the_same_events_too() {
    let rounds = std::env::var("CCM_MUTATIONS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let texts: Vec<String> = vectors().into_iter().filter(|text| text.len() < 400).collect();
    let mut dice = Dice(7);
    let (mut found, mut all) = (Vec::new(), 0);
    for _ in 0..rounds {
        for text in &texts {
            let text = mutate(text, &mut dice);
            all += 1;
            found.extend(difference(&text).map(|found| format!("{text:?}: {found}")));
        }
    }
    assert!(found.is_empty(), "{} of {all} differ\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_text_has_more_values_or_comments_than_was_told_before() {
    let mut dice = Dice(11);
    for text in vectors().iter().flat_map(|text| [text.clone(), mutate(text, &mut dice)]) {
        let seen = ours(&text).unwrap_or_default();
        let comments = seen.iter().filter(|seen| seen.what.starts_with("comment")).count();
        let ends = seen.iter().filter(|seen| seen.what.ends_with("End")).count();
        let values = seen.len() - comments - ends;
        let most = at_most(&text);
        assert!(values <= most && comments <= most, "{values} values, {comments} comments, not {most}: {text:?}");
    }
}
