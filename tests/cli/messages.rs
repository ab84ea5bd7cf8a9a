//! What people read who wrote something wrong: a table of manifests and templates, each with what ccm says.
//!
//! `messages.txt` holds the cases: `=== NAME`, then files (`--- NAME` and their text), then `>>>` and what standard error
//! says, or the errors of the failed resource where the run went on.

use super::call::ccm;
use super::support::Folder;

struct Case {
    name: String,
    files: Vec<(String, String)>,
    said: String,
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut after = false;
    for line in include_str!("messages.txt").lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case { name: name.into(), files: Vec::new(), said: String::new() });
            after = false;
            continue;
        }
        let case = cases.last_mut().expect("a case before its lines");
        if let Some(name) = line.strip_prefix("--- ") {
            case.files.push((name.into(), String::new()));
        } else if line == ">>>" {
            after = true;
        } else {
            let text = if after { &mut case.said } else { &mut case.files.last_mut().expect("a file").1 };
            text.push_str(line);
            text.push('\n');
        }
    }
    cases
}

fn said(case: &Case) -> String {
    let folder = Folder::new();
    for (name, text) in &case.files {
        folder.file(name, text);
    }
    let ended = ccm(&folder, &["apply", "m.yaml", "--noop"]);
    assert_ne!(ended.code, 0, "{}: {}", case.name, ended.stdout);
    let shown = if ended.stderr.is_empty() {
        let errors = ended.stdout.lines().filter_map(|line| line.split_once(" errors="));
        errors.map(|(_, errors)| format!("{errors}\n")).collect()
    } else {
        ended.stderr
    };
    shown.replace(&folder.path(""), "DIR/")
}

#[test]
fn each_mistake_is_told_with_its_place_its_line_and_what_was_probably_meant() {
    let cases = cases();
    assert!(cases.len() > 40, "{} cases", cases.len());
    let differing = cases.iter().map(|case| (case, said(case))).filter(|(case, said)| *said != case.said);
    let told: Vec<String> =
        differing.map(|(case, said)| format!("{}\n  wanted: {}\n  said:   {said}", case.name, case.said)).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}
