//! Health checks: what a resource is held to after its turn (ledger resources.md 9).
//!
//! Each check is tried until it is OK or its attempts are used up. One that cannot start or takes too
//! long is UNKNOWN and tells why; it is not tried again, and never ends the run (F2).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::event::{Checked, Health};
use super::{Note, Observer};
use crate::error::{Error, Result};
use crate::host::{Command, Host};
use crate::resource::common::Probe;
use crate::resource::{HealthCheck, exec};

/// What the checks of one resource came to.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// In order.
    pub(super) checked: Vec<Checked>,
    /// A sentence for each that is not OK.
    pub(super) errors: Vec<String>,
}

/// Makes all checks of a resource, in order; a stop that is asked for ends them.
pub(super) fn check(checks: &[HealthCheck], title: &str, host: &dyn Host, observer: &mut dyn Observer) -> Verdict {
    let mut verdict = Verdict::default();
    for check in checks {
        if host.stop_requested().is_some() {
            break;
        }
        let (checked, error) = attempts(check, title, host, observer);
        verdict.errors.extend(error);
        verdict.checked.push(checked);
    }
    verdict
}

/// Tries one check until it is OK.
fn attempts(
    check: &HealthCheck,
    title: &str,
    host: &dyn Host,
    observer: &mut dyn Observer,
) -> (Checked, Option<String>) {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let (status, output) = match probe(check, host) {
            Ok(seen) => seen,
            Err(error) => {
                let text = error.doing(format!("health check {}", check.name)).to_string();
                return (Checked { status: Health::Unknown, tries: attempt, output: text.clone() }, Some(text));
            }
        };
        let checked = Checked { status, tries: attempt, output };
        if status == Health::Ok {
            return (checked, None);
        }
        observer.note(&Note::CheckFailed { title, check, checked: &checked });
        if attempt >= check.tries || host.stop_requested().is_some() {
            return (checked, Some(format!("health check status {:?}", status.name())));
        }
        host.sleep(check.try_sleep);
    }
}

/// One attempt.
fn probe(check: &HealthCheck, host: &dyn Host) -> Result<(Health, String)> {
    let Probe::Nagios { command } = &check.probe else {
        return Err(Error::invalid("goss rules are not supported by this build"));
    };
    let mut words = exec::words::split(command)?.into_iter();
    let program =
        words.next().filter(|program| !program.is_empty()).ok_or_else(|| Error::invalid("the command is empty"))?;
    let output = host.ask(&Command {
        program,
        arguments: words.collect(),
        environment: exec::ENVIRONMENT.iter().map(ToString::to_string).collect(),
        timeout: check.timeout,
        ..Command::default()
    })?;
    Ok((Health::from_code(output.code), String::from_utf8_lossy(&output.stdout).trim().to_string()))
}
