//! Follows a path: components in maps and lists, pipes, literals, multipaths.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::budget::Budget;
use super::modifiers::{self, Modifier};
use super::node::{Kind, Node};
use super::path::{self, Item, Rest, Which};
use super::query::{self, Query};
use super::text::{self, Json};
use crate::error::Result;
use crate::value::json;

/// What following one path has come to.
#[derive(Default)]
struct Walk<'a, 'p> {
    found: Option<Node<'a>>,
    /// The path to follow on what was found, set when its `|` is met.
    pipe: Option<&'p str>,
}

impl Budget {
    /// What a path leads to in a node; pipes, modifiers and multipaths also work on nothing.
    pub(super) fn get<'a>(&self, node: Option<&Node<'a>>, path: &str) -> Result<Option<Node<'a>>> {
        let _level = self.enter()?;
        let (mut node, mut path) = (node.cloned(), path);
        loop {
            self.spend((path.len() / 32).saturating_add(1))?;
            if let Some((made, rest)) = self.special(node.as_ref(), &mut path)? {
                node = made;
                match rest.strip_prefix(['|', '.']) {
                    Some(rest) => path = rest,
                    None => return Ok(node),
                }
            } else {
                let mut walk = Walk::default();
                match (path.strip_prefix(".."), &node) {
                    (Some(rest), Some(node)) => {
                        if matches!(node, Node::Json(_)) {
                            self.spend(node.len())?;
                        }
                        self.in_list(&mut walk, &node.lines(), rest)?
                    }
                    (Some(rest), None) => self.in_list(&mut walk, &Node::list(Vec::new()), rest)?,
                    (None, Some(node)) => self.step(&mut walk, node, path)?,
                    (None, None) => false,
                };
                node = walk.found;
                match walk.pipe {
                    Some(pipe) => path = pipe,
                    None => return Ok(node),
                }
            }
        }
    }

    /// A modifier, a literal or a multipath at the beginning of a path, and what follows it. A
    /// multipath that is not closed, or is followed by anything else, leaves only what follows it.
    fn special<'a, 'p>(
        &self,
        node: Option<&Node<'a>>,
        path: &mut &'p str,
    ) -> Result<Option<(Option<Node<'a>>, &'p str)>> {
        if path.len() < 2 {
            return Ok(None);
        }
        match path.as_bytes().first() {
            Some(b'@') => match Modifier::parse(path) {
                Some((modifier, argument, rest)) => {
                    Ok(Some((modifiers::apply(self, modifier, argument, node.cloned())?, rest)))
                }
                None => Ok(None),
            },
            Some(b'!') => Ok(literal(path).map(|(json, rest)| (json.map(Node::Json), rest))),
            Some(b'[' | b'{') => {
                let Some((selectors, rest)) = path::selectors(path) else {
                    *path = "";
                    return Ok(None);
                };
                if !(rest.is_empty() || rest.starts_with(['|', '.'])) {
                    *path = rest;
                    return Ok(None);
                }
                let node = self.multipath(node, path.starts_with('{'), &selectors)?;
                Ok(Some((Some(node), rest)))
            }
            _ => Ok(None),
        }
    }

    fn multipath<'a>(
        &self,
        node: Option<&Node<'a>>,
        named: bool,
        selectors: &[path::Selector<'_>],
    ) -> Result<Node<'a>> {
        let mut members = Vec::new();
        for selector in selectors {
            let Some(node) = self.get(node, selector.path)? else { continue };
            let key = match selector.name {
                "" => Cow::Owned(path::last_name(selector.path).into()),
                quoted if quoted.starts_with('"') && json::is_valid(quoted) => {
                    Cow::Owned(Json::parse(quoted).map(|name| name.string().into_owned()).unwrap_or_default())
                }
                name => Cow::Owned(name.into()),
            };
            members.push((key, node));
        }
        Ok(match named {
            true => Node::map(members),
            false => Node::list(members.into_iter().map(|(_, node)| node).collect()),
        })
    }

    /// One component in one node. True ends the search: the path was followed to its end.
    fn step<'a, 'p>(&self, walk: &mut Walk<'a, 'p>, node: &Node<'a>, path: &'p str) -> Result<bool> {
        match node.kind() {
            Kind::Map => self.in_map(walk, node, path),
            Kind::List => self.in_list(walk, node, path),
            _ => Ok(false),
        }
    }

    fn in_map<'a, 'p>(&self, walk: &mut Walk<'a, 'p>, map: &Node<'a>, path: &'p str) -> Result<bool> {
        let _level = self.enter()?;
        let key = path::key(path);
        if let Rest::Pipe(pipe) = key.rest {
            walk.pipe = Some(pipe);
        }
        let candidates = if key.wild {
            self.spend(map.len())?;
            let mut matching = Vec::new();
            for (name, node) in map.members() {
                if query::matches(self, &name, &key.name)? {
                    matching.push(node);
                }
            }
            matching
        } else {
            self.spend(1)?;
            map.named(&key.name)
        };
        for node in candidates {
            match key.rest {
                Rest::More(more) => {
                    if self.step(walk, &node, more)? {
                        return Ok(true);
                    }
                }
                Rest::End | Rest::Pipe(_) => {
                    walk.found = Some(node);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn in_list<'a, 'p>(&self, walk: &mut Walk<'a, 'p>, list: &Node<'a>, path: &'p str) -> Result<bool> {
        let _level = self.enter()?;
        let Item { which, rest } = path::item(path);
        if let Rest::Pipe(pipe) = rest {
            walk.pipe = Some(pipe);
        }
        if matches!(list, Node::Json(_)) {
            self.spend(list.len())?;
        }
        match which {
            Which::None => Ok(false),
            Which::At(index) => match (list.item(index), rest) {
                (None, _) => Ok(false),
                (Some(node), Rest::More(more)) => self.step(walk, &node, more),
                (Some(node), _) => {
                    walk.found = Some(node);
                    Ok(true)
                }
            },
            _ => {
                self.spend(list.len())?;
                let (items, whole) = list.items();
                self.in_items(walk, &items, whole, which, rest)
            }
        }
    }

    fn in_items<'a, 'p>(
        &self,
        walk: &mut Walk<'a, 'p>,
        items: &[Node<'a>],
        whole: bool,
        which: Which<'p>,
        rest: Rest<'p>,
    ) -> Result<bool> {
        match which {
            Which::Query(query) => self.ask(walk, items, whole, &query, rest),
            _ if !whole => Ok(false),
            Which::Count => {
                walk.found = Some(Node::Count(items.len() as u64));
                Ok(true)
            }
            Which::Each(each) => {
                let (each, pipe) = path::split_pipe(each).map_or((each, None), |(left, right)| (left, Some(right)));
                walk.pipe = pipe.or(walk.pipe);
                let mut found = Vec::new();
                for item in items {
                    found.extend(self.get(Some(item), each)?);
                }
                walk.found = Some(Node::list(found));
                Ok(true)
            }
            Which::At(_) | Which::None => Ok(false),
        }
    }

    /// The items that answer a query. Of `#(…)#` the answer is left in the walk but does not end it,
    /// so that a wildcard before it goes on, as in the reference.
    fn ask<'a, 'p>(
        &self,
        walk: &mut Walk<'a, 'p>,
        items: &[Node<'a>],
        whole: bool,
        query: &Query<'p>,
        rest: Rest<'p>,
    ) -> Result<bool> {
        let mut answers = Vec::new();
        for item in items {
            let looked_at = match item.is_container() {
                true => self.get(Some(item), query.path)?,
                false if !query.path.is_empty() => continue,
                false => Some(item.clone()),
            };
            if !query.holds(self, looked_at.as_ref())? {
                continue;
            }
            let answer = match rest {
                Rest::More(more) => {
                    let (more, pipe) = path::split_pipe(more).map_or((more, None), |(left, right)| (left, Some(right)));
                    walk.pipe = pipe.or(walk.pipe);
                    self.get(Some(item), more)?
                }
                Rest::End | Rest::Pipe(_) => Some(item.clone()),
            };
            if query.every {
                answers.extend(answer);
            } else {
                walk.found = answer;
                return Ok(true);
            }
        }
        if whole && query.every && walk.found.is_none() {
            walk.found = Some(Node::list(answers));
        }
        Ok(false)
    }
}

/// A literal at the beginning of a path: `!"text"`, `!{"a":1}`, `!5`, `!true`.
fn literal(path: &str) -> Option<(Option<Json>, &str)> {
    let body = path.get(1..)?;
    if body.starts_with(['{', '[', '"', '+', '-']) || body.starts_with(|c: char| c.is_ascii_digit()) {
        let end = text::balanced(body.as_bytes(), 0).unwrap_or(body.len());
        return Some((Json::parse(body.get(..end)?), body.get(end..)?));
    }
    let end = body.find(['|', '.']).unwrap_or(body.len());
    let word = body.get(..end)?;
    let known = ["true", "false", "null", "nan", "inf"].iter().any(|known| word.eq_ignore_ascii_case(known));
    known.then(|| (Json::parse(word), body.get(end..).unwrap_or("")))
}
