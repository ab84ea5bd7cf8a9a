//! One resource's turn.
//!
//! The gates come first and cheapest first, so that nothing is evaluated, chosen or run for a resource
//! that is held back: its control, then its requirements (F5: a template error behind an unmet
//! requirement does no harm), then the provider and the fields that waited.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::event::{self, Outcome};
use super::{Event, Note, Plan, Run, Stage, health, nested};
use crate::error::Result;
use crate::host::Host;
use crate::render::{Env, Field};
use crate::resource::common::{Common, Condition};
use crate::resource::{Decision, Occasion, Properties, Provider, Resource, State, Status};
use crate::value::Text;

/// Takes one resource through its turn: whatever goes wrong is in the event.
pub(super) fn take(resource: &Resource<Field<Text>>, plan: &Plan, run: &Run, stage: &mut Stage<'_>) -> Event {
    let began = stage.host.monotonic();
    let mut event = begin(resource, run, stage);
    if let Err(error) = turn(resource, plan, run, stage, &mut event) {
        event.fail(event::line(&error));
    }
    event.duration = stage.host.monotonic().saturating_sub(began);
    event
}

fn begin(resource: &Resource<Field<Text>>, run: &Run, stage: &mut Stage<'_>) -> Event {
    let Common { name, alias, ensure, .. } = &*resource.common;
    Event {
        id: stage.session.next_id(&*stage.host),
        timestamp: stage.host.now(),
        duration: core::time::Duration::ZERO,
        kind: resource.kind(),
        name: name.clone(),
        alias: alias.clone(),
        provider: "",
        requested: ensure.clone(),
        reached: "".into(),
        properties: None,
        status: None,
        would: None,
        noop: run.mode.noop,
        health_only: run.mode.health_only,
        health: Vec::new(),
        errors: Vec::new(),
        outcome: Outcome::default(),
        unmet: Vec::new(),
        inherited: false,
    }
}

impl Event {
    fn fail(&mut self, error: alloc::string::String) {
        self.errors.push(error);
        self.outcome.failed = true;
        self.reached = "".into();
        self.status = None;
    }
}

/// The gates, the act, the checks. An error returned came before the act; one of the act itself is in
/// the event, since the checks follow all the same.
fn turn(
    resource: &Resource<Field<Text>>,
    plan: &Plan,
    run: &Run,
    stage: &mut Stage<'_>,
    event: &mut Event,
) -> Result<()> {
    let common = &*resource.common;
    let resolved = {
        let env = plan.env(&*stage.host);
        if !is_managed(common, &env)? {
            event.outcome.skipped = true;
            event.provider = resource.provider(&*stage.host).map_or("", Provider::name);
            return Ok(());
        }
        for reference in &common.require {
            if !stage.session.is_met(reference)? {
                event.unmet.push(reference.clone());
            }
        }
        if !event.unmet.is_empty() {
            event.outcome.skipped = true;
            event.provider = resource.provider(&*stage.host).map_or("", Provider::name);
            return Ok(());
        }
        resource.resolve(&env)?
    };
    let provider = resource.provider(&*stage.host)?;
    event.provider = provider.name();
    let acted = match &resolved.properties {
        Properties::Apply(child) => nested::descend(&resolved, child, plan, run, stage, event),
        _ if run.mode.health_only => Ok(()),
        _ => act(&resolved, provider, run, stage, event),
    };
    event.properties = Some(resolved);
    if let Err(error) = acted {
        event.fail(event::line(&error));
    }
    let verdict = health::check(&common.health_checks, &event.title(), &*stage.host, stage.observer);
    event.health = verdict.checked;
    verdict.errors.into_iter().for_each(|error| event.fail(error));
    Ok(())
}

/// What `control` says: managed if `if` holds and `unless` does not.
fn is_managed(common: &Common, env: &Env<'_>) -> Result<bool> {
    let Some(control) = &common.control else { return Ok(true) };
    let holds = |condition: Option<&Condition>, name: &'static str, default: bool| match condition {
        Some(Condition { expression, site }) => env.condition(expression).map_err(|error| match site {
            Some(site) => error.at(site.clone()).doing(name),
            None => error.doing(name),
        }),
        None => Ok(default),
    };
    Ok(holds(control.when.as_ref(), "control.if", true)? && !holds(control.unless.as_ref(), "control.unless", false)?)
}

/// Observes, decides, and outside noop carries out and looks again.
fn act(
    resource: &Resource<Text>,
    provider: Provider,
    run: &Run,
    stage: &mut Stage<'_>,
    event: &mut Event,
) -> Result<()> {
    let mut refresh = false;
    for reference in resource.subscribe() {
        refresh |= stage.session.has_changed(reference)?;
    }
    let occasion = Occasion { refresh, noop: run.mode.noop, noop_guards: run.mode.noop_guards };
    let seen = resource.observe(provider, occasion, &*stage.host)?;
    let decision = resource.decide(&seen, occasion);
    let reached = if decision.is_leave() || run.mode.noop {
        event.would = decision.would().map(|would| would.to_string());
        seen
    } else {
        let done = resource.carry_out(&decision, provider, &mut *stage.host)?;
        for text in &done.warnings {
            stage.observer.note(&Note::Warning { title: &event.title(), text });
        }
        resource.verify(&done, &*stage.host)?
    };
    event.outcome.changed = !decision.is_leave();
    event.outcome.refreshed = decision.refreshes();
    event.reached = resource.reached(&reached);
    if stage.session.keeps_events() || stage.observer.wants_status() {
        event.status = status(resource, &reached, &decision, event, &*stage.host);
    }
    Ok(())
}

/// The state for an event that leaves the process.
fn status(
    resource: &Resource<Text>,
    seen: &State,
    decision: &Decision,
    event: &Event,
    host: &dyn Host,
) -> Option<Status> {
    // As the reference: of a command the comparison before it ran counts, of anything else that after.
    let stable = decision.is_leave() || !(event.noop || matches!(seen, State::Exec(_)));
    resource.details(seen, host).map(|details| Status {
        timestamp: host.now(),
        kind: resource.kind(),
        name: event.name.clone(),
        ensure: event.reached.clone(),
        changed: event.outcome.changed,
        refreshed: event.outcome.refreshed,
        stable,
        noop: event.noop,
        noop_message: event.would.clone(),
        details,
    })
}
