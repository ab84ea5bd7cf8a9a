//! How faults are shown: the place, the line, the mark under the word.

use super::call::{ccm, command, ended, owner};
use super::support::Folder;

fn refusal(manifest: &str) -> String {
    let folder = Folder::new();
    folder.file("m.yaml", manifest);
    let ended = ccm(&folder, &["apply", "m.yaml"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{}", ended.stderr);
    ended.stderr
}

#[test]
fn an_unknown_key_is_shown_with_its_line_and_the_nearest_known_one() {
    assert_eq!(
        refusal("hierarchie: {}\nccm: {resources: [exec: {name: /bin/true}]}\n"),
        "ccm: error: unknown key hierarchie of the manifest, did you mean hierarchy? (m.yaml:1:1)\n  \
         m.yaml:1:1 |  hierarchie: {}\n             |  ^^^^^^^^^^\n"
    );
}

#[test]
fn a_fault_of_a_property_names_resource_and_line() {
    let shown = refusal("ccm:\n  resources:\n    - exec:\n        - /bin/true:\n            timout: 1s\n");
    assert!(shown.starts_with("ccm: error: invalid manifest resource 1: "), "{shown}");
    assert!(shown.contains("timout") && shown.contains("timeout"), "{shown}");
    assert!(shown.contains("\n  m.yaml:5:13 |              timout: 1s\n"), "{shown}");
    assert!(shown.ends_with("|              ^^^^^^\n"), "{shown}");
}

#[test]
fn a_syntax_error_names_its_line() {
    assert!(refusal("ccm:\n\tresources: []\n").contains("m.yaml:2"));
}

#[test]
fn a_missing_manifest_is_named() {
    let ended = ccm(&Folder::new(), &["apply", "nowhere.yaml"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.starts_with("ccm: error: ") && ended.stderr.contains("nowhere.yaml"), "{}", ended.stderr);
}

#[test]
fn one_path_with_two_contents_and_a_requirement_that_nothing_meets_are_warned_of_with_their_lines() {
    let folder = Folder::new();
    let file = |content: &str| format!("ensure: present, {}, mode: \"0644\", content: \"{content}\"", owner());
    let path = folder.path("a");
    folder.file(
        "m.yaml",
        format!(
            "ccm:\n  resources:\n    - file: {{name: {path}, {}}}\n    - file: {{name: {path}, {}}}\n    - exec: {{name: /bin/true, require: [\"exec#none\"]}}\n",
            file("1"),
            file("2")
        ),
    );
    let ended = ccm(&folder, &["apply", "m.yaml", "--noop"]);
    let warnings: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("level=WARN")).collect();
    assert_eq!(warnings.len(), 2, "{}", ended.stderr);
    assert!(warnings[0].contains("exec#none") && warnings[0].contains("m.yaml:5:"), "{}", warnings[0]);
    assert!(warnings[1].contains("in line 3") && warnings[1].contains("m.yaml:4:"), "{}", warnings[1]);
}

#[test]
fn a_full_disk_behind_standard_output_ends_with_1_and_the_work_is_done() {
    let folder = Folder::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let arguments = ["ensure", "file", "a", "--content", "x", "--no-sync"];
    let ended = ended(command(&folder, &arguments).stdout(full).output().unwrap());
    assert_eq!((ended.code, ended.stderr.as_str()), (1, ""));
    assert_eq!(std::fs::read_to_string(folder.path("a")).unwrap(), "x");
}
