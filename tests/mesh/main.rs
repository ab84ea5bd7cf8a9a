//! The mesh: which templates are refused and where, what comes out for meshes of several sizes, who reaches whom.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]

mod outputs;
mod reach;
mod refusals;
mod scale;

use ccm_core::Error;
use ccm_core::roster::module::BUILT_IN;
use ccm_core::roster::{Mesh, Module, Record};
use ccm_core::span::Source;
use ccm_core::yaml::{self, Limits};

const DNSMASQ: &str = include_str!("../../examples/mesh/modules/dnsmasq/module.yaml");

fn record(text: &str) -> Record {
    let document = yaml::read(&Source::new("mesh.yaml", text), &Limits::default()).unwrap();
    Record::read(&document).unwrap()
}

/// A mesh of the built-in modules, dnsmasq, and others given by name and manifest.
fn mesh(text: &str, more: &[(&str, &str)]) -> Result<Mesh, Vec<Error>> {
    let all = BUILT_IN.iter().copied().chain([("dnsmasq", DNSMASQ)]).chain(more.iter().copied());
    let mut modules = Vec::new();
    for (name, text) in all {
        modules.push(Module::parse(name, &Source::new(format!("{name}.yaml"), text))?);
    }
    Mesh::new(record(text), modules, &["network", "dnsmasq"])
}

/// A record of so many machines, each running these modules.
fn machines(count: usize, modules: &str) -> String {
    let mut text = String::from("suffix: mesh.example\nmachines:\n");
    if count == 0 {
        return "machines: {}\n".to_owned();
    }
    for at in 0..count {
        let address = format!("10.{}.{}.{}", 20 + at / 65536, at / 256 % 256, at % 256);
        text += &format!("  node{at:03}: {{address: {address}, modules: [{modules}]}}\n");
    }
    text
}
