//! One scenario of the first format: its pre-state, its steps, what must be seen after each.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::http::Server;
use super::look::{self, Seen, digest};
use super::prestate::{base64, body, put};
use super::process::{self, Tools};
use super::text::{self, Tokens, regex, strings};
use super::{Options, Verdict, fake};

/// How long a step may take when it says nothing.
const STEP_LIMIT: Duration = Duration::from_secs(30);

/// The folders of one scenario.
struct Place<'a> {
    options: &'a Options,
    base: PathBuf,
    root: PathBuf,
    temporary: PathBuf,
    log: PathBuf,
    path: String,
    server: Option<Server>,
    tokens: Tokens,
}

pub fn run(scenario: &Json, options: &Options, tools: &Tools) -> Verdict {
    if scenario["needs_root"].as_bool() == Some(true) && !nix::unistd::geteuid().is_root() {
        return Verdict::Skipped("needs root".to_owned());
    }
    if scenario["needs_ns"].as_bool() == Some(true) && !options.have_namespaces {
        return Verdict::Skipped("needs mount namespaces".to_owned());
    }
    let place = match Place::make(scenario, options, tools) {
        Ok(place) => place,
        Err(reason) => return Verdict::Failed(vec![format!("runner: {reason}")]),
    };
    let mut bad = Vec::new();
    for (index, step) in scenario["steps"].as_array().into_iter().flatten().enumerate() {
        let mut faults = Vec::new();
        if let Err(reason) = place.step(step, &mut faults) {
            faults.push(format!("runner: {reason}"));
        }
        bad.extend(faults.into_iter().map(|fault| format!("step {}: {fault}", index + 1)));
        if !bad.is_empty() {
            break;
        }
    }
    if bad.is_empty() {
        place.secrets(scenario, &mut bad);
    }
    place.leave(&mut bad);
    if bad.is_empty() { Verdict::Passed } else { Verdict::Failed(bad) }
}

impl<'a> Place<'a> {
    fn make(scenario: &Json, options: &'a Options, tools: &Tools) -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        let base = process::folder(&options.temporary, "ccmscn").map_err(text)?;
        for (name, mode) in
            [("r", 0o755), ("bin", 0o755), ("tmp", 0o1777), ("state", 0o755), ("home", 0o777), ("xdg", 0o777)]
        {
            fs::create_dir(base.join(name)).map_err(text)?;
            fs::set_permissions(base.join(name), fs::Permissions::from_mode(mode)).map_err(text)?;
        }
        let (uid, gid) = (nix::unistd::getuid(), nix::unistd::getgid());
        let name = |found: Option<String>, id: u32| found.unwrap_or_else(|| id.to_string());
        let user = name(nix::unistd::User::from_uid(uid).ok().flatten().map(|user| user.name), uid.as_raw());
        let group = name(nix::unistd::Group::from_gid(gid).ok().flatten().map(|group| group.name), gid.as_raw());
        let show = |path: &Path| path.display().to_string();
        let mut tokens = Tokens(vec![
            ("@ROOT@".into(), show(&base.join("r"))),
            ("@UID@".into(), uid.to_string()),
            ("@GID@".into(), gid.to_string()),
            ("@USER@".into(), user),
            ("@GROUP@".into(), group),
            ("@TMP@".into(), show(&base.join("tmp"))),
            ("@BIN@".into(), show(&base.join("bin"))),
            ("@CCM@".into(), show(&options.ccm)),
        ]);
        let mut server = None;
        if let Some(table) = scenario["http"].as_object() {
            let inner = Tokens(tokens.0.clone());
            let started = Server::start(scenario["http"].clone(), inner).map_err(text)?;
            tokens.0.push(("@PORT@".into(), started.port.to_string()));
            server = Some(started);
            for (path, entry) in table {
                let entry = entry["seq"].as_array().and_then(|answers| answers.last()).unwrap_or(entry);
                let sum = digest(&body(&entry["body"], &tokens));
                tokens.0.push((format!("@SHA256U:{path}@"), sum.to_uppercase()));
                tokens.0.push((format!("@SHA256:{path}@"), sum));
            }
        }
        let hidden = strings(&scenario["hide"]);
        let place = Self {
            options,
            root: base.join("r"),
            temporary: base.join("tmp"),
            log: base.join("fake.log"),
            path: format!("{}:{}", show(&base.join("bin")), show(&tools.without(&hidden).map_err(text)?)),
            base,
            server,
            tokens,
        };
        put(&place.root, &scenario["files"], &place.tokens)?;
        place.fakes(scenario).map_err(text)?;
        Ok(place)
    }

