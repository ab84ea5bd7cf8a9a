//! Nothing quadratic: twice the input is at most 2.2 times the work, counted in instructions, not in time.
//!
//! Each shape is an input that can grow in one direction. `cargo xtask bench --linear` runs this program under
//! callgrind, which counts what [`counted`] does for `n` parts and for `2 n`; without callgrind it only shows that
//! every shape is still accepted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]

use std::panic::AssertUnwindSafe;

mod data;
mod languages;
#[path = "../engine/machine.rs"]
#[allow(dead_code)]
mod machine;
mod runs;

/// What is to be counted, its input made.
pub(crate) type Work = Box<dyn FnMut()>;

/// An input that can grow.
pub(crate) struct Shape {
    pub(crate) name: String,
    /// So many parts first, then twice as many.
    pub(crate) parts: usize,
    pub(crate) make: Box<dyn Fn(usize) -> Work>,
}

impl Shape {
    /// A shape of a text that a reader takes.
    pub(crate) fn text(name: &str, parts: usize, text: impl Fn(usize) -> String + 'static, read: fn(&str)) -> Self {
        Self::of(name, parts, text, move |text: &mut String| read(text))
    }

    /// A shape of anything.
    pub(crate) fn of<T: 'static>(
        name: &str,
        parts: usize,
        input: impl Fn(usize) -> T + 'static,
        run: impl Fn(&mut T) + Copy + 'static,
    ) -> Self {
        let make = move |parts| {
            let mut input = input(parts);
            Box::new(move || run(&mut input)) as Work
        };
        Self { name: name.to_owned(), parts, make: Box::new(make) }
    }
}

/// A line for each part.
pub(crate) fn lines(parts: usize, line: impl Fn(usize) -> String) -> String {
    (0..parts).map(line).collect()
}

/// The same with commas between.
pub(crate) fn listed(parts: usize, item: impl Fn(usize) -> String) -> String {
    (0..parts).map(item).collect::<Vec<_>>().join(",")
}

/// `xtask` knows this name: callgrind counts while it runs and notes the sum when it returns.
#[inline(never)]
fn counted(work: &mut Work) {
    work();
}

/// What is quadratic, to show that the counting notices.
fn pairs(parts: usize) -> Work {
    let items: Vec<usize> = (0..parts).collect();
    Box::new(move || {
        let equal = items.iter().filter(|a| items.iter().filter(|b| std::hint::black_box(a) == b).count() > 1).count();
        assert_eq!(equal, 0);
    })
}

fn main() {
    let mut shapes = vec![Shape { name: "control: pairs".to_owned(), parts: 200, make: Box::new(pairs) }];
    shapes.extend(languages::shapes());
    shapes.extend(data::shapes());
    shapes.extend(runs::shapes());
    // A filter as of any test, and how many times as many parts; cargo's own flags are none.
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    let wanted = words.next().unwrap_or_default();
    let factor = words.next().map_or(1, |word| word.parse().expect("how many times as many parts"));
    let mut refused = Vec::new();
    for shape in shapes.iter().filter(|shape| shape.name.contains(&wanted)) {
        println!("{}", shape.name);
        for parts in [shape.parts * factor, shape.parts * factor * 2] {
            let mut work = (shape.make)(parts);
            if std::panic::catch_unwind(AssertUnwindSafe(|| counted(&mut work))).is_err() {
                refused.push(&*shape.name);
            }
        }
    }
    assert!(refused.is_empty(), "not answered: {}", refused.join("; "));
}
