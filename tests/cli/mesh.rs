//! `ccm mesh`, and `docs/mesh.md` word for word.

use super::call::{Ended, ccm};
use super::support::Folder;

/// The fenced blocks of a page: what stands behind the fence, and the text.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(info), None) => open = Some((info, String::new())),
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some((info, text))) => open = Some((info, text + line + "\n")),
            (None, None) => {}
        }
    }
    blocks
}

fn call(folder: &Folder, line: &str) -> Ended {
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    ccm(folder, &words)
}

/// Runs the lines that begin with `$`; what follows each is its output.
fn run(folder: &Folder, text: &str, fails: bool) {
    let mut rest = text;
    while let Some(line) = rest.strip_prefix("$ ") {
        let (command, after) = line.split_once('\n').unwrap();
        let wanted = &after[..after.find("$ ").unwrap_or(after.len())];
        let ended = call(folder, command);
        let given = if fails { &ended.stderr } else { &ended.stdout };
        assert_eq!(ended.code, i32::from(fails), "{command}: {}", ended.stderr);
        assert_eq!(given, wanted, "{command}");
        rest = &after[wanted.len()..];
    }
    assert_eq!(rest, "");
}

#[test]
fn the_page_about_meshes_does_what_it_says() {
    let folder = Folder::new();
    let page = include_str!("../../docs/mesh.md");
    let mut applied = None;
    for (info, text) in blocks(page) {
        match info.split_once(' ').unwrap_or((info, "")) {
            ("yaml", name) => {
                let path = std::path::PathBuf::from(folder.path(name));
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            ("console", "apply") => applied = Some(machines(&folder, &text)),
            ("console", how) => run(&folder, &text, how == "fails"),
            ("text", "etc/hosts") => {
                for hosts in applied.take().into_iter().flatten() {
                    assert_eq!(hosts, format!("127.0.0.1 localhost\n{text}"));
                }
            }
            other => panic!("a block that nobody runs: {other:?}"),
        }
    }
}

/// One machine for each command, its `/etc` below the folder; what its hosts file holds in the end. Only root can give
/// files to root, so others leave this out.
fn machines(folder: &Folder, text: &str) -> Vec<String> {
    use std::os::unix::fs::MetadataExt;
    if std::fs::metadata(folder.path("mesh.yaml")).unwrap().uid() != 0 {
        return Vec::new();
    }
    let mut hosts = Vec::new();
    for (at, command) in text.lines().enumerate() {
        let root = folder.path(&format!("machine{at}"));
        std::fs::create_dir_all(format!("{root}/etc/ssh/ssh_config.d")).unwrap();
        std::fs::write(format!("{root}/etc/hosts"), "127.0.0.1 localhost\n").unwrap();
        for name in ["network", "ssh"] {
            let manifest = ccm(folder, &["mesh", "modules", "--show", name]).stdout;
            std::fs::create_dir_all(format!("{root}/modules/{name}")).unwrap();
            let moved = manifest.replace("path: /etc/", &format!("path: {root}/etc/"));
            std::fs::write(format!("{root}/modules/{name}/module.yaml"), moved).unwrap();
        }
        let modules = format!("{} --modules {root}/modules", command.trim_start_matches("$ "));
        let first = call(folder, &modules);
        assert_eq!(first.code, 0, "{}", first.stderr);
        assert_eq!(first.stdout.matches(" changed").count(), 3, "{}", first.stdout);
        let second = call(folder, &modules);
        assert_eq!(second.stdout.matches(" stable").count(), 3, "{}", second.stdout);
        hosts.push(std::fs::read_to_string(format!("{root}/etc/hosts")).unwrap());
    }
    hosts
}

#[test]
fn all_machines_are_composed_into_a_folder_or_none_is() {
    let folder = Folder::new();
    folder.file("mesh.yaml", "machines: {a: {address: 10.0.0.1, modules: [network]}, b: {}}\n");
    let ended = ccm(&folder, &["mesh", "compose", "--all", "-o", "out"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let written = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert!(
        written("out/a.yaml").contains("10.0.0.1 a.internal a\n") && written("out/b.yaml").contains("resources: []")
    );
    folder.file("mesh.yaml", "machines: {a: {address: 10.0.0.1, modules: [network]}, b: {modules: [nothing]}}\n");
    let ended = ccm(&folder, &["mesh", "compose", "--all", "-o", "other"]);
    assert_eq!((ended.code, std::fs::metadata(folder.path("other")).is_err()), (1, true));
    let ended = ccm(&folder, &["mesh", "compose", "a"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""));
    assert!(ended.stderr.contains("machine b runs the unknown module nothing (mesh.yaml:1:70)"), "{}", ended.stderr);
}

#[test]
fn every_refusal_is_told() {
    let folder = Folder::new();
    folder.file("mesh.yaml", "machines: {a: {address: nowhere}, a_b: {}}\nroutes: {x: y}\n");
    let ended = ccm(&folder, &["mesh", "check"]);
    assert_eq!((ended.code, ended.stderr.matches("ccm: error: ").count()), (1, 3), "{}", ended.stderr);
}

#[test]
fn a_machine_with_nothing_to_do_has_nothing_done() {
    let folder = Folder::new();
    folder.file("mesh.yaml", "machines: {a: {}}\n");
    let ended = ccm(&folder, &["mesh", "apply", "--node", "a"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(ccm(&folder, &["mesh", "apply", "--node", "b"]).code, 1);
}
