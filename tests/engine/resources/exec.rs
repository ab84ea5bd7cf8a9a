//! `exec` on a machine in memory.

use super::*;

const REFRESH: Occasion = Occasion { refresh: true, noop: false, noop_guards: false };

fn machine() -> Memory {
    Memory::new()
        .with_command("/bin/true", Reply::exits(0))
        .with_command("/bin/false", Reply::exits(1))
        .with_command("/bin/make *", Reply::exits(0).doing(|host| host.place_file("/tmp/made", "")))
}

fn calls(text: &str, host: &mut Memory) -> Vec<String> {
    host.forget();
    apply(text, host).unwrap();
    host.calls()
}

#[test]
fn a_command_runs_at_each_run_and_its_exit_code_is_the_proof() {
    let mut host = machine();
    let ran = apply("exec: {name: /bin/true}", &mut host).unwrap();
    assert_eq!((ran.would.as_deref(), ran.done.exit_code), (Some("Would have executed"), Some(0)));
    assert_eq!(calls("exec: {name: /bin/true}", &mut host), ["/bin/true"]);
    let error = apply("exec: {name: /bin/false}", &mut host).unwrap_err().to_string();
    assert!(error.contains("exit code 1 not in allowed returns [0]"), "{error}");
    assert!(apply("exec: {name: /bin/true, returns: [1, 2]}", &mut host).is_err());
    assert!(apply("exec: {name: /bin/false, returns: [1, 2]}", &mut host).is_ok());
}

#[test]
fn the_end_of_the_output_stands_in_the_error_without_its_secrets() {
    let reply = Reply::exits(3).with_stderr("token sesame refused\n");
    let mut host = Memory::new().with_command("/bin/login", reply);
    let error = apply("exec: {name: /bin/login, environment: [TOKEN=sesame]}", &mut host).unwrap_err().to_string();
    assert!(error.contains("refused") && !error.contains("sesame"), "{error}");
}

#[test]
fn creates_decides_before_and_proves_afterwards() {
    let mut host = machine();
    let text = "exec: {name: /bin/make it, creates: /tmp/made}";
    assert_eq!(calls(text, &mut host), ["/bin/make it"]);
    assert!(calls(text, &mut host).is_empty());
    let error = apply("exec: {name: /bin/true, creates: /tmp/other}", &mut host).unwrap_err().to_string();
    assert!(error.contains("/tmp/other"), "{error}");
}

#[test]
fn both_guards_must_allow() {
    let mut host = machine();
    assert_eq!(calls("exec: {name: /bin/true x, command: /bin/true, onlyif: /bin/false}", &mut host), ["/bin/false"]);
    assert_eq!(calls("exec: {name: y, command: /bin/false, unless: /bin/true}", &mut host), ["/bin/true"]);
    let both = "exec: {name: z, command: /bin/make z, onlyif: /bin/true, unless: /bin/false}";
    assert_eq!(calls(both, &mut host), ["/bin/true", "/bin/false", "/bin/make z"]);
    let missing = apply("exec: {name: /bin/true, onlyif: /bin/nosuch}", &mut host).unwrap_err().to_string();
    assert!(missing.contains("onlyif"), "{missing}");
}

#[test]
fn a_trigger_beats_creates_guards_and_refreshonly() {
    let mut host = machine().with_file("/tmp/made", "");
    let text = "exec: {name: /bin/true, creates: /tmp/made, onlyif: /bin/false, refreshonly: true}";
    assert!(calls(text, &mut host).is_empty());
    host.forget();
    let ran = apply_on(REFRESH, text, &mut host).unwrap();
    assert_eq!(host.calls(), ["/bin/true"]);
    assert_eq!(ran.would.as_deref(), Some("Would have executed via subscribe"));
}

#[test]
fn a_dry_run_does_not_run_guards_unless_they_only_look() {
    let mut host = machine();
    assert_eq!(noop("exec: {name: /bin/true, onlyif: /bin/make x}", &mut host).unwrap(), "would run guard");
    assert!(host.calls().is_empty());
    assert_eq!(noop("exec: {name: /bin/true, onlyif: /bin/false, pure: true}", &mut host), None);
    assert_eq!(
        noop("exec: {name: /bin/true, unless: /bin/false, pure: true}", &mut host).unwrap(),
        "Would have executed"
    );
    let asking = Occasion { noop: true, noop_guards: true, refresh: false };
    assert_eq!(apply_on(asking, "exec: {name: /bin/true, onlyif: /bin/false}", &mut host).unwrap().would, None);
    assert_eq!(noop("exec: {name: /bin/true, refreshonly: true, onlyif: /bin/make x}", &mut host), None);
}

#[test]
fn the_shell_provider_hands_the_line_on_and_the_plain_one_splits_it() {
    let mut host = Memory::new().with_command("/bin/sh *", Reply::exits(0)).with_command("*", Reply::exits(0));
    assert_eq!(
        calls("exec: {name: x, command: 'echo $A | cat', provider: shell}", &mut host),
        ["/bin/sh -c echo $A | cat"]
    );
    assert_eq!(calls("exec: {name: x, command: \"/bin/echo 'a  b' $A\"}", &mut host), ["/bin/echo a  b $A"]);
}

#[test]
fn a_provider_that_is_unknown_or_cannot_work_fails_the_resource() {
    let mut host = Memory::new();
    for (provider, wanted) in [("bogus", "bogus"), ("shell", "/bin/sh")] {
        let error = apply(&format!("exec: {{name: x, provider: {provider}}}"), &mut host).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn a_broken_rule_is_refused_with_its_place() {
    for (text, wanted) in [
        ("exec: {name: /bin/true, ensure: bogus}", "ensure"),
        ("exec: {name: /bin/true, environment: [1K=x]}", "environment"),
        ("exec: {name: /bin/true, environment: [K]}", "environment"),
        ("exec: {name: /bin/true, returns: zero}", "returns"),
        ("exec: {name: /bin/true, timeout: soon}", "timeout"),
        ("exec: {name: /bin/true, timeout: x1s}", "timeout"),
        ("exec: {name: /bin/true, path: 'bin:/usr/bin'}", "path"),
        ("exec: {name: /bin/true, refresh_only: true}", "did you mean refreshonly"),
        ("exec: {name: /bin/true, subscribe: [x]}", "subscribe"),
        ("exec: {name: \"/bin/echo 'a\"}", "unterminated"),
        ("exec: [[/bin/true]]", "map"),
        ("exec: {name: /bin/true, require: x#y}", "list"),
    ] {
        let error = refusal(text);
        assert!(error.contains(wanted) && error.contains("m.yaml:1:"), "{error}");
    }
    assert!(read("exec: {name: \"it's a label\", command: /bin/true}", &Memory::new()).is_ok());
    assert!(
        read("exec: {name: /bin/true, creates: null, require: null, timeout: 1w2d, environment: [A=]}", &Memory::new())
            .is_ok()
    );
}
