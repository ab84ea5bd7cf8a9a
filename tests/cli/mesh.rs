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

#[test]
fn a_region_keeps_the_rest_of_the_file_its_mode_and_the_way_back() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    for before in [
        "; theirs\nkey = 1\n",
        "no newline",
        "a\r\nb\r\n",
        "# BEGIN ANSIBLE MANAGED BLOCK\nx\n# END ANSIBLE MANAGED BLOCK\n",
        "\n",
    ] {
        for position in ["start", "end"] {
            let path = folder.file("app.ini", before);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            let manifest = |rest: &str| {
                format!(
                    "ccm: {{resources: [file: {{name: {path}, into: block, comment: \";\", position: {position}, {rest}}}]}}\n"
                )
            };
            folder.file("m.yaml", manifest("ensure: present, template: false, content: \"v = {{ x }}\\n\""));
            folder.file("n.yaml", manifest("ensure: absent"));
            let first = ccm(&folder, &["apply", "m.yaml"]);
            assert!(first.code == 0 && first.stdout.contains(" changed"), "{} {}", first.stdout, first.stderr);
            let text = std::fs::read_to_string(&path).unwrap();
            let region = format!("; BEGIN ccm {path}\nv = {{{{ x }}}}\n; END ccm {path}");
            assert!(text.contains(&region), "{text}");
            assert!(if position == "start" { text.ends_with(before) } else { text.starts_with(before) }, "{text}");
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
            assert!(ccm(&folder, &["apply", "m.yaml"]).stdout.contains(" stable"));
            assert_eq!(ccm(&folder, &["apply", "n.yaml"]).code, 0);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
            assert!(ccm(&folder, &["apply", "n.yaml"]).stdout.contains(" stable"));
        }
    }
}

#[test]
fn a_file_that_held_nothing_but_the_region_is_made_and_removed() {
    let folder = Folder::new();
    let path = folder.path("new");
    let manifest =
        |rest: &str| format!("ccm: {{resources: [file: {{name: {path}, alias: mine, into: block, {rest}}}]}}\n");
    folder.file("m.yaml", manifest("ensure: present, content: x"));
    folder.file("n.yaml", manifest("ensure: absent"));
    assert_eq!(ccm(&folder, &["apply", "m.yaml"]).code, 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# BEGIN ccm mine\nx\n# END ccm mine\n");
    assert_eq!(ccm(&folder, &["apply", "n.yaml"]).code, 0);
    assert!(std::fs::metadata(&path).is_err());
    std::fs::write(&path, "# END ccm mine\n# BEGIN ccm mine\n").unwrap();
    assert_eq!(ccm(&folder, &["apply", "m.yaml"]).code, 4);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# END ccm mine\n# BEGIN ccm mine\n");
}
