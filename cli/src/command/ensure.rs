//! `ccm ensure`: one resource, given on the command line.
//!
//! The flags become a manifest of one resource, so that reading, checking, templates and the run are those
//! of `ccm apply`. What differs: the session may be a directory, `.hiera` is looked for, nothing is reported.

use argh::{ArgsInfo, FromArgs};
use ccm_core::host::{Accounts, Files};
use ccm_core::value::wire::{self, Layout};
use ccm_core::value::{Map, Value};
use ccm_core::{Error, Result};

use super::run::{Data, Options, Setup};
use crate::logger::Console;

/// Brings one resource to a state. These flags may also stand behind the type and its arguments.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "ensure", help_triggers("--help"))]
pub(crate) struct Ensure {
    /// change nothing, say what would change
    #[argh(switch)]
    noop: bool,
    /// with --noop: run guard commands too
    #[argh(switch)]
    noop_guards: bool,
    /// the directory that records events (CCM_SESSION_STORE)
    #[argh(option, arg_name = "DIR")]
    session: Option<String>,
    /// data for templates (CCM_HIERA_DATA, or .hiera where there is one)
    #[argh(option, arg_name = "SOURCE")]
    hiera: Option<String>,
    /// do not read .env from the current directory
    #[argh(switch)]
    no_read_env: bool,
    /// a fact for this run, K=V; may be repeated
    #[argh(option, arg_name = "K=V")]
    fact: Vec<String>,
    /// keep dotted keys of --fact as they are
    #[argh(switch)]
    flat_facts: bool,
    /// a YAML or JSON file of facts to merge over those gathered
    #[argh(option, arg_name = "FILE")]
    facts: Option<String>,
    /// the NATS context (NATS_CONTEXT, or CCM)
    #[argh(option, arg_name = "NAME")]
    #[allow(dead_code, reason = "kv:// sources will want it")]
    context: Option<String>,
    /// end with 0 unchanged, 2 changed, 4 failed, 6 changed and failed
    #[argh(switch)]
    detailed_exitcodes: bool,
    /// how long to wait for another run to end (60s)
    #[argh(option, arg_name = "DURATION")]
    lock_timeout: Option<String>,
    /// do not wait for disks
    #[argh(switch)]
    no_sync: bool,
    /// a second name of the resource
    #[argh(option, arg_name = "NAME")]
    alias: Option<String>,
    /// a command that checks the result, nagios style
    #[argh(option, arg_name = "CMD")]
    check: Option<String>,
    /// how often the check is tried (5)
    #[argh(option, arg_name = "N", default = "5")]
    check_tries: u32,
    /// how long to wait between tries (1s)
    #[argh(option, arg_name = "DURATION", default = "String::from(\"1s\")")]
    check_sleep: String,
    /// manage the resource only if this expression holds
    #[argh(option, arg_name = "EXPR", long = "if")]
    when: Option<String>,
    /// do not manage the resource if this expression holds
    #[argh(option, arg_name = "EXPR")]
    unless: Option<String>,
    /// the provider to use
    #[argh(option, arg_name = "NAME")]
    provider: Option<String>,
    /// a resource that must not have failed, type#name; needs a session; may be repeated
    #[argh(option, arg_name = "REF")]
    require: Vec<String>,
    #[argh(subcommand)]
    what: What,
}

/// The types.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand)]
enum What {
    File(File),
    Exec(Exec),
}

/// Manages a file or directory.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "file", help_triggers("--help"))]
struct File {
    /// the path
    #[argh(positional)]
    name: String,
    /// present, absent or directory
    #[argh(positional, default = "String::from(\"present\")")]
    ensure: String,
    /// owner and group, USER:GROUP (whoever runs this)
    #[argh(option, arg_name = "USER:GROUP")]
    owner: Option<String>,
    /// permission bits (0644, of a directory 0755)
    #[argh(option)]
    mode: Option<String>,
    /// the content, a template
    #[argh(option)]
    content: Option<String>,
    /// a file that holds the content, a template
    #[argh(option, arg_name = "FILE")]
    content_file: Option<String>,
    /// a file to copy
    #[argh(option, arg_name = "FILE")]
    source: Option<String>,
    /// the stream that registrations() reads
    #[argh(option, short = 'R', arg_name = "STREAM")]
    #[allow(dead_code, reason = "registrations() will want it")]
    registration: Option<String>,
}

