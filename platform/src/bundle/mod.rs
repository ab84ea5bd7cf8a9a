//! Signed bundles: a manifest and its files as one tarball that proves who made it, without a network or a clock.
//!
//! The members are `bundle.index`, `bundle.index.minisig`, then the files in the order of the `index`. Nothing is
//! parsed before the signature of the index is verified, except two sizes; after that the index says what every
//! further byte has to be: each header is compared with the one that it implies, each content with its digest. So a
//! bundle is read as a stream, and one that was changed anywhere is refused. `tar` unpacks one, `minisign` verifies
//! its index.

mod create;
mod index;
mod minisign;

use std::io::{Read, Write};

use ccm_core::host::{Files, Processes};
use ccm_core::{Error, Result};
use sha2::{Digest, Sha256};
use tar::Header;

use self::index::{Entry, Index};
use self::minisign::Signature;
use crate::errno::io_fault;
use crate::unpack::Unpacked;
use crate::{Linux, trusted};

pub use self::create::{Plan, create, generate};
pub use self::minisign::{KeyId, PublicKey, SecretKey};

const INDEX: &str = "bundle.index";
const SIGNATURE: &str = "bundle.index.minisig";
const BLOCK: usize = 512;
/// Bytes that an index may have: 20,000 files of usual names.
const LARGEST: u64 = 8 << 20;

/// What a verified bundle says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// What the versions are counted by.
    pub name: String,
    /// Larger in every later bundle of this name.
    pub version: u64,
    /// Who signed it.
    pub key: KeyId,
    /// How many files it holds.
    pub files: usize,
}

/// Whose bundles are taken.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// What is no bundle is refused.
    pub required: bool,
    /// The one key that counts; without it all keys of the configuration directories do.
    pub key: Option<String>,
}

impl Trust {
    /// The keys.
    ///
    /// # Errors
    /// When one cannot be read, is none, or could have been put there by somebody else.
    pub fn keys(&self, machine: &Linux) -> Result<Vec<PublicKey>> {
        let named = |path: &str, text: &str| PublicKey::parse(text).map_err(|error| error.doing(path.to_owned()));
        if let Some(path) = &self.key {
            return Ok(vec![named(path, &key_text(machine, path)?)?]);
        }
        let mut keys = Vec::new();
        for directory in trusted::directories() {
            let directory = format!("{directory}/keys");
            if machine.stat_target(&directory)?.is_none() {
                continue;
            }
            for name in machine.list(&directory)?.iter().filter(|name| name.ends_with(".pub")) {
                let text = trusted::text(&directory, name, KEY)?;
                keys.extend(text.map(|text| named(&format!("{directory}/{name}"), &text)).transpose()?);
            }
        }
        Ok(keys)
    }
}

/// Bytes that a key file may have.
const KEY: u64 = 4096;

/// The text of a key file.
///
/// # Errors
/// When it cannot be read or is not text.
pub fn key_text(machine: &Linux, path: &str) -> Result<String> {
    let text = String::from_utf8(machine.read(path, KEY)?);
    text.map_err(|_| Error::invalid(format!("{path} is not UTF-8 text")))
}

/// A stream that begins with this block is a bundle.
pub(crate) fn begins(head: &[u8]) -> bool {
    head.strip_prefix(INDEX.as_bytes()).is_some_and(|rest| rest.starts_with(&[0]))
        && head.get(257..262) == Some(b"ustar")
}

/// Verifies a bundle and unpacks it.
///
/// # Errors
/// When its index is not signed by one of the keys, or anything in it differs from the index.
pub fn unpack(machine: &Linux, name: &str, stream: &mut dyn Read, keys: &[PublicKey]) -> Result<(Unpacked, Seal)> {
    let mut tree = Unpacked::empty()?;
    let seal = read(machine, name, stream, keys, &mut |entry, content| {
        tree.add(&entry.path, entry.mode(), &mut |file| content.copy(entry, file))
    })?;
    Ok((tree, seal))
}

/// Verifies a bundle, all of it.
///
/// # Errors
/// As [`unpack`].
pub fn verify(machine: &Linux, name: &str, stream: &mut dyn Read, keys: &[PublicKey]) -> Result<Seal> {
    read(machine, name, stream, keys, &mut |entry, content| content.copy(entry, &mut std::io::sink()))
}

fn read(
    machine: &Linux,
    name: &str,
    stream: &mut dyn Read,
    keys: &[PublicKey],
    take: &mut dyn FnMut(&Entry, &mut Stream<'_>) -> Result<()>,
) -> Result<Seal> {
    let mut stream = Stream { inner: stream };
    let mut all = || {
        let (index, key) = stream.index(keys)?;
        for entry in &index.files {
            if machine.stop_requested().is_some() {
                return Err(Error::invalid("interrupted"));
            }
            stream.header(&entry.path, entry.size, entry.mode())?;
            take(entry, &mut stream)?;
        }
        stream.end()?;
        Ok(Seal { name: index.name, version: index.version, key, files: index.files.len() })
    };
    all().map_err(|error: Error| error.doing(format!("verifying {name}")))
}

/// The bytes of a bundle, taken as the index foretells them.
struct Stream<'a> {
    inner: &'a mut dyn Read,
}

