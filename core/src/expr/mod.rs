//! Expressions: `Facts.os.family == "debian" and lookup("data.port", 80) > 1024`.
//!
//! The language is expr-lang 1.17.8 as the reference configures it. A [`Program`] is compiled once against a
//! [`Scope`], which says what names there are, and evaluated any number of times:
//!
//! ```
//! use ccm_core::expr::Program;
//! use ccm_core::names::{Fuel, NoFunctions, Scope};
//! use ccm_core::span::Source;
//! use ccm_core::value::json;
//!
//! let variables = [("Data", json::parse(r#"{"users": [{"name": "ann", "uid": 0}, {"name": "bob", "uid": 7}]}"#)?)];
//! let fuel = Fuel::new();
//! let scope = Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel };
//!
//! let text = r#"Data.users | filter(.uid > 0) | map(upper(.name)) | join(",")"#;
//! let program = Program::compile(&Source::anonymous(text), &scope)?;
//! assert_eq!(program.evaluate_value(&scope)?, "BOB".into());
//!
//! let fault = Program::compile(&Source::anonymous("Dta.users"), &scope).unwrap_err();
//! assert_eq!(fault.to_string(), "unknown name Dta, did you mean Data? (1:1)");
//! # Ok::<(), ccm_core::Error>(())
//! ```
//!
//! # From text to answer
//!
//! `lexer` gives tokens, `parser` a flat tree (`ast`), `check` names, arity and static kinds ([`nature`]), `fold`
//! the rewrites that change an answer, and `eval` with `loops` walks what is left; `ops` and `access` say what
//! operators and members do to a value ([`val`]), [`builtins`] is the table of functions, `print` turns a tree into text again.
//!
//! Static kinds matter although data is only known at run time: `1 == "1"` is refused when it is compiled,
//! `Data.i == "1"` is false. What the reference's types forget is forgotten here too, since its answers depend on it.
//!
//! # Bounds
//!
//! 10,000 nodes and 1,000,000 items of lists and maps, as in the reference; 64 levels of brackets, 100 of the tree,
//! so that 64 KiB of stack are enough; steps, bytes and the depth of templates in templates come out of the
//! [`Fuel`](crate::names::Fuel) of the scope. Every walk over text or data is paid for by its length, everything made
//! before it is made; what a turn of a loop made and did not keep is given back. A range is no list until it must be.
//!
//! # Where the answers differ from the reference
//!
//! Integers are of one kind, exact from -2^63 to 2^64-1. Sorting is stable. Text is UTF-8: a slice that would cut a character
//! is a fault. Keys of maps come in order. Two things that only make its evaluation different are kept, because
//! manifests may depend on them: `and` and `or` do not check their right side, and of two equal keys in a map literal the first wins.

use crate::error::Result;
use crate::error::expr::ExprFault;
use crate::names::Scope;
use crate::span::Source;
use crate::value::Value;

mod access;
mod ast;
pub mod builtins;
mod check;
mod eval;
mod fold;
mod groups;
mod lexer;
mod loops;
pub mod nature;
mod ops;
mod parser;
mod print;
mod show;
pub mod val;

pub use val::Val;

use ast::Ast;
use eval::Evaluator;
use nature::Nature;

/// A compiled expression.
pub struct Program {
    source: Source,
    ast: Ast,
}

impl Program {
    /// Reads and checks an expression. The scope says which names exist and which of them are maps; otherwise
    /// their values are not looked at.
    ///
    /// # Errors
    /// [`ExprFault`], sited in the source.
    pub fn compile(source: &Source, scope: &Scope<'_>) -> Result<Self> {
        Self::checked(source, scope).map(|(program, _)| program)
    }

    /// As [`Program::compile`], for an expression whose outcome must be true or false (`if`, `unless`).
    ///
    /// # Errors
    /// As [`Program::compile`]; also when the outcome is known to be no boolean.
    pub fn compile_bool(source: &Source, scope: &Scope<'_>) -> Result<Self> {
        let (program, nature) = Self::checked(source, scope)?;
        if nature == Nature::BOOL || nature.is_unknown() {
            Ok(program)
        } else {
            Err(ExprFault::ExpectedBool(nature.name()).into())
        }
    }

    fn checked(source: &Source, scope: &Scope<'_>) -> Result<(Self, Nature)> {
        let mut ast = parsed(source)?;
        let mut natures = check::check(&ast, source, scope)?;
        let nature = ast.root.map_or(Nature::UNKNOWN, |root| natures.of(root));
        fold::fold(&mut ast, &mut natures, source)?;
        Ok((Self { source: source.clone(), ast }, nature))
    }

