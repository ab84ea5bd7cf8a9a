//! The functions that reach beyond a language: `lookup`, `file`, `template` and their kin, written
//! once over plain values. All three languages call them through [`Functions`].

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Env, Missing, Pass, Printed};
use crate::error::{Error, RenderFault, Result};
use crate::jet::{self, Delimiters};
use crate::names::{Fuel, Functions, Scope, Signature};
use crate::span::Source;
use crate::text::path;
use crate::value::{Value, lookup};

/// Bytes of one file that a template may read.
const FILE_LIMIT: u64 = 64 << 20;

/// Any number of arguments: the count is checked when the function is called, as in the reference.
const fn any(name: &'static str) -> Signature {
    Signature::any(name, 0, u8::MAX)
}

const ALL: &[Signature] =
    &[any("lookup"), any("file"), any("readFile"), any("template"), any("jet"), any("kvGet"), any("registrations")];

impl Functions for Env<'_> {
    fn signatures(&self) -> &[Signature] {
        match self.reach {
            Some(_) => ALL,
            None => ALL.get(..1).unwrap_or(ALL),
        }
    }

    fn call(&self, name: &str, arguments: &[Value], fuel: &Fuel) -> Result<Value> {
        match name {
            "lookup" => self.lookup(arguments, fuel),
            "file" => Ok(Value::from(self.read(text("file", arguments, 0)?, fuel)?)),
            "readFile" => Ok(Value::from(self.read(text("readFile", arguments, 0)?, fuel)?)),
            "template" => self.template(text("template", arguments, 0)?, fuel),
            "jet" => self.jet(arguments, fuel),
            "kvGet" => self.network("kvGet", "2 arguments: bucket and key", arguments, 2),
            "registrations" => {
                self.network("registrations", "4 arguments: cluster, protocol, service and address", arguments, 4)
            }
            _ => Err(Error::invalid(format!("function {name} is not available here"))),
        }
    }

    fn zone(&self, name: &str) -> Option<Vec<u8>> {
        self.clock.and_then(|clock| clock.zone(name))
    }

    fn now(&self) -> Option<(i64, u32)> {
        self.clock.map(|clock| clock.now()).map(|now| (now.seconds, now.nanos))
    }
}

impl Env<'_> {
    /// `lookup(path)`, `lookup(path, default)`: a null default is none.
    fn lookup(&self, arguments: &[Value], fuel: &Fuel) -> Result<Value> {
        between("lookup", "1 or 2 arguments", arguments, &[1, 2])?;
        let path = text("lookup", arguments, 0)?;
        let (found, nodes) = lookup::find_counted(&self.world.roots(), path)?;
        // A node takes about as long as two steps, and what was made has as many of them at most.
        let nodes = nodes as u64;
        fuel.step(nodes.saturating_mul(2))?;
        if let Some(value) = found {
            let made = value.most_bytes().min(nodes.saturating_mul(size_of::<Value>() as u64));
            fuel.allocate(usize::try_from(made).unwrap_or(usize::MAX))?;
            return Ok(value);
        }
        match (arguments.get(1), self.world.missing) {
            (Some(default), _) if !matches!(default, Value::Null) => Ok(default.clone()),
            (_, Missing::Empty) => Ok(Value::from("")),
            (_, Missing::Refused) => Err(RenderFault::LookupMissing { path: path.into() }.into()),
        }
    }

    /// The text of a file; a relative path starts at the working directory of the manifest.
    fn read(&self, path: &str, fuel: &Fuel) -> Result<String> {
        let Some(files) = self.reach else { return Err(RenderFault::Unavailable { function: "file" }.into()) };
        let full = path::resolve(self.world.directory(), path);
        let bytes = files.read(&full, FILE_LIMIT).map_err(|fault| fault.doing(format!("reading file {full}")))?;
        fuel.allocate(bytes.len())?;
        String::from_utf8(bytes).map_err(|_| Error::invalid(format!("file {full} is not UTF-8 text")))
    }

    /// `template(text)`: the text itself, or the file it names when it ends in `.templ` or `.jet`.
    fn template(&self, given: &str, fuel: &Fuel) -> Result<Value> {
        if extension(given) == ".jet" {
            return self.jet(&[Value::from(given)], fuel);
        }
        let _level = fuel.enter()?;
        let pass = Pass::new(fuel, Printed::AsNil);
        if extension(given) != ".templ" {
            return self.typed_with(given, &pass).map_err(|fault| fault.doing("in template()"));
        }
        let path = path::resolve(self.world.directory(), given);
        let source = Source::new(path, self.read(given, fuel)?);
        self.typed_with(source.text(), &Pass { origin: Some(&source), ..pass })
            .map_err(|fault| fault.doing(format!("in template {given}")))
    }

    /// `jet(template)` or `jet(template, left, right)`: a template, or the file it names when it ends in `.jet`.
    fn jet(&self, arguments: &[Value], fuel: &Fuel) -> Result<Value> {
        let delimiters = match arguments.len() {
            1 => Delimiters::default(),
            3 => Delimiters::new(text("jet", arguments, 1)?, text("jet", arguments, 2)?),
            given => {
                let takes = "1 or 3 arguments (a template, and perhaps two delimiters)";
                return Err(RenderFault::ArgumentCount { function: "jet", takes, given }.into());
            }
        };
        let given = text("jet", arguments, 0)?;
        let _level = fuel.enter()?;
        let source = match extension(given) {
            ".jet" => Source::new(path::resolve(self.world.directory(), given), self.read(given, fuel)?),
            _ => Source::anonymous(given),
        };
        self.jet_text(&source, &delimiters, fuel).map(Value::from).map_err(|fault| fault.doing("in jet()"))
    }

    /// What a jet template prints: it sees the roots of this environment and all of its functions but `jet`.
    ///
    /// # Errors
    /// A template that cannot be read or rendered, with its place in the source.
    pub fn jet_text(&self, source: &Source, delimiters: &Delimiters, fuel: &Fuel) -> Result<String> {
        let template = jet::Template::parse(source, delimiters)?;
        let offered = self.for_jet();
        template.render(&Scope { variables: self.world.variables(), functions: &offered, fuel })
    }

    fn network(&self, function: &'static str, takes: &'static str, arguments: &[Value], count: usize) -> Result<Value> {
        between(function, takes, arguments, &[count, count])?;
        for position in 0..count {
            text(function, arguments, position)?;
        }
        Err(RenderFault::Unavailable { function }.into())
    }
}