    fn fakes(&self, scenario: &Json) -> std::io::Result<()> {
        let keys = fake::state_keys(scenario);
        for key in &keys {
            let first = scenario["state"][key.as_str()].as_str().unwrap_or_default();
            fs::write(self.base.join("state").join(key), format!("{first}\n"))?;
        }
        for (name, rules) in scenario["bin"].as_object().into_iter().flatten() {
            let path = self.base.join("bin").join(name);
            fs::write(&path, fake::script(name, rules, &self.base, &keys, &scenario["log_env"], &self.tokens))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    /// The secrets of a scenario stand in no file but those it was given.
    fn secrets(&self, scenario: &Json, bad: &mut Vec<String>) {
        let secrets = strings(&scenario["secret"]);
        if secrets.is_empty() {
            return;
        }
        let given = scenario["files"].as_object().into_iter().flat_map(|files| files.keys().map(String::as_str));
        let skip: Vec<PathBuf> =
            given.chain(strings(&scenario["secret_ok"])).map(|name| look::normal(&self.root.join(name))).collect();
        for top in [&self.root, &self.temporary, &self.base.join("home"), &self.base.join("xdg")] {
            for path in look::snapshot(top).into_keys() {
                if skip.contains(&path) || !fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
                    continue;
                }
                let data = fs::read(&path).unwrap_or_default();
                for secret in
                    secrets.iter().filter(|secret| data.windows(secret.len()).any(|part| part == secret.as_bytes()))
                {
                    bad.push(format!("secret {secret:?} stands in {}", path.display()));
                }
            }
        }
    }

    fn leave(self, bad: &mut Vec<String>) {
        process::marked(&self.base).into_iter().for_each(process::end);
        if self.options.keep && !bad.is_empty() {
            bad.push(format!("kept: {}", self.base.display()));
            return;
        }
        for path in look::snapshot(&self.base).into_keys().filter(|path| path.is_dir()) {
            let _kept = fs::set_permissions(path, fs::Permissions::from_mode(0o755));
        }
        let _kept = fs::remove_dir_all(&self.base);
    }

    fn step(&self, step: &Json, bad: &mut Vec<String>) -> Result<(), String> {
        let text = |error: std::io::Error| error.to_string();
        let expect = &step["expect"];
        put(&self.root, &step["before"], &self.tokens)?;
        if let Some(pause) = step["sleep_ms"].as_u64() {
            std::thread::sleep(Duration::from_millis(pause));
        }
        if step["argv"].is_null() && step["sh"].is_null() {
            self.files(expect, &BTreeMap::new(), bad);
            return Ok(());
        }
        fs::write(&self.log, "").map_err(text)?;
        fs::set_permissions(&self.log, fs::Permissions::from_mode(0o666)).map_err(text)?;
        let hits = self.server.as_ref().map_or(0, |server| server.hits().len());
        let before = look::snapshot(&self.root);
        let ended = self.start(step)?.wait(step, self.options.slow)?;
        if let Some(name) = step["save_stdout"].as_str() {
            fs::write(self.root.join(name), &ended.stdout).map_err(text)?;
        }
        let (out, err) = (text::plain(&ended.stdout), text::plain(&ended.stderr));
        if self.options.verbose {
            eprintln!("{step}\n{out}{err}[{:?}, {} ms]", ended.code, ended.wall.as_millis());
        }
        if ended.hung {
            bad.push(format!("still running; stdout {} stderr {}", text::short(&out), text::short(&err)));
            return Ok(());
        }
        self.judge(expect, &ended, &out, &err, bad);
        self.calls(expect, hits, bad);
        self.files(expect, &before, bad);
        self.unchanged(step, &before, bad);
        Ok(())
    }

    /// The command line of a step, wrapped in what gives it its limits, mounts and user.
    fn start(&self, step: &Json) -> Result<Running, String> {
        let mut argv: Vec<String> = match step["sh"].as_str() {
            Some(script) => vec!["/bin/sh".into(), "-c".into(), self.tokens.fill(script)],
            None => std::iter::once(self.options.ccm.display().to_string())
                .chain(strings(&step["argv"]).into_iter().map(|word| self.tokens.fill(word)))
                .collect(),
        };
        let mut wrap = |words: &[&str]| {
            let mut whole: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            whole.append(&mut argv);
            argv = whole;
        };
        if let Some(uid) = step["as_uid"].as_u64().filter(|_| nix::unistd::geteuid().is_root()) {
            wrap(&["/usr/bin/setpriv", &format!("--reuid={uid}"), &format!("--regid={uid}"), "--clear-groups"]);
        }
        if step["mounts"].is_array() || self.options.private_run {
            wrap(&["/usr/bin/unshare", "-m", "--propagation", "private", "/bin/sh", "-c", &self.mounts(step), "sh"]);
        }
        if let Some(umask) = step["umask"].as_str() {
            wrap(&["/bin/sh", "-c", &format!("umask {umask}; exec \"$@\""), "sh"]);
        }
        if let Some(limits) = step["limits"].as_object() {
            let limits: Vec<String> = limits.iter().map(|(name, value)| format!("--{name}={value}:{value}")).collect();
            let mut words = vec!["/usr/bin/prlimit"];
            words.extend(limits.iter().map(String::as_str));
            wrap(&words);
        }
        wrap(&["/usr/bin/setsid"]);
        let (program, arguments) = argv.split_first().ok_or("an empty command")?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear();
        let folder = |name: &str| self.base.join(name).display().to_string();
        let fixed = [
            ("PATH", self.path.clone()),
            ("HOME", folder("home")),
            ("XDG_CONFIG_HOME", folder("xdg")),
            ("TMPDIR", folder("tmp")),
            ("LANG", "C".into()),
            ("NO_COLOR", "1".into()),
            ("NO_PROXY", "127.0.0.1".into()),
        ];
        command.envs(fixed);
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            match value.as_str() {
                Some(value) => command.env(name, self.tokens.fill(value)),
                None => command.env_remove(name),
            };
        }
        command.env("CCM", &self.options.ccm);
        command.current_dir(match step["cwd"].as_str() {
            Some(cwd) => self.root.join(self.tokens.fill(cwd)),
            None => self.root.clone(),
        });
        let input = match (step["stdin"].is_null(), step["stdin_b64"].as_str()) {
            (false, _) => Some(body(&step["stdin"], &self.tokens)),
            (true, Some(text)) => Some(base64(text)),
            (true, None) => None,
        };
        Running::start(command, input, &self.base)
    }

