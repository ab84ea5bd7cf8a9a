//! `ccm apply`: brings this machine to the state of a manifest.

use argh::FromArgs;
use ccm_core::{Error, Result};

use crate::logger::Console;

/// Applies a manifest: a file, `-` for standard input, or a tarball that holds a manifest.yaml.
#[derive(FromArgs)]
#[argh(subcommand, name = "apply", help_triggers("--help"))]
pub(crate) struct Apply {
    /// the manifest
    #[argh(positional)]
    manifest: String,
    /// a fact for this run, K=V; a dotted K sets a nested fact; may be repeated
    #[argh(option, arg_name = "K=V")]
    fact: Vec<String>,
    /// keep dotted keys of --fact as they are
    #[argh(switch)]
    flat_facts: bool,
    /// a YAML or JSON file of facts to merge over those gathered
    #[argh(option, arg_name = "FILE")]
    facts: Option<String>,
    /// data that overrides the manifest's (CCM_HIERA_DATA)
    #[argh(option, arg_name = "SOURCE")]
    hiera: Option<String>,
    /// do not read .env from the current directory
    #[argh(switch)]
    no_read_env: bool,
    /// change nothing, say what would change
    #[argh(switch)]
    noop: bool,
    /// with --noop: run guard commands too
    #[argh(switch)]
    noop_guards: bool,
    /// run health checks only
    #[argh(switch)]
    monitor_only: bool,
    /// print the resolved manifest and end
    #[argh(switch)]
    render: bool,
    /// print no summary
    #[argh(switch)]
    no_report: bool,
    /// end with 0 unchanged, 2 changed, 4 failed, 6 changed and failed
    #[argh(switch)]
    detailed_exitcodes: bool,
    /// how long to wait for another run to end (60s)
    #[argh(option, arg_name = "DURATION")]
    lock_timeout: Option<String>,
    /// do not wait for disks: for building images
    #[argh(switch)]
    no_sync: bool,
    /// the NATS context (NATS_CONTEXT, or CCM)
    #[argh(option, arg_name = "NAME")]
    context: Option<String>,
    /// the stream that registrations() reads (REGISTRATION)
    #[argh(option, short = 'R', arg_name = "STREAM")]
    registration: Option<String>,
}

impl Apply {
    pub(crate) fn run(self, _console: &mut Console) -> Result<u8> {
        Err(Error::invalid(format!("cannot apply {} yet", self.manifest)))
    }
}
