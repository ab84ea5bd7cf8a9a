//! `ccm status`: the state of one resource, as it is.

use argh::{ArgsInfo, FromArgs};
use ccm_core::render::{Env, World};
use ccm_core::resource::properties::Reading;
use ccm_core::resource::{Details, Occasion, Resource, Type};
use ccm_core::span::{Source, Span};
use ccm_core::value::{Map, Value};
use ccm_core::yaml::{self, Limits};
use ccm_core::{Error, Result};
use ccm_platform::Linux;

use crate::exit;
use crate::logger::Console;

/// Shows the state of a resource.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "status", help_triggers("--help"))]
pub(crate) struct Status {
    /// the type: file, package, service, ...
    #[argh(positional, arg_name = "type")]
    kind: String,
    /// the name
    #[argh(positional)]
    name: String,
    /// print JSON in place of YAML
    #[argh(switch)]
    json: bool,
}

impl Status {
    pub(crate) fn run(self, console: &Console) -> Result<u8> {
        match self.kind.as_str() {
            "exec" | "archive" => {
                console.out.text(&format!("Status of {} resources is not supported\n", self.kind));
                Ok(exit::SUCCESS)
            }
            "file" => self.show(Type::File, &super::absolute(&self.name)?, console),
            "apply" | "scaffold" => {
                Err(Error::invalid(format!("could not get status: unsupported resource type {}", self.kind)))
            }
            _ => Err(Error::invalid(format!("unknown resource type {}", self.kind))),
        }
    }

    /// Looks at a resource of which only type and name are known.
    fn show(&self, kind: Type, name: &str, console: &Console) -> Result<u8> {
        let host = Linux::new();
        let world = World::new(Value::Null, Value::Null, Map::new());
        let env = Env::new(&world, &host);
        let source = Source::new("command line", "{ensure: absent}");
        let document = yaml::read(&source, &Limits::default())?;
        let reading = Reading::new(&source, env, true);
        let name = (Some(&name.into()), source.at(Span::point(0)));
        let resource = Resource::read(kind, name, document.root(), None, &reading)?.resolve(&env)?;
        let seen = resource.observe(resource.provider(&host)?, Occasion::default(), &host)?;
        let text = match resource.details(&seen, &host) {
            Some(Details::File(metadata)) if self.json => {
                serde_json::to_string_pretty(&metadata).map(|text| text + "\n").ok()
            }
            Some(Details::File(metadata)) => yaml::write(&metadata).ok(),
            _ => None,
        };
        console.out.text(&text.ok_or_else(|| Error::invalid(format!("{kind} has no status to show")))?);
        Ok(exit::SUCCESS)
    }
}
