//! `ccm apply`: brings this machine to the state of a manifest.

use argh::{ArgsInfo, FromArgs};
use ccm_core::engine::{Loaded, Plan, Rendered};
use ccm_core::{Error, Result, yaml};

use super::run::{Data, Options, Setup, Shown};
use crate::exit;
use crate::guard::Guard;
use crate::load::Loader;
use crate::logger::Console;

/// Applies a manifest: a file, `-` for standard input, a tarball that holds a manifest.yaml, or a signed bundle.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "apply", help_triggers("--help"))]
pub(crate) struct Apply {
    /// the manifest
    #[argh(positional)]
    pub(super) manifest: String,
    /// a fact for this run, K=V; a dotted K sets a nested fact; may be repeated
    #[argh(option, arg_name = "K=V")]
    pub(super) fact: Vec<String>,
    /// keep dotted keys of --fact as they are
    #[argh(switch)]
    pub(super) flat_facts: bool,
    /// a YAML or JSON file of facts to merge over those gathered
    #[argh(option, arg_name = "FILE")]
    pub(super) facts: Option<String>,
    /// data that overrides the manifest's (CCM_HIERA_DATA)
    #[argh(option, arg_name = "SOURCE")]
    pub(super) hiera: Option<String>,
    /// do not read .env from the current directory
    #[argh(switch)]
    pub(super) no_read_env: bool,
    /// change nothing, say what would change
    #[argh(switch)]
    pub(super) noop: bool,
    /// with --noop: run guard commands too
    #[argh(switch)]
    pub(super) noop_guards: bool,
    /// run health checks only
    #[argh(switch)]
    pub(super) monitor_only: bool,
    /// print the resolved manifest and end
    #[argh(switch)]
    pub(super) render: bool,
    /// print no summary
    #[argh(switch)]
    pub(super) no_report: bool,
    /// end with 0 unchanged, 2 changed, 4 failed, 6 changed and failed
    #[argh(switch)]
    pub(super) detailed_exitcodes: bool,
    /// how long to wait for another run to end (60s)
    #[argh(option, arg_name = "DURATION")]
    pub(super) lock_timeout: Option<String>,
    /// do not wait for disks: for building images
    #[argh(switch)]
    pub(super) no_sync: bool,
    /// the NATS context (NATS_CONTEXT, or CCM)
    #[argh(option, arg_name = "NAME")]
    #[allow(dead_code, reason = "obj:// and kv:// sources will want it")]
    pub(super) context: Option<String>,
    /// the stream that registrations() reads (REGISTRATION)
    #[argh(option, short = 'R', arg_name = "STREAM")]
    #[allow(dead_code, reason = "registrations() will want it")]
    pub(super) registration: Option<String>,
    /// take nothing but a bundle signed with this public key (of bundles: all in keys/ of the configuration directory)
    #[argh(option, arg_name = "PUBLIC")]
    pub(super) key: Option<String>,
    /// take a bundle though a later version of it was applied
    #[argh(switch)]
    pub(super) allow_rollback: bool,
}

impl Apply {
    pub(crate) fn run(self, console: &Console) -> Result<u8> {
        let manifest = self.manifest.clone();
        self.run_on(console, |setup, loader| loader.load(setup.host(), "", &manifest))
    }

    /// Applies what a function finds or makes instead of the manifest named.
    pub(super) fn run_on(
        self,
        console: &Console,
        load: impl FnOnce(&Setup<'_>, &Loader) -> Result<Loaded>,
    ) -> Result<u8> {
        let mut setup = Setup::new(self.options(), console)?;
        let loader = Loader::new(Guard::new(self.key, self.allow_rollback)?);
        let result = load(&setup, &loader).and_then(|loaded| match self.render {
            true => render(&setup.render(&loaded)?, console),
            false => setup.apply(&loaded, &loader, Shown::Run { report: !self.no_report }),
        });
        setup.end(result)
    }

    fn options(&self) -> Options {
        Options {
            noop: self.noop,
            noop_guards: self.noop_guards,
            monitor_only: self.monitor_only,
            read_env: !self.no_read_env,
            fact: self.fact.clone(),
            flat_facts: self.flat_facts,
            facts: self.facts.clone(),
            hiera: match self.hiera.clone().or_else(|| super::variable("CCM_HIERA_DATA")) {
                Some(source) => Data::Wanted(source),
                None => Data::None,
            },
            lock_timeout: self.lock_timeout.clone(),
            sync: !self.no_sync,
            detailed: self.detailed_exitcodes,
        }
    }
}

fn render(plan: &Plan, console: &Console) -> Result<u8> {
    let text = yaml::write(&Rendered(plan)).map_err(|error| Error::invalid(format!("cannot render: {error}")))?;
    // The empty line at the end is the reference's (vectors jet_manifests).
    console.out.text(&format!("{text}\n"));
    Ok(exit::SUCCESS)
}
