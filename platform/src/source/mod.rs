//! Where manifests and data come from: a file, standard input, a `file:` address, or a tarball behind one of them.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};

use ccm_core::error::Cause;
use ccm_core::host::Processes;
use ccm_core::{Error, Result};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::Linux;
use crate::bundle::{self, Seal, Trust};
use crate::errno::{fault, io_fault, refusal};
use crate::unpack::gzip::Gunzip;
use crate::unpack::{Limits, Unpacked, unpack};

pub mod dotenv;

/// The text of a source and the folder it lives in.
#[derive(Debug)]
pub struct Loaded {
    /// How errors call it: a path, `-`, `site.tgz:web/manifest.yaml`.
    pub name: String,
    /// What it says.
    pub text: String,
    /// The folder that relative paths in it start from, itself relative when the source was.
    pub folder: String,
    /// Keeps an unpacked tarball until the run is over.
    pub unpacked: Option<Unpacked>,
    /// What a signed bundle says of itself.
    pub seal: Option<Seal>,
}

/// Bytes that a manifest or data file may have.
pub const LARGEST: u64 = 32 << 20;

/// Loads a manifest: a path, `-`, a `file:` address; text, or a tarball that has a `manifest.yaml`, or a signed bundle.
///
/// # Errors
/// What cannot be read, is too large, is no UTF-8, or is a tarball with anything in it that must not be; a bundle that
/// nobody trusted has signed, and what is none where one is demanded.
pub fn load(machine: &Linux, reference: &str, trust: &Trust) -> Result<Loaded> {
    let place = Place::of(reference)?;
    let mut reader = place.open(machine)?;
    let head = beginning(&mut reader).map_err(|error| place.unreadable(machine, &error))?;
    let packed = Packed::of(&head, &place.path);
    if trust.required && !matches!(packed, Packed::Bundle) {
        return Err(Error::invalid(format!("{} is refused: only signed bundles are taken here", place.path)));
    }
    let mut whole = std::io::Cursor::new(head).chain(reader);
    let tree = match packed {
        Packed::No => {
            let text = text(&place.path, place.all(machine, &mut whole)?)?;
            return Ok(Loaded { folder: folder(&place.path), name: place.path, text, unpacked: None, seal: None });
        }
        Packed::Bundle => {
            let (tree, seal) = bundle::unpack(machine, &place.path, &mut whole, &trust.keys(machine)?)?;
            return Ok(Loaded { seal: Some(seal), ..manifest(machine, &place.path, tree)? });
        }
        Packed::Tar => unpack(machine, &place.path, &mut whole, &Limits::default())?,
        Packed::Gzip => unpack(machine, &place.path, &mut Gunzip::new(&mut whole), &Limits::default())?,
    };
    manifest(machine, &place.path, tree)
}

/// Verifies a bundle, all of it, and unpacks nothing.
///
/// # Errors
/// As [`load`].
pub fn verify(machine: &Linux, reference: &str, trust: &Trust) -> Result<Seal> {
    let place = Place::of(reference)?;
    bundle::verify(machine, &place.path, &mut place.open(machine)?, &trust.keys(machine)?)
}

/// Loads data: as [`load`], without tarballs.
///
/// # Errors
/// What cannot be read, is too large or is no UTF-8.
pub fn load_data(machine: &Linux, reference: &str) -> Result<Loaded> {
    let place = Place::of(reference)?;
    let mut reader = place.open(machine)?;
    let text = text(&place.path, place.all(machine, &mut reader)?)?;
    Ok(Loaded { folder: folder(&place.path), name: place.path, text, unpacked: None, seal: None })
}

fn manifest(machine: &Linux, name: &str, tree: Unpacked) -> Result<Loaded> {
    let path =
        tree.first("manifest.yaml").ok_or_else(|| Error::invalid(format!("manifest.yaml not found in {name}")))?;
    let inner = path.strip_prefix(tree.folder()).unwrap_or(&path).to_string_lossy().into_owned();
    let path = path.to_string_lossy().into_owned();
    let name = format!("{name}:{inner}");
    let text = text(&name, ccm_core::host::Files::read(machine, &path, LARGEST)?)?;
    Ok(Loaded { name, text, folder: folder(&path), unpacked: Some(tree), seal: None })
}

/// A path, or `-`.
struct Place {
    path: String,
}

impl Place {
    fn of(reference: &str) -> Result<Self> {
        if reference.is_empty() {
            return Err(Error::invalid("source is required"));
        }
        if let Some(rest) = reference.strip_prefix("file:") {
            return Ok(Self { path: file_path(rest)? });
        }
        if let Some((scheme, _)) = reference.split_once("://") {
            return Err(Error::invalid(format!(
                "unsupported source {scheme}://…: a path, `-`, `file:` and tarballs are supported"
            )));
        }
        Ok(Self { path: reference.to_owned() })
    }

