//! Tar, gzip and zip bytes for scenarios: also the malformed ones that no library would write.

use serde_json::Value as Json;

use super::prestate::body;
use super::text::Tokens;

/// A tar archive of members as a scenario lists them.
pub fn tar(members: &Json, tokens: &Tokens) -> Vec<u8> {
    let mut out = Vec::new();
    let own = (nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw());
    for member in members.as_array().into_iter().flatten() {
        if let Some(global) = member["global"].as_object() {
            let records: Vec<u8> =
                global.iter().flat_map(|(key, value)| record(key, value.as_str().unwrap_or_default())).collect();
            header(&mut out, "pax_global_header", 'g', 0o644, "", records.len() as u64, (0, 0));
            padded(&mut out, &records);
            continue;
        }
        let kind = member["type"].as_str().unwrap_or("file");
        let flag = match kind {
            "dir" => '5',
            "symlink" => '2',
            "hardlink" => '1',
            "char" => '3',
            "block" => '4',
            "fifo" => '6',
            _ => '0',
        };
        let name = tokens.fill(member["name"].as_str().unwrap_or_default());
        let name = if flag == '5' && !name.ends_with('/') { format!("{name}/") } else { name };
        let link = tokens.fill(member["link"].as_str().unwrap_or_default());
        let default = if flag == '5' { 0o755 } else { 0o644 };
        let mode = member["mode"].as_str().and_then(|mode| u32::from_str_radix(mode, 8).ok()).unwrap_or(default);
        let id = |key: &str, own: u32| member[key].as_u64().map_or(own, |id| id as u32);
        let owner = (id("uid", own.0), id("gid", own.1));
        let data = if flag == '0' { body(member, tokens) } else { Vec::new() };
        if let Some(pax) = member["pax"].as_object() {
            let records: Vec<u8> =
                pax.iter().flat_map(|(key, value)| record(key, value.as_str().unwrap_or_default())).collect();
            header(&mut out, "PaxHeaders/member", 'x', 0o644, "", records.len() as u64, (0, 0));
            padded(&mut out, &records);
        }
        for (text, flag) in [(&link, 'K'), (&name, 'L')] {
            if text.len() > 100 {
                header(&mut out, "././@LongLink", flag, 0o644, "", text.len() as u64 + 1, (0, 0));
                let mut bytes = text.clone().into_bytes();
                bytes.push(0);
                padded(&mut out, &bytes);
            }
        }
        let size = member["declared_size"].as_u64().unwrap_or(data.len() as u64);
        header(&mut out, &name, flag, mode, &link, size, owner);
        padded(&mut out, &data);
    }
    out.resize(out.len() + 1024, 0);
    out.resize(out.len().next_multiple_of(10240), 0);
    out
}

fn record(key: &str, value: &str) -> Vec<u8> {
    let body = format!(" {key}={value}\n");
    let mut length = body.len();
    while length.to_string().len() + body.len() != length {
        length = length.to_string().len() + body.len();
    }
    format!("{length}{body}").into_bytes()
}

fn padded(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(512), 0);
}

fn header(out: &mut Vec<u8>, name: &str, flag: char, mode: u32, link: &str, size: u64, owner: (u32, u32)) {
    let mut block = [0_u8; 512];
    let mut put = |at: usize, width: usize, text: &[u8]| {
        let length = text.len().min(width);
        block[at..at + length].copy_from_slice(&text[..length]);
    };
    put(0, 100, name.as_bytes());
    put(100, 8, format!("{mode:07o}\0").as_bytes());
    put(108, 8, format!("{:07o}\0", owner.0).as_bytes());
    put(116, 8, format!("{:07o}\0", owner.1).as_bytes());
    put(124, 12, format!("{size:011o}\0").as_bytes());
    put(136, 12, b"00000000000\0");
    put(148, 8, b"        ");
    put(156, 1, &[flag as u8]);
    put(157, 100, link.as_bytes());
    put(257, 8, b"ustar  \0");
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&block);
}

/// Gzip of a text.
pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    out.extend(miniz_oxide::deflate::compress_to_vec(data, 6));
    out.extend(crc32(data).to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out
}

/// A zip archive of members as a scenario lists them.
pub fn zip(members: &Json, tokens: &Tokens) -> Vec<u8> {
    let (mut out, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for member in members.as_array().into_iter().flatten() {
        let kind = member["type"].as_str().unwrap_or("file");
        let mut name = tokens.fill(member["name"].as_str().unwrap_or_default());
        if kind == "dir" {
            name.push('/');
        }
        let data = match kind {
            "symlink" => tokens.fill(member["link"].as_str().unwrap_or_default()).into_bytes(),
            "dir" => Vec::new(),
            _ => body(member, tokens),
        };
        let (bits, default) = match kind {
            "dir" => (0o040_000, 0o755),
            "symlink" => (0o120_000, 0o644),
            _ => (0o100_000, 0o644),
        };
        let mode = member["mode"].as_str().and_then(|mode| u32::from_str_radix(mode, 8).ok()).unwrap_or(default);
        let packed = miniz_oxide::deflate::compress_to_vec(&data, 6);
        let offset = out.len() as u32;
        let mut common = Vec::new();
        common.extend([20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0x58]);
        common.extend(crc32(&data).to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((data.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend([0; 6]);
        directory.extend(((bits | mode) << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
        count += 1;
    }
    let start = out.len() as u32;
    let length = directory.len() as u32;
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// The checksum of gzip and zip.
pub fn crc32(data: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (index, slot) in table.iter_mut().enumerate() {
        *slot =
            (0..8).fold(index as u32, |value, _| if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 });
    }
    !data.iter().fold(!0_u32, |crc, &byte| table[((crc ^ u32::from(byte)) & 255) as usize] ^ (crc >> 8))
}
