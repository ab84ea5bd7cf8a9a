//! `ccm ensure`, `ccm session`, `ccm status`.

use std::os::unix::fs::PermissionsExt;

use super::call::ccm;
use super::support::Folder;

#[test]
fn a_file_is_made_once_and_its_flags_may_stand_anywhere() {
    let folder = Folder::new();
    let arguments = ["ensure", "file", "a", "--content=x", "--no-sync", "--mode", "0640"];
    let first = ccm(&folder, &arguments);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let id = format!("file#{}", folder.path("a"));
    assert_eq!(first.timeless(), format!(" WARN  {id} changed ensure=present runtime=TIME provider=posix\n"));
    let mode = std::fs::metadata(folder.path("a")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    let second = ccm(&folder, &["ensure", "--detailed-exitcodes", "file", "a", "--content=x", "--mode=0640"]);
    assert_eq!((second.code, second.timeless().split(' ').nth(4).unwrap()), (0, "stable"), "{}", second.stdout);
}

#[test]
fn exit_codes_tell_what_became_of_the_resource() {
    let folder = Folder::new();
    for (arguments, code) in [
        (&["ensure", "exec", "/bin/true"][..], 0),
        (&["ensure", "exec", "/bin/true", "--detailed-exitcodes"], 2),
        (&["ensure", "exec", "/bin/false"], 4),
        (&["ensure", "exec", "/bin/false", "--refresh-only"], 0),
        (&["ensure", "exec", "/bin/sh -c 'exit 3'", "--returns", "3"], 0),
        (&["ensure", "file", "a", "link"], 1),
        (&["ensure", "exec", "/bin/true", "--require", "exec#x"], 1),
    ] {
        assert_eq!(ccm(&folder, arguments).code, code, "{arguments:?}");
    }
}

#[test]
fn a_session_is_made_filled_and_reported() {
    let folder = Folder::new();
    let store = folder.path("s");
    let made = ccm(&folder, &["session", "new", "--directory", &store]);
    assert_eq!((made.code, made.stdout.as_str()), (0, format!("export CCM_SESSION_STORE={store}\n").as_str()));
    assert_eq!(ccm(&folder, &["session", "new", "--directory", &store]).code, 1);

    let session = ["--session", store.as_str()];
    let run = |arguments: &[&str]| ccm(&folder, &[arguments, &session].concat());
    assert_eq!(run(&["ensure", "exec", "/bin/true"]).code, 0);
    assert_eq!(run(&["ensure", "exec", "/bin/false"]).code, 4);
    let refreshed = run(&["ensure", "exec", "/bin/echo", "--refresh-only", "-S", "exec#/bin/true"]);
    assert!(refreshed.stdout.contains("refreshed"), "{}", refreshed.stdout);
    let unmet = run(&["ensure", "exec", "/bin/echo x", "--require", "exec#/bin/false"]);
    assert!(unmet.code == 4 && unmet.stdout.contains("unmet=exec#/bin/false"), "{}", unmet.stdout);
    // An earlier failure is not this call's.
    assert_eq!(run(&["ensure", "exec", "/bin/true"]).code, 0);

    let names: Vec<String> =
        std::fs::read_dir(&store).unwrap().map(|entry| entry.unwrap().path().display().to_string()).collect();
    assert_eq!(names.len(), 5);
    for name in &names {
        assert_eq!(std::fs::metadata(name).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let report = run(&["session", "report"]);
    for line in [
        "Total Resources: 5",
        "Unique Resources: 4",
        "Changed Resources: 3",
        "Failed Resources: 1",
        "Skipped Resources: 1",
    ] {
        assert!(report.stdout.contains(line), "{line}: {}", report.stdout);
    }
    assert_eq!(run(&["session", "report", "--remove"]).code, 0);
    assert!(!std::path::Path::new(&store).exists());
}

#[test]
fn a_session_that_is_not_there_fails_before_anything_is_changed() {
    let folder = Folder::new();
    let ended = ccm(&folder, &["ensure", "file", "a", "--content", "x", "--session", "nowhere"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("nowhere"), "{}", ended.stderr);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn the_status_of_a_file_is_its_metadata() {
    let folder = Folder::new();
    folder.file("a", "x");
    let shown = ccm(&folder, &["status", "file", "a", "--json"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(shown.stdout.contains(&format!("\"name\": \"{}\"", folder.path("a"))), "{}", shown.stdout);
    assert!(shown.stdout.contains("2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"));
    assert!(ccm(&folder, &["status", "exec", "x"]).stdout.contains("not supported"));
    assert_eq!(ccm(&folder, &["status", "apply", "x"]).code, 1);
    assert_eq!(ccm(&folder, &["status", "nosuch", "x"]).code, 1);
}
