//! What ccm says of itself: topics whose examples run, the manual page, completions that shells accept.

use std::process::Command;

use super::call::ccm;
use super::support::Folder;

fn said(arguments: &[&str]) -> String {
    let ended = ccm(&Folder::new(), arguments);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{arguments:?}");
    ended.stdout
}

/// The indented blocks of a lesson, without their indent.
fn examples(lesson: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in lesson.lines() {
        match line.strip_prefix("    ") {
            Some(code) => blocks.last_mut().unwrap().extend([code, "\n"]),
            None if !line.is_empty() => blocks.push(String::new()),
            None => {}
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

#[test]
fn the_manifest_of_the_lesson_is_one() {
    let folder = Folder::new();
    folder.file("m.yaml", &examples(&said(&["help", "manifest"]))[0]);
    let ended = ccm(&folder, &["apply", "m.yaml", "--noop", "--render"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert!(ended.stdout.contains("Welcome to a managed Linux machine"), "{}", ended.stdout);
}

#[test]
fn the_expressions_of_the_lesson_come_to_what_stands_beside_them() {
    let lesson = said(&["help", "expressions"]);
    let mut data = String::from("data:\n  port: 80\n");
    let mut wanted = Vec::new();
    for line in lesson.lines().filter_map(|line| line.strip_prefix("    {{ ")) {
        let (expression, comes_to) = line.split_once(" }}").unwrap();
        let key = format!("e{}", wanted.len());
        data += &format!("  {key}: '{{{{ {} }}}}'\n", expression.replace('\'', "''"));
        wanted.push((key, expression.to_owned(), comes_to.trim().to_owned()));
    }
    assert!(wanted.len() > 8);
    let folder = Folder::new();
    folder.file("d.yaml", data + "hierarchy: {order: [x]}\n");
    let ended = ccm(&folder, &["hiera", "parse", "d.yaml", "--yaml"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for (key, expression, comes_to) in wanted.iter().skip(3) {
        let line = ended.stdout.lines().find_map(|line| line.strip_prefix(&format!("{key}: "))).unwrap();
        assert_eq!(line.trim_matches(['"', '\'']), comes_to, "{expression}");
    }
}

#[test]
fn facts_are_a_command_and_a_topic() {
    let text = said(&["help", "facts"]);
    assert!(text.starts_with("Usage: ccm facts ") && text.contains("facts.d"), "{text}");
    let unknown = ccm(&Folder::new(), &["help", "nosuch"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("nosuch"), "{}", unknown.stderr);
}

/// The commands and flags that a usage names.
fn named(usage: &str) -> (Vec<String>, Vec<String>) {
    let items = |heading: &str| -> Vec<String> {
        let after = usage.split_once(&format!("\n{heading}:\n")).map_or("", |(_, after)| after);
        let lines = after.lines().take_while(|line| !line.is_empty());
        let words = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
        words.map(|line| line.to_owned()).collect()
    };
    let commands = items("Commands").iter().filter_map(|line| line.split(' ').next().map(Into::into)).collect();
    let flags = items("Options");
    let long = |line: &String| line.split([' ', ',']).find(|word| word.starts_with("--")).map(Into::into);
    (commands, flags.iter().filter_map(long).collect())
}

/// Every command with the words that lead to it.
fn tree(path: &[String], to: &mut Vec<(Vec<String>, Vec<String>)>) {
    let words: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    let (commands, flags) = named(&said(&words));
    to.push((path.to_vec(), flags));
    for command in commands {
        tree(&[path, &[command]].concat(), to);
    }
}

#[test]
fn the_manual_page_has_every_command_and_every_flag() {
    let page = said(&["--help-man"]);
    let mut commands = Vec::new();
    tree(&[], &mut commands);
    assert!(commands.len() > 15, "{commands:?}");
    for (path, flags) in commands {
        if !path.is_empty() {
            assert!(page.contains(&format!("\n.SS ccm {}\n", path.join(" "))), "{path:?}");
        }
        for flag in flags.iter().filter(|flag| *flag != "--help") {
            assert!(page.contains(&format!("\\fB{}\\fR", flag.replace('-', "\\-"))), "{path:?} {flag}");
        }
    }
    let folder = Folder::new();
    let file = folder.file("ccm.1", &page);
    if let Ok(output) = Command::new("man").args(["--warnings", "-l", "-Tutf8", &file]).env("MANPAGER", "cat").output()
    {
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && complaints.is_empty(), "{complaints}");
    }
}

/// What bash offers for a line that ends where the cursor is.
fn offered(script: &str, line: &[&str]) -> Vec<String> {
    let words: String = line.iter().map(|word| format!(" '{word}'")).collect();
    let program = format!(
        "{script}\nCOMP_WORDS=(ccm{words})\nCOMP_CWORD={}\n_ccm\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        line.len()
    );
    let output = Command::new("bash").args(["--norc", "-c", &program]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().filter(|line| !line.is_empty()).map(Into::into).collect()
}

#[test]
fn bash_offers_what_may_follow() {
    let script = said(&["--completion-script-bash"]);
    assert_eq!(offered(&script, &["app"]), ["apply"]);
    assert_eq!(offered(&script, &["ensure", "--noop", "f"]), ["file"]);
    assert_eq!(offered(&script, &["ensure", "file", "/etc/x", "--mo"]), ["--mode"]);
    assert_eq!(offered(&script, &["ensure", "file", "--no-sy"]), ["--no-sync"]);
    assert!(offered(&script, &["apply", "--facts", ""]).is_empty());
    assert!(offered(&script, &["apply", ""]).is_empty());
}

#[test]
fn every_shell_that_is_here_accepts_its_script() {
    let folder = Folder::new();
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = said(&[&format!("--completion-script-{shell}")]);
        let file = folder.file(shell, &script);
        if let Ok(output) = Command::new(shell).args([check, &file]).output() {
            assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn fish_offers_what_may_follow() {
    let folder = Folder::new();
    folder.file("ccm.fish", said(&["--completion-script-fish"]));
    let ask = |line: &str| {
        let program = format!("source ccm.fish; complete -C '{line}'");
        let mut fish = Command::new("fish");
        fish.args(["--private", "--no-config", "-c", &program])
            .current_dir(folder.path(""))
            .env("HOME", folder.path(""));
        fish.output().ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(offered) = ask("ccm ensure fi") else { return };
    assert!(offered.starts_with("file\t"), "{offered}");
    assert!(ask("ccm ensure file --mo").unwrap().starts_with("--mode\t"));
}
