//! Whole runs on a machine in memory: order, gates, triggers, failures in the middle, child manifests.

use super::machine::{Case, Told, machine};
use ccm_core::engine::{Mode, Tally};
use ccm_core::host::Stop;
use ccm_core::host::memory::{Memory, Reply};

fn run(files: &[(&str, &str)], mode: Mode, host: &mut Memory) -> (Tally, Told) {
    Case::new(files).run(mode, host).unwrap()
}

fn apply(text: &str, host: &mut Memory) -> Told {
    run(&[("m.yaml", text)], Mode::default(), host).1
}

const NOOP: Mode = Mode { noop: true, health_only: false, noop_guards: false };

/// Two files, a command that follows the first, and one that always runs.
const SITE: &str = "
ccm:
  resources:
    - file:
        - defaults: {ensure: present, owner: root, group: root, mode: 644}
        - /etc/a: {content: '1', alias: a}
        - /etc/b: {content: '2'}
    - exec:
        - reload: {command: /bin/reload, refreshonly: true, subscribe: ['file#a']}
        - /bin/true:
";

#[test]
fn resources_run_in_the_order_written_and_a_second_run_changes_nothing() {
    let mut host = machine();
    let told = apply(SITE, &mut host);
    assert_eq!(
        told.lines,
        ["file#a (alias) changed", "file#/etc/b changed", "exec#reload refreshed", "exec#/bin/true changed"]
    );
    assert!(told.notes.is_empty(), "{:?}", told.notes);
    host.forget();
    let again = apply(SITE, &mut host);
    assert_eq!(
        again.lines,
        ["file#a (alias) stable", "file#/etc/b stable", "exec#reload stable", "exec#/bin/true changed"]
    );
    assert!(host.journal().is_empty());
    assert_eq!(host.calls(), ["/bin/true"]);
}

#[test]
fn a_dry_run_tells_the_same_and_leaves_the_machine_alone() {
    let mut host = machine();
    let (tally, told) = run(&[("m.yaml", SITE)], NOOP, &mut host);
    assert_eq!(told.lines, apply(SITE, &mut machine()).lines);
    assert_eq!((tally.resources, tally.changed, tally.failed), (4, 4, 0));
    assert!(host.journal().is_empty() && host.calls().is_empty());
}

/// A failure between two changes, with one resource that needs it and one that follows it.
const BROKEN: &str = "
ccm:
  fail_on_error: STOP
  resources:
    - file: {name: /etc/a, ensure: absent}
    - exec: {name: /bin/false}
    - exec: {name: needs, command: /bin/true, require: ['exec#/bin/false']}
    - exec: {name: follows, command: /bin/true, refreshonly: true, subscribe: ['exec#/bin/false']}
    - exec: {name: other, command: /bin/true, control: {if: 'true'}}
";

#[test]
fn a_failure_in_the_middle_is_its_own_event_and_the_run_goes_on() {
    let mut host = machine().with_file("/etc/a", "");
    let told = apply(&BROKEN.replace("STOP", "false"), &mut host);
    assert_eq!(
        told.lines,
        [
            "file#/etc/a changed",
            "exec#/bin/false failed",
            "exec#needs unmet",
            "exec#follows stable",
            "exec#other changed"
        ]
    );
    assert!(told.notes.iter().any(|note| note.contains("exit code 1")), "{:?}", told.notes);
}

#[test]
fn with_fail_on_error_the_first_failure_ends_the_run() {
    let mut host = machine().with_file("/etc/a", "");
    let told = apply(&BROKEN.replace("STOP", "true"), &mut host);
    assert_eq!(told.lines, ["file#/etc/a changed", "exec#/bin/false failed"]);
    assert_eq!(host.calls(), ["/bin/false"]);
}

#[test]
fn a_failed_write_leaves_the_resources_around_it_whole() {
    let text = SITE.replace("content: '2'", "content: '2', owner: nobody-here");
    let mut host = machine();
    let told = apply(&text, &mut host);
    assert_eq!(told.lines[..3], ["file#a (alias) changed", "file#/etc/b failed", "exec#reload refreshed"]);
    assert_eq!((host.text("/etc/a"), host.text("/etc/b")), (Some("1"), None));
}

#[test]
fn a_stop_ends_the_run_before_the_next_resource() {
    let stopped = Reply::exits(0).stopping(Stop::Terminate);
    let mut host = Memory::new().with_command("/bin/long", stopped);
    let text = "ccm: {resources: [{exec: {name: /bin/long}}, {file: {name: /etc/a, ensure: directory, owner: root, group: root, mode: 755}}]}";
    let told = apply(text, &mut host);
    assert_eq!(told.lines, ["exec#/bin/long failed"]);
    assert!(host.journal().is_empty());
}

const PARENT: (&str, &str) = (
    "m.yaml",
    "ccm: {resources: [{apply: {name: child.yaml}}, {exec: {name: after, command: /bin/true, require: ['file#/etc/c']}}]}",
);
const CHILD: (&str, &str) = (
    "child.yaml",
    "ccm: {resources: [{file: {name: /etc/c, ensure: present, owner: root, group: root, mode: 644, content: c}}]}",
);

#[test]
fn a_child_manifest_is_applied_in_its_place_and_then_stable() {
    let mut host = machine();
    let (_, told) = run(&[PARENT, CHILD], Mode::default(), &mut host);
    assert_eq!(told.lines, ["child.yaml: file#/etc/c changed", "apply#child.yaml changed", "exec#after changed"]);
    host.forget();
    let (_, told) = run(&[PARENT, CHILD], Mode::default(), &mut host);
    assert_eq!(told.lines, ["child.yaml: file#/etc/c stable", "apply#child.yaml stable", "exec#after changed"]);
    assert!(host.journal().is_empty());
}

#[test]
fn a_dry_run_goes_down_into_children_and_a_child_may_ask_for_one() {
    let mut host = machine();
    let (_, told) = run(&[PARENT, CHILD], NOOP, &mut host);
    assert_eq!(told.lines[..2], ["child.yaml: file#/etc/c changed", "apply#child.yaml changed"]);
    let dry = ("m.yaml", "ccm: {resources: [{apply: {name: child.yaml, noop: true}}]}");
    run(&[dry, CHILD], Mode::default(), &mut host);
    assert!(host.journal().is_empty());
}

#[test]
fn a_child_that_fails_or_is_not_there_fails_its_apply_alone() {
    let broken = ("child.yaml", "ccm: {resources: [{exec: {name: /bin/false}}]}");
    let (tally, told) = run(&[PARENT, broken], Mode::default(), &mut machine());
    assert_eq!(told.lines[..2], ["child.yaml: exec#/bin/false failed", "apply#child.yaml failed"]);
    assert_eq!((told.lines.len(), tally.failed > 0), (3, true));
    let (_, told) = run(&[PARENT], Mode::default(), &mut machine());
    assert_eq!(told.lines[0], "apply#child.yaml failed");
}

#[test]
fn a_circle_of_manifests_is_refused_by_name() {
    let circle = ("child.yaml", "ccm: {resources: [{apply: {name: m.yaml}}]}");
    let (_, told) = run(&[PARENT, circle], Mode::default(), &mut machine());
    assert!(told.notes.iter().any(|note| note.contains("circle")), "{:?}", told.notes);
}
