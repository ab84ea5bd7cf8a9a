//! Manifests and their runs, meshes, regions of files.

use ccm_core::engine::Mode;
use ccm_core::host::memory::Memory;
use ccm_core::manifest::{Document, Unknown};
use ccm_core::roster::module::BUILT_IN;
use ccm_core::roster::region::{Place, Region, put};
use ccm_core::roster::{Mesh, Module, Record};
use ccm_core::span::Source;
use ccm_core::yaml::{self, Limits};

use super::machine::{Case, machine};
use super::{Shape, lines};

pub(crate) fn shapes() -> Vec<Shape> {
    let mut all = manifests();
    all.extend(meshes());
    all.extend(regions());
    all
}

fn manifests() -> Vec<Shape> {
    let read = |name: &str, parts, text: fn(usize) -> String| {
        Shape::text(&format!("manifest: {name}, read"), parts, text, |text| {
            let document = Document::read(&Source::new("m.yaml", text), Unknown::Warn).expect("a manifest");
            std::hint::black_box(document.warnings.iter().map(ToString::to_string).collect::<Vec<_>>());
        })
    };
    let run = |name: &str, parts, text: fn(usize) -> String| {
        Shape::of(
            &format!("manifest: {name}, run"),
            parts,
            move |n| (Case::new(&[("m.yaml", &resources(&text(n)))]), machine()),
            |(case, host): &mut (Case, Memory)| {
                drop(std::hint::black_box(case.run(Mode::default(), host).expect("a run")));
            },
        )
    };
    vec![
        read("files", 200, |n| resources(&lines(n, file))),
        read("top-level keys of one's own", 300, |n| lines(n, |at| format!("x-{at}: 1\n")) + &resources(&file(0))),
        read("unknown keys", 1000, |n| lines(n, |at| format!("dat{at}: 1\n")) + &resources(&file(0))),
        run("files", 100, |n| lines(n, file)),
        run("files under defaults", 100, |n| {
            let list = lines(n, |at| format!("        - /etc/f{at:05}: {{content: 'x {at}'}}\n"));
            format!("    - file:\n        - defaults: {{ensure: present, owner: root, group: root, mode: 644}}\n{list}")
        }),
        run("requirements of the one before", 100, |n| {
            lines(n, |at| {
                let require = if at == 0 { String::new() } else { format!(", require: ['exec#e{}']", at - 1) };
                format!("    - exec: {{name: e{at}, command: /bin/true{require}}}\n")
            })
        }),
        run("requirements of all before", 100, |n| {
            let last = lines(n, |at| format!("'exec#e{at}', "));
            lines(n, |at| format!("    - exec: {{name: e{at}, command: /bin/true}}\n"))
                + &format!("    - exec: {{name: last, command: /bin/true, require: [{last}]}}\n")
        }),
        run("subscriptions to the one before", 100, |n| {
            lines(n, |at| {
                let subscribe = if at == 0 {
                    String::new()
                } else {
                    format!(", subscribe: ['exec#e{}'], refreshonly: true", at - 1)
                };
                format!("    - exec: {{name: e{at}, command: /bin/true{subscribe}}}\n")
            })
        }),
        run("aliases", 100, |n| {
            lines(n, |at| {
                let require = if at == 0 { String::new() } else { format!(", require: ['exec#a{}']", at - 1) };
                format!("    - exec: {{name: e{at}, alias: a{at}, command: /bin/true{require}}}\n")
            })
        }),
        run("conditions", 100, |n| {
            lines(n, |at| {
                format!("    - exec: {{name: e{at}, command: /bin/true, control: {{if: '1 == {}'}}}}\n", at % 2)
            })
        }),
        run("one path that all want", 100, |n| {
            lines(n, |at| {
                format!(
                    "    - file: {{name: /etc/a, alias: a{at}, ensure: present, content: 'x{at}', owner: root, group: root, mode: 644}}\n"
                )
            })
        }),
    ]
}

fn resources(list: &str) -> String {
    format!("ccm:\n  resources:\n{list}")
}

fn file(at: usize) -> String {
    format!(
        "    - file: {{name: /etc/f{at:05}, ensure: present, content: 'x {at}', owner: root, group: root, mode: 644}}\n"
    )
}

fn meshes() -> Vec<Shape> {
    let mesh = |text: &str| {
        let document = yaml::read(&Source::new("mesh.yaml", text), &Limits::default()).expect("a document");
        let record = Record::read(&document).expect("a record");
        let modules =
            BUILT_IN.iter().map(|(name, text)| Module::parse(name, &Source::new(*name, *text)).expect("a module"));
        Mesh::new(record, modules.collect(), &["network"]).expect("a mesh")
    };
    let shape = |name: &str, parts, text: fn(usize) -> String| {
        Shape::of(&format!("mesh: {name}"), parts, text, move |text: &mut String| {
            let mesh = mesh(text);
            let network = mesh.network();
            let node = mesh.record().names().next().expect("a machine");
            let composed = mesh.compose(node, &network).expect("a manifest");
            std::hint::black_box(composed.yaml().expect("text"));
        })
    };
    vec![shape("machines", 100, |n| {
        let address = |at: usize| format!("10.20.{}.{}", at / 250, at % 250 + 1);
        format!(
            "suffix: mesh.example\nmachines:\n{}",
            lines(n, |at| format!("  node{at:04}: {{address: {}, modules: [network]}}\n", address(at)))
        )
    })]
}

fn regions() -> Vec<Shape> {
    const REGION: Region<'_> = Region { id: "x", comment: "#", place: Place::End };
    let region = |name: &str, parts, text: fn(usize) -> String| {
        Shape::text(&format!("region: {name}"), parts, text, |text| {
            std::hint::black_box(put(Some(text.as_bytes()), &REGION, text.as_bytes()).expect("a file"));
        })
    };
    vec![
        region("lines of others", 1000, |n| "a line\n".repeat(n)),
        region("regions of others", 300, |n| lines(n, |at| format!("# BEGIN ccm r{at}\nx\n# END ccm r{at}\n"))),
    ]
}