/// The extension of the last part of a path, with its dot.
fn extension(given: &str) -> &str {
    let name = given.rsplit('/').next().unwrap_or(given);
    name.rfind('.').and_then(|dot| name.get(dot..)).unwrap_or("")
}

/// Those functions of an environment that one of the template languages is given.
pub struct Offered<'e> {
    env: Env<'e>,
    names: &'static [&'static str],
    signatures: Vec<Signature>,
}

impl<'e> Env<'e> {
    /// What Jet templates may call: everything but `jet` itself.
    #[must_use]
    pub fn for_jet(&self) -> Offered<'e> {
        self.offered(&["lookup", "file", "readFile", "template", "kvGet", "registrations"])
    }

    /// What Go templates may call: everything but `template`, which is an action there.
    #[must_use]
    pub fn for_go(&self) -> Offered<'e> {
        self.offered(&["lookup", "file", "readFile", "jet", "kvGet", "registrations"])
    }

    fn offered(&self, names: &'static [&'static str]) -> Offered<'e> {
        let signatures =
            self.signatures().iter().filter(|signature| names.contains(&signature.name)).copied().collect();
        Offered { env: *self, names, signatures }
    }
}

impl Functions for Offered<'_> {
    fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    fn call(&self, name: &str, arguments: &[Value], fuel: &Fuel) -> Result<Value> {
        if self.names.contains(&name) {
            return self.env.call(name, arguments, fuel);
        }
        Err(Error::invalid(format!("function {name} is not available here")))
    }

    fn zone(&self, name: &str) -> Option<Vec<u8>> {
        self.env.zone(name)
    }

    fn now(&self) -> Option<(i64, u32)> {
        self.env.now()
    }
}

fn text<'v>(function: &'static str, arguments: &'v [Value], at: usize) -> Result<&'v str> {
    match arguments.get(at) {
        Some(Value::Text(text)) => Ok(text),
        other => Err(RenderFault::ArgumentKind {
            function,
            position: at.saturating_add(1),
            given: other.map_or("nothing", Value::kind),
        }
        .into()),
    }
}

