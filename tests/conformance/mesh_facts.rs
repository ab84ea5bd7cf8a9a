//! `mesh_facts.jsonl`: one template against the view of a machine of a mesh.

use ccm_core::gotmpl::{Options, Template};
use ccm_core::names::{Fuel, NoFunctions};
use ccm_core::roster::Record;
use ccm_core::roster::view::SHAPE;
use ccm_core::span::Source;
use ccm_core::yaml::{self, Limits};

use crate::{Case, Folder, each};

pub fn run(_: &Folder, cases: &[Case]) -> Vec<Result<(), String>> {
    each(cases, |case| {
        let wanted = case.deviation.as_ref().unwrap_or(&case.json);
        let text = |name: &str| case.json[name].as_str().unwrap();
        let document = yaml::read(&Source::new("mesh", case.json["mesh"].to_string()), &Limits::default()).unwrap();
        let record = Record::read(&document).map_err(|faults| format!("{faults:?}"))?;
        let source = Source::anonymous(text("template"));
        let template = Template::parse(&source, &Options::default()).map_err(|fault| fault.to_string())?;
        if let Some(fault) = template.check(&SHAPE).first() {
            return Err(format!("refused: {fault}"));
        }
        let view = record.view().of(text("node"));
        let given = template.render(&view, &NoFunctions, &Fuel::new()).map_err(|fault| fault.to_string())?;
        if given == wanted["out"].as_str().unwrap() { Ok(()) } else { Err(format!("{given:?}, not {}", wanted["out"])) }
    })
}
