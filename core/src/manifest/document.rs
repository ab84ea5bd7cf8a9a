//! A manifest as written: its sections, each with its place, nothing evaluated.
//!
//! Keys that nobody knows are refused here (`DECISIONS.md` P4), since a typing error that passes in
//! silence leaves a machine half described; top-level keys that begin with `x-` are the author's own.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::span::{Site, Source, Span};
use crate::text::nearest::hint;
use crate::value::{Text, Value};
use crate::yaml::{self, Entry, Limits, Node};

/// What to do about a key that means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// An error with the nearest known key.
    #[default]
    Refuse,
    /// The same text as a warning (`NO_SCHEMA_VALIDATION=1`).
    Warn,
}

/// A manifest's sections.
#[derive(Debug)]
pub struct Document {
    /// The whole document: `data`, `hierarchy` and `overrides` are hiera's to read.
    pub yaml: yaml::Document,
    /// Text to show before the run, with its place.
    pub pre_message: Option<Message>,
    /// Text to show after a run without errors.
    pub post_message: Option<Message>,
    /// The first failed resource ends the run.
    pub fail_on_error: bool,
    /// Where the resources are.
    pub resources: Resources,
    /// What was let pass but is worth telling.
    pub warnings: Vec<Error>,
}

/// A text of a manifest that is shown to the user, expressions not yet evaluated.
#[derive(Debug, Clone)]
pub struct Message {
    /// The text.
    pub text: Text,
    /// The scalar.
    pub site: Site,
}

/// Resources written here, or in a jet template.
#[derive(Debug, Clone)]
pub enum Resources {
    /// `ccm.resources`
    Inline(Items),
    /// `ccm.resources_jet_file`: a path below the manifest's directory.
    Jet {
        /// The path as written; never a template.
        file: Text,
        /// The scalar.
        site: Site,
    },
}

/// Resources in the order written, both styles made one.
#[derive(Debug, Clone)]
pub struct Items {
    /// The text that the nodes are of.
    pub source: Source,
    /// The resources.
    pub list: Vec<Item>,
}

/// One resource, still untyped.
#[derive(Debug, Clone)]
pub struct Item {
    /// Which item of `resources` it is from, counted from 1: the reference names it in errors.
    pub number: u32,
    /// The type as written: `file`.
    pub kind: Text,
    /// Where the type stands, or in the list style the name.
    pub span: Span,
    /// The name, when the list style gives it by its key.
    pub name: Option<Text>,
    /// The properties: a map, or null in the list style.
    pub body: Node,
    /// The properties that a `defaults` item of the same list gives.
    pub defaults: Option<Node>,
}

const TOP: [&str; 4] = ["data", "hierarchy", "overrides", "ccm"];
const CCM: [&str; 5] = ["pre_message", "post_message", "fail_on_error", "resources", "resources_jet_file"];

impl Document {
    /// Reads the sections of a YAML or JSON text.
    ///
    /// # Errors
    /// What breaks the language or the form of a manifest, with its place.
    pub fn read(source: &Source, unknown: Unknown) -> Result<Self> {
        Self::of(yaml::read(source, &Limits::default())?, unknown)
    }

    fn of(yaml: yaml::Document, unknown: Unknown) -> Result<Self> {
        let mut warnings = Vec::new();
        let source = yaml.source().clone();
        let at = |span| source.at(span);
        let root = yaml.root();
        if root.is_null() {
            return Err(Error::invalid("the manifest is empty").at(at(root.span)));
        }
        let top = map(root, "a manifest", &source)?;
        let own = |entry: &&Entry| !entry.key.starts_with("x-");
        known(top.iter().filter(own), &TOP, "manifest", unknown, &source, &mut warnings)?;
        let ccm = root.get("ccm").ok_or_else(|| Error::invalid("the manifest has no section ccm").at(at(root.span)))?;
        let section = map(ccm, "section ccm", &source)?;
        known(section.iter(), &CCM, "section ccm", unknown, &source, &mut warnings)?;
        Ok(Self {
            pre_message: message(ccm, "pre_message", &source)?,
            post_message: message(ccm, "post_message", &source)?,
            fail_on_error: flag(ccm, "fail_on_error", &source)?,
            resources: Resources::of(ccm, &source)?,
            warnings,
            yaml,
        })
    }
}