fn between(function: &'static str, takes: &'static str, arguments: &[Value], bounds: &[usize; 2]) -> Result<()> {
    let given = arguments.len();
    let [least, most] = *bounds;
    if (least..=most).contains(&given) {
        return Ok(());
    }
    Err(RenderFault::ArgumentCount { function, takes, given }.into())
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::host::memory::Memory;
    use crate::render::World;
    use crate::value::json;
    use alloc::string::ToString;

    fn world() -> World {
        let data = json::parse(r#"{"i": 7, "greeting": "{{ Data.i }}"}"#).unwrap();
        World::new(Value::Null, data, Value::Null).in_directory("/work")
    }

    fn machine() -> Memory {
        Memory::new()
            .with_file("/work/hello.txt", "{{ Data.i }}\n")
            .with_file("/work/sub/typed.templ", " {{ Data.i }} ")
            .with_file("/work/list.jet", "[[ Data.i ]]!")
            .with_file("/work/self.templ", "{{ template('self.templ') }}")
            .with_file("/work/self.jet", "[[ template(\"self.jet\") ]]")
    }

    fn text(template: &str) -> String {
        let (world, machine) = (world(), machine());
        Env::new(&world, &machine).text(template).unwrap_or_else(|fault| fault.to_string())
    }

    #[test]
    fn an_extension_is_of_the_last_part() {
        assert_eq!(extension("a/b.templ"), ".templ");
        assert_eq!(extension("a.jet/b"), "");
        assert_eq!(extension(".templ"), ".templ");
    }

    #[test]
    fn files_are_text_and_templates_are_evaluated() {
        assert_eq!(text("{{ file('hello.txt') }}"), "{{ Data.i }}\n");
        assert_eq!(text("{{ template('sub/../sub/typed.templ') + 1 }}"), "8");
        assert_eq!(text("{{ template('list.jet') }} {{ jet('<< Data.i >>', '<<', '>>') }}"), "7! 7");
    }

    #[test]
    fn a_fault_in_a_template_file_has_its_place_there() {
        let (world, machine) = (world(), machine().with_file("/work/bad.templ", "a\n b {{ nope }}"));
        let fault = Env::new(&world, &machine).text("{{ template('bad.templ') }}").unwrap_err();
        let sites: Vec<String> = fault.sites().iter().map(ToString::to_string).collect();
        assert_eq!(sites, ["1:1", "/work/bad.templ:2:7", "1:1"]);
    }

    #[test]
    fn what_an_expression_gives_is_not_evaluated_again() {
        assert_eq!(text("{{ Data.greeting }} ${ lookup('data.greeting') }"), "{{ Data.i }} {{ Data.i }}");
    }

    #[test]
    fn a_template_that_calls_itself_is_stopped_within_a_small_stack() {
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let told = small.spawn(|| [text("{{ template('self.templ') }}"), text("{{ template('self.jet') }}")]);
        for told in told.unwrap().join().unwrap() {
            assert!(told.contains("call each other too deeply"), "{told}");
        }
    }

    #[test]
    fn data_that_sharing_makes_cheap_is_bounded() {
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let told = small.spawn(|| {
            [
                "{{ reduce(1..100000, [#acc], 0) }}",
                "{{ reduce(1..100000, [{'a': #acc, 'b': now()}], 0) }}",
                "{{ reduce(1..60, [#acc, #acc], 'x') }}",
                "{{ len(reduce(1..60, [#acc, #acc, now()], 0)) }}",
                r#"{{ jet("[[ x := 0 ]][[ range i := ints(0, 100000) ]][[ x = slice(x, x) ]][[ end ]]") }}"#,
                r#"{{ jet("[[ x := map() ]][[ range i := ints(0, 100000) ]][[ x.a = x ]][[ end ]]") }}"#,
            ]
            .map(text)
        });
        for told in told.unwrap().join().unwrap() {
            let bounds = ["data is nested deeper", "data is larger", "makes more than", "takes more than"];
            assert!(bounds.iter().any(|bound| told.contains(bound)), "{told}");
        }
    }

    #[test]
    fn the_sandbox_has_lookup_and_nothing_else() {
        let world = World::sandbox(json::parse(r#"{"os": "debian"}"#).unwrap());
        let env = Env::confined(&world);
        assert_eq!(env.text("{{ lookup('facts.os') }}{{ lookup('facts.nope') }}").unwrap(), "debian");
        for call in ["file('/etc/passwd')", "template('x')", "jet('x')", "kvGet('a', 'b')"] {
            assert!(env.evaluate(call).is_err(), "{call}");
        }
    }
}
