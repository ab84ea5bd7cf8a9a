//! What stands below a scenario's root before its steps.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use nix::unistd::{Gid, Group, Uid, User};
use serde_json::Value as Json;

use super::archive;
use super::text::Tokens;

/// The bytes that a text or a file description stands for.
pub fn body(spec: &Json, tokens: &Tokens) -> Vec<u8> {
    if let Some(text) = spec.as_str() {
        return tokens.fill(text).into_bytes();
    }
    let mut data = if let Some(text) = spec["content"].as_str() {
        tokens.fill(text).into_bytes()
    } else if let Some(text) = spec["content_b64"].as_str() {
        base64(text)
    } else if let Some(parts) = spec["parts"].as_array() {
        parts.iter().flat_map(|part| body(part, tokens)).collect()
    } else if let Some(zeros) = spec["zeros"].as_u64() {
        vec![0; zeros as usize]
    } else if spec["repeat"].is_array() {
        let text = tokens.fill(spec["repeat"][0].as_str().unwrap_or_default());
        text.repeat(spec["repeat"][1].as_u64().unwrap_or(0) as usize).into_bytes()
    } else if !spec["tar"].is_null() {
        archive::tar(&spec["tar"], tokens)
    } else if !spec["zip"].is_null() {
        archive::zip(&spec["zip"], tokens)
    } else {
        Vec::new()
    };
    if spec["gz"].as_bool() == Some(true) {
        data = archive::gzip(&data);
    }
    if let Some(length) = spec["truncate"].as_u64() {
        data.truncate(length as usize);
    }
    data
}

/// Lays files below a root. Every system error is the runner's own trouble and named.
pub fn put(root: &Path, files: &Json, tokens: &Tokens) -> Result<(), String> {
    for (relative, spec) in files.as_object().into_iter().flatten() {
        let path = root.join(tokens.fill(relative));
        put_one(root, &path, spec, tokens).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn put_one(root: &Path, path: &Path, spec: &Json, tokens: &Tokens) -> std::io::Result<()> {
    let flag = |key: &str| spec[key].as_bool() == Some(true);
    let there = fs::symlink_metadata(path).ok();
    if flag("absent") {
        return match there {
            Some(found) if found.is_dir() => fs::remove_dir_all(path),
            Some(_) => fs::remove_file(path),
            None => Ok(()),
        };
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    if flag("dir") {
        fs::create_dir_all(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    } else if let Some(target) = spec["symlink"].as_str() {
        if there.is_some() {
            fs::remove_file(path)?;
        }
        symlink(tokens.fill(target), path)?;
    } else if let Some(target) = spec["hardlink"].as_str() {
        fs::hard_link(root.join(target), path)?;
    } else if flag("fifo") {
        nix::unistd::mkfifo(path, nix::sys::stat::Mode::from_bits_truncate(0o666))?;
    } else {
        fs::write(path, body(spec, tokens))?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o644))?;
    }
    if let Some(owner) = owner(&spec["owner"]) {
        nix::unistd::fchownat(
            nix::fcntl::AT_FDCWD,
            path,
            Some(owner.0),
            owner.1,
            nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW,
        )?;
    }
    if let Some(mode) = octal(&spec["mode"]) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    for (name, value) in spec["xattr"].as_object().into_iter().flatten() {
        xattr::set(path, name, value.as_str().unwrap_or_default().as_bytes())?;
    }
    Ok(())
}

/// A mode written in octal digits.
pub fn octal(json: &Json) -> Option<u32> {
    u32::from_str_radix(json.as_str()?, 8).ok()
}

/// `user:group`, by names or numbers; a list of two numbers too.
pub fn owner(json: &Json) -> Option<(Uid, Option<Gid>)> {
    if let Some(pair) = json.as_array() {
        let id = |index: usize| pair.get(index).and_then(Json::as_u64).map(|id| id as u32);
        return Some((Uid::from_raw(id(0)?), id(1).map(Gid::from_raw)));
    }
    let text = match json {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => return None,
    };
    let (user, group) = text.split_once(':').unwrap_or((&text, ""));
    let uid = match user.parse() {
        Ok(uid) => Uid::from_raw(uid),
        Err(_) => User::from_name(user).ok()??.uid,
    };
    let gid = match group.parse() {
        Ok(gid) => Some(Gid::from_raw(gid)),
        Err(_) if group.is_empty() => None,
        Err(_) => Some(Group::from_name(group).ok()??.gid),
    };
    Some((uid, gid))
}

/// Whether a file belongs to `user:group`.
pub fn belongs(found: &fs::Metadata, wanted: &Json) -> bool {
    owner(wanted)
        .is_some_and(|(uid, gid)| found.uid() == uid.as_raw() && gid.is_none_or(|gid| found.gid() == gid.as_raw()))
}

/// Decodes base64; what is no base64 is passed over.
pub fn base64(text: &str) -> Vec<u8> {
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