    /// The outcome as the expression made it.
    ///
    /// # Errors
    /// [`ExprFault`], sited in the source; what functions of the scope find wrong.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Val> {
        Evaluator::new(&self.ast, &self.source, scope).run()
    }

    /// The outcome as plain data: times, durations and the like become text.
    ///
    /// # Errors
    /// As [`Program::evaluate`].
    pub fn evaluate_value(&self, scope: &Scope<'_>) -> Result<Value> {
        match self.evaluate(scope)? {
            // An outcome that is a range takes what it is.
            Val::Range(first, last) => Ok(Value::list((first..=last).map(Value::from).collect())),
            outcome => show::plain(&outcome, scope.fuel),
        }
    }

    /// The outcome as true or false; nil is false.
    ///
    /// # Errors
    /// As [`Program::evaluate`]; [`ExprFault::Conversion`] for anything else.
    pub fn evaluate_bool(&self, scope: &Scope<'_>) -> Result<bool> {
        let outcome = self.evaluate(scope)?;
        if ops::is_nil(&outcome) {
            return Ok(false);
        }
        outcome.as_bool().ok_or_else(|| {
            let start = crate::span::Span::point(0);
            crate::Error::from(ExprFault::Conversion("a boolean", outcome.kind())).at(self.source.at(start))
        })
    }
}

impl core::fmt::Debug for Program {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Program({:?})", self.source.text())
    }
}

/// The text of an expression, printed from its tree: it reads back as the same tree.
///
/// # Errors
/// [`ExprFault`] when the text is no expression.
pub fn reprint(source: &Source) -> Result<alloc::string::String> {
    let ast = printed(source)?;
    Ok(ast.root.map_or_else(Default::default, |root| print::print(&ast, root, source.text())))
}

/// Two texts are the same expression: their trees are alike, however they are written.
///
/// # Errors
/// [`ExprFault`] when one of them is no expression.
pub fn same_tree(a: &Source, b: &Source) -> Result<bool> {
    Ok(print::same((&printed(a)?, a.text()), (&printed(b)?, b.text())))
}

fn printed(source: &Source) -> Result<Ast> {
    parser::parse_printed(source.text()).map_err(|fault| crate::Error::from(fault.0).at(source.at(fault.1)))
}

