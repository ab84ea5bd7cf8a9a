//! `ccm apply`: what is shown of a run, from every kind of source, and how it ends.

use std::process::Stdio;
use std::time::Duration;

use super::call::{ccm, ccm_fed, command, ended, owner};
use super::support::Folder;

/// A file and a command; `@` is the folder.
fn site(folder: &Folder) -> String {
    format!(
        "data: {{greeting: hello}}\nccm:\n  pre_message: before\n  post_message: after\n  resources:\n    - file: {{name: {}, ensure: present, {}, mode: \"0600\", content: \"{{{{ Data.greeting }}}}\"}}\n    - exec: {{name: /bin/true}}\n",
        folder.path("a"),
        owner()
    )
}

fn report(stable: u32, changed: u32) -> String {
    format!(
        "
Manifest Run Summary

             Run Time: TIME
      Total Resources: 2
     Stable Resources: {stable}
    Changed Resources: {changed}
     Failed Resources: 0
    Skipped Resources: 0
  Refreshed Resources: 0
   Unmet Requirements: 0
    Checked Resources: 0
         Total Errors: 0
"
    )
}

#[test]
fn a_run_is_shown_to_the_byte_and_a_second_run_changes_only_what_must_run() {
    let folder = Folder::new();
    folder.file("m.yaml", site(&folder));
    let (path, head) = (folder.path("a"), "\nbefore\n INFO  Executing manifest manifest=m.yaml resources=2\n");
    let first = ccm(&folder, &["apply", "m.yaml", "--no-sync"]);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    assert_eq!(
        first.timeless(),
        format!(
            "{head} WARN  file#{path} changed ensure=present runtime=TIME provider=posix\n WARN  exec#/bin/true changed ensure=present runtime=TIME provider=posix\nafter\n{}",
            report(0, 2)
        )
    );
    let second = ccm(&folder, &["apply", "m.yaml", "--no-sync"]);
    assert_eq!(
        second.timeless(),
        format!(
            "{head} INFO  file#{path} stable ensure=present runtime=TIME provider=posix\n WARN  exec#/bin/true changed ensure=present runtime=TIME provider=posix\nafter\n{}",
            report(1, 1)
        )
    );
}

