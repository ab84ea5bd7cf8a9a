//! `ccm bundle`: manifests that prove who made them.

use argh::{ArgsInfo, FromArgs};
use ccm_core::{Error, Result};
use ccm_platform::bundle::{self, Plan, Seal, SecretKey, Trust, key_text};
use ccm_platform::{Linux, source};

use crate::exit;
use crate::logger::Console;

/// Makes and verifies signed bundles, which `ccm apply` takes as it takes a manifest.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "bundle", help_triggers("--help"))]
pub(crate) struct Bundle {
    #[argh(subcommand)]
    action: Action,
}

#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand)]
enum Action {
    Create(Create),
    Verify(Verify),
    Keygen(Keygen),
}

/// Makes a bundle of a folder that holds a manifest.yaml.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "create", help_triggers("--help"))]
struct Create {
    /// the folder
    #[argh(positional)]
    directory: String,
    /// the bundle to make
    #[argh(option, short = 'o', arg_name = "FILE")]
    output: String,
    /// the secret key, of `ccm bundle keygen` or `minisign -G -W`
    #[argh(option, arg_name = "SECRET")]
    key: String,
    /// what its versions are counted by (the output's name up to a dot)
    #[argh(option, arg_name = "NAME")]
    name: Option<String>,
    /// its version (one more than that of the bundle it replaces, or 1)
    #[argh(option, arg_name = "N")]
    counter: Option<u64>,
}

/// Verifies a bundle, all of it, and says what it is.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "verify", help_triggers("--help"))]
struct Verify {
    /// the bundle
    #[argh(positional)]
    bundle: String,
    /// the public key (all in keys/ of the configuration directory)
    #[argh(option, arg_name = "PUBLIC")]
    key: Option<String>,
}

/// Makes a pair of keys that minisign reads too; the secret one has no password.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "keygen", help_triggers("--help"))]
struct Keygen {
    /// the secret key to make
    #[argh(option, short = 's', arg_name = "SECRET")]
    secret: String,
    /// the public key to make; machines have it in keys/, as NAME.pub
    #[argh(option, short = 'p', arg_name = "PUBLIC")]
    public: String,
}

impl Bundle {
    pub(crate) fn run(self, console: &Console) -> Result<u8> {
        let host = Linux::new();
        let said = match self.action {
            Action::Create(create) => described(&create.run(&host)?),
            Action::Verify(verify) => {
                described(&source::verify(&host, &verify.bundle, &Trust { required: true, key: verify.key })?)
            }
            Action::Keygen(keygen) => format!("key {}", bundle::generate(&keygen.secret, &keygen.public)?),
        };
        console.out.text(&format!("{said}\n"));
        Ok(exit::SUCCESS)
    }
}

impl Create {
    fn run(self, host: &Linux) -> Result<Seal> {
        let key = key_text(host, &self.key)?;
        let key = SecretKey::parse(&key).map_err(|error: Error| error.doing(self.key.clone()))?;
        let plan = Plan { folder: &self.directory, output: &self.output, name: self.name, version: self.counter };
        bundle::create(host, &plan, &key)
    }
}

fn described(seal: &Seal) -> String {
    let files = if seal.files == 1 { "1 file".to_owned() } else { format!("{} files", seal.files) };
    format!("{} version {}, {files}, signed with key {}", seal.name, seal.version, seal.key)
}
