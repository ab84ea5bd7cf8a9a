//! A thousand machines with five modules each: work by counted renderings, time and memory only reported.
//!
//! `cargo test --release -p ccm-core --test mesh scale -- --ignored --nocapture` prints the figures.

use std::time::Instant;

use super::{machines, mesh};

const MODULES: [(&str, &str); 3] = [
    (
        "ssh",
        "facts: {config: {path: /etc/ssh/mesh, template: \"{{ range .Machines }}{{ if ne .Name $.Node }}Host {{ .Name }} {{ .FQDN }}\\n  HostName {{ .Address }}\\n{{ end }}{{ end }}\"}}",
    ),
    (
        "known",
        "facts: {known-hosts: {path: /etc/ssh/ssh_known_hosts, shared: true, template: \"@cert-authority *.{{ .Suffix }} ssh-ed25519 AAAA\\n\"}}",
    ),
    (
        "targets",
        "facts: {targets: {path: /etc/prometheus/mesh.json, template: \"[{{ range $i, $m := .Machines }}{{ if $i }},{{ end }}{{ printf `%q` $m.FQDN }}{{ end }}]\\n\"}}",
    ),
];

#[test]
#[ignore = "prints figures; run it on purpose, in release"]
fn a_thousand_machines_with_five_modules() {
    let text = machines(1000, "network, dnsmasq, ssh, known, targets");
    let start = Instant::now();
    let mesh = mesh(&text, &MODULES).unwrap();
    let checked = start.elapsed();
    let network = mesh.network();
    let mut bytes = 0;
    for node in mesh.record().names() {
        bytes += mesh.compose(node, &network).unwrap().yaml().unwrap().len();
    }
    println!("check {checked:?}, compose and write {:?}, {} MB of manifests", start.elapsed() - checked, bytes >> 20);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap());
}

#[test]
fn what_is_the_same_on_every_machine_is_rendered_once() {
    let mesh = mesh(&machines(40, "network, ssh"), &MODULES).unwrap();
    let [a, b] = ["node001", "node002"].map(|node| mesh.render(node, "network/node-names").unwrap());
    assert!(std::sync::Arc::ptr_eq(&a, &b));
    let [a, b] = ["node001", "node002"].map(|node| mesh.render(node, "ssh/config").unwrap());
    assert!(a != b && !a.contains("Host node001 ") && !b.contains("Host node002 "));
}
