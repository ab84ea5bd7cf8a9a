//! Calls that run nothing: help, version, mistakes.

use super::call::{ccm, command, ended};
use super::support::Folder;

#[test]
fn the_version_is_one_line_on_standard_output() {
    let ended = ccm(&Folder::new(), &["--version"]);
    assert_eq!(
        (ended.code, ended.stdout.as_str(), ended.stderr.as_str()),
        (0, concat!(env!("CARGO_PKG_VERSION"), "\n"), "")
    );
}

#[test]
fn help_is_on_standard_output_and_names_every_command() {
    for arguments in [&["--help"][..], &["-h"], &["help"]] {
        let ended = ccm(&Folder::new(), arguments);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
        for command in ["apply", "ensure", "facts", "hiera", "session", "status"] {
            assert!(ended.stdout.contains(&format!("\n  {command} ")), "{command}: {}", ended.stdout);
        }
    }
    assert!(ccm(&Folder::new(), &["help", "apply"]).stdout.starts_with("Usage: ccm apply "));
    assert!(ccm(&Folder::new(), &["ensure", "file", "x", "--help"]).stdout.starts_with("Usage: ccm ensure file "));
}

#[test]
fn no_words_at_all_show_the_usage_on_standard_error() {
    let ended = ccm(&Folder::new(), &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""));
    assert!(ended.stderr.starts_with("Usage: ccm "));
}

#[test]
fn a_mistake_is_named_before_the_usage_and_ends_with_1() {
    for (arguments, wrong, usage) in [
        (&["apply"][..], "manifest", "Usage: ccm apply"),
        (&["apply", "m.yaml", "--nosuch"], "--nosuch", "Usage: ccm apply"),
        (&["nosuch"], "nosuch", "Usage: ccm "),
        (&["ensure", "file"], "name", "Usage: ccm ensure file"),
    ] {
        let ended = ccm(&Folder::new(), arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (1, ""));
        let (first, rest) = ended.stderr.split_once("\n\n").unwrap();
        assert!(first.starts_with("ccm: error: ") && first.contains(wrong), "{first}");
        assert!(rest.starts_with(usage), "{rest}");
    }
}

#[test]
fn an_argument_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let ended = ended(command(&folder, &[]).arg(std::ffi::OsStr::from_bytes(b"\xff")).output().unwrap());
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("is not UTF-8"), "{}", ended.stderr);
}
