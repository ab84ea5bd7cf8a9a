//! `ccm ensure`: one resource, given on the command line.
//!
//! The flags become a manifest of one resource, so that reading, checking, templates and the run are those
//! of `ccm apply`. What differs: the session may be a directory, `.hiera` is looked for, nothing is reported.

use ccm_core::host::{Accounts, Files};
use ccm_core::value::wire::{self, Layout};
use ccm_core::value::{Map, Value};
use ccm_core::{Error, Result};
use ccm_platform::Linux;

use super::run::{self, Data, Options, Setup};
use crate::args::Given;
use crate::definition::{Command, Count, Flag, Takes, Then, Word};
use crate::logger::Console;

/// `ccm ensure`.
pub(crate) static ENSURE: Command = Command {
    name: "ensure",
    also: &[],
    about: "Brings one resource to a state. These flags may also stand behind the type and its arguments.",
    flags: &[run::FLAGS, &[&SESSION, &HIERA], COMMON],
    then: Then::Commands(&[&FILE, &EXEC]),
};

static SESSION: Flag = Flag::new("session", Takes::One("DIR"), "the directory that records events (CCM_SESSION_STORE)");
static HIERA: Flag =
    Flag::new("hiera", Takes::One("SOURCE"), "data for templates (CCM_HIERA_DATA, or .hiera where there is one)");

/// The properties that all types have.
static COMMON: &[&Flag] = &[&ALIAS, &CHECK, &CHECK_TRIES, &CHECK_SLEEP, &IF, &UNLESS, &PROVIDER, &REQUIRE];

static ALIAS: Flag = Flag::new("alias", Takes::One("NAME"), "a second name of the resource");
static CHECK: Flag = Flag::new("check", Takes::One("CMD"), "a command that checks the result, nagios style");
static CHECK_TRIES: Flag = Flag::new("check-tries", Takes::One("N"), "how often the check is tried (5)");
static CHECK_SLEEP: Flag = Flag::new("check-sleep", Takes::One("DURATION"), "how long to wait between tries (1s)");
static IF: Flag = Flag::new("if", Takes::One("EXPR"), "manage the resource only if this expression holds");
static UNLESS: Flag = Flag::new("unless", Takes::One("EXPR"), "do not manage the resource if this expression holds");
static PROVIDER: Flag = Flag::new("provider", Takes::One("NAME"), "the provider to use");
static REQUIRE: Flag = Flag::new(
    "require",
    Takes::Many("REF"),
    "a resource that must not have failed, type#name; needs a session; may be repeated",
);

static FILE: Command = Command {
    name: "file",
    also: &[],
    about: "Manages a file or directory.",
    flags: &[&[&OWNER, &MODE, &CONTENT, &CONTENT_FILE, &SOURCE, &REGISTRATION]],
    then: Then::Run(
        &[
            Word::new("name", Count::One, "the path"),
            Word::new("ensure", Count::OneOrNone, "present, absent or directory"),
        ],
        file,
    ),
};

static OWNER: Flag = Flag::new("owner", Takes::One("USER:GROUP"), "owner and group, USER:GROUP (whoever runs this)");
static MODE: Flag = Flag::new("mode", Takes::One("MODE"), "permission bits (0644, of a directory 0755)");
static CONTENT: Flag = Flag::new("content", Takes::One("TEXT"), "the content, a template");
static CONTENT_FILE: Flag = Flag::new("content-file", Takes::One("FILE"), "a file that holds the content, a template");
static SOURCE: Flag = Flag::new("source", Takes::One("FILE"), "a file to copy");
/// Taken already, for calls that name it; registrations() will want it.
static REGISTRATION: Flag =
    Flag::new("registration", Takes::One("STREAM"), "the stream that registrations() reads").or('R');

static EXEC: Command = Command {
    name: "exec",
    also: &[],
    about: "Runs a command.",
    flags: &[&[
        &CREATES,
        &RETURNS,
        &TIMEOUT,
        &CWD,
        &ENVIRONMENT,
        &PATH,
        &REFRESH_ONLY,
        &SUBSCRIBE,
        &LOGOUTPUT,
        &EXEC_IF,
        &EXEC_UNLESS,
    ]],
    then: Then::Run(&[Word::new("command", Count::One, "the command line")], exec),
};

static CREATES: Flag = Flag::new("creates", Takes::One("PATH"), "nothing is run while this path exists");
static RETURNS: Flag =
    Flag::new("returns", Takes::Many("CODE"), "an exit code that means success (0); may be repeated");
static TIMEOUT: Flag = Flag::new("timeout", Takes::One("DURATION"), "how long it may take (1m)");
static CWD: Flag = Flag::new("cwd", Takes::One("DIR"), "the working directory");
static ENVIRONMENT: Flag =
    Flag::new("environment", Takes::Many("K=V"), "a variable of its environment, K=V; may be repeated").or('e');
static PATH: Flag = Flag::new("path", Takes::One("DIRS"), "directories to search for the program");
static REFRESH_ONLY: Flag = Flag::switch("refresh-only", "run only when something it subscribes to has changed");
static SUBSCRIBE: Flag = Flag::new(
    "subscribe",
    Takes::Many("REF"),
    "a resource whose change triggers the command, type#name; may be repeated",
)
.or('S');
static LOGOUTPUT: Flag = Flag::switch("logoutput", "show the output");
static EXEC_IF: Flag = Flag::new("exec-if", Takes::One("CMD"), "run only if this command succeeds");
static EXEC_UNLESS: Flag = Flag::new("exec-unless", Takes::One("CMD"), "do not run if this command succeeds");

