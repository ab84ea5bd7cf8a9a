//! A static C library for a target that rustup has no files of: zig's musl, compiled by zig, linked by rustc's own
//! linker. So one linker with one set of flags makes every binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Target;
use crate::shell;

/// What rustc must be told to link with it.
pub struct Libc {
    /// Holds `libc.a` and `libunwind.a`, which std asks for by name.
    folder: PathBuf,
    /// Start-up code, and archives that std does not name.
    objects: Vec<PathBuf>,
    /// Where the program starts, when that is not `_start`.
    entry: Option<String>,
}

/// A static program has no libraries to look in. musl's own answer is assembly that on MIPS wants to be called the way
/// of position-independent code, and crashes a static caller.
const NO_LIBRARIES: &str = "void *dlsym(void *handle, const char *name) { return 0; }\n\
    void *__dlsym_time64(void *handle, const char *name) { return 0; }\n";

/// Lets zig link an empty program, which makes it compile its library, and takes the parts.
pub fn zig(target: &Target) -> Result<Libc, String> {
    let missing = "needs `rustup target add TARGET`, or zig: `pip install ziglang`";
    let zig = shell::find("python-zig").or_else(|| shell::find("zig")).ok_or(missing)?;
    let text = |error: std::io::Error| error.to_string();
    let folder = shell::root().join("target/libc").join(target.triple);
    fs::create_dir_all(&folder).map_err(text)?;
    let source = folder.join("empty.c");
    fs::write(&source, "int main(void) { return 0; }\n").map_err(text)?;
    let cc = |words: &[&str], source: &Path, out: &str| {
        let mut command = Command::new(&zig);
        command.args(["cc", "-Os", "-s", "-target"]).args(target.zig.split_whitespace()).args(words);
        command.arg(source).arg("-o").arg(folder.join(out)).env("ZIG_VERBOSE_LINK", "1");
        command.output().map_err(text)
    };
    let lookup = folder.join("dlsym.c");
    fs::write(&lookup, NO_LIBRARIES).map_err(text)?;
    let compiled = cc(&["-c"], &lookup, "dlsym.o")?;
    if !compiled.status.success() {
        return Err(format!("zig compiles no C: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let output = cc(&["-static", "-lunwind"], &source, "empty")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let reason: Vec<&str> = said.lines().filter(|line| line.contains("error")).take(3).collect();
        return Err(format!("zig makes no C library: {}", reason.join("; ")));
    }
    let line = said.lines().rfind(|line| line.starts_with("ld.lld")).ok_or("zig tells not how it links")?;
    let libc = take(line, &folder)?;
    let archive = folder.join("libc.a");
    shell::output(Command::new(&zig).args(["ar", "d"]).arg(archive).args(["dlsym.o", "dlsym_time64.o"]))?;
    Ok(libc)
}

/// Copies what a line of the linker names out of zig's cache.
fn take(line: &str, folder: &Path) -> Result<Libc, String> {
    let mut libc = Libc { folder: folder.to_owned(), objects: vec![folder.join("dlsym.o")], entry: None };
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        if word == "--entry" {
            libc.entry = words.next().map(str::to_owned);
            continue;
        }
        let Some(name) = Path::new(word).file_name().and_then(|name| name.to_str()) else { continue };
        let copy = folder.join(name);
        match name {
            "libc.a" | "libunwind.a" => {}
            "crt1.o" | "crti.o" | "crtn.o" | "libzigc.a" | "libcompiler_rt.a" => libc.objects.push(copy.clone()),
            _ => continue,
        }
        fs::copy(word, &copy).map_err(|error| format!("{word}: {error}"))?;
    }
    if folder.join("libc.a").exists() { Ok(libc) } else { Err(format!("no libc.a among {line}")) }
}

impl Libc {
    pub fn flags(&self) -> Vec<String> {
        let mut flags = vec!["-Clink-self-contained=no".to_owned(), format!("-Lnative={}", self.folder.display())];
        flags.extend(self.objects.iter().map(|object| format!("-Clink-arg={}", object.display())));
        flags.extend(self.entry.iter().map(|entry| format!("-Clink-arg=--entry={entry}")));
        flags
    }
}