fn parsed(source: &Source) -> Result<Ast> {
    parser::parse(source.text()).map_err(|fault| crate::Error::from(fault.0).at(source.at(fault.1)))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::names::{Fuel, NoFunctions};
    use crate::value::json;
    use alloc::format;
    use alloc::string::{String, ToString};

    fn data() -> Value {
        json::parse(r#"{"os": {"family": "debian"}, "ports": [80, 443], "name": null}"#).unwrap()
    }

    fn run_with(text: &str, fuel: &Fuel, data: Value) -> Result<Val> {
        let variables = [("Data", data)];
        let scope = Scope { variables: &variables, functions: &NoFunctions, fuel };
        Program::compile(&Source::anonymous(text), &scope)?.evaluate(&scope)
    }

    fn run(text: &str) -> Result<Val> {
        run_with(text, &Fuel::new(), data())
    }

    fn fault(text: &str) -> String {
        run(text).unwrap_err().to_string()
    }

    #[test]
    fn a_fault_names_the_thing_the_place_and_the_nearest_name() {
        assert_eq!(fault("Dta.os"), "unknown name Dta, did you mean Data? (1:1)");
        assert_eq!(fault("let port = 1; 2 + prot"), "unknown name prot, did you mean port? (1:19)");
        assert_eq!(fault("upper(Data.os.family) + lenn(1)"), "unknown name lenn, did you mean len? (1:25)");
        assert_eq!(fault("Data.os.family.x.y"), "text cannot become an integer (1:16)");
        assert_eq!(fault("1 +"), "unexpected end of the expression (EOF) (1:3)");
        assert_eq!(fault("duration(\"1h\").Hourz()"), "a duration has no member Hourz, did you mean Hours? (1:16)");
    }

    #[test]
    fn a_path_is_read_without_copying_and_missing_members_are_nil() {
        assert_eq!(run("Data.os.family").unwrap().as_text(), Some("debian"));
        assert!(run("Data.os.nothing").unwrap().is_nil());
        assert!(run("Data.name?.first.second").unwrap().is_nil());
    }

    /// Every shape that nests, nested as deep as is read and deeper: an answer or a fault, on a small stack. Built
    /// without optimisation frames are several times as large: what needs most of a mebibyte here takes 64 KiB there.
    #[test]
    fn no_depth_overflows_a_small_stack() {
        let shapes: &[(&str, &str, &str)] = &[
            ("(", "1", ")"),
            ("-", "1", ""),
            ("not ", "true", ""),
            ("[", "1", "]"),
            ("{a: ", "1", "}"),
            ("1 + (", "1", ")"),
            ("2 ** ", "2", ""),
            ("1 < (", "1", ") < 2"),
            ("true ? ", "1", " : 2"),
            ("true ? 1 : ", "2", ""),
            ("(true ?: ", "true", ")"),
            ("if true { ", "1", " } else { 2 }"),
            ("if false { 1 } else ", "if true { 1 } else { 2 }", ""),
            ("len([", "1", "])"),
            ("", "Data", "?.a"),
            ("", "Data", ".a"),
            ("", "Data", "[0]"),
            ("", "Data", "[1:]"),
            ("", "Data.f", ".f()"),
            ("", "Data.ports", " | map(#)"),
            ("map([1], ", "#", ")"),
            ("reduce([1, 2], [#acc, ", "#", "])"),
            ("any([1], {", "true", "})"),
            ("get(Data, string(", "1", "))"),
            ("Data[", "1", "]"),
            ("let a = (", "1", "); 2"),
            ("1; (", "2", ")"),
            ("", "1", " + 1"),
            ("", "1", " == 1"),
            ("", "Data.x", " and true"),
            ("", "Data.x", " in [Data.x]"),
        ];
        let all = move || {
            for (open, core, close) in shapes {
                for depth in [10, 30, 48, 70, 99, 100, 101, 149, 150, 151, 1000, 4000, 20_000] {
                    let text = format!("{}{core}{}", open.repeat(depth), close.repeat(depth));
                    if run(&text).is_ok() {
                        let source = Source::anonymous(text);
                        let again = Source::anonymous(reprint(&source).unwrap());
                        assert_eq!(same_tree(&source, &again).ok(), Some(true), "{}", again.text());
                    }
                }
            }
        };
        std::thread::Builder::new().stack_size(1 << 20).spawn(all).unwrap().join().unwrap();
    }

    #[test]
    fn reduce_cannot_nest_data_without_bound() {
        assert!(fault("reduce(1..100000, [#acc])").starts_with("data is nested deeper"));
        assert!(run("reduce(1..100, [#acc])").is_ok());
    }

    /// Steps of an expression over a list of this many items, made before they are counted.
    fn steps(text: &str, items: usize) -> u64 {
        let list: alloc::vec::Vec<Value> = (0..items).map(|at| Value::from((at * 7919 % items) as i64)).collect();
        let fuel = Fuel::new();
        let before = fuel.steps_left();
        run_with(text, &fuel, Value::list(list)).unwrap();
        before - fuel.steps_left()
    }

    #[test]
    fn twice_the_data_takes_at_most_a_little_more_than_twice_the_steps() {
        let each = [
            "map(Data, # + 1)",
            "filter(Data, # > 5) | map(# * 2) | sum()",
            "sort(Data)",
            "sortBy(Data, -#)",
            "uniq(Data)",
            "uniq(map(Data, [#]) | map(#[0]))",
            "groupBy(Data, # % 7)",
            "groupBy(Data, #)",
            "reduce(Data, #acc + #, 0)",
            "flatten(map(Data, [#, [#]]))",
            "concat(Data, Data) | reverse() | len()",
            "map(Data, string(#)) | join(\",\") | split(\",\")",
            "toPairs(groupBy(Data, #)) | fromPairs() | keys()",
            "max(Data) + min(Data) + mean(Data) + median(Data)",
            "Data[1:] == Data[1:] and 5 in Data",
            "toJSON(Data) | fromJSON()",
            "repeat(\"a\", len(Data)) contains \"b\"",
            "map(Data, [#, {a: #}]) | uniq()",
            "Data[1:] | reverse() | sort(\"desc\") | first()",
            "indexOf(repeat(\"ab\", len(Data)), \"ba\") + len(upper(repeat(\"x\", len(Data))))",
            "repeat(\" \", len(Data)) | trim(\" \") | len()",
            "replace(repeat(\"ab\", len(Data)), \"a\", \"c\") == repeat(\"cb\", len(Data))",
            "repeat(\"a,\", len(Data)) | split(\",\") | join(\";\") | lower() | toBase64() | fromBase64()",
            "let l = map(Data, duration(string(#) + \"s\")); l == l and l[0] in l",
            "let t = repeat(\"y\", len(Data)); t + \"a\" < t + \"b\" and hasPrefix(t, t) and t in [t, 1]",
            "let l = \"2006-01-02 \"; date(\"2024-02-03\").Format(repeat(l, len(Data)))",
            "string(Data) + toJSON({a: Data}) matches \"zz\"",
            "keys(fromPairs(map(Data, [#, 1]))) == values(fromPairs(map(Data, [1, #])))",
            "sum(1..len(Data)) + count(1..len(Data), # > 5) + len(concat(1..len(Data), Data))",
        ];
        for text in each {
            let (once, twice) = (steps(text, 4000), steps(text, 8000));
            assert!(twice * 10 <= once * 22, "{text}: {once} steps, then {twice}");
        }
    }

    #[test]
    fn twice_the_expression_takes_at_most_a_little_more_than_twice_the_steps() {
        for (piece, glue) in [("Data[0]", " + "), ("len(Data)", " < "), ("Data[0] == 1", " or "), ("[Data]", " ?? ")] {
            let text = |count: usize| alloc::vec![piece; count].join(glue);
            let (once, twice) = (steps(&text(400), 2), steps(&text(800), 2));
            assert!(twice * 10 <= once * 22, "{piece}: {once} steps, then {twice}");
        }
    }

    #[test]
    fn a_middle_of_a_chain_of_comparisons_is_evaluated_once() {
        let nested = |depth: usize| format!("{}1{}", "0 < (".repeat(depth), " < 2 ? 1 : 1) < 2".repeat(depth));
        assert!(steps(&nested(20), 1) * 10 <= steps(&nested(10), 1) * 22);
    }
}
