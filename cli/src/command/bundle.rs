//! `ccm bundle`: manifests that prove who made them.

use ccm_core::{Error, Result};
use ccm_platform::bundle::{self, Plan, Seal, SecretKey, Trust, key_text};
use ccm_platform::{Linux, source};

use crate::args::Given;
use crate::definition::{Command, Count, Flag, Takes, Then, Word};
use crate::exit;
use crate::logger::Console;

/// `ccm bundle`.
pub(crate) static BUNDLE: Command = Command {
    name: "bundle",
    also: &[],
    about: "Makes and verifies signed bundles, which `ccm apply` takes as it takes a manifest.",
    flags: &[],
    then: Then::Commands(&[&CREATE, &VERIFY, &KEYGEN]),
};

static CREATE: Command = Command {
    name: "create",
    also: &[],
    about: "Makes a bundle of a folder that holds a manifest.yaml.",
    flags: &[&[&OUTPUT, &SECRET, &NAME, &COUNTER]],
    then: Then::Run(&[Word::new("directory", Count::One, "the folder")], create),
};

static OUTPUT: Flag = Flag::new("output", Takes::Needed("FILE"), "the bundle to make").or('o');
static SECRET: Flag =
    Flag::new("key", Takes::Needed("SECRET"), "the secret key, of `ccm bundle keygen` or `minisign -G -W`");
static NAME: Flag =
    Flag::new("name", Takes::One("NAME"), "what its versions are counted by (the output's name up to a dot)");
static COUNTER: Flag =
    Flag::new("counter", Takes::One("N"), "its version (one more than that of the bundle it replaces, or 1)");

static VERIFY: Command = Command {
    name: "verify",
    also: &[],
    about: "Verifies a bundle, all of it, and says what it is.",
    flags: &[&[&KEY]],
    then: Then::Run(&[Word::new("bundle", Count::One, "the bundle")], verify),
};

static KEY: Flag =
    Flag::new("key", Takes::One("PUBLIC"), "the public key (all in keys/ of the configuration directory)");

static KEYGEN: Command = Command {
    name: "keygen",
    also: &[],
    about: "Makes a pair of keys that minisign reads too; the secret one has no password.",
    flags: &[&[&NEW_SECRET, &NEW_PUBLIC]],
    then: Then::Run(&[], keygen),
};

static NEW_SECRET: Flag = Flag::new("secret", Takes::Needed("SECRET"), "the secret key to make").or('s');
static NEW_PUBLIC: Flag =
    Flag::new("public", Takes::Needed("PUBLIC"), "the public key to make; machines have it in keys/, as NAME.pub")
        .or('p');

fn create(given: &Given, console: &Console) -> Result<u8> {
    let host = Linux::new();
    let file = given.text(&SECRET).unwrap_or_default();
    let key = SecretKey::parse(&key_text(&host, file)?).map_err(|error: Error| error.doing(file.to_owned()))?;
    let plan = Plan {
        folder: given.word(0),
        output: given.text(&OUTPUT).unwrap_or_default(),
        name: given.text(&NAME).map(Into::into),
        version: given.number(&COUNTER)?,
    };
    tell(&described(&bundle::create(&host, &plan, &key)?), console)
}

fn verify(given: &Given, console: &Console) -> Result<u8> {
    let trust = Trust { required: true, key: given.text(&KEY).map(Into::into) };
    tell(&described(&source::verify(&Linux::new(), given.word(0), &trust)?), console)
}

fn keygen(given: &Given, console: &Console) -> Result<u8> {
    let file = |flag: &Flag| given.text(flag).unwrap_or_default().to_owned();
    tell(&format!("key {}", bundle::generate(&file(&NEW_SECRET), &file(&NEW_PUBLIC))?), console)
}

fn tell(said: &str, console: &Console) -> Result<u8> {
    console.out.text(&format!("{said}\n"));
    Ok(exit::SUCCESS)
}

fn described(seal: &Seal) -> String {
    let files = if seal.files == 1 { "1 file".to_owned() } else { format!("{} files", seal.files) };
    format!("{} version {}, {files}, signed with key {}", seal.name, seal.version, seal.key)
}
