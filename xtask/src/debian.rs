//! Packages of any suite and architecture of Debian, unpacked in a folder of our own: the machine's package sources and
//! what is installed stay as they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell;

/// One suite for one architecture, its lists fetched.
pub struct Suite {
    folder: PathBuf,
    options: Vec<String>,
}

impl Suite {
    /// From the archive that this machine's apt knows. Without an architecture, this machine's.
    pub fn open(folder: &Path, suite: &str, architecture: Option<&str>) -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        for name in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(name)).map_err(text)?;
        }
        let addresses = shell::output(Command::new("apt-get").args(["indextargets", "--format", "$(REPO_URI)"]))?;
        let address = addresses
            .lines()
            .find(|line| line.trim_end_matches('/').ends_with("/debian"))
            .ok_or("apt knows no Debian archive; run apt-get update first")?;
        let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let place = |name: &str| folder.join(name).display().to_string();
        fs::write(place("sources.list"), format!("deb [signed-by={key}] {address} {suite} main\n")).map_err(text)?;
        fs::write(place("status"), "").map_err(text)?;
        let mut options = vec![
            format!("Dir::Etc::sourcelist={}", place("sources.list")),
            "Dir::Etc::sourceparts=-".to_owned(),
            format!("Dir::State::lists={}", place("lists")),
            format!("Dir::State::status={}", place("status")),
            format!("Dir::Cache={}", place("cache")),
            "APT::Sandbox::User=root".to_owned(),
        ];
        if let Some(architecture) = architecture {
            options.push(format!("APT::Architecture={architecture}"));
            options.push(format!("APT::Architectures::={architecture}"));
        }
        let suite = Self { folder: folder.to_owned(), options };
        suite.apt("apt-get", &["update", "-qq"])?;
        Ok(suite)
    }

    /// What one of apt's programs prints.
    pub fn apt(&self, program: &str, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(program);
        for option in &self.options {
            command.arg("-o").arg(option);
        }
        shell::output(command.args(arguments).current_dir(&self.folder))
    }

    /// The files of a package, named as apt names it, `NAME` or `NAME=VERSION`.
    pub fn unpack(&self, package: &str) -> Result<PathBuf, String> {
        self.apt("apt-get", &["download", "-qq", package])?;
        let package = fs::read_dir(&self.folder)
            .map_err(|error| error.to_string())?
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
            .ok_or("apt-get download brought nothing")?;
        let out = self.folder.join("out");
        shell::run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&out))?;
        Ok(out)
    }
}