/// Runs a command.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "exec", help_triggers("--help"))]
struct Exec {
    /// the command line
    #[argh(positional)]
    command: String,
    /// nothing is run while this path exists
    #[argh(option, arg_name = "PATH")]
    creates: Option<String>,
    /// an exit code that means success (0); may be repeated
    #[argh(option, arg_name = "CODE")]
    returns: Vec<i64>,
    /// how long it may take (1m)
    #[argh(option, arg_name = "DURATION", default = "String::from(\"1m\")")]
    timeout: String,
    /// the working directory
    #[argh(option, arg_name = "DIR")]
    cwd: Option<String>,
    /// a variable of its environment, K=V; may be repeated
    #[argh(option, short = 'e', arg_name = "K=V")]
    environment: Vec<String>,
    /// directories to search for the program
    #[argh(option, arg_name = "DIRS")]
    path: Option<String>,
    /// run only when something it subscribes to has changed
    #[argh(switch)]
    refresh_only: bool,
    /// a resource whose change triggers the command, type#name; may be repeated
    #[argh(option, short = 'S', arg_name = "REF")]
    subscribe: Vec<String>,
    /// show the output
    #[argh(switch)]
    logoutput: bool,
    /// run only if this command succeeds
    #[argh(option, arg_name = "CMD")]
    exec_if: Option<String>,
    /// do not run if this command succeeds
    #[argh(option, arg_name = "CMD")]
    exec_unless: Option<String>,
}

impl Ensure {
    pub(crate) fn run(self, console: &Console) -> Result<u8> {
        let session = self.store()?;
        if !self.require.is_empty() && session.is_none() {
            return Err(Error::invalid("--require needs a session: --session or CCM_SESSION_STORE"));
        }
        let mut setup = Setup::new(self.options(), console)?;
        let mut properties = self.common();
        let kind = match &self.what {
            What::File(file) => file.properties(&mut properties, setup.host())?,
            What::Exec(exec) => exec.properties(&mut properties),
        };
        let source = manifest(kind, properties)?;
        let result = setup.ensure(source, session.as_deref());
        setup.end(result)
    }

    /// The session directory: the flag, else the variable; an empty flag is a mistake, an empty variable none.
    fn store(&self) -> Result<Option<String>> {
        match &self.session {
            Some(path) if path.is_empty() => Err(Error::invalid("--session must name a directory")),
            Some(path) => Ok(Some(path.clone())),
            None => Ok(super::variable("CCM_SESSION_STORE")),
        }
    }

    fn options(&self) -> Options {
        Options {
            noop: self.noop,
            noop_guards: self.noop_guards,
            read_env: !self.no_read_env,
            fact: self.fact.clone(),
            flat_facts: self.flat_facts,
            facts: self.facts.clone(),
            hiera: match self.hiera.clone().or_else(|| super::variable("CCM_HIERA_DATA")) {
                Some(source) => Data::Wanted(source),
                None => Data::IfThere(".hiera".into()),
            },
            lock_timeout: self.lock_timeout.clone(),
            sync: !self.no_sync,
            detailed: self.detailed_exitcodes,
            ..Options::default()
        }
    }

    /// The properties that all types have.
    fn common(&self) -> Properties {
        let mut properties = Properties::default();
        properties.text("alias", self.alias.as_deref());
        properties.text("provider", self.provider.as_deref());
        properties.texts("require", &self.require);
        let mut control = Properties::default();
        control.text("if", self.when.as_deref());
        control.text("unless", self.unless.as_deref());
        if !control.0.is_empty() {
            properties.set("control", control.0);
        }
        if let Some(command) = &self.check {
            let mut check = Properties::default();
            check.text("command", Some(command));
            check.set("tries", i64::from(self.check_tries));
            check.text("try_sleep", Some(&self.check_sleep));
            properties.set("health_checks", vec![Value::Map(check.0)]);
        }
        properties
    }
}