impl Stream<'_> {
    /// The signed index, and whose it is.
    fn index(&mut self, keys: &[PublicKey]) -> Result<(Index, KeyId)> {
        let text = self.small(INDEX, LARGEST)?;
        let signature = Signature::parse(&self.small(SIGNATURE, KEY)?).map_err(|error| error.doing(SIGNATURE))?;
        let Some(key) = keys.iter().find(|key| key.id == signature.id) else {
            let known: Vec<String> = keys.iter().map(|key| key.id.to_string()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(Error::invalid(format!("it is signed with key {}; trusted is {known}", signature.id)));
        };
        if !signature.is_of(text.as_bytes(), key) {
            return Err(Error::invalid(format!("its signature is not that of key {}", key.id)));
        }
        Ok((Index::parse(&text)?, key.id))
    }

    /// A member whose size alone is unknown.
    fn small(&mut self, name: &str, largest: u64) -> Result<String> {
        let block = self.block()?;
        let octal = block.get(124..135).and_then(|digits| str::from_utf8(digits).ok());
        let size = octal.and_then(|digits| u64::from_str_radix(digits, 8).ok()).filter(|size| *size <= largest);
        let size = size.filter(|size| header(name, *size, 0o644).is_some_and(|header| header == block));
        let size = size.ok_or_else(|| Error::invalid(format!("it is no bundle: {name} is missing")))?;
        let mut bytes = Vec::new();
        (&mut self.inner).take(size).read_to_end(&mut bytes).map_err(|error| io_fault("read", name, &error))?;
        if bytes.len() as u64 != size {
            return Err(truncated());
        }
        self.padding(size)?;
        String::from_utf8(bytes).map_err(|_| Error::invalid(format!("{name} is not text")))
    }

    /// The header that must come now.
    fn header(&mut self, path: &str, size: u64, mode: u32) -> Result<()> {
        let block = self.block()?;
        if header(path, size, mode).is_some_and(|wanted| wanted == block) {
            return Ok(());
        }
        Err(Error::invalid(format!("{path} is missing, or something stands in its place that the index does not list")))
    }

    /// The content that must come now; it may be used only once this has returned.
    fn copy(&mut self, entry: &Entry, to: &mut dyn Write) -> Result<()> {
        let mut sum = Sha256::new();
        let mut buffer = [0; 16 * 1024];
        let mut left = entry.size;
        while left > 0 {
            let piece = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let piece = &mut buffer[..piece];
            self.exactly(piece)?;
            sum.update(&*piece);
            to.write_all(piece).map_err(|error| io_fault("write", &*entry.path, &error))?;
            left -= piece.len() as u64;
        }
        if sum.finalize()[..] != entry.digest {
            return Err(Error::invalid(format!("{} is not what was signed", entry.path)));
        }
        self.padding(entry.size)
    }

    /// Two blocks of zeros, and nothing behind them but more of those.
    fn end(&mut self) -> Result<()> {
        let zeros = |block: &[u8]| match block.iter().all(|byte| *byte == 0) {
            true => Ok(()),
            false => Err(Error::invalid("something follows that the index does not list")),
        };
        zeros(&self.block()?)?;
        zeros(&self.block()?)?;
        let mut buffer = [0; BLOCK];
        loop {
            match self.inner.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => zeros(&buffer[..count])?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io_fault("read", "its end", &error)),
            }
        }
    }

    fn padding(&mut self, size: u64) -> Result<()> {
        let rest = size.next_multiple_of(BLOCK as u64) - size;
        let mut buffer = [0; BLOCK];
        let padding = &mut buffer[..rest as usize];
        self.exactly(padding)?;
        match padding.iter().all(|byte| *byte == 0) {
            true => Ok(()),
            false => Err(Error::invalid("something hides between its members")),
        }
    }

    fn block(&mut self) -> Result<[u8; BLOCK]> {
        let mut block = [0; BLOCK];
        self.exactly(&mut block)?;
        Ok(block)
    }

    fn exactly(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.inner.read_exact(bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => truncated(),
            _ => io_fault("read", "it", &error),
        })
    }
}

fn truncated() -> Error {
    Error::invalid("it is truncated")
}

/// The one header that a member of this name, size and mode has; none where its name does not fit.
fn header(path: &str, size: u64, mode: u32) -> Option<[u8; BLOCK]> {
    let mut header = Header::new_ustar();
    header.set_path(path).ok()?;
    header.set_size(size);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_cksum();
    Some(*header.as_bytes())
}

#[cfg(test)]
mod tests;