impl Resources {
    fn of(ccm: &Node, source: &Source) -> Result<Self> {
        let inline = ccm.entry("resources");
        let jet = ccm.entry("resources_jet_file").filter(|entry| !entry.value.is_null());
        match (inline, jet) {
            (Some(_), Some(jet)) => {
                Err(Error::invalid("resources and resources_jet_file cannot be used together").at(source.at(jet.span)))
            }
            (Some(inline), None) => Items::of(&inline.value, source).map(Self::Inline),
            (None, Some(jet)) => {
                let site = source.at(jet.value.span);
                let file = jet.value.shared_text().filter(|path| !path.is_empty()).cloned();
                let file = file.ok_or_else(|| Error::invalid("resources_jet_file must be a path").at(site.clone()))?;
                Ok(Self::Jet { file, site })
            }
            (None, None) => Err(Error::invalid("the manifest must contain resources").at(source.at(ccm.span))),
        }
    }
}

impl Items {
    /// The resources of a list of a document: `ccm.resources`, or what a jet template printed.
    ///
    /// # Errors
    /// An item that is in neither style.
    pub fn of(list: &Node, source: &Source) -> Result<Self> {
        let items = list.items().ok_or_else(|| {
            let found = if list.is_null() { "nothing" } else { list.kind() };
            Error::invalid(format!("resources must be a list of resources, found {found}")).at(source.at(list.span))
        })?;
        if items.is_empty() {
            return Err(Error::invalid("the manifest must contain resources").at(source.at(list.span)));
        }
        let mut all = Self { source: source.clone(), list: Vec::with_capacity(items.len()) };
        for (number, node) in (1..).zip(items) {
            all.take(number, node).map_err(|error| error.doing(format!("resource item {number}")))?;
        }
        Ok(all)
    }

    /// One item of the list: a single resource, a list of named ones, or null, which is nothing.
    fn take(&mut self, number: u32, node: &Node) -> Result<()> {
        if node.is_null() {
            return Ok(());
        }
        let entry = match map(node, "a resource", &self.source)? {
            [entry] => entry,
            [] => return Err(Error::invalid("a resource needs a type").at(self.source.at(node.span))),
            [first, second, ..] => {
                let text = format!("one item holds one type, found {} and {}", first.key, second.key);
                return Err(Error::invalid(text).at(self.source.at(second.span)));
            }
        };
        match entry.value.items() {
            Some(named) => self.take_named(number, entry, named),
            None => {
                map(&entry.value, &format!("the resource of type {}", entry.key), &self.source)?;
                let (kind, body) = (entry.key.clone(), entry.value.clone());
                self.list.push(Item { number, kind, span: entry.span, name: None, body, defaults: None });
                Ok(())
            }
        }
    }

    /// The list style: each item is a name and its properties; `defaults` fills the others.
    fn take_named(&mut self, number: u32, of: &Entry, named: &[Node]) -> Result<()> {
        let wrong = |text: String, span| Err(Error::invalid(text).at(self.source.at(span)));
        if named.is_empty() {
            return wrong(format!("the list of {} resources is empty", of.key), of.value.span);
        }
        let mut entries = Vec::with_capacity(named.len());
        let mut defaults: Option<&Entry> = None;
        for node in named {
            let found = node.entries().unwrap_or_default();
            let [entry] = found else {
                let text =
                    format!("a {} of a list is one name with its properties, found {} keys", of.key, found.len());
                return wrong(text, node.span);
            };
            if !entry.value.is_null() {
                map(&entry.value, &format!("{}#{}", of.key, entry.key), &self.source)?;
            }
            match (&*entry.key, defaults) {
                ("defaults", None) => defaults = Some(entry),
                ("defaults", Some(first)) => {
                    let line = self.source.position(first.span.start).line;
                    return wrong(format!("this list has defaults already in line {line}"), entry.span);
                }
                _ => entries.push(entry),
            }
        }
        let defaults = defaults.map(|entry| entry.value.clone()).filter(|node| !node.is_null());
        self.list.extend(entries.into_iter().map(|entry| Item {
            number,
            kind: of.key.clone(),
            span: entry.span,
            name: Some(entry.key.clone()),
            body: entry.value.clone(),
            defaults: defaults.clone(),
        }));
        Ok(())
    }
}