    /// A script that makes the mounts of a step and runs it.
    fn mounts(&self, step: &Json) -> String {
        let place =
            |value: &Json| fake::quote(&self.root.join(value.as_str().unwrap_or_default()).display().to_string());
        let mut script = String::new();
        if self.options.private_run {
            script += "/bin/mount -t tmpfs -o mode=0755 tmpfs /run || exit 99\n";
        }
        let Some(mounts) = step["mounts"].as_array() else {
            return script + "exec \"$@\"";
        };
        for mount in mounts {
            let on = place(&mount["on"]);
            if mount["bind"].is_string() {
                script += &format!("/bin/mount --bind {} {on} || exit 99\n", place(&mount["bind"]));
                if mount["ro"].as_bool() == Some(true) {
                    script += &format!("/bin/mount -o remount,bind,ro {on} || exit 99\n");
                }
            } else {
                let size = mount["tmpfs"].as_str().map_or_else(|| mount["tmpfs"].to_string(), str::to_owned);
                script += &format!("/bin/mount -t tmpfs -o size={size},mode=0755 tmpfs {on} || exit 99\n");
            }
        }
        script += "\"$@\"\nrc=$?\n";
        for (key, tool) in [("copy_out", "cat"), ("list_out", "ls -A")] {
            for (from, to) in step[key].as_object().into_iter().flatten() {
                script += &format!("{tool} {} >{} 2>/dev/null\n", place(&Json::from(from.as_str())), place(to));
            }
        }
        script + "exit $rc"
    }

