//! `@pretty`: a node as indented JSON text, short lists on one line.

use alloc::string::String;
use alloc::vec::Vec;

use super::budget::Budget;
use super::node::{Kind, Member, Node};
use super::text::Json;
use crate::error::Result;
use crate::value::wire;

/// How the text is laid out.
pub(super) struct Style {
    /// Columns within which a list stays on one line.
    pub(super) width: i64,
    /// Before every line.
    pub(super) prefix: String,
    /// Once for each level.
    pub(super) indent: String,
    pub(super) sort_keys: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 80, prefix: String::new(), indent: "  ".into(), sort_keys: false }
    }
}

/// The node as text that is read again, so that `@tostr` shows the layout.
pub(super) fn print<'a>(budget: &Budget, node: Node<'a>, style: &Style) -> Result<Node<'a>> {
    if !node.is_container() {
        return Ok(node);
    }
    budget.spend_bytes(style.prefix.len())?;
    let mut printer = Printer { out: style.prefix.clone(), line: 0, style, budget };
    printer.node(&node, 0)?;
    printer.out.push('\n');
    Ok(Json::parse(&printer.out).map_or(node, Node::Json))
}

struct Printer<'s> {
    out: String,
    /// Where the current line begins.
    line: usize,
    style: &'s Style,
    budget: &'s Budget,
}

impl Printer<'_> {
    fn node(&mut self, node: &Node<'_>, level: usize) -> Result<()> {
        let _level = self.budget.enter()?;
        self.budget.spend(node.len())?;
        match node.kind() {
            Kind::List => self.list(&node.items().0, level),
            Kind::Map => self.map(node.members(), level),
            _ => node.append_raw(&mut self.out, self.budget),
        }
    }

    fn list(&mut self, items: &[Node<'_>], level: usize) -> Result<()> {
        let column = self.out.len().saturating_sub(self.line);
        let room = self.style.width.saturating_sub(i64::try_from(column).unwrap_or(i64::MAX));
        let flat = if room > 3 { self.one_line(items)? } else { None };
        if let Some(flat) = flat.filter(|flat| i64::try_from(flat.len()).is_ok_and(|length| length <= room)) {
            self.out.push_str(&flat);
            return Ok(());
        }
        self.out.push('[');
        for (at, item) in items.iter().enumerate() {
            self.separate(at);
            self.start_line(level.saturating_add(1))?;
            self.node(item, level.saturating_add(1))?;
        }
        self.finish(items.is_empty(), level, ']')
    }

    fn inner(&self, list: &Node<'_>) -> Result<Option<String>> {
        self.budget.spend(list.len())?;
        self.one_line(&list.items().0)
    }

    /// A list that holds no map, on one line.
    fn one_line(&self, items: &[Node<'_>]) -> Result<Option<String>> {
        let _level = self.budget.enter()?;
        let mut flat = String::from("[");
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                flat.push_str(", ");
            }
            match item.kind() {
                Kind::Map => return Ok(None),
                Kind::List => match self.inner(item)? {
                    Some(inner) => flat.push_str(&inner),
                    None => return Ok(None),
                },
                _ => item.append_raw(&mut flat, self.budget)?,
            }
            if i64::try_from(flat.len()).is_ok_and(|length| length > self.style.width) {
                return Ok(None);
            }
        }
        flat.push(']');
        Ok(Some(flat))
    }

    fn map(&mut self, mut members: Vec<Member<'_>>, level: usize) -> Result<()> {
        if self.style.sort_keys {
            members.sort_by(|a, b| a.0.cmp(&b.0));
        }
        self.out.push('{');
        for (at, (key, node)) in members.iter().enumerate() {
            self.separate(at);
            self.start_line(level.saturating_add(1))?;
            wire::quote(&mut self.out, key, true);
            self.out.push_str(": ");
            self.node(node, level.saturating_add(1))?;
        }
        self.finish(members.is_empty(), level, '}')
    }

    fn separate(&mut self, at: usize) {
        if at > 0 {
            self.out.push(',');
        }
    }

    fn start_line(&mut self, level: usize) -> Result<()> {
        let margin = self.style.indent.len().saturating_mul(level).saturating_add(self.style.prefix.len());
        self.budget.spend_bytes(margin)?;
        self.line = self.out.len();
        self.out.push('\n');
        self.out.push_str(&self.style.prefix);
        self.out.extend(core::iter::repeat_n(self.style.indent.as_str(), level));
        Ok(())
    }

    fn finish(&mut self, empty: bool, level: usize, bracket: char) -> Result<()> {
        if !empty {
            self.start_line(level)?;
        }
        self.out.push(bracket);
        Ok(())
    }
}
