//! Expressions, and the fields of a resource that hold them.

use ccm_core::Result;
use ccm_core::expr::Program;
use ccm_core::host::memory::Memory;
use ccm_core::names::{Fuel, NoFunctions, Scope};
use ccm_core::render::{Env, World};
use ccm_core::span::Source;
use ccm_core::value::Map;

use crate::attack::{
    Expected::{Answer, Cheap, Limit},
    Language, Row, data, nest, s, variables, vectors,
};

pub const LANGUAGES: &[Language] = &[
    Language { name: "expression", run: expression, rows: expressions },
    Language { name: "field", run: field, rows: fields },
];

fn expression(source: &Source) -> Result<()> {
    let (variables, fuel) = (variables(), Fuel::new());
    let scope = Scope { variables: &variables, functions: &NoFunctions, fuel: &fuel };
    Program::compile(source, &scope)?.evaluate_value(&scope).map(drop)
}

/// A field of a resource, with all functions.
fn field(source: &Source) -> Result<()> {
    let world = World::new(data(), data(), Map::new()).in_directory("/work");
    let machine = Memory::new()
        .with_file("/work/self.templ", "{{ template('self.templ') }}")
        .with_file("/work/twice.templ", "{{ template('twice.templ') }}{{ template('twice.templ') }}")
        .with_file("/work/guarded.templ", "{{ repeat('x', 1000) + (template('self.templ') ?? 'x') }}")
        .with_file("/work/self.jet", "[[ template(\"self.jet\") ]]")
        .with_file(
            "/work/caught.jet",
            "[[ try ]][[ template(\"caught.jet\") ]][[ end ]][[ try ]][[ template(\"caught.jet\") ]][[ end ]]",
        )
        .with_file("/work/large.txt", "x".repeat(1 << 20));
    Env::new(&world, &machine).strict_typed(source.text()).map(drop)
}

