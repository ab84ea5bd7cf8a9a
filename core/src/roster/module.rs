//! What a module brings: facts, each a file's path and the template of its text, and resources that come after them.
//!
//! A module manifest is checked where it is read: its templates are parsed and held against the shape of the view,
//! so that a field the view lacks is refused before there is a mesh.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::origin::Origin;
use super::record::is_module_name;
use super::strict::Strict;
use super::view::SHAPE;
use crate::error::Error;
use crate::gotmpl::{Options, Template};
use crate::span::{Site, Source};
use crate::text::path;
use crate::value::Text;
use crate::yaml::{self, Document, Entry, Limits, Node};

/// The modules that come with the program: name and manifest.
pub const BUILT_IN: [(&str, &str); 1] = [("network", include_str!("network.yaml"))];

/// A module manifest without faults.
#[derive(Debug)]
pub struct Module {
    /// The module's name.
    pub name: Text,
    /// The files it wants, in the order written.
    pub facts: Vec<Fact>,
    /// The ccm resources that come after them, as written.
    pub resources: Vec<Node>,
}

/// A file that carries the roster in the syntax of some software.
#[derive(Debug)]
pub struct Fact {
    /// The name that the module chose.
    pub name: Text,
    /// The file.
    pub path: Text,
    /// What it holds.
    pub template: Template,
    /// The fact is a region of the file, the rest is somebody else's.
    pub shared: bool,
    /// A user.
    pub owner: Option<Text>,
    /// A group.
    pub group: Option<Text>,
    /// Octal digits as written.
    pub mode: Option<Text>,
    /// Where the fact stands.
    pub site: Site,
    /// Where its template stands.
    pub origin: Origin,
}

impl Module {
    /// Reads a module manifest from its text.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(name: &str, source: &Source) -> Result<Self, Vec<Error>> {
        match yaml::read(source, &Limits::default()) {
            Ok(document) => Self::read(name, &document),
            Err(error) => Err([error.doing(format!("module {name}"))].into()),
        }
    }

    /// Reads a module manifest.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(name: &str, document: &Document) -> Result<Self, Vec<Error>> {
        let mut reader = Strict::new(document);
        let mut module = Self { name: name.into(), facts: Vec::new(), resources: Vec::new() };
        if !is_module_name(name) {
            reader.fault(document.root().span, format!("{name:?} is no name of a module: letters, digits, . _ and -"));
        }
        for entry in reader.known(document.root(), "the module manifest", &["facts", "resources"]) {
            match &*entry.key {
                "facts" => {
                    for entry in reader.entries(&entry.value, "facts") {
                        module.facts.extend(read_fact(&mut reader, entry));
                    }
                }
                "resources" => module.resources = resources(&mut reader, &entry.value),
                _ => {}
            }
        }
        if reader.faults.is_empty() {
            return Ok(module);
        }
        Err(reader.faults.into_iter().map(|fault| fault.doing(format!("module {name}"))).collect())
    }

    /// The fact of this name.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| &*fact.name == name)
    }
}

const KEYS: [&str; 6] = ["path", "template", "shared", "owner", "group", "mode"];

fn read_fact(reader: &mut Strict<'_>, entry: &Entry) -> Option<Fact> {
    let before = reader.faults.len();
    let fact = read_members(reader, entry);
    let what = format!("fact {}", entry.key);
    let faults = reader.faults.split_off(before);
    reader.faults.extend(faults.into_iter().map(|fault| fault.doing(what.clone())));
    fact
}

fn read_members(reader: &mut Strict<'_>, entry: &Entry) -> Option<Fact> {
    let (name, node) = (&entry.key, &entry.value);
    if !is_module_name(name) {
        reader.fault(entry.span, format!("{name:?} is no name of a fact: letters, digits, . _ and -"));
    }
    if let Some(text) = node.text().filter(|_| !node.is_null()) {
        reader.fault(node.span, old_form(name, text));
        return None;
    }
    let (mut wanted_path, mut template) = (None, None);
    let (mut shared, mut owner, mut group, mut mode) = (false, None, None, None);
    for member in reader.known(node, "a fact", &KEYS) {
        let value = &member.value;
        match &*member.key {
            "path" => wanted_path = read_path(reader, value),
            "template" => template = read_template(reader, value),
            "shared" => shared = reader.flag(value, "shared"),
            "owner" => owner = plain(reader, value, "owner"),
            "group" => group = plain(reader, value, "group"),
            "mode" => mode = read_mode(reader, value),
            _ => {}
        }
    }
    for wanted in ["path", "template"] {
        if node.get(wanted).is_none() {
            reader.fault(entry.span, format!("{wanted} is missing"));
        }
    }
    let (template, origin) = template?;
    let (path, site) = (wanted_path?, reader.site(entry.span));
    Some(Fact { name: name.clone(), path, template, shared, owner, group, mode, site, origin })
}

