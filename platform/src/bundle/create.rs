//! Making bundles and keys. The same folder, version and key give the same bytes.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use ccm_core::{Error, Result};
use sha2::{Digest, Sha256};

use super::index::{Entry, Index, MANIFEST};
use super::{BLOCK, INDEX, SIGNATURE, Seal, SecretKey, header, verify};
use crate::Linux;
use crate::errno::io_fault;

/// What is to be made.
pub struct Plan<'a> {
    /// The folder with `manifest.yaml`.
    pub folder: &'a str,
    /// The file to make; one that is there is replaced.
    pub output: &'a str,
    /// What its versions are counted by; the output's name, without what follows the first dot.
    pub name: Option<String>,
    /// The version; one more than that of the bundle that is replaced, or 1.
    pub version: Option<u64>,
}

/// Makes a bundle.
///
/// # Errors
/// What in the folder cannot be in a bundle; what cannot be read or written. The output is then as it was.
pub fn create(machine: &Linux, plan: &Plan<'_>, key: &SecretKey) -> Result<Seal> {
    let base = plan.output.rsplit('/').next().unwrap_or_default();
    let name = plan.name.clone().unwrap_or_else(|| base.split('.').next().unwrap_or_default().to_owned());
    let version = match plan.version {
        Some(version) => version,
        None => next(machine, plan.output, key)?,
    };
    let mut files = Vec::new();
    let output = fs::metadata(plan.output).ok().map(|meta| (meta.dev(), meta.ino()));
    collect(plan.folder, "", output, &mut files)?;
    files.sort_by(|one, other| (one.path != MANIFEST, &one.path).cmp(&(other.path != MANIFEST, &other.path)));
    let index = Index { name, version, files };
    index.check().map_err(|error| error.doing(format!("bundling {}", plan.folder)))?;
    let half = format!("{}.part", plan.output);
    let written = write(&half, plan.folder, &index, key)
        .and_then(|()| fs::rename(&half, plan.output).map_err(|error| io_fault("rename", plan.output, &error)));
    if written.is_err() {
        let _nobody_to_tell = fs::remove_file(&half);
    }
    written?;
    Ok(Seal { name: index.name, version, key: key.public().id, files: index.files.len() })
}

/// One more than the version of a bundle of one's own.
fn next(machine: &Linux, output: &str, key: &SecretKey) -> Result<u64> {
    let file = match File::open(output) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(1),
        Err(error) => return Err(io_fault("open", output, &error)),
    };
    let seal = verify(machine, output, &mut { file }, &[key.public()]);
    let version = seal.map_err(|error| error.doing("finding the next version, which --counter would give"))?.version;
    version.checked_add(1).ok_or_else(|| Error::limit(format!("{output} has the last version there is")))
}

/// All files below a folder; the bundle itself may lie among them.
fn collect(folder: &str, below: &str, output: Option<(u64, u64)>, files: &mut Vec<Entry>) -> Result<()> {
    let fail = |error: std::io::Error| io_fault("read", folder, &error);
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| Error::invalid(format!("{name:?} in {folder} is not UTF-8")))?;
        let (place, path) = (format!("{folder}/{name}"), format!("{below}{name}"));
        let meta = entry.metadata().map_err(|error| io_fault("stat", &*place, &error))?;
        if meta.is_dir() {
            collect(&place, &format!("{path}/"), output, files)?;
        } else if !meta.is_file() {
            return Err(Error::invalid(format!("{place} is no regular file: a bundle cannot hold it")));
        } else if output != Some((meta.dev(), meta.ino())) {
            let (size, digest) = copy(&place, &mut std::io::sink())?;
            files.push(Entry { digest, size, executable: meta.permissions().mode() & 0o111 != 0, path });
        }
    }
    Ok(())
}

/// Copies a file; its size and digest.
fn copy(path: &str, to: &mut impl Write) -> Result<(u64, [u8; 32])> {
    struct Summing<'a, W> {
        to: &'a mut W,
        sum: Sha256,
    }
    impl<W: Write> Write for Summing<'_, W> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.sum.update(bytes);
            self.to.write_all(bytes).map(|()| bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            self.to.flush()
        }
    }
    let mut from = File::open(path).map_err(|error| io_fault("open", path, &error))?;
    let mut summing = Summing { to, sum: Sha256::new() };
    let size = std::io::copy(&mut from, &mut summing).map_err(|error| io_fault("copy", path, &error))?;
    Ok((size, summing.sum.finalize().into()))
}

fn write(output: &str, folder: &str, index: &Index, key: &SecretKey) -> Result<()> {
    let fail = |error: std::io::Error| io_fault("write", output, &error);
    let mut out = BufWriter::new(File::create(output).map_err(fail)?);
    let text = index.text();
    let signature = key.sign(text.as_bytes(), &format!("{} version {}", index.name, index.version));
    for (name, content) in [(INDEX, &text), (SIGNATURE, &signature)] {
        let size = content.len() as u64;
        out.write_all(&header(name, size, 0o644).unwrap_or([0; BLOCK])).map_err(fail)?;
        out.write_all(content.as_bytes()).map_err(fail)?;
        pad(&mut out, size).map_err(fail)?;
    }
    for entry in &index.files {
        // The check of the index has seen that its name fits.
        out.write_all(&header(&entry.path, entry.size, entry.mode()).unwrap_or([0; BLOCK])).map_err(fail)?;
        let place = format!("{folder}/{}", entry.path);
        if copy(&place, &mut out)? != (entry.size, entry.digest) {
            return Err(Error::invalid(format!("{place} changed while it was read")));
        }
        pad(&mut out, entry.size).map_err(fail)?;
    }
    out.write_all(&[0; 2 * BLOCK]).map_err(fail)?;
    let file = out.into_inner().map_err(|error| fail(error.into_error()))?;
    file.sync_all().map_err(fail)
}

fn pad(out: &mut impl Write, size: u64) -> std::io::Result<()> {
    let rest = size.next_multiple_of(BLOCK as u64) - size;
    out.write_all(&[0; BLOCK][..rest as usize])
}

/// Makes a pair of keys; neither file may be there.
///
/// # Errors
/// When a file cannot be made, or the kernel has no randomness: a guessable key is worse than none.
pub fn generate(secret: &str, public: &str) -> Result<super::KeyId> {
    let mut random = [0; 40];
    crate::clock::secret(&mut random).map_err(|errno| crate::errno::fault("draw a key from", "the kernel", errno))?;
    let (mut seed, mut id) = ([0; 32], [0; 8]);
    seed.copy_from_slice(&random[..32]);
    id.copy_from_slice(&random[32..]);
    let key = SecretKey::new(seed, id);
    for path in [secret, public] {
        if Path::new(path).exists() {
            return Err(Error::invalid(format!("{path} exists already")));
        }
    }
    for (path, text, mode) in [(secret, key.text(), 0o600), (public, key.public().text(), 0o644)] {
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
        written.map_err(|error| io_fault("write", path, &error))?;
    }
    Ok(key.public().id)
}
