//! The containers of packages: tar, gzip, ar. All fields that could differ between two builds are fixed.

/// A file of a package.
#[derive(Clone)]
pub struct Entry {
    /// Without a leading `/`.
    pub path: String,
    pub mode: u32,
    pub data: Vec<u8>,
}

/// How the members of a tar archive are named and described.
#[derive(Clone, Copy)]
pub struct Style {
    /// `./usr/bin/ccm`, as Debian's and OpenWrt's tools write it.
    pub dotted: bool,
    /// A pax header with the SHA-1 of the data before each file, as Alpine's tools want it.
    pub alpine_sums: bool,
    /// The two empty blocks at the end.
    pub ends: bool,
}

/// A tar archive of files and the folders above them, in path order, owned by root.
pub fn tar(entries: &[Entry], time: u64, style: Style) -> Vec<u8> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let prefix = if style.dotted { "./" } else { "" };
    let mut out = Vec::new();
    let mut made: Vec<&str> = Vec::new();
    for entry in sorted {
        for (at, _) in entry.path.match_indices('/') {
            let folder = &entry.path[..at];
            if !made.contains(&folder) {
                made.push(folder);
                header(&mut out, &format!("{prefix}{folder}/"), b'5', 0o755, 0, time);
            }
        }
        if style.alpine_sums {
            use sha1::Digest;
            let sum = super::hex(&sha1::Sha1::digest(&entry.data));
            let record = pax_record("APK-TOOLS.checksum.SHA1", &sum);
            header(&mut out, &entry.path, b'x', 0o644, record.len(), time);
            padded(&mut out, record.as_bytes());
        }
        header(&mut out, &format!("{prefix}{}", entry.path), b'0', entry.mode, entry.data.len(), time);
        padded(&mut out, &entry.data);
    }
    if style.ends {
        out.resize(out.len() + 1024, 0);
    }
    out
}

fn pax_record(key: &str, value: &str) -> String {
    let body = format!(" {key}={value}\n");
    let mut length = body.len();
    while length.to_string().len() + body.len() != length {
        length = length.to_string().len() + body.len();
    }
    format!("{length}{body}")
}

fn padded(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(512), 0);
}

fn header(out: &mut Vec<u8>, name: &str, kind: u8, mode: u32, size: usize, time: u64) {
    let mut block = [0_u8; 512];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, &name.as_bytes()[..name.len().min(100)]);
    put(100, format!("{mode:07o}\0").as_bytes());
    put(108, b"0000000\x000000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, format!("{time:011o}\0").as_bytes());
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000root");
    put(297, b"root");
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&block);
}

/// Gzip without a name or time.
pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    out.extend(miniz_oxide::deflate::compress_to_vec(data, 9));
    out.extend(crate::scenarios::archive::crc32(data).to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out
}

/// An ar archive, which is what a Debian package is.
pub fn ar(members: &[(&str, Vec<u8>)], time: u64) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, data) in members {
        out.extend(format!("{name:<16}{time:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, "100644", data.len()).bytes());
        out.extend(data);
        if data.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}
