//! What the two modules at hand write for meshes of no, one, five and two hundred machines, pinned to the byte.
//!
//! `CCM_PIN=1 cargo test -p ccm-core --test mesh outputs` writes the pins anew.

use std::path::Path;

use super::{machines, mesh};

#[test]
fn hosts_and_zones_are_what_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mesh/pinned");
    for count in [0, 1, 5, 200] {
        let mut text = machines(count, "network, dnsmasq");
        if count == 5 {
            text += "  spare: {modules: [network, dnsmasq]}\nroutes: {grafana: node003, ci: spare, files: node001}\n";
        }
        let node = if count == 0 { "  nobody: {modules: [network, dnsmasq]}\n" } else { "" };
        let text = if count == 0 { format!("machines:\n{node}") } else { text };
        let mesh = mesh(&text, &[]).unwrap();
        let name = mesh.record().names().next().unwrap().to_owned();
        for fact in ["network/node-names", "dnsmasq/node-zones"] {
            let given = mesh.render(&name, fact).unwrap();
            let pin = folder.join(format!("{}-{count}.txt", fact.replace('/', "-")));
            if std::env::var_os("CCM_PIN").is_some() {
                std::fs::write(&pin, &*given).unwrap();
            }
            assert_eq!(*given, std::fs::read_to_string(&pin).unwrap(), "{}", pin.display());
        }
    }
}

#[test]
fn a_composition_is_an_ordinary_manifest() {
    let text = "machines:\n  gw: {address: 10.0.0.1, modules: [network, own]}\n";
    let own = "facts:\n  motd: {path: /etc/motd, template: \"{{ .Node }} has ${x} and {{ `{{ y }}` }}\\n\", mode: 0600}\nresources:\n- file:\n    name: /etc/x\n    ensure: present\n    mode: 0640\n    content: \"${ lookup('a') }\"\n";
    let mesh = mesh(text, &[("own", own)]).unwrap();
    let wanted = r##"# Composed for gw by ccm mesh. Changes belong into the record and its modules.
ccm:
  resources:
  - file:
      name: /etc/hosts
      alias: network/node-names
      ensure: present
      into: block
      template: false
      content: |
        10.0.0.1 gw.internal gw
  - file:
      name: /etc/motd
      alias: own/motd
      ensure: present
      owner: root
      group: root
      mode: "0600"
      template: false
      content: |
        gw has ${x} and {{ y }}
  - file:
      name: /etc/x
      ensure: present
      mode: "0640"
      content: ${ lookup('a') }
"##;
    assert_eq!(mesh.compose("gw", &mesh.network()).unwrap().yaml().unwrap(), wanted);
}

#[test]
fn one_machines_change_leaves_the_others_alone() {
    let before =
        "machines:\n  a: {address: 10.0.0.1, modules: [network]}\n  b: {address: 10.0.0.2, modules: [network]}\n";
    let after =
        before.replace("b: {address: 10.0.0.2, modules: [network]}", "b: {address: 10.0.0.2, modules: [dnsmasq]}");
    let compose = |text: &str| {
        let mesh = mesh(text, &[]).unwrap();
        mesh.compose("a", &mesh.network()).unwrap().yaml().unwrap()
    };
    assert_eq!(compose(before), compose(&after));
    assert_eq!(compose(before), compose(before));
}

#[test]
fn a_machine_that_the_record_lacks_is_refused() {
    let mesh = mesh(&machines(3, "network"), &[]).unwrap();
    let fault = mesh.compose("node01", &mesh.network()).unwrap_err();
    assert_eq!(fault.to_string(), "the record has no machine node01, did you mean node001?");
    let fault = mesh.render("node001", "network/names").unwrap_err();
    assert_eq!(
        fault.to_string(),
        "node001 has no fact network/names, did you mean network/node-names?; it has network/node-names"
    );
}
