//! What this machine takes manifests from: the policy, and the versions of bundles it has seen.
//!
//! A bundle says its name and its version, and is signed with both. The last version applied under each name is kept
//! in the state directory; an older one is refused, so that nobody can bring back a manifest that was right once. No
//! clock is asked.

use std::cell::RefCell;

use ccm_core::host::{Attributes, Content, Files};
use ccm_core::span::Source;
use ccm_core::text::path;
use ccm_core::value::Value;
use ccm_core::yaml::{self, Limits};
use ccm_core::{Error, Result};
use ccm_platform::bundle::{Seal, Trust};
use ccm_platform::{Linux, trusted};

use crate::logger::{Console, Level};
use crate::problem;

/// Decides what is let in.
#[derive(Default)]
pub(crate) struct Guard {
    trust: Trust,
    allow_rollback: bool,
    /// The bundles let in, whose versions are not recorded yet.
    admitted: RefCell<Vec<Seal>>,
}

impl Guard {
    /// Reads the policy. A key on the command line demands a signature, as the policy can.
    pub(crate) fn new(key: Option<String>, allow_rollback: bool) -> Result<Self> {
        let mut required = key.is_some();
        for directory in trusted::directories() {
            required |= policy(&directory)?;
        }
        Ok(Self { trust: Trust { required, key }, allow_rollback, admitted: RefCell::default() })
    }

    /// Whose bundles are taken; what lies in a bundle that was verified needs no signature of its own.
    pub(crate) fn trust(&self, in_bundle: bool) -> Trust {
        Trust { required: self.trust.required && !in_bundle, key: self.trust.key.clone() }
    }

    /// Refuses what was composed here, of things that nobody signed, where signatures are demanded.
    pub(crate) fn unsigned(&self, name: &str) -> Result<()> {
        match self.trust.required {
            true => Err(Error::invalid(format!("{name} is refused: only signed bundles are taken here"))),
            false => Ok(()),
        }
    }

    /// Lets a verified bundle in, unless a later one was applied.
    pub(crate) fn admit(&self, seal: &Seal, host: &Linux) -> Result<()> {
        self.compare(seal, host)?;
        self.admitted.borrow_mut().push(seal.clone());
        Ok(())
    }

    fn compare(&self, seal: &Seal, host: &Linux) -> Result<()> {
        let Some(file) = file(&seal.name).filter(|_| !self.allow_rollback) else { return Ok(()) };
        match last(&file, host)? {
            Some(last) if last > seal.version => Err(Error::invalid(format!(
                "version {} of bundle {} is older than version {last}, which was applied: --allow-rollback takes it",
                seal.version, seal.name
            ))),
            _ => Ok(()),
        }
    }

    /// Keeps the versions of what was let in. Called under the run lock, so the comparison holds.
    pub(crate) fn record(&self, host: &mut Linux, console: &Console) -> Result<()> {
        for seal in self.admitted.take() {
            self.compare(&seal, host)?;
            let kept = match file(&seal.name) {
                Some(file) => keep(&file, seal.version, host),
                None => Err(Error::invalid("there is no home directory")),
            };
            if let Err(error) = kept {
                // A rescue system whose root cannot be written has to be repaired all the same.
                let error = error.doing(format!("the version of bundle {} is not kept", seal.name));
                console.diagnose(Level::Warn, problem::text(&error).trim_end(), &[]);
            }
        }
        Ok(())
    }
}

/// Whether the policy of a configuration directory demands signatures.
fn policy(directory: &str) -> Result<bool> {
    let Some(text) = trusted::text(directory, "policy.yaml", POLICY)? else { return Ok(false) };
    let source = Source::new(format!("{directory}/policy.yaml"), text);
    let value = yaml::read(&source, &Limits::default())?.root().to_value();
    let wrong = || Error::invalid(format!("{} may hold `require_signature: true` or `false` alone", source.name()));
    match value {
        Value::Null => Ok(false),
        Value::Map(map) => map.iter().try_fold(false, |_, (key, value)| match (&**key, value) {
            ("require_signature", Value::Bool(required)) => Ok(*required),
            _ => Err(wrong()),
        }),
        _ => Err(wrong()),
    }
}

/// Bytes that a policy may have.
const POLICY: u64 = 64 << 10;

fn file(name: &str) -> Option<String> {
    trusted::state().map(|state| path::join(&[&state, "bundles", name]))
}

/// The version applied last.
fn last(file: &str, host: &Linux) -> Result<Option<u64>> {
    if host.stat_target(file)?.is_none() {
        return Ok(None);
    }
    let text = String::from_utf8(host.read(file, 64)?).unwrap_or_default();
    let version = text.trim_end().parse();
    version.map(Some).map_err(|_| Error::invalid(format!("{file} holds no version: --allow-rollback writes it anew")))
}

fn keep(file: &str, version: u64, host: &mut Linux) -> Result<()> {
    make(&path::parent(file), host)?;
    let attributes = Attributes { mode: Some(0o600), ..Attributes::default() };
    host.write(file, Content::Bytes(format!("{version}\n").as_bytes()), &attributes).map(drop)
}

/// Makes a directory and those above that are missing.
fn make(directory: &str, host: &mut Linux) -> Result<()> {
    if host.stat_target(directory)?.is_some() {
        return Ok(());
    }
    make(&path::parent(directory), host)?;
    host.make_directory(directory, &Attributes { mode: Some(0o700), ..Attributes::default() })
}
