use std::time::{Duration, Instant};

use ccm_core::error::{Cause, Kind};
use ccm_core::host::{Command, Processes};

use crate::Linux;
use crate::support::Folder;

fn shell(script: &str) -> Command {
    Command {
        program: "/bin/sh".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        environment: vec!["PATH=/usr/bin:/bin".to_owned()],
        ..Command::default()
    }
}

fn limited(script: &str, millis: u64) -> Command {
    Command { timeout: Some(Duration::from_millis(millis)), ..shell(script) }
}

fn cause(command: &Command) -> Cause {
    match Linux::new().ask(command).unwrap_err().kind() {
        Kind::System(system) => system.cause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_streams_and_the_code_come_back() {
    let output = Linux::new().ask(&shell("echo out; echo err >&2; exit 3")).unwrap();
    assert_eq!((output.code, &*output.stdout, &*output.stderr), (3, &b"out\n"[..], &b"err\n"[..]));
}

#[test]
fn the_environment_is_exactly_what_was_given_and_the_later_entry_wins() {
    let mut command = shell("env");
    command.environment.extend(["A=1".to_owned(), "A=2=3".to_owned(), "EMPTY=".to_owned()]);
    let output = Linux::new().ask(&command).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("PWD=") && !line.starts_with('_')).collect();
    names.retain(|line| !line.starts_with("SHLVL="));
    names.sort_unstable();
    assert_eq!(names, ["A=2=3", "EMPTY=", "PATH=/usr/bin:/bin"]);
}

#[test]
fn the_directory_is_the_root_unless_given_and_input_is_empty() {
    assert_eq!(Linux::new().ask(&shell("pwd; cat")).unwrap().stdout, b"/\n");
    let folder = Folder::new();
    let command = Command { directory: Some(folder.path("")), ..shell("pwd -P") };
    assert!(String::from_utf8(Linux::new().ask(&command).unwrap().stdout).unwrap().contains("ccm-test-"));
    let command = Command { directory: Some(folder.path("missing")), ..shell("pwd") };
    assert!(Linux::new().ask(&command).unwrap_err().to_string().contains("missing"));
}

#[test]
fn a_command_can_be_ended_by_the_signals_that_this_process_holds_back() {
    let mut machine = Linux::new();
    machine.watch_signals().unwrap();
    for signal in ["TERM", "INT", "HUP", "PIPE"] {
        let error = machine.ask(&shell(&format!("kill -{signal} $$; exit 0"))).unwrap_err().to_string();
        assert!(error.contains(&format!("SIG{signal}")), "{error}");
    }
    let began = Instant::now();
    assert!(machine.ask(&limited("sleep 5", 200)).unwrap_err().to_string().contains("timed out"));
    assert!(began.elapsed() < Duration::from_millis(1500));
}

#[test]
fn input_and_output_may_both_be_larger_than_a_pipe() {
    let command = Command { input: vec![b'x'; 1 << 20], keep: 10, ..shell("cat") };
    let output = Linux::new().ask(&command).unwrap();
    assert_eq!((output.stdout.len(), output.truncated), (10, true));
}

#[test]
fn input_that_nobody_reads_does_no_harm() {
    let command = Command { input: vec![b'x'; 1 << 20], ..shell("exit 0") };
    assert_eq!(Linux::new().ask(&command).unwrap().code, 0);
}

#[test]
fn a_deadline_ends_the_whole_group() {
    let folder = Folder::new();
    let late = folder.path("late");
    let start = Instant::now();
    let script = format!("echo so far; (sleep 1; echo x > {late}) & sleep 5; echo x > {late}");
    let error = Linux::new().ask(&limited(&script, 200)).unwrap_err();
    assert!(start.elapsed() < Duration::from_millis(900), "{:?}", start.elapsed());
    assert!(error.to_string().contains("timed out after 200ms") && error.to_string().contains("so far"), "{error}");
    std::thread::sleep(Duration::from_millis(1200));
    assert!(folder.names().is_empty());
}

#[test]
fn one_that_ignores_term_is_killed_after_two_seconds() {
    let start = Instant::now();
    assert_eq!(cause(&limited("trap '' TERM; while :; do sleep 1; done", 100)), Cause::TimedOut);
    let took = start.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_child_left_behind_holds_nobody_up() {
    let start = Instant::now();
    let output = Linux::new().ask(&shell("sleep 3 & echo done")).unwrap();
    assert_eq!(output.stdout, b"done\n");
    assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
}

#[test]
fn death_by_a_signal_is_an_error() {
    let error = Linux::new().ask(&shell("kill -9 $$")).unwrap_err();
    assert!(error.to_string().contains("signal 9 (SIGKILL)"), "{error}");
}

#[test]
fn what_cannot_run_says_why() {
    let folder = Folder::new();
    let plain = Command { program: folder.file("plain", "#!/bin/sh\n"), ..Command::default() };
    assert_eq!(cause(&plain), Cause::Denied);
    let missing = Command { program: "no-such-program".to_owned(), ..Command::default() };
    assert_eq!(cause(&missing), Cause::NotFound);
    let nothing = Command::default();
    assert_eq!(cause(&nothing), Cause::NotFound);
}

#[test]
fn the_search_path_of_a_command_is_its_own() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.file("ls", "#!/bin/sh\necho mine\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let search = Some(format!("relative:{}:/bin", folder.path("")));
    let command = Command { program: "ls".to_owned(), search, ..Command::default() };
    assert_eq!(Linux::new().ask(&command).unwrap().stdout, b"mine\n");
}

#[test]
fn lines_are_handed_on_while_a_command_runs() {
    use std::cell::RefCell;
    use std::rc::Rc;
    let seen = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&seen);
    let mut machine = Linux::new().streaming_to(move |line| sink.borrow_mut().push(line.to_owned()));
    machine.run(&Command { stream: true, ..shell("echo a; printf b") }).unwrap();
    machine.run(&shell("echo quiet")).unwrap();
    assert_eq!(*seen.borrow(), ["a", "b"]);
}

#[test]
fn commands_leave_no_descriptors_behind() {
    let machine = Linux::new();
    let count = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut counts = Vec::new();
    for _ in 0..5 {
        machine.ask(&shell("true")).unwrap();
        counts.push(count());
    }
    // Other tests run beside this one, so only a steady growth would be a leak.
    assert!(counts.windows(2).any(|pair| pair[1] <= pair[0]), "{counts:?}");
    let listed = machine.ask(&shell("ls /proc/self/fd")).unwrap().stdout;
    let plain = std::process::Command::new("/bin/sh").args(["-c", "ls /proc/self/fd"]).output().unwrap().stdout;
    assert_eq!(String::from_utf8(listed).unwrap().lines().count(), String::from_utf8(plain).unwrap().lines().count());
}