impl File {
    fn properties(&self, to: &mut Properties, host: &(impl Files + Accounts)) -> Result<&'static str> {
        let content = match (&self.content, &self.content_file, &self.source) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
                return Err(Error::invalid("--content, --content-file and --source exclude each other"));
            }
            (content, None, _) => content.clone(),
            (_, Some(file), _) => Some(text(file, host)?),
        };
        to.text("name", Some(&super::absolute(&self.name)?));
        to.text("ensure", Some(&self.ensure));
        to.text("content", content.as_deref());
        to.text("source", self.source.as_deref());
        if self.ensure != "absent" {
            let (owner, group) = self.owner(host);
            to.text("owner", Some(&owner));
            to.text("group", Some(&group));
            let default = if self.ensure == "directory" { "0755" } else { "0644" };
            to.text("mode", Some(self.mode.as_deref().unwrap_or(default)));
        }
        Ok("file")
    }

    /// As given, else whoever runs this.
    fn owner(&self, host: &impl Accounts) -> (String, String) {
        let (uid, gid) = host.current();
        let (owner, group) = self.owner.as_deref().map_or(("", ""), |both| both.split_once(':').unwrap_or((both, "")));
        let user = || host.user_name(uid).unwrap_or_else(|| uid.to_string());
        let own_group = || host.group_name(gid).unwrap_or_else(|| gid.to_string());
        let or = |given: &str, current: &dyn Fn() -> String| if given.is_empty() { current() } else { given.into() };
        (or(owner, &user), or(group, &own_group))
    }
}

impl Exec {
    fn properties(&self, to: &mut Properties) -> &'static str {
        to.text("name", Some(&self.command));
        to.text("creates", self.creates.as_deref());
        if !self.returns.is_empty() {
            to.set("returns", self.returns.iter().map(|code| Value::from(*code)).collect::<Vec<_>>());
        }
        to.text("timeout", Some(&self.timeout));
        to.text("cwd", self.cwd.as_deref());
        to.texts("environment", &self.environment);
        to.text("path", self.path.as_deref());
        to.flag("refreshonly", self.refresh_only);
        to.texts("subscribe", &self.subscribe);
        to.flag("logoutput", self.logoutput);
        to.text("onlyif", self.exec_if.as_deref());
        to.text("unless", self.exec_unless.as_deref());
        "exec"
    }
}

/// Properties as they would stand in a manifest.
#[derive(Default)]
struct Properties(Map);

impl Properties {
    fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key, value);
    }

    fn text(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.set(key, text);
        }
    }

    fn texts(&mut self, key: &str, texts: &[String]) {
        if !texts.is_empty() {
            self.set(key, texts.iter().map(|text| Value::from(text.as_str())).collect::<Vec<_>>());
        }
    }

    fn flag(&mut self, key: &str, set: bool) {
        if set {
            self.set(key, true);
        }
    }
}

/// The manifest of one resource, as JSON, which is YAML.
fn manifest(kind: &str, properties: Properties) -> Result<String> {
    let map = |key: &str, value: Value| Value::Map([(key.into(), value)].into_iter().collect());
    let resource = map(kind, Value::Map(properties.0));
    wire::json(&map("ccm", map("resources", Value::list(vec![resource]))), Layout::PLAIN)
}

/// Bytes that `--content-file` may have.
const CONTENT: u64 = 64 << 20;

fn text(file: &str, files: &impl Files) -> Result<String> {
    let bytes = files.read(file, CONTENT)?;
    String::from_utf8(bytes).map_err(|_| Error::invalid(format!("{file} is not UTF-8: give it as --source")))
}