#[test]
fn a_dry_run_says_what_it_would_do_and_writes_nothing() {
    let folder = Folder::new();
    let input = site(&folder);
    let ended = ccm_fed(&folder, &["apply", "-", "--noop", "--no-report"], input.as_bytes());
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert!(ended.stdout.contains("provider=posix noop=Would have created the file\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("provider=posix noop=Would have executed\n"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("Summary"));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn a_tarball_is_a_manifest_with_its_files() {
    let folder = Folder::new();
    let text = site(&folder).replace("content: \"{{ Data.greeting }}\"", "source: sub/file");
    let tar =
        [member("x/manifest.yaml", text.as_bytes()), member("x/sub/file", b"from the tarball"), vec![0; 1024]].concat();
    folder.file("m.tar", tar);
    let ended = ccm(&folder, &["apply", "m.tar", "--no-sync", "--no-report"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(std::fs::read_to_string(folder.path("a")).unwrap(), "from the tarball");
    let left = folder.names();
    assert!(left.iter().all(|name| ["a", "m.tar", "ccm.lock"].contains(&name.as_str())), "{left:?}");
}

/// A regular file as a tar archive has it.
fn member(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = vec![0_u8; 512];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let padding = content.len().next_multiple_of(512) - content.len();
    [header, content.to_vec(), vec![0; padding]].concat()
}

#[test]
fn render_prints_a_manifest_that_can_be_applied() {
    let folder = Folder::new();
    folder.file("m.yaml", "data: {site: edge}\nccm:\n  resources:\n    - exec:\n        - 'echo {{ Data.site }}': {provider: shell, command: 'echo {{ Data.site }}'}\n");
    let rendered = ccm(&folder, &["apply", "m.yaml", "--render"]);
    assert_eq!((rendered.code, rendered.stderr.as_str()), (0, ""));
    assert_eq!(
        rendered.stdout,
        "ccm:\n  fail_on_error: false\n  resources:\n  - exec:\n      name: echo edge\n      ensure: present\n      provider: shell\n      command: echo {{ Data.site }}\ndata:\n  site: edge\n\n"
    );
    let again = ccm_fed(&folder, &["apply", "-", "--render"], rendered.stdout.as_bytes());
    assert_eq!(again.stdout, rendered.stdout);
}

#[test]
fn exit_codes_tell_how_the_run_went() {
    let folder = Folder::new();
    let manifest = |resources: &str| format!("ccm: {{resources: [{resources}]}}");
    for (resources, flags, code) in [
        ("exec: {name: /bin/true}", "", 0),
        ("exec: {name: /bin/true}", "--detailed-exitcodes", 2),
        ("exec: {name: /bin/false}", "", 4),
        ("{exec: {name: /bin/false}, file: {name: /x}}", "", 1),
        ("{exec: {name: /bin/false}}, {exec: {name: /bin/true}}", "--detailed-exitcodes", 6),
        ("{exec: {name: /bin/false}}, {exec: {name: /bin/true, require: [\"exec#/bin/false\"]}}", "", 4),
        ("exec: {name: /bin/true, refreshonly: true}", "--detailed-exitcodes", 0),
    ] {
        let arguments: Vec<&str> = ["apply", "-"].into_iter().chain(flags.split_terminator(' ')).collect();
        let ended = ccm_fed(&folder, &arguments, manifest(resources).as_bytes());
        assert_eq!(ended.code, code, "{resources} {flags}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn an_interrupt_ends_the_command_and_starts_no_later_resource() {
    let folder = Folder::new();
    let late = folder.path("late");
    folder.file(
        "m.yaml",
        format!("ccm: {{resources: [{{exec: {{name: /bin/sleep 20}}}}, {{exec: {{name: \"/bin/touch {late}\"}}}}]}}"),
    );
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let mut command = command(&folder, &["apply", "m.yaml"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(400));
        std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let ended = ended(child.wait_with_output().unwrap());
        assert_eq!(ended.code, code, "{}{}", ended.stdout, ended.stderr);
        assert!(!std::path::Path::new(&late).exists());
    }
}

#[test]
fn a_stop_while_nothing_runs_yet_ends_with_its_signal_too() {
    let folder = Folder::new();
    let mut command = command(&folder, &["apply", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let ended = ended(child.wait_with_output().unwrap());
    drop(stdin);
    assert_eq!(ended.code, 143, "{}", ended.stderr);
}

#[test]
fn noop_and_monitor_only_exclude_each_other() {
    let folder = Folder::new();
    folder.file("m.yaml", site(&folder));
    assert_eq!(ccm(&folder, &["apply", "m.yaml", "--noop", "--monitor-only"]).code, 1);
    assert_eq!(folder.names(), ["m.yaml"]);
}

#[test]
fn monitor_only_runs_the_checks_and_nothing_else() {
    let folder = Folder::new();
    let made = folder.path("made");
    let check = "health_checks: [{command: \"/bin/sh -c 'exit 2'\", name: sick}]";
    folder.file(
        "m.yaml",
        format!(
            "ccm: {{resources: [{{exec: {{name: \"/bin/touch {made}\", {check}}}}}, {{exec: {{name: /bin/true}}}}]}}"
        ),
    );
    let ended = ccm(&folder, &["apply", "m.yaml", "--monitor-only"]);
    assert_eq!(ended.code, 4);
    assert!(ended.stdout.contains("Executing manifest health checks"));
    assert!(ended.stdout.contains(" WARN  Health check failed resource=exec#/bin/touch"), "{}", ended.stdout);
    assert!(ended.stdout.contains("healthcheck=true errors=health check status \"CRITICAL\"\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("Checked Resources: 1 (ok: 0, critical: 1, warning: 0 unknown: 0)\n"));
    assert!(!ended.stdout.contains("exec#/bin/true") && !std::path::Path::new(&made).exists());
}