/// Brings a resource of one type about; what the type's own flags say is handed in, once it is known where to look.
fn ensure(
    given: &Given,
    kind: &str,
    own: impl FnOnce(&mut Properties, &Linux) -> Result<()>,
    console: &Console,
) -> Result<u8> {
    let session = store(given)?;
    if given.text(&REQUIRE).is_some() && session.is_none() {
        return Err(Error::invalid("--require needs a session: --session or CCM_SESSION_STORE"));
    }
    let hiera = given.text(&HIERA).map(Into::into).or_else(|| super::variable("CCM_HIERA_DATA"));
    let options =
        Options { hiera: hiera.map_or_else(|| Data::IfThere(".hiera".into()), Data::Wanted), ..Options::of(given) };
    let mut setup = Setup::new(options, console)?;
    let mut properties = common(given)?;
    own(&mut properties, setup.host())?;
    let source = manifest(kind, properties)?;
    let result = setup.ensure(source, session.as_deref());
    setup.end(result)
}

/// The session directory: the flag, else the variable; an empty flag is a mistake, an empty variable none.
fn store(given: &Given) -> Result<Option<String>> {
    match given.text(&SESSION) {
        Some("") => Err(Error::invalid("--session must name a directory")),
        Some(path) => Ok(Some(path.into())),
        None => Ok(super::variable("CCM_SESSION_STORE")),
    }
}

fn common(given: &Given) -> Result<Properties> {
    let mut properties = Properties::default();
    properties.text("alias", given.text(&ALIAS));
    properties.text("provider", given.text(&PROVIDER));
    properties.texts("require", given.texts(&REQUIRE));
    let mut control = Properties::default();
    control.text("if", given.text(&IF));
    control.text("unless", given.text(&UNLESS));
    if !control.0.is_empty() {
        properties.set("control", control.0);
    }
    let tries = given.number::<u32>(&CHECK_TRIES)?.unwrap_or(5);
    if let Some(command) = given.text(&CHECK) {
        let mut check = Properties::default();
        check.text("command", Some(command));
        check.set("tries", i64::from(tries));
        check.text("try_sleep", Some(given.text(&CHECK_SLEEP).unwrap_or("1s")));
        properties.set("health_checks", vec![Value::Map(check.0)]);
    }
    Ok(properties)
}

fn file(given: &Given, console: &Console) -> Result<u8> {
    ensure(given, "file", |to, host| file_properties(given, to, host), console)
}

fn file_properties(given: &Given, to: &mut Properties, host: &(impl Files + Accounts)) -> Result<()> {
    let content = match (given.text(&CONTENT), given.text(&CONTENT_FILE), given.text(&SOURCE)) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            return Err(Error::invalid("--content, --content-file and --source exclude each other"));
        }
        (content, None, _) => content.map(Into::into),
        (_, Some(file), _) => Some(text(file, host)?),
    };
    let state = given.words().get(1).map_or("present", String::as_str);
    to.text("name", Some(&super::absolute(given.word(0))?));
    to.text("ensure", Some(state));
    to.text("content", content.as_deref());
    to.text("source", given.text(&SOURCE));
    if state != "absent" {
        let (owner, group) = owner(given.text(&OWNER), host);
        to.text("owner", Some(&owner));
        to.text("group", Some(&group));
        let default = if state == "directory" { "0755" } else { "0644" };
        to.text("mode", Some(given.text(&MODE).unwrap_or(default)));
    }
    Ok(())
}

/// As given, else whoever runs this.
fn owner(given: Option<&str>, host: &impl Accounts) -> (String, String) {
    let (uid, gid) = host.current();
    let (owner, group) = given.map_or(("", ""), |both| both.split_once(':').unwrap_or((both, "")));
    let user = || host.user_name(uid).unwrap_or_else(|| uid.to_string());
    let own_group = || host.group_name(gid).unwrap_or_else(|| gid.to_string());
    let or = |given: &str, current: &dyn Fn() -> String| if given.is_empty() { current() } else { given.into() };
    (or(owner, &user), or(group, &own_group))
}

fn exec(given: &Given, console: &Console) -> Result<u8> {
    ensure(given, "exec", |to, _| exec_properties(given, to), console)
}

fn exec_properties(given: &Given, to: &mut Properties) -> Result<()> {
    to.text("name", Some(given.word(0)));
    to.text("creates", given.text(&CREATES));
    let codes: Vec<Value> = given.numbers(&RETURNS)?.into_iter().map(Value::from).collect();
    if !codes.is_empty() {
        to.set("returns", codes);
    }
    to.text("timeout", Some(given.text(&TIMEOUT).unwrap_or("1m")));
    to.text("cwd", given.text(&CWD));
    to.texts("environment", given.texts(&ENVIRONMENT));
    to.text("path", given.text(&PATH));
    to.flag("refreshonly", given.on(&REFRESH_ONLY));
    to.texts("subscribe", given.texts(&SUBSCRIBE));
    to.flag("logoutput", given.on(&LOGOUTPUT));
    to.text("onlyif", given.text(&EXEC_IF));
    to.text("unless", given.text(&EXEC_UNLESS));
    Ok(())
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

    fn texts<'a>(&mut self, key: &str, texts: impl Iterator<Item = &'a str>) {
        let texts: Vec<Value> = texts.map(Value::from).collect();
        if !texts.is_empty() {
            self.set(key, texts);
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
const LARGEST: u64 = 64 << 20;

fn text(file: &str, files: &impl Files) -> Result<String> {
    let bytes = files.read(file, LARGEST)?;
    String::from_utf8(bytes).map_err(|_| Error::invalid(format!("{file} is not UTF-8: give it as --source")))
}
