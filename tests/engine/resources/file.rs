//! `file` on a machine in memory.

use super::*;

const BASE: &str = "owner: root, group: root, mode: '0644'";

fn present(rest: &str) -> String {
    format!("file: {{name: /etc/x, ensure: present, {BASE}{rest}}}")
}

fn directory(rest: &str) -> String {
    format!("file: {{name: /srv/a/b, ensure: directory, owner: root, group: root, mode: '0750'{rest}}}")
}

fn absent(rest: &str) -> String {
    format!("file: {{name: /etc/x, ensure: absent{rest}}}")
}

#[test]
fn a_file_is_made_and_a_second_run_changes_nothing() {
    let mut host = Memory::new();
    let ran = converge(&present(r#", content: "one\ntwo\n""#), &mut host);
    assert_eq!(ran.would.as_deref(), Some("Would have created the file"));
    assert_eq!(host.text("/etc/x"), Some("one\ntwo\n"));
    assert_eq!(host.attributes("/etc/x"), Some((0, 0, 0o644)));
}

#[test]
fn a_dry_run_says_what_it_would_do_and_does_nothing() {
    let say = |text: &str, mut host: Memory| noop(text, &mut host);
    assert_eq!(say(&present(", content: x"), Memory::new()).unwrap(), "Would have created the file");
    assert_eq!(say(&present(""), Memory::new()).unwrap(), "Would have created an empty file with requested attributes");
    assert_eq!(say(&directory(""), Memory::new()).unwrap(), "Would have created directory");
    let there = || Memory::new().with_file("/etc/x", "x").with_attributes("/etc/x", 1, 0, 0o644);
    assert_eq!(say(&present(", content: x"), there()).unwrap(), "Would have updated attributes");
    assert_eq!(say(&present(", content: y"), there()).unwrap(), "Would have created the file");
    assert_eq!(say(&absent(""), there()).unwrap(), "Would have removed the file");
    assert_eq!(say(&absent(""), Memory::new().with_directory("/etc/x")).unwrap(), "Would have removed the directory");
    let tree = Memory::new().with_file("/etc/x/y", "");
    assert_eq!(say(&absent(", force: true"), tree).unwrap(), "Would have recursively removed the directory");
    assert_eq!(say(&absent(""), Memory::new()), None);
}

#[test]
fn attributes_alone_are_set_in_place() {
    let mut host = Memory::new().with_file("/etc/x", "kept").with_attributes("/etc/x", 1, 1, 0o4755);
    let ran = apply(&present(", content: kept"), &mut host).unwrap();
    assert_eq!(ran.would.as_deref(), Some("Would have updated attributes"));
    assert_eq!(host.journal(), ["attributes /etc/x"]);
    assert_eq!(host.attributes("/etc/x"), Some((0, 0, 0o644)));
}

#[test]
fn an_unknown_owner_leaves_nothing_behind() {
    for text in [
        "file: {name: /etc/x, ensure: present, owner: nobody-here, group: root, mode: 644, content: x}",
        "file: {name: /etc/d, ensure: directory, owner: root, group: nobody-here, mode: 755}",
    ] {
        let mut host = Memory::new();
        let error = apply(text, &mut host).unwrap_err().to_string();
        assert!(error.contains("nobody-here"), "{error}");
        assert!(host.journal().is_empty());
    }
}

#[test]
fn an_owner_that_appears_later_is_no_error_in_a_dry_run() {
    let text = "file: {name: /etc/x, ensure: present, owner: later, group: root, mode: 644, content: x}";
    assert!(noop(text, &mut Memory::new()).is_some());
}

#[test]
fn a_link_is_replaced_and_its_target_left_alone() {
    let mut host = Memory::new().with_file("/etc/victim", "s").with_link("/etc/x", "/etc/victim");
    converge(&present(", content: new"), &mut host);
    assert_eq!((host.text("/etc/x"), host.text("/etc/victim")), (Some("new"), Some("s")));
    let mut dangling = Memory::new().with_link("/etc/x", "/nowhere");
    converge(&present(", content: new"), &mut dangling);
    assert_eq!((dangling.text("/etc/x"), dangling.text("/nowhere")), (Some("new"), None));
}

#[test]
fn a_link_to_what_is_wanted_is_accepted() {
    let mut host = Memory::new().with_file("/etc/real", "x").with_link("/etc/x", "/etc/real");
    assert_eq!(apply(&present(", content: x"), &mut host).unwrap().would, None);
    let mut host = Memory::new().with_directory("/srv/real").with_attributes("/srv/real", 0, 0, 0o750);
    host.place_directory("/srv/a");
    let mut host = host.with_link("/srv/a/b", "/srv/real");
    assert_eq!(apply(&directory(""), &mut host).unwrap().would, None);
}

#[test]
fn attributes_are_never_set_through_a_link() {
    let host = Memory::new().with_file("/etc/victim", "s").with_attributes("/etc/victim", 1, 1, 0o600);
    let mut host = host.with_link("/etc/x", "/etc/victim");
    let error = apply(&present(""), &mut host).unwrap_err().to_string();
    assert!(error.contains("symlink"), "{error}");
    assert!(host.journal().is_empty());
}

#[test]
fn a_fifo_is_never_read() {
    let fifo = || Memory::new().with_special("/etc/x");
    assert!(apply(&present(", content: x"), &mut fifo()).is_err());
    assert_eq!(apply(&present(""), &mut fifo()).unwrap().would, None);
    assert_eq!(apply(&absent(""), &mut fifo()).unwrap().would.unwrap(), "Would have removed the file");
}

#[test]
fn what_stands_in_the_way_is_refused_with_nothing_changed() {
    let mut host = Memory::new().with_file("/etc/x/y", "1");
    for text in [present(", content: x"), present("")] {
        assert!(apply(&text, &mut host).unwrap_err().to_string().contains("directory"));
    }
    let mut host = Memory::new().with_file("/srv/a/b", "1");
    assert!(apply(&directory(""), &mut host).unwrap_err().to_string().contains("directory"));
    assert!(host.journal().is_empty());
}

#[test]
fn removing_a_full_directory_needs_force() {
    let mut host = Memory::new().with_file("/etc/x/y", "1");
    assert!(apply(&absent(""), &mut host).unwrap_err().to_string().contains("force"));
    assert_eq!(host.text("/etc/x/y"), Some("1"));
    converge(&absent(", force: true"), &mut host);
    assert_eq!(host.text("/etc/x/y"), None);
}

#[test]
fn directories_above_are_made_for_a_directory_and_on_request_for_a_file() {
    let mut host = Memory::new();
    converge(&directory(""), &mut host);
    assert_eq!(host.attributes("/srv/a"), Some((0, 0, 0o750)));
    let file = |rest: &str| format!("file: {{name: /opt/a/b, ensure: present, {BASE}, content: x{rest}}}");
    assert!(apply(&file(""), &mut Memory::new()).is_err());
    let mut host = Memory::new();
    converge(&file(", parents: true"), &mut host);
    assert_eq!(host.attributes("/opt/a"), Some((0, 0, 0o755)));
}

#[test]
fn without_replace_only_a_missing_file_is_filled() {
    let mut host = Memory::new().with_file("/etc/x", "mine");
    converge(&present(", content: theirs, replace: false"), &mut host);
    assert_eq!(host.text("/etc/x"), Some("mine"));
    let mut host = Memory::new();
    converge(&present(", content: theirs, replace: false"), &mut host);
    assert_eq!(host.text("/etc/x"), Some("theirs"));
}

#[test]
fn a_block_changes_its_own_lines_alone() {
    let mut host = Memory::new().with_file("/etc/x", "head\ntail");
    converge(&present(", content: first, into: block"), &mut host);
    converge(&present(", content: second, into: block"), &mut host);
    let text = host.text("/etc/x").unwrap();
    assert!(text.starts_with("head\ntail\n") && text.contains("second") && !text.contains("first"), "{text}");
    converge(&absent(", into: block"), &mut host);
    assert_eq!(host.text("/etc/x"), Some("head\ntail"));
}

#[test]
fn a_source_is_taken_from_the_directory_of_the_manifest() {
    let mut host = Memory::new().with_file("/srv/site/files/x", "from source {{ 1 }}");
    converge(&present(", source: files/x"), &mut host);
    assert_eq!(host.text("/etc/x"), Some("from source {{ 1 }}"));
    let error = apply(&present(", source: missing"), &mut Memory::new()).unwrap_err().to_string();
    assert!(error.contains("/srv/site/missing"), "{error}");
}

#[test]
fn a_bind_mount_is_written_in_place_with_a_warning() {
    let mut host = Memory::new().with_file("/etc/x", "old").refusing("/etc/x", Cause::Busy);
    let ran = converge(&present(", content: new"), &mut host);
    assert_eq!(host.text("/etc/x"), Some("new"));
    assert!(ran.done.warnings[0].contains("in place"));
}

#[test]
fn a_read_only_root_fails_the_write_and_says_so() {
    let mut host = Memory::new().with_file("/etc/x", "old").read_only();
    assert!(apply(&present(", content: new"), &mut host).unwrap_err().to_string().contains("read-only"));
    assert_eq!(host.text("/etc/x"), Some("old"));
}

#[test]
fn a_mode_means_what_is_written_and_not_what_yaml_makes_of_it() {
    for (mode, bits) in [
        ("644", 0o644),
        ("0644", 0o644),
        ("'0644'", 0o644),
        ("0o644", 0o644),
        ("2755", 0o2755),
        ("\"{{ Data.mode }}\"", 0o600),
    ] {
        let mut host = Memory::new();
        let text = format!("file: {{name: /etc/x, ensure: present, owner: root, group: root, mode: {mode}}}");
        converge(&text, &mut host);
        assert_eq!(host.attributes("/etc/x").unwrap().2, bits, "{mode}");
    }
    let refuse = |mode: &str| {
        refusal(&format!("file: {{name: /etc/x, ensure: present, owner: root, group: root, mode: {mode}}}"))
    };
    assert!(refuse("\"{{ Data.number }}\"").contains("quote it in data"));
    for mode in ["8", "-1", "6.44", "rw-r--r--", "'07777777'", "[1]"] {
        assert!(refuse(mode).contains("mode"), "{mode}");
    }
}

#[test]
fn content_is_evaluated_once_and_only_if_it_is_a_template() {
    let mut host = Memory::new();
    converge(&present(", content: '{{ Data.who }}'"), &mut host);
    assert_eq!(host.text("/etc/x"), Some("root"));
    converge(&present(", content: '{{ Data.who }}', template: false"), &mut host);
    assert_eq!(host.text("/etc/x"), Some("{{ Data.who }}"));
    converge(&present(", content: 5"), &mut host);
    assert_eq!(host.text("/etc/x"), Some("5"));
}

#[test]
fn a_broken_rule_is_refused_with_its_place_and_resource() {
    for (text, wanted) in [
        ("file: {name: /etc/x}", "ensure"),
        ("file: {name: etc/x, ensure: absent}", "absolute"),
        ("file: {name: /etc/../x, ensure: absent}", "canonical"),
        ("file: {ensure: absent}", "name is required"),
        ("file: {name: /etc/x, ensure: presnt}", "did you mean present"),
        ("file: {name: /etc/x, ensure: present, group: root, mode: '0644'}", "owner"),
        ("file: {name: /etc/x, ensure: absent, contnet: x}", "did you mean content"),
        ("file: {name: /, ensure: absent, force: true}", "force"),
        ("file: {name: /etc/x, ensure: absent, require: [x]}", "require"),
        ("file: {name: /etc/x, ensure: absent, require: [File#x]}", "require"),
        ("file: {name: /etc/x, ensure: absent, health_checks: [{}]}", "health check"),
        ("file: {name: /etc/x, ensure: absent, health_checks: [{command: a, trys: 3}]}", "did you mean tries"),
    ] {
        let error = refusal(text);
        assert!(error.contains(wanted) && error.contains("m.yaml:1:"), "{error}");
    }
    assert!(refusal(&present(", content: x, source: y")).contains("in file#/etc/x: content and source"));
    assert!(refusal(&present(", content: x, force: true")).contains("force"));
}