fn map<'a>(node: &'a Node, what: &str, source: &Source) -> Result<&'a [Entry]> {
    node.entries().ok_or_else(|| {
        let found = if node.is_null() { "nothing" } else { node.kind() };
        Error::invalid(format!("{what} must be a map, found {found}")).at(source.at(node.span))
    })
}

/// Refuses, or notes, the keys that are not among those known.
fn known<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    names: &[&'static str],
    whose: &str,
    unknown: Unknown,
    source: &Source,
    warnings: &mut Vec<Error>,
) -> Result<()> {
    for entry in entries.filter(|entry| !names.contains(&&*entry.key)) {
        let text = format!("unknown key {} of the {whose}{}", entry.key, hint(&entry.key, names.iter().copied()));
        let fault = Error::invalid(text).at(source.at(entry.span));
        match unknown {
            Unknown::Refuse => return Err(fault),
            Unknown::Warn => warnings.push(fault),
        }
    }
    Ok(())
}

fn message(ccm: &Node, key: &str, source: &Source) -> Result<Option<Message>> {
    let Some(node) = ccm.get(key).filter(|node| !node.is_null()) else { return Ok(None) };
    let site = source.at(node.span);
    match node.shared_text() {
        Some(text) if text.is_empty() => Ok(None),
        Some(text) => Ok(Some(Message { text: text.clone(), site })),
        None => Err(Error::invalid(format!("{key} must be text, found {}", node.kind())).at(site)),
    }
}

fn flag(ccm: &Node, key: &str, source: &Source) -> Result<bool> {
    match ccm.get(key).map(|node| (node, node.to_value())) {
        None | Some((_, Value::Null)) => Ok(false),
        Some((_, Value::Bool(flag))) => Ok(flag),
        Some((node, other)) => {
            let text = format!("{key} must be true or false, found {}", other.kind());
            Err(Error::invalid(text).at(source.at(node.span)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn read(text: &str) -> Result<Document> {
        Document::read(&Source::new("m.yaml", text), Unknown::Refuse)
    }

    fn refused(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    fn items(text: &str) -> Vec<Item> {
        match read(&format!("ccm:\n  resources: {text}\n")).unwrap().resources {
            Resources::Inline(items) => items.list,
            Resources::Jet { .. } => panic!("inline"),
        }
    }

    #[test]
    fn both_styles_become_one_list() {
        let list = items("[{file: {name: /a}}, {exec: [{/b: {}}, {defaults: {timeout: 1s}}, {/c: }]}, ~]");
        let shown: Vec<String> =
            list.iter().map(|item| format!("{} {}#{:?}", item.number, item.kind, item.name)).collect();
        assert_eq!(shown, ["1 file#None", "2 exec#Some(\"/b\")", "2 exec#Some(\"/c\")"]);
        assert!(list[0].defaults.is_none() && list[1].defaults.is_some() && list[2].defaults.is_some());
    }

    #[test]
    fn unknown_keys_are_refused_with_the_nearest_and_own_ones_pass() {
        assert!(refused("hierarchie: {}\nccm: {resources: [~]}").contains("hierarchy"));
        assert!(refused("ccm: {fail_on_eror: true}").contains("fail_on_error"));
        assert!(read("x-mine: 1\nccm: {resources: [~]}").is_ok());
    }

    #[test]
    fn a_warning_takes_the_place_of_the_refusal() {
        let source = Source::new("m.yaml", "mine: 1\nccm: {resources: [~]}");
        assert_eq!(Document::read(&source, Unknown::Warn).unwrap().warnings.len(), 1);
    }

    #[test]
    fn documents_that_are_no_manifest_are_refused() {
        for text in ["", "~", "- a", "5", "data: {}", "ccm:", "ccm: []", "ccm: {resources: }", "ccm: {resources: []}"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(refused("ccm: {resources: [{exec: {}, file: {}}]}").contains("exec and file"));
        assert!(refused("ccm: {resources: [{exec: []}]}").contains("empty"));
        assert!(refused("ccm: {resources: [{exec: [{a: 1, b: 2}]}]}").contains("2 keys"));
        assert!(refused("ccm: {resources: [{exec: [{defaults: {}}, {defaults: {}}]}]}").contains("line 1"));
        assert!(refused("ccm: {resources: [], resources_jet_file: x}").contains("together"));
    }

    #[test]
    fn a_list_of_defaults_alone_has_no_resources() {
        assert!(items("[{exec: [{defaults: {timeout: 1s}}]}]").is_empty());
    }
}
