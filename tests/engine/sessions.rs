//! Sessions in a directory: what one call leaves for the next.

use super::machine::{Case, machine};
use ccm_core::engine::{Mode, Session};
use std::time::Duration;

use ccm_core::host::memory::Memory;
use ccm_core::host::{Clock, Files, Timestamp};

/// One call of a single resource in the session of `/s`: its line, and how many warnings the past gave.
fn call(resource: &str, host: &mut Memory) -> (String, usize) {
    let (mut session, warnings) = Session::open("/s", host).unwrap();
    let text = format!("ccm: {{resources: [{resource}]}}");
    let (_, told) = Case::new(&[("m.yaml", &text)]).run_in(&mut session, Mode::default(), host).unwrap();
    (told.lines[0].clone(), warnings.len())
}

const FILE: &str = "file: {name: /etc/a, ensure: present, owner: root, group: root, mode: 644, content: x}";
const FOLLOWER: &str = "exec: {name: /bin/reload, refreshonly: true, subscribe: ['file#/etc/a']}";
const NEEDY: &str = "exec: {name: /bin/true, require: ['exec#/bin/false']}";

#[test]
fn triggers_and_requirements_reach_from_call_to_call_and_the_latest_event_counts() {
    let mut host = machine().with_directory("/s");
    assert_eq!(call(FILE, &mut host).0, "file#/etc/a changed");
    assert_eq!(call(FOLLOWER, &mut host).0, "exec#/bin/reload refreshed");
    // All within one second of the machine's clock (F3).
    assert_eq!(call(FILE, &mut host).0, "file#/etc/a stable");
    assert_eq!(call(FOLLOWER, &mut host).0, "exec#/bin/reload stable");
    assert_eq!(call("exec: {name: /bin/false}", &mut host).0, "exec#/bin/false failed");
    assert_eq!(call(NEEDY, &mut host).0, "exec#/bin/true unmet");
    let (session, _) = Session::open("/s", &host).unwrap();
    let summary = session.summary();
    assert_eq!((summary.total, summary.unique, summary.failed, summary.unmet, summary.refreshed), (6, 4, 1, 1, 1));
}

/// 32 bits of seconds end in January 2038, and in February 2106 where they have no sign.
#[test]
fn a_session_goes_on_past_2038_and_2106() {
    let mut host = machine().with_directory("/s");
    assert_eq!(call(FILE, &mut host).0, "file#/etc/a changed");
    for date in ["2038-01-19T03:14:08Z", "2106-02-07T06:28:16Z", "2107-01-01T00:00:00Z"] {
        let then = Timestamp::parse_rfc3339(date).unwrap();
        host.sleep(Duration::from_nanos(then.since(host.now()).try_into().unwrap()));
        assert_eq!(call(FILE, &mut host), ("file#/etc/a stable".to_string(), 0));
        let newest = host.list("/s").unwrap().pop().unwrap();
        let record = String::from_utf8(host.read(&format!("/s/{newest}"), 1 << 20).unwrap()).unwrap();
        assert!(record.contains(date), "the names keep their order: {record}");
        let (session, _) = Session::open("/s", &host).unwrap();
        assert_eq!(session.summary().end, then);
    }
    assert_eq!(call(FOLLOWER, &mut host).0, "exec#/bin/reload stable", "the newest event is the one that counts");
}

#[test]
fn records_are_private_and_named_in_their_order() {
    let mut host = machine().with_directory("/s");
    for _ in 0..3 {
        call(FILE, &mut host);
    }
    let names = host.list("/s").unwrap();
    assert_eq!(names.len(), 3);
    for name in names {
        assert_eq!(host.attributes(&format!("/s/{name}")).unwrap().2, 0o600);
    }
}

#[test]
fn a_record_that_cannot_be_read_is_told_of_and_makes_triggers_fire() {
    for damage in [
        "",
        "{\"protocol\": \"other\"}",
        "\0\0\0\0",
        "{\"protocol\": \"io.choria.ccm.v1.transaction.event\", \"event_id\": 5}",
    ] {
        let mut host = machine().with_directory("/s");
        call(FILE, &mut host);
        call(FILE, &mut host);
        host.place_file("/s/zzzzzzzzzzzzzzzzzzzzzzzzzzz.event", "no id: not ours");
        host.place_file("/s/aUKQGCgvSTl8PAuAdqWYSMnLOvL.event", damage);
        assert_eq!(call(FOLLOWER, &mut host), ("exec#/bin/reload refreshed".to_string(), 1), "{damage:?}");
    }
}

#[test]
fn a_session_that_is_not_there_is_refused() {
    let host = machine().with_file("/s", "");
    assert!(Session::open("/s", &host).unwrap_err().to_string().contains("session store /s does not exist"));
}
