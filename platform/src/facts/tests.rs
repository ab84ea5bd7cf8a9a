use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::support::Folder;

fn get<'a>(map: &'a Map, path: &str) -> &'a Value {
    let mut keys = path.split('.');
    let first = map.get(keys.next().unwrap()).unwrap();
    keys.fold(first, |value, key| value.as_map().unwrap().field(key).unwrap())
}

#[test]
fn this_machine_has_all_families_in_both_spellings() {
    let facts = gather(&Options::default());
    let keys: Vec<&str> = facts.iter().map(|(key, _)| &**key).collect();
    assert_eq!(keys, ["cpu", "host", "memory", "network", "partition"]);
    assert_eq!(get(&facts, "host.info.OS").as_text(), Some("linux"));
    assert_eq!(get(&facts, "host.info.os").as_text(), Some("linux"));
    assert!(matches!(get(&facts, "memory.virtual.Total"), Value::Int(total) if total.as_u64() > Some(1 << 20)));
}

#[test]
fn a_family_left_out_keeps_its_skeleton() {
    let facts = gather(&Options { without: &Family::ALL, ..Options::default() });
    let shown = ccm_core::value::wire::json(&Value::Map(facts), ccm_core::value::wire::Layout::PLAIN).unwrap();
    assert_eq!(
        shown,
        "{\"cpu\":{\"info\":[]},\"host\":{\"info\":{}},\"memory\":{\"swap\":{\"devices\":{},\"info\":{}},\"virtual\":{}},\
         \"network\":{\"addresses\":[],\"default_ipv4\":\"\",\"default_ipv6\":\"\",\"interfaces\":[]},\
         \"partition\":{\"partitions\":[],\"usage\":[]}}"
    );
}

#[test]
fn files_of_facts_are_merged_in_order() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("facts.d")).unwrap();
    folder.file("facts.json", r#"{"a": 1, "l": [1], "m": {"x": 1}}"#);
    folder.file("facts.yaml", "a: 2\nl: [2]\nm: {y: 2}\n");
    folder.file("facts.d/B.YAML", "a: 4\n");
    folder.file("facts.d/a.json", r#"{"a": 3, "b": 1}"#);
    folder.file("facts.d/c.yml", "a: 9\n");
    let (facts, warnings) = files::read(Map::new(), &[folder.path("")]);
    assert!(warnings.is_empty(), "{warnings:?}");
    let shown = ccm_core::value::wire::json(&Value::Map(facts), ccm_core::value::wire::Layout::PLAIN).unwrap();
    assert_eq!(shown, r#"{"a":3,"b":1,"l":[1,2],"m":{"x":1,"y":2}}"#);
}

#[test]
fn files_that_others_could_have_made_are_refused() {
    let folder = Folder::new();
    let outside = Folder::new();
    symlink(outside.file("evil", "{}"), folder.path("facts.json")).unwrap();
    let open = folder.file("facts.yaml", "evil: 1\n");
    std::fs::set_permissions(open, std::fs::Permissions::from_mode(0o666)).unwrap();
    symlink(outside.path(""), folder.path("facts.d")).unwrap();
    let (facts, warnings) = files::read(Map::new(), &[folder.path(""), "relative".to_owned()]);
    assert!(facts.is_empty());
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    for (warning, word) in told.iter().zip(["symlink", "everyone", "facts.d", "relative"]) {
        assert!(warning.contains(word), "{warning}");
    }
}

#[test]
fn a_fifo_among_the_facts_holds_nobody_up() {
    let folder = Folder::new();
    nix::unistd::mkfifo(folder.path("facts.json").as_str(), nix::sys::stat::Mode::S_IRUSR).unwrap();
    let (_, warnings) = files::read(Map::new(), &[folder.path("")]);
    assert!(warnings[0].to_string().contains("no regular file"), "{warnings:?}");
}

#[test]
fn a_text_of_the_system_may_be_anything() {
    let folder = Folder::new();
    nix::unistd::mkfifo(folder.path("fifo").as_str(), nix::sys::stat::Mode::S_IRUSR).unwrap();
    assert_eq!(text(&folder.path("fifo")).as_deref(), Some(""));
    assert_eq!(text(&folder.path("missing")), None);
    assert_eq!(text(&folder.path("")), None);
    assert_eq!(text(&folder.file("odd", [b'a', 0xff])).as_deref(), Some("a\u{fffd}"));
}
