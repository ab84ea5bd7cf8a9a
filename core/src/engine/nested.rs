//! `apply`: a child manifest, run where it stands.
//!
//! The child gets a [`Run`] of its own, made from its parent's: it may be held back further, never less;
//! its data is its own, then what the `apply` gives, then the overlay, and nothing of its parent's (F49).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use super::{Event, Mode, Note, Plan, Run, Stage, Tally, apply};
use crate::error::{Error, Result};
use crate::manifest::{Document, Inputs, Manifest};
use crate::resource::apply as wanted;
use crate::resource::{Resource, State, Status, Type};
use crate::value::Text;

/// Runs the child of an `apply` and says in the event what came of it.
pub(super) fn descend(
    resource: &Resource<Text>,
    wanted: &wanted::Properties,
    plan: &Plan,
    run: &Run,
    stage: &mut Stage<'_>,
    event: &mut Event,
) -> Result<()> {
    let (plan, run) = enter(&resource.common.name, wanted, plan, run, stage)?;
    event.noop = run.mode.noop;
    event.health_only = run.mode.health_only;
    let tally = apply(&plan, &run, stage);
    stage.observer.note(&Note::Child { name: &resource.common.name, tally: &tally });
    event.outcome.changed = tally.changed > 0;
    if tally.failed > 0 {
        event.inherited = true;
        return Err(Error::invalid(format!("child manifest had {} failed resources", tally.failed)));
    }
    event.reached = "present".into();
    if stage.session.keeps_events() || stage.observer.wants_status() {
        event.status = status(resource, tally, event, stage);
    }
    Ok(())
}

/// Finds, reads and plans a child, before any of it is run.
fn enter(
    name: &str,
    wanted: &wanted::Properties,
    parent: &Plan,
    run: &Run,
    stage: &mut Stage<'_>,
) -> Result<(Plan, Run)> {
    let asked = Mode { noop: wanted.noop, health_only: wanted.health_check_only, noop_guards: false };
    if asked.is_contradictory() {
        return Err(Error::invalid("noop and health_check_only exclude each other"));
    }
    if run.chain.len() >= Run::DEPTH {
        return Err(Error::limit(format!("apply nests deeper than {}: {}", Run::DEPTH, chain(&run.chain, name))));
    }
    let loaded = (stage.load)(parent.world.directory(), name)?;
    if run.chain.iter().any(|known| **known == *loaded.identity) {
        return Err(Error::invalid(format!("apply goes in a circle: {}", chain(&run.chain, &loaded.identity))));
    }
    if let Some(checksum) = &wanted.checksum {
        let digest = loaded.digest.unwrap_or_else(|| sha256(loaded.source.text()));
        if !checksum.eq_ignore_ascii_case(&digest) {
            return Err(Error::invalid(format!("checksum of {name} is {digest}, wanted {checksum}")));
        }
    }
    let child = Run {
        mode: run.mode.strengthen(asked),
        chain: run.chain.iter().cloned().chain([loaded.identity.as_str().into()]).collect(),
        within: Some(name.into()),
        ..run.clone()
    };
    let document = Document::read(&loaded.source, run.unknown)?;
    let inputs = Inputs {
        facts: &child.facts,
        environ: &child.environ,
        directory: &loaded.directory,
        given: wanted.data.as_ref(),
        overlay: child.overlay.as_deref(),
        host: &*stage.host,
    };
    let manifest = Manifest::resolve(document, &inputs)?;
    let plan = Plan::of(manifest, &child, &*stage.host, stage.session)?;
    let denied = |resource: &&Resource<_>| resource.kind() == Type::Apply;
    if let (false, Some(grandchild)) = (wanted.allow_apply, plan.resources.iter().find(denied)) {
        return Err(Error::invalid(format!("apply resources are denied, {name} holds {}", grandchild.id())));
    }
    for warning in &plan.warnings {
        stage.observer.note(&Note::Fault(warning));
    }
    Ok((plan, child))
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn chain(known: &[Text], next: &str) -> String {
    let names: Vec<&str> = known.iter().map(|name| &**name).chain([next]).collect();
    names.join(" → ")
}

fn status(resource: &Resource<Text>, tally: Tally, event: &Event, stage: &Stage<'_>) -> Option<Status> {
    let seen = State::Apply(wanted::State { resources: tally.resources, changed: tally.changed, failed: tally.failed });
    resource.details(&seen, &*stage.host).map(|details| Status {
        timestamp: stage.host.now(),
        kind: Type::Apply,
        name: event.name.clone(),
        ensure: event.reached.clone(),
        changed: event.outcome.changed,
        refreshed: false,
        stable: !event.outcome.changed,
        noop: event.noop,
        noop_message: None,
        details,
    })
}