    fn open<'a>(&self, machine: &'a Linux) -> Result<Patient<'a>> {
        if self.path == "-" {
            return Ok(Patient { from: From::Stdin(std::io::stdin()), machine });
        }
        let file = File::open(&self.path).map_err(|error| io_fault("open", &*self.path, &error))?;
        let meta = file.metadata().map_err(|error| io_fault("stat", &*self.path, &error))?;
        if meta.is_dir() {
            return Err(fault("read", &*self.path, Errno::EISDIR));
        }
        Ok(Patient { from: From::File(file), machine })
    }

    fn all(&self, machine: &Linux, reader: &mut dyn Read) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = reader.take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.unreadable(machine, &error))?;
        if bytes.len() as u64 > LARGEST {
            return Err(Error::limit(format!("{} is larger than {} MiB", self.path, LARGEST >> 20)));
        }
        Ok(bytes)
    }

    fn unreadable(&self, machine: &Linux, error: &std::io::Error) -> Error {
        match machine.stop_requested() {
            Some(_) => refusal("read", &*self.path, Cause::Stopped, "given up, since this run is to stop"),
            None => io_fault("read", &*self.path, error),
        }
    }
}

/// The path of `file:` addresses: `file:///etc/x`, `file:/etc/x`, `file:x`; `%41` is `A`.
fn file_path(rest: &str) -> Result<String> {
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
    };
    if path.is_empty() || (rest.starts_with("//") && !path.starts_with('/')) {
        return Err(Error::invalid(format!("file:{rest} names a file of another host, or none")));
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((&byte, rest)) = left.split_first() {
        let code = rest.get(..2).filter(|_| byte == b'%').and_then(|hex| str::from_utf8(hex).ok());
        let decoded = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        left = if decoded.is_some() { &rest[2..] } else { rest };
    }
    String::from_utf8(bytes).map_err(|_| Error::invalid(format!("file:{rest} is not UTF-8")))
}

/// Input that may keep us waiting for ever, but not when this process is asked to stop.
struct Patient<'a> {
    from: From,
    machine: &'a Linux,
}

enum From {
    Stdin(std::io::Stdin),
    File(File),
}

impl Patient<'_> {
    fn wait(&self, descriptor: BorrowedFd<'_>) -> std::io::Result<()> {
        let Some(signals) = self.machine.signals.descriptor() else { return Ok(()) };
        let readable = |descriptor| PollFd::new(descriptor, PollFlags::POLLIN);
        match poll(&mut [readable(descriptor), readable(signals)], PollTimeout::NONE) {
            Err(errno) if errno != Errno::EINTR => Err(errno.into()),
            _ if self.machine.stop_requested().is_some() => Err(ErrorKind::TimedOut.into()),
            _ => Ok(()),
        }
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        match &self.from {
            From::Stdin(stdin) => {
                self.wait(stdin.as_fd())?;
                Ok(nix::unistd::read(stdin, out)?)
            }
            From::File(file) => {
                self.wait(file.as_fd())?;
                let mut file = file;
                file.read(out)
            }
        }
    }
}

/// The first block, by which a tarball is known.
fn beginning(reader: &mut dyn Read) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(BLOCK);
    reader.take(BLOCK as u64).read_to_end(&mut head)?;
    Ok(head)
}

const BLOCK: usize = 512;

enum Packed {
    No,
    Tar,
    Gzip,
    Bundle,
}

impl Packed {
    /// By content first, so that a tarball on standard input is known too; a name that says tarball is believed.
    fn of(head: &[u8], path: &str) -> Self {
        let named = |suffixes: &[&str]| suffixes.iter().any(|suffix| path.ends_with(suffix));
        if bundle::begins(head) || named(&[".ccm"]) {
            Self::Bundle
        } else if head.starts_with(&[0x1f, 0x8b]) || named(&[".tgz", ".tar.gz"]) {
            Self::Gzip
        } else if head.get(257..262) == Some(b"ustar") || named(&[".tar"]) {
            Self::Tar
        } else {
            Self::No
        }
    }
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        Error::invalid(format!("{name} is not UTF-8 text: the byte at {at}, in line {line}, is none of its characters"))
    })
}

fn folder(path: &str) -> String {
    match path.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
        None => ".".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::Folder;

    #[test]
    fn a_file_is_loaded_with_its_folder() {
        let folder = Folder::new();
        let path = folder.file("m.yaml", "ccm: {}\n");
        for reference in [path.clone(), format!("file:{path}"), format!("file://{path}").replace("m.y", "%6d.y")] {
            let loaded = load(&Linux::new(), &reference, &Trust::default()).unwrap();
            assert_eq!((loaded.text.as_str(), loaded.name.as_str()), ("ccm: {}\n", path.as_str()));
            assert_eq!(loaded.folder, folder.path("").trim_end_matches('/'));
        }
        assert_eq!(super::folder("m.yaml"), ".");
    }

    #[test]
    fn what_cannot_be_a_source_is_refused_by_name() {
        let folder = Folder::new();
        let refusal = |reference: &str| load(&Linux::new(), reference, &Trust::default()).unwrap_err().to_string();
        assert!(refusal("ftp://h/x").contains("unsupported source ftp"));
        assert!(refusal("file://host/x").contains("another host"));
        assert!(refusal("").contains("required"));
        assert!(refusal(&folder.path("")).contains("is a directory"));
        assert!(refusal(&folder.path("missing")).contains("missing"));
        assert!(refusal(&folder.file("latin", b"a: \xe9")).contains("not UTF-8"));
        assert!(refusal(&folder.file("m.tgz", "a: b\n")).contains("not gzip"));
        assert!(refusal(&folder.file("m.tar", "a: b\n")).contains("m.tar"));
    }
}
