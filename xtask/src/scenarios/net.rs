//! One scenario of the second format: `run`, `shell` and `helper` steps in a work folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use super::scenario::Running;
use super::text::{self, Tokens, strings};
use super::{Options, Verdict, process};
use crate::shell;

pub fn run(scenario: &Json, options: &Options) -> Verdict {
    if let Some(missing) = missing(scenario) {
        return Verdict::Skipped(format!("needs {missing}"));
    }
    let work = match process::folder(&options.temporary, "ccm-net") {
        Ok(work) => work,
        Err(error) => return Verdict::Failed(vec![format!("runner: {error}")]),
    };
    let outcome = steps(scenario, options, &work);
    process::marked(&work).into_iter().for_each(process::end);
    if !options.keep {
        let _kept = fs::remove_dir_all(&work);
    }
    match outcome {
        Ok(()) => Verdict::Passed,
        Err(reason) => Verdict::Failed(vec![reason]),
    }
}

fn missing(scenario: &Json) -> Option<&str> {
    let unshared = |flag: &str| {
        let made = Command::new("unshare").args([flag, "true"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        made.is_ok_and(|status| status.success())
    };
    strings(&scenario["needs"]).into_iter().find(|need| match *need {
        "root" => !nix::unistd::geteuid().is_root(),
        "netns" => !unshared("-n"),
        "mountns" => !unshared("-m"),
        "ip" => !shell::have("ip"),
        _ => true,
    })
}

fn steps(scenario: &Json, options: &Options, work: &Path) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    for name in ["home", "cfg", "tmp", "d"] {
        fs::create_dir(work.join(name)).map_err(text)?;
    }
    let name = |found: Option<String>| found.unwrap_or_else(|| "root".to_owned());
    let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten().map(|user| user.name);
    let group = nix::unistd::Group::from_gid(nix::unistd::getgid()).ok().flatten().map(|group| group.name);
    let tokens = Tokens(vec![
        ("@W@".into(), work.display().to_string()),
        ("@CCM@".into(), options.ccm.display().to_string()),
        ("@USER@".into(), name(user)),
        ("@GROUP@".into(), name(group)),
    ]);
    write(&work.join("d"), &scenario["files"], &tokens).map_err(text)?;
    write(&work.join("cfg/choria/ccm"), &scenario["user_facts"], &tokens).map_err(text)?;
    for (index, step) in scenario["steps"].as_array().into_iter().flatten().enumerate() {
        one(scenario, step, options, work, &tokens).map_err(|reason| format!("step {index}: {reason}"))?;
    }
    Ok(())
}

fn write(folder: &Path, files: &Json, tokens: &Tokens) -> std::io::Result<()> {
    for (name, spec) in files.as_object().into_iter().flatten() {
        let path = folder.join(tokens.fill(name));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        if let Some(target) = spec["link"].as_str() {
            std::os::unix::fs::symlink(tokens.fill(target), &path)?;
            continue;
        }
        if spec["dir"].as_bool() == Some(true) {
            fs::create_dir_all(&path)?;
            continue;
        }
        let content = spec.as_str().or_else(|| spec["text"].as_str()).unwrap_or_default();
        fs::write(&path, tokens.fill(content))?;
        if let Some(mode) = super::prestate::octal(&spec["mode"]) {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

fn one(scenario: &Json, step: &Json, options: &Options, work: &Path, tokens: &Tokens) -> Result<(), String> {
    let sh = |script: &Json| vec!["/bin/sh".to_owned(), "-c".into(), tokens.fill(script.as_str().unwrap_or_default())];
    let (argv, judged) = if step["run"].is_array() {
        let words = strings(&step["run"]).into_iter().map(|word| tokens.fill(word));
        (std::iter::once(options.ccm.display().to_string()).chain(words).collect(), true)
    } else if step["shell"].is_string() {
        (sh(&step["shell"]), !step["expect"].is_null())
    } else if step["helper"].is_string() {
        (sh(&step["helper"]), true)
    } else {
        return Err(format!("a step that this runner does not know: {step}"));
    };
    let mut command = Command::new("/usr/bin/setsid");
    let folder = |name: &str| work.join(name).display().to_string();
    command.args(&argv).env_clear().current_dir(work.join("d").join(step["cwd"].as_str().unwrap_or(".")));
    command.envs([
        ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned()),
        ("HOME", folder("home")),
        ("XDG_CONFIG_HOME", folder("cfg")),
        ("TMPDIR", folder("tmp")),
        ("LANG", "C.UTF-8".into()),
        ("TZ", "UTC".into()),
        ("CCM", options.ccm.display().to_string()),
    ]);
    for source in [&scenario["env"], &step["env"]] {
        for (name, value) in source.as_object().into_iter().flatten() {
            match value.as_str() {
                Some(value) => command.env(name, tokens.fill(value)),
                None => command.env_remove(name),
            };
        }
    }
    let input = Some(tokens.fill(step["stdin"].as_str().unwrap_or_default()).into_bytes());
    let ended = Running::start(command, input, work)?.wait(step, options.slow)?;
    let (out, err) =
        (String::from_utf8_lossy(&ended.stdout).into_owned(), String::from_utf8_lossy(&ended.stderr).into_owned());
    if options.verbose {
        eprintln!("{step}\n{out}{err}[{}]", ended.code);
    }
    if ended.hung {
        return Err("no end in time".to_owned());
    }
    if judged { judge(&step["expect"], ended.code, &out, &err, work, tokens) } else { Ok(()) }
}

fn judge(expect: &Json, code: i64, out: &str, err: &str, work: &Path, tokens: &Tokens) -> Result<(), String> {
    let both = format!("{out}\n{err}");
    if text::regex(r"^(panic:|thread '.*' (\(\d+\) )?panicked)").is_match(&both)
        || [101, 134, 139].contains(&code)
        || code < 0
    {
        return Err(format!("crash: {}", text::short(&both)));
    }
    let wanted = match &expect["exit"] {
        Json::Null => vec![0],
        some => text::several(some).into_iter().filter_map(Json::as_i64).collect(),
    };
    let nonzero = wanted.is_empty() && code != 0;
    if !nonzero && !wanted.contains(&code) {
        return Err(format!("exit {code}, wanted {wanted:?}; out {} err {}", text::short(out), text::short(err)));
    }
    for (key, text) in [("stdout", out), ("stderr", err), ("out", &both)] {
        if expect[key].as_str().is_some_and(|wanted| tokens.fill(wanted) != *text) {
            return Err(format!("{key} is {}", text::short(text)));
        }
        for (suffix, holds) in [("_has", true), ("_not", false)] {
            for pattern in strings(&expect[format!("{key}{suffix}")]) {
                if matches(&tokens.fill(pattern), text) != holds {
                    return Err(format!("{key}{suffix} {pattern:?}: {}", text::short(text)));
                }
            }
        }
    }
    if !expect["json"].is_null() || !expect["json_has"].is_null() {
        let got: Json =
            serde_json::from_str(out).map_err(|error| format!("stdout is no JSON ({error}): {}", text::short(out)))?;
        if !expect["json"].is_null() && tokens.fill_json(&expect["json"]) != got {
            return Err(format!("json {got}"));
        }
        if !expect["json_has"].is_null() {
            subset(&tokens.fill_json(&expect["json_has"]), &got, "$")?;
        }
    }
    for (name, wanted) in expect["files"].as_object().into_iter().flatten() {
        file(&work.join("d").join(tokens.fill(name)), wanted, tokens)?;
    }
    Ok(())
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.strip_prefix("re:") {
        Some(pattern) => text::regex(pattern).is_match(text),
        None => text.contains(pattern),
    }
}

fn file(path: &PathBuf, wanted: &Json, tokens: &Tokens) -> Result<(), String> {
    let there = fs::symlink_metadata(path).is_ok();
    if wanted["absent"].as_bool() == Some(true) {
        return if there { Err(format!("{} exists", path.display())) } else { Ok(()) };
    }
    if !there {
        return Err(format!("{} is missing", path.display()));
    }
    let data = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    if wanted.as_str().is_some_and(|wanted| tokens.fill(wanted) != data) {
        return Err(format!("{} holds {}", path.display(), text::short(&data)));
    }
    for (key, holds) in [("has", true), ("not", false)] {
        for pattern in strings(&wanted[key]) {
            if matches(&tokens.fill(pattern), &data) != holds {
                return Err(format!("{}: {key} {pattern:?}: {}", path.display(), text::short(&data)));
            }
        }
    }
    Ok(())
}

/// Whether `got` holds all that `want` says.
fn subset(want: &Json, got: &Json, path: &str) -> Result<(), String> {
    let differs = || Err(format!("{path}: {} is not {want}", text::short(&got.to_string())));
    if let Some(map) = want.as_object() {
        if let Some(choices) = map.get("$any_of") {
            let any = text::several(choices).into_iter().any(|choice| subset(choice, got, path).is_ok());
            return if any { Ok(()) } else { differs() };
        }
        if let Some(kind) = map.get("$type").and_then(Json::as_str) {
            let is = match kind {
                "number" => got.is_number(),
                "string" => got.is_string(),
                "list" => got.is_array(),
                "map" => got.is_object(),
                "bool" => got.is_boolean(),
                _ => got.is_null(),
            };
            let least =
                map.get("$min").and_then(Json::as_f64).is_none_or(|least| got.as_f64().is_some_and(|got| got >= least));
            return if is && least { Ok(()) } else { differs() };
        }
        if let Some(wanted) = map.get("$contains") {
            let members = got.as_array().map_or(&[][..], Vec::as_slice);
            let all = text::several(wanted)
                .into_iter()
                .all(|wanted| members.iter().any(|member| subset(wanted, member, path).is_ok()));
            return if all { Ok(()) } else { differs() };
        }
        if let Some(unwanted) = map.get("$lacks") {
            let held = |name: &Json| match got {
                Json::Array(items) => items.contains(name),
                Json::Object(map) => name.as_str().is_some_and(|name| map.contains_key(name)),
                _ => false,
            };
            return if text::several(unwanted).into_iter().any(held) { differs() } else { Ok(()) };
        }
        let Some(found) = got.as_object() else { return differs() };
        for (key, value) in map {
            match found.get(key) {
                Some(got) => subset(value, got, &format!("{path}.{key}"))?,
                None => return Err(format!("{path}.{key}: missing")),
            }
        }
        return Ok(());
    }
    match (want, got) {
        (Json::Array(wanted), Json::Array(found)) if wanted.len() == found.len() => {
            for (index, (wanted, found)) in wanted.iter().zip(found).enumerate() {
                subset(wanted, found, &format!("{path}[{index}]"))?;
            }
            Ok(())
        }
        (Json::Number(wanted), Json::Number(found)) if wanted.is_f64() => {
            let (wanted, found) = (wanted.as_f64().unwrap_or(0.0), found.as_f64().unwrap_or(f64::NAN));
            if (wanted - found).abs() <= 1e-9 * wanted.abs().max(1.0) { Ok(()) } else { differs() }
        }
        _ if want == got => Ok(()),
        _ => differs(),
    }
}
