//! Health checks: tried again, counted, never the end of a run.

use std::time::Duration;

use super::machine::{Case, Told};
use ccm_core::engine::{Health, Mode, Session, Summary};
use ccm_core::host::memory::{Memory, Reply};
use ccm_core::host::{Clock, Stop};

/// One resource that needs nothing, with a check, and one behind it.
fn run(check: &str, mode: Mode, host: &mut Memory) -> (Told, Summary) {
    let text = format!(
        "ccm: {{resources: [{{exec: {{name: /bin/a, refreshonly: true, health_checks: [{check}]}}}}, {{exec: {{name: /bin/b, refreshonly: true}}}}]}}"
    );
    let mut session = Session::memory(host);
    let (_, told) = Case::new(&[("m.yaml", &text)]).run_in(&mut session, mode, host).unwrap();
    (told, session.finish(host))
}

#[test]
fn a_check_that_is_well_leaves_the_resource_as_it_was() {
    let mut host = Memory::new().with_command("/bin/check", Reply::says(" fine \n"));
    let (told, summary) = run("{command: /bin/check, tries: 5}", Mode::default(), &mut host);
    assert_eq!(told.lines, ["exec#/bin/a stable", "exec#/bin/b stable"]);
    assert_eq!((host.calls().len(), summary.checked, summary.checks), (1, 1, [1, 0, 0, 0]));
}

#[test]
fn a_check_is_tried_again_with_a_second_between_when_nothing_else_is_said() {
    let mut host = Memory::new().with_command("/bin/check", Reply::exits(2));
    let begun = host.monotonic();
    let (told, summary) = run("{command: /bin/check, tries: 3}", Mode::default(), &mut host);
    assert_eq!(told.lines, ["exec#/bin/a failed", "exec#/bin/b stable"]);
    assert_eq!((host.calls().len(), summary.checks), (3, [0, 0, 1, 0]));
    assert!(host.monotonic() - begun >= Duration::from_secs(2));
}

#[test]
fn what_a_check_says_is_its_exit_code() {
    for (code, status) in [(1, Health::Warning), (2, Health::Critical), (3, Health::Unknown), (9, Health::Unknown)] {
        let mut host = Memory::new().with_command("/bin/check", Reply::exits(code));
        let (told, summary) = run("{command: /bin/check}", Mode::default(), &mut host);
        assert_eq!(told.lines, ["exec#/bin/a failed", "exec#/bin/b stable"]);
        assert_eq!((summary.failed, summary.checks[status as usize]), (1, 1));
        assert!(told.notes.contains(&format!("health check status {:?}", status.name())), "{:?}", told.notes);
    }
}

#[test]
fn a_check_that_cannot_start_is_unknown_and_is_not_tried_again() {
    let mut host = Memory::new();
    let (told, summary) = run("{command: /bin/nosuch, tries: 3}", Mode::default(), &mut host);
    assert_eq!(told.lines, ["exec#/bin/a failed", "exec#/bin/b stable"]);
    assert_eq!((summary.total, summary.checks), (2, [0, 0, 0, 1]));
    assert!(told.notes.iter().any(|note| note.contains("/bin/nosuch")), "{:?}", told.notes);
}

#[test]
fn monitoring_runs_the_checks_alone_and_a_stop_ends_the_tries() {
    let stopping = Reply::exits(2).stopping(Stop::Interrupt);
    let mut host = Memory::new().with_command("/bin/check", stopping);
    let mode = Mode { health_only: true, ..Mode::default() };
    let (told, summary) = run("{command: /bin/check, tries: 100}", mode, &mut host);
    assert_eq!((told.lines.as_slice(), host.calls().len()), (&["exec#/bin/a failed".to_string()][..], 1));
    assert_eq!(summary.exit_code(false, Some(Stop::Interrupt)), 130);
}