    fn judge(&self, expect: &Json, ended: &Ended, out: &str, err: &str, bad: &mut Vec<String>) {
        if !expect["exit"].is_null() {
            let wanted: Vec<i64> = text::several(&expect["exit"]).into_iter().filter_map(Json::as_i64).collect();
            if !wanted.contains(&ended.code) {
                bad.push(format!(
                    "exit {}, not {wanted:?}; stdout {} stderr {}",
                    ended.code,
                    text::short(out),
                    text::short(err)
                ));
            }
        }
        let crash = regex(r"^(panic:|thread '.*' (\(\d+\) )?panicked|goroutine \d+ \[)").is_match(err);
        if crash || [-6, -11, -7, -4, 101].contains(&ended.code) {
            bad.push(format!("crash: exit {}, stderr {}", ended.code, text::short(err)));
        }
        text::check("stdout", out, &expect["stdout"], &self.tokens, bad);
        text::check("stderr", err, &expect["stderr"], &self.tokens, bad);
        text::check("stdout+stderr", &format!("{out}{err}"), &expect["both"], &self.tokens, bad);
        if !expect["json"].is_null() {
            match serde_json::from_str(out) {
                Ok(document) => text::check_json("stdout", &document, &expect["json"], &self.tokens, bad),
                Err(error) => bad.push(format!("stdout is no JSON ({error}): {}", text::short(out))),
            }
        }
        let wall = ended.wall.as_millis() as u64;
        if let Some(most) = expect["max_wall_ms"].as_u64().filter(|most| wall as f64 > *most as f64 * self.options.slow)
        {
            bad.push(format!("took {wall} ms, more than {most}"));
        }
        if let Some(least) = expect["min_wall_ms"].as_u64().filter(|least| wall < *least) {
            bad.push(format!("took {wall} ms, less than {least}"));
        }
        if expect["no_process_left"].as_bool() == Some(true) && !ended.left.is_empty() {
            bad.push(format!("processes left behind: {:?}", ended.left));
        }
        if expect["tmp_clean"].as_bool() == Some(true) {
            let rest: Vec<PathBuf> =
                look::snapshot(&self.temporary).into_keys().filter(|path| *path != self.temporary).collect();
            if !rest.is_empty() {
                bad.push(format!("left in the temporary directory: {rest:?}"));
            }
        }
        for secret in strings(&expect["no_leak"]) {
            let secret = self.tokens.fill(secret);
            if out.contains(&secret) || err.contains(&secret) {
                bad.push(format!("secret {secret:?} is shown: {} {}", text::short(out), text::short(err)));
            }
        }
    }

    /// The calls of fake commands and the requests of the server.
    fn calls(&self, expect: &Json, hits: usize, bad: &mut Vec<String>) {
        let log = String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned();
        let log: Vec<String> = log.lines().map(str::to_owned).collect();
        self.in_order("log", &log, &expect["log"], bad);
        for pattern in strings(&expect["log_not"]) {
            if log.iter().any(|line| regex(&self.tokens.pattern(pattern)).is_match(line)) {
                bad.push(format!("log has /{pattern}/: {log:?}"));
            }
        }
        for (pattern, count) in expect["log_count"].as_object().into_iter().flatten() {
            let pattern = regex(&self.tokens.pattern(pattern));
            let found = log.iter().filter(|line| pattern.is_match(line)).count() as u64;
            if Some(found) != count.as_u64() {
                bad.push(format!("log: /{pattern}/ {found} times, not {count}: {log:?}"));
            }
        }
        let Some(server) = &self.server else { return };
        let requests = server.hits().split_off(hits);
        self.in_order("requests", &requests, &expect["http"], bad);
        if expect["http_count"].as_u64().is_some_and(|count| count != requests.len() as u64) {
            bad.push(format!("{} requests, not {}: {requests:?}", requests.len(), expect["http_count"]));
        }
    }

    fn in_order(&self, label: &str, lines: &[String], patterns: &Json, bad: &mut Vec<String>) {
        let mut rest = lines.iter();
        for pattern in strings(patterns) {
            let compiled = regex(&self.tokens.pattern(pattern));
            if !rest.any(|line| compiled.is_match(line)) {
                bad.push(format!("{label} lacks /{pattern}/ (in order): {lines:?}"));
                return;
            }
        }
    }

    fn files(&self, expect: &Json, before: &BTreeMap<PathBuf, Seen>, bad: &mut Vec<String>) {
        for (name, wanted) in expect["files"].as_object().into_iter().flatten() {
            look::check(&self.root, name, wanted, before, &self.tokens, bad);
        }
    }