/// A fact was once a path, and the program knew the format; now the module brings it.
fn old_form(name: &str, text: &str) -> String {
    format!(
        "a path alone is the old form and has no template; write {name}: {{path: {text}, template: \"{{{{ range .Names }}}}…{{{{ end }}}}\"}}"
    )
}

fn read_path(reader: &mut Strict<'_>, node: &Node) -> Option<Text> {
    let text = plain(reader, node, "path")?;
    if !path::is_absolute(&text) || path::clean(&text) != *text {
        reader.fault(node.span, format!("path must be absolute and without . or .. or doubled /, found {text}"));
        return None;
    }
    Some(text)
}

fn read_mode(reader: &mut Strict<'_>, node: &Node) -> Option<Text> {
    let text = plain(reader, node, "mode")?;
    let digits = text.strip_prefix("0o").unwrap_or(&text);
    if !(3..=4).contains(&digits.len()) || !digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit)) {
        reader.fault(node.span, format!("mode must be three or four octal digits, found {text}"));
        return None;
    }
    Some(digits.into())
}

/// Text that ccm's own expressions must not find anything in: what a module says is not evaluated.
fn plain(reader: &mut Strict<'_>, node: &Node, what: &str) -> Option<Text> {
    let text = reader.line(node, what)?.clone();
    if text.contains("{{") || text.contains("${") {
        reader.fault(node.span, format!("{what} of a fact takes no expressions, found {text}"));
        return None;
    }
    Some(text)
}

fn read_template(reader: &mut Strict<'_>, node: &Node) -> Option<(Template, Origin)> {
    let Some(text) = node.shared_text().filter(|_| !node.is_null()) else {
        reader.fault(node.span, format!("template must be text, found {}", node.kind()));
        return None;
    };
    let origin = Origin::new(reader.document, node);
    let faults = match Template::parse(&Source::anonymous(text.clone()), &Options::default()) {
        Ok(template) => {
            let faults = template.check(&SHAPE);
            if faults.is_empty() {
                return Some((template, origin));
            }
            faults
        }
        Err(fault) => [fault].into(),
    };
    reader.faults.extend(faults.into_iter().map(|fault| origin.place(fault)));
    None
}

fn resources(reader: &mut Strict<'_>, node: &Node) -> Vec<Node> {
    if node.is_null() {
        return Vec::new();
    }
    let Some(items) = node.items() else {
        reader.fault(node.span, format!("resources must be a list, found {}", node.kind()));
        return Vec::new();
    };
    for item in items {
        if item.entries().is_none_or(<[_]>::is_empty) {
            reader.fault(item.span, format!("a resource must be a map of its type, found {}", item.kind()));
        }
    }
    items.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn refusals(text: &str) -> Vec<String> {
        let source = Source::new("module.yaml", text);
        Module::parse("m", &source).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_comes_with_the_program_is_a_module_like_any_other() {
        for (name, text) in BUILT_IN {
            let module = Module::parse(name, &Source::new(name, text)).unwrap();
            assert_eq!(&*module.fact("node-names").unwrap().path, "/etc/hosts");
        }
    }

    #[test]
    fn the_old_form_is_refused_with_what_to_write() {
        let faults = refusals("facts: {node-names: /etc/hosts}");
        assert!(faults[0].contains("write node-names: {path: /etc/hosts, template:"), "{faults:?}");
    }

    #[test]
    fn an_unknown_field_is_refused_with_module_fact_position_and_the_fields_there_are() {
        let faults = refusals(
            "facts:\n  zones:\n    path: /etc/z\n    template: \"{{ range .Names }}{{ .Adress }}{{ end }}\"\n",
        );
        assert_eq!(
            faults,
            [
                "module m: fact zones: unknown field Adress of mesh.Entry, did you mean Address? It has Name, FQDN, Address (module.yaml:4:37)"
            ]
        );
    }

    #[test]
    fn every_fault_of_a_manifest_is_told() {
        let faults = refusals(
            "facts:\n  a: {path: etc/a, template: x, mode: '999'}\n  b: {template: '{{', sahred: true}\n  c: {path: '/${x}', template: x}\nresources: [1]\nfact: {}\n",
        );
        let starts = [
            "module m: fact a: path must be absolute",
            "module m: fact a: mode must be",
            "module m: fact b: unknown key sahred of a fact, did you mean shared?",
            "module m: fact b: unclosed action (module.yaml:3:20)",
            "module m: fact b: path is missing",
            "module m: fact c: path of a fact takes no expressions",
            "module m: a resource must be a map",
            "module m: unknown key fact of the module manifest, did you mean facts?",
        ];
        for start in starts {
            assert!(faults.iter().any(|fault| fault.starts_with(start)), "{start}: {faults:#?}");
        }
        assert_eq!(faults.len(), starts.len(), "{faults:#?}");
    }
}