fn expressions() -> Vec<Row> {
    let mut rows: Vec<Row> = vec![
        ("a range beyond all bounds", Limit, s("1..9223372036854775807")),
        ("a range of a million and one", Limit, s("1..1000001")),
        ("ranges in a list", Limit, s("[1..300000, 1..300000, 1..300000, 1..300000]")),
        ("lists of a mapped range", Limit, s("map(1..400000, [#])")),
        ("maps of a mapped range", Limit, s("map(1..400000, {{a: #}})")),
        ("texts of a mapped range", Cheap, s("map(1..300000, string(#))")),
        ("text that doubles", Limit, format!("let a0 = 'x'; {}a39", lets(40, |at| format!("a{0} + a{0}", at - 1)))),
        (
            "lists that double",
            Limit,
            format!("let a0 = ['x']; {}a39", lets(40, |at| format!("concat(a{0}, a{0})", at - 1))),
        ),
        (
            "shared lists that double",
            Limit,
            format!("let a0 = ['x']; {}a39", lets(40, |at| format!("[a{0}, a{0}]", at - 1))),
        ),
        ("text that doubles in reduce", Limit, s("reduce(1..60, #acc + #acc, 'x')")),
        ("text that grows in reduce", Limit, s("reduce(1..100000, #acc + 'xxxxxxxxxxxxxxxx', '')")),
        ("text that is repeated in reduce", Limit, s("reduce(1..1000, repeat(#acc, 10), 'x')")),
        ("repeat of much", Limit, s("repeat('x', 9223372036854775807)")),
        ("repeat of long text", Limit, s("repeat(repeat('x', 900000), 900000)")),
        ("repeats in a loop", Limit, s("map(1..1000, repeat('x', 100000))")),
        ("repeats that are forgotten", Limit, s("reduce(1..100000, len(repeat('x', 10000)), 0)")),
        ("join of a long list with long glue", Limit, s("join(map(1..10000, 'x'), repeat('y', 100000))")),
        ("split into characters", Cheap, s("split(repeat('x', 900000), '')")),
        ("split into characters, in a loop", Limit, s("map(1..1000, split(Data.text, ''))")),
        ("replace that grows", Limit, s("replace(repeat('x', 100000), 'x', repeat('y', 100000))")),
        ("replace of nothing", Limit, s("replace(repeat('x', 900000), '', repeat('y', 100000))")),
        ("replace again and again", Limit, s("reduce(1..100, replace(#acc, 'x', 'xx'), 'x')")),
        ("upper in a loop", Limit, s("reduce(1..1000000, len(upper(Data.text)), 0)")),
        ("trim with a long set", Cheap, s("trim(repeat('x', 500000), repeat('y', 400000))")),
        ("trim in a loop", Limit, s("reduce(1..100000, len(trim(Data.text, Data.text)), 0)")),
        ("search in a loop", Limit, s("reduce(1..100000, #acc + indexOf(Data.text, 'zz'), 0)")),
        ("contains in a loop", Limit, s("count(1..500000, Data.text contains 'zz')")),
        ("len of text in a loop", Limit, s("reduce(1..500000, len(Data.text), 0)")),
        ("membership in a loop", Limit, s("count(1..500000, -1 in Data.numbers)")),
        ("equality of lists in a loop", Limit, s("count(1..500000, Data.numbers == Data.numbers)")),
        ("flatten in a loop", Limit, s("map(1..10000, flatten([Data.numbers, Data.numbers]))")),
        ("reverse in a loop", Limit, s("reduce(1..100000, len(reverse(Data.numbers)), 0)")),
        ("concat in a loop", Limit, s("reduce(1..100000, concat(#acc, Data.numbers), [])")),
        ("uniq of lists", Cheap, s("uniq(map(1..20000, [#]))")),
        ("groupBy with a group each", Cheap, s("groupBy(1..300000, #)")),
        ("groupBy by text", Cheap, s("groupBy(1..300000, string(#))")),
        ("sortBy of a long list", Cheap, s("sortBy(1..400000, -#)")),
        ("sort in a loop", Limit, s("reduce(1..10000, len(sort(reverse(Data.numbers))), 0)")),
        ("max in a loop", Limit, s("reduce(1..100000, max(Data.numbers), 0)")),
        ("sum in a loop", Limit, s("reduce(1..100000, sum(Data.numbers), 0)")),
        ("median in a loop", Limit, s("reduce(1..100000, median(Data.numbers), 0)")),
        ("toJSON in a loop", Limit, s("reduce(1..100000, len(toJSON(Data)), 0)")),
        ("fromJSON in a loop", Limit, s("let j = toJSON(Data); reduce(1..100000, len(fromJSON(j)), 0)")),
        ("toJSON of what toJSON made", Limit, s("reduce(1..60, toJSON(#acc), '\\\\')")),
        ("base64 of base64", Limit, s("reduce(1..100, toBase64(#acc), 'xxx')")),
        ("string of all data in a loop", Limit, s("reduce(1..100000, len(string(Data)), 0)")),
        ("pairs in a loop", Limit, s("reduce(1..100000, len(toPairs(Data)), 0)")),
        ("keys in a loop", Limit, s("reduce(1..1000000, len(keys(Data)), 0)")),
        (
            "dates in a loop",
            Limit,
            s("reduce(1..1000000, date('2024-02-30T10:00:00Z', '2006-01-02T15:04:05Z') != nil ? 1 : 0, 0)"),
        ),
        (
            "a long layout in a loop",
            Limit,
            s("let l = repeat('2006-01-02 ', 9000); reduce(1..100000, len(date('2024-01-02').Format(l)), 0)"),
        ),
        ("durations in a loop", Limit, s("reduce(1..1000000, duration('1h2m3s').Hours(), 0)")),
        ("a long duration", Cheap, s("duration(repeat('1h', 400000))")),
        ("powers", Cheap, s("reduce(1..100000, 2 ** #acc, 1)")),
        ("a search by a pattern in a loop", Limit, s("count(1..500000, Data.text matches '(a|b)*c')")),
        ("a pattern made in a loop", Limit, s("count(1..500000, Data.s matches ('a{' + string(# % 900) + '}b'))")),
        ("a pattern of many copies", Cheap, s("Data.s matches '((a{0,30}){0,30})b'")),
        ("a pattern of many nested copies", Cheap, s("Data.s matches '(((a{0,100}){0,100}){0,100})b'")),
        ("a pattern that goes back", Cheap, s("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' matches '(a*)*b'")),
        ("a pattern of 100,000 groups", Limit, format!("Data.s matches '{}'", nest(100_000, "(", "a", ")"))),
        ("a pattern of all letters a thousand times", Cheap, s("Data.s matches '\\\\pL{1000}'")),
        ("a search of long text", Limit, s("repeat('a', 900000) matches '(a|aa|aaa|aaaa){50}b'")),
        ("brackets", Limit, nest(100_000, "(", "1", ")")),
        ("lists in lists", Limit, nest(100_000, "[", "1", "]")),
        ("maps in maps", Limit, nest(100_000, "{a: ", "1", "}")),
        ("signs", Limit, nest(100_000, "-", "1", "")),
        ("nots", Limit, nest(100_000, "not ", "true", "")),
        ("conditions", Limit, nest(100_000, "true ? ", "1", " : 2")),
        ("conditions to the right", Limit, nest(100_000, "true ? 1 : ", "2", "")),
        ("powers of powers", Limit, nest(100_000, "2 ** ", "2", "")),
        ("a long sum", Limit, nest(100_000, "", "1", " + 1")),
        ("a long chain of members", Limit, nest(100_000, "", "Data", ".a")),
        ("a long chain of pipes", Limit, nest(100_000, "", "Data.numbers", " | map(#)")),
        ("a long list", Limit, format!("[{}1]", "1, ".repeat(1_000_000))),
        ("a long text", Cheap, format!("'{}'", "x".repeat(4 << 20))),
        ("a long name", Cheap, "x".repeat(4 << 20)),
        ("a long number", Cheap, "1".repeat(4 << 20)),
        ("a long comment", Cheap, format!("/*{}*/ 1", "x".repeat(4 << 20))),
        ("many lets", Limit, format!("{}1", (0..50_000).map(|at| format!("let a{at} = 1; ")).collect::<String>())),
        ("an unfinished long text", Cheap, format!("'{}", "\\u0041".repeat(500_000))),
        ("a million unknown tokens", Cheap, "@".repeat(1_000_000)),
        ("a million commas", Cheap, ",".repeat(1_000_000)),
        ("a long comparison", Limit, nest(100_000, "", "1", " < 2")),
        (
            "constant texts that double when folded",
            Limit,
            nest(5_000, "", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'", " + 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"),
        ),
        ("data nested by reduce", Limit, s("reduce(1..100000, [#acc], 0)")),
        ("times nested by reduce", Limit, s("reduce(1..100000, [#acc, duration('1h')], 0)")),
        ("a long list of times", Limit, s("map(1..900000, [duration('1h')])")),
        ("a range used many times", Limit, s("let r = 1..500000; map(1..100, sum(r))")),
    ];
    rows.extend(walks());
    // Three loops in each other, of every builtin that takes a predicate.
    for name in [
        "all",
        "none",
        "any",
        "one",
        "filter",
        "map",
        "count",
        "sum",
        "find",
        "findIndex",
        "findLast",
        "findLastIndex",
        "groupBy",
        "sortBy",
    ] {
        let inner = match name {
            "map" | "sum" | "groupBy" | "sortBy" => "#",
            "all" => "# > 0",
            _ => "# < 0",
        };
        let guard = match name {
            "map" | "groupBy" | "sortBy" => |inner: &str, name: &str| format!("len({name}(1..1000, {inner}))"),
            "sum" | "count" => |inner: &str, name: &str| format!("{name}(1..1000, {inner})"),
            "filter" => |inner: &str, name: &str| format!("len({name}(1..1000, {inner}))"),
            "find" | "findIndex" | "findLast" | "findLastIndex" => {
                |inner: &str, name: &str| format!("{name}(1..1000, {inner}) ?? 0")
            }
            _ => |inner: &str, name: &str| format!("({name}(1..1000, {inner}) ? 1 : 1)"),
        };
        let once = guard(inner, name);
        let compare = |body: &str| match name {
            "map" | "sum" | "groupBy" | "sortBy" => body.to_owned(),
            "all" => format!("({body}) >= 0"),
            _ => format!("({body}) < 0"),
        };
        let twice = guard(&compare(&once), name);
        rows.push((Box::leak(format!("nested {name}").into_boxed_str()), Limit, guard(&compare(&twice), name)));
    }
    rows.push(("nested reduce", Limit, s("reduce(1..1000, reduce(1..1000, reduce(1..1000, #acc + #, 0), 0), 0)")));
    rows.extend(of_vectors());
    rows
}

/// Data that is walked again and again, or larger than its parts; and what a manifest may well ask for.
fn walks() -> Vec<Row> {
    let long = "x".repeat(1 << 20);
    let texts = vec![format!("'{}'", "x".repeat(100_000)); 20].join(", ");
    let doubled = (1..21).map(|at| format!("let a{at} = [a{0}, a{0}]; ", at - 1)).collect::<String>();
    vec![
        ("a long key in a loop", Limit, s("let k = repeat('x', 900000); let m = {(k): 1}; count(1..90000, m[k] == 2)")),
        ("a long key asked for", Limit, s("let k = repeat('x', 900000); let m = {(k): 1}; count(1..90000, k in m)")),
        ("a long key got", Limit, s("let k = repeat('x', 900000); let m = {(k): 1}; count(1..90000, get(m, k) == 2)")),
        (
            "long texts compared",
            Limit,
            s("let a = repeat('x', 900000); let b = a + 'a'; let c = a + 'b'; count(1..90000, b == c)"),
        ),
        (
            "long texts ordered",
            Limit,
            s("let a = repeat('x', 900000); let b = a + 'a'; let c = a + 'b'; count(1..90000, b < c)"),
        ),
        (
            "long texts sorted",
            Limit,
            s("let a = repeat('x', 90000); let l = map(1..50, a + string(#)); count(1..90000, len(sort(l)) == 1)"),
        ),
        (
            "long texts told apart",
            Limit,
            s("let a = repeat('x', 90000); let l = map(1..50, a + string(#)); count(1..90000, len(uniq(l)) == 1)"),
        ),
        ("a set of long texts", Limit, format!("let a = {}; count(1..90000, a in [{texts}, 'y'])", "'z' + Data.text")),
        ("a long name in a loop", Limit, format!("let {long} = 1; count(1..900000, {long} == 2)")),
        ("a long member in a loop", Limit, format!("count(1..900000, Data.m.{long} == 2)")),
        ("a slice in a loop", Limit, s("let a = repeat('x', 900000); count(1..90000, len(a[1:]) == 2)")),
        (
            "two scripts in a loop",
            Limit,
            s("let a = repeat('\u{e9}\u{416}', 100000); count(1..90000, len(upper(a)) == 2)"),
        ),
        ("a number read in a loop", Limit, s("let a = repeat('0', 900000); count(1..90000, int(a) == 2)")),
        (
            "lists of durations in a loop",
            Limit,
            s("let l = [map(1..10000, duration('1s'))]; map(1..100000, len(first(l)))"),
        ),
        ("durations that double", Limit, format!("let a0 = [duration('1s')]; {doubled}a20")),
        ("a long range shared", Limit, s("let r = 1..900000; [r, r, r, r, r, r, r, r]")),
        ("a long range as JSON", Limit, s("toJSON(1..900000)")),
        ("a long range reversed", Limit, s("let r = 1..300000; [reverse(r), reverse(r), reverse(r)]")),
        ("JSON of many lists", Limit, s("fromJSON('[' + repeat('[],', 300000) + '[]]')")),
        ("JSON of many numbers", Limit, s("fromJSON('[' + repeat('1,', 450000) + '1]')")),
        ("pairs of pairs", Limit, s("fromPairs(map(1..300000, [#, #]))")),
        ("times in a list", Limit, s("let d = date('2024-01-01'); map(1..300000, d + duration('1s'))")),
        ("methods in a list", Limit, s("let d = duration('1s'); map(1..300000, d.Hours)")),
        ("a long range", Answer, s("len(1..999999)")),
        (
            "a loop that makes texts",
            Answer,
            s("len(map(1..10000, string(#) + 'a line of a file of about fifty characters, so far'))"),
        ),
        (
            "lines joined",
            Answer,
            s("len(join(map(1..10000, 'a line of a file of about fifty characters, so far'), ','))"),
        ),
        ("long texts added in a loop", Limit, s("let a = repeat('x', 900000); count(1..90000, a + 'b' == '')")),
        (
            "a text that grows by lines",
            Answer,
            s("len(reduce(1..2000, #acc + 'a line of a file of about fifty characters, so far', ''))"),
        ),
        ("a list that grows", Answer, s("len(reduce(1..1000, concat(#acc, [#]), []))")),
        ("records told apart", Answer, s("len(uniq(map(1..3000, {{a: #, b: {c: [#]}}})))")),
        ("names in names", Answer, s("let l = map(1..1000, string(#)); count(l, # in l)")),
        ("texts sorted", Answer, s("len(sort(map(1..20000, 'name' + string(50000 - #))))")),
    ]
}

fn fields() -> Vec<Row> {
    vec![
        ("a template of itself", Limit, s("{{ template('self.templ') }}")),
        ("a template of itself, twice", Limit, s("{{ template('twice.templ') }}")),
        ("a jet template of itself", Limit, s("{{ template('self.jet') }}")),
        ("a jet template that catches its own faults", Limit, s("{{ template('caught.jet') }}")),
        ("jet in a loop", Limit, s("{{ map(1..1000000, jet('[[ 1 ]]')) }}")),
        ("a file in a loop", Limit, s("{{ reduce(1..1000, len(file('large.txt')), 0) }}")),
        ("a lookup in a loop", Limit, s("{{ reduce(1..1000000, len(lookup('data.users.#.name')), 0) }}")),
        ("a costly lookup in a loop", Limit, s("{{ map(1..10000, lookup('data.numbers.#(>=0)#|@reverse')) }}")),
        ("a plain lookup in a loop", Limit, s("{{ reduce(1..1000000, lookup('data.m.a.b.c') == 'd' ? 1 : 2, 0) }}")),
        ("a lookup of large data in a loop", Limit, s("{{ map(1..100000, lookup('data')) }}")),
        ("a large text printed many times", Limit, "{{ repeat('x', 900000) }}".repeat(50)),
        ("all data printed many times", Limit, "{{ Data }}".repeat(10_000)),
        ("braces that never close", Cheap, "{{ ".repeat(300_000)),
        ("braces in braces", Cheap, nest(100_000, "{{ ", "1", " }}")),
        ("many expressions", Cheap, "{{ 1 }}".repeat(20_000)),
        ("dollars", Cheap, "${".repeat(300_000)),
        ("quotes in braces", Cheap, format!("{{{{ {}", "'\"".repeat(500_000))),
    ]
}

fn lets(count: usize, value: impl Fn(usize) -> String) -> String {
    (1..count).map(|at| format!("let a{at} = {}; ", value(at))).collect()
}

/// The group of the vectors that is about limits.
fn of_vectors() -> Vec<Row> {
    let expected = |case: &serde_json::Value| match case["error"]["kind"].as_str() {
        Some(kind) if kind.starts_with("limit") => Limit,
        Some(_) => Cheap,
        None => Answer,
    };
    let limits = vectors("expr").into_iter().filter(|case| case["group"] == "limits");
    limits
        .map(|case| {
            (
                format!("vector {}", case["id"].as_str().unwrap()).leak() as &str,
                expected(&case),
                s(case["expr"].as_str().unwrap()),
            )
        })
        .collect()
}