    fn unchanged(&self, step: &Json, before: &BTreeMap<PathBuf, Seen>, bad: &mut Vec<String>) {
        let globs: Vec<String> = match &step["expect"]["unchanged"] {
            Json::Bool(true) => vec![".".to_owned()],
            Json::Array(names) => names.iter().filter_map(Json::as_str).map(|name| self.tokens.fill(name)).collect(),
            _ => return,
        };
        let after = look::snapshot(&self.root);
        let saved = step["save_stdout"].as_str().map(|name| self.root.join(name));
        let mut paths: Vec<&PathBuf> = before.keys().chain(after.keys()).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            if Some(path) != saved.as_ref()
                && globs.iter().any(|glob| look::under(path, &self.root, glob))
                && before.get(path) != after.get(path)
            {
                bad.push(format!("{} was changed: {:?} -> {:?}", path.display(), before.get(path), after.get(path)));
            }
        }
    }
}

/// A step that runs.
pub struct Running {
    child: Child,
    started: Instant,
    stdout: File,
    stderr: File,
}

/// How a step ended.
pub struct Ended {
    /// Exit code, or the signal as a negative number.
    pub code: i64,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub wall: Duration,
    pub hung: bool,
    pub left: Vec<u32>,
}

impl Running {
    /// Starts a command that leads a session of its own; output goes to files, so that nothing can block it.
    pub fn start(mut command: Command, input: Option<Vec<u8>>, scratch: &Path) -> Result<Self, String> {
        let file = || {
            let path = process::folder(scratch, "out")?;
            let file = File::options().read(true).write(true).create(true).truncate(true).open(path.join("f"))?;
            fs::remove_dir_all(path)?;
            std::io::Result::Ok(file)
        };
        let text = |error: std::io::Error| error.to_string();
        let (stdout, stderr) = (file().map_err(text)?, file().map_err(text)?);
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(stdout.try_clone().map_err(text)?).stderr(stderr.try_clone().map_err(text)?);
        let started = Instant::now();
        let mut child = command.spawn().map_err(text)?;
        if let (Some(data), Some(mut pipe)) = (input, child.stdin.take()) {
            std::thread::spawn(move || drop(pipe.write_all(&data)));
        }
        Ok(Self { child, started, stdout, stderr })
    }

    /// Waits for the end, sends the signal that the step wants, and ends what is left of it.
    pub fn wait(mut self, step: &Json, slow: f64) -> Result<Ended, String> {
        let pid = self.child.id();
        let limit = step["limit_ms"].as_u64().map_or(STEP_LIMIT, Duration::from_millis).mul_f64(slow);
        let mut status = None;
        let mut limit_from = self.started;
        if let Some(after) = step["kill_after_ms"].as_u64() {
            status = self.until(self.started + Duration::from_millis(after).mul_f64(slow))?;
            if status.is_none() {
                let name = step["signal"].as_str().unwrap_or("TERM");
                process::signal(pid, name, step["signal_group"].as_bool() == Some(true));
            }
            limit_from = Instant::now();
        }
        if status.is_none() {
            status = self.until(limit_from + limit)?;
        }
        let wall = self.started.elapsed();
        let left: Vec<u32> = process::members(pid).into_iter().filter(|member| *member != pid).collect();
        if let Some(settle) = step["settle_ms"].as_u64() {
            std::thread::sleep(Duration::from_millis(settle));
        }
        process::signal(pid, "KILL", true);
        process::members(pid).into_iter().for_each(process::end);
        let hung = status.is_none();
        let status = match status {
            Some(status) => status,
            None => self.child.wait().map_err(|error| error.to_string())?,
        };
        let read = |file: &mut File| {
            let mut bytes = Vec::new();
            let _short = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(1 << 24).read_to_end(&mut bytes));
            bytes
        };
        let (stdout, stderr) = (read(&mut self.stdout), read(&mut self.stderr));
        let code = status.code().map_or_else(|| -i64::from(status.signal().unwrap_or(0)), i64::from);
        Ok(Ended { code, stdout, stderr, wall, hung, left })
    }

    fn until(&mut self, deadline: Instant) -> Result<Option<ExitStatus>, String> {
        let mut pause = Duration::from_micros(300);
        loop {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }
}
