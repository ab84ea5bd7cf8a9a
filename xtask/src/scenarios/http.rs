//! The small HTTP server of a scenario: fixed answers, a log of requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value as Json;

use super::prestate::{base64, body};
use super::text::{Tokens, strings};

/// A running server; it stops when dropped.
pub struct Server {
    pub port: u16,
    hits: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Serves a table of paths on a free port of the loopback address.
    pub fn start(table: Json, tokens: Tokens) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let hits = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, ended) = (hits.clone(), stop.clone());
        let mut tokens = tokens;
        tokens.0.push(("@PORT@".to_owned(), port.to_string()));
        let table = Arc::new((table, tokens));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let (table, hits) = (table.clone(), shared.clone());
                std::thread::spawn(move || drop(answer(stream, &table.0, &table.1, &hits)));
            }
        });
        Ok(Self { port, hits, stop })
    }

    /// The requests so far.
    pub fn hits(&self) -> Vec<String> {
        self.hits.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _woken = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn answer(stream: TcpStream, table: &Json, tokens: &Tokens, hits: &Mutex<Vec<String>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.by_ref().take(65536).read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.by_ref().take(65536).read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let header = |name: &str| {
        headers.iter().find(|(known, _)| *known == name.to_ascii_lowercase()).map_or("", |(_, value)| value.as_str())
    };
    let who = header("authorization")
        .strip_prefix("Basic ")
        .map_or_else(String::new, |code| String::from_utf8_lossy(&base64(code)).into_owned());
    let mut entry = table.get(&path).or_else(|| table.get(path.split('?').next().unwrap_or_default()));
    let mut hit = format!("{method} {path}");
    if !who.is_empty() {
        hit += &format!(" auth={who}");
    }
    if !header("range").is_empty() {
        hit += &format!(" range={}", header("range"));
    }
    for name in entry.map(|entry| strings(&entry["log_headers"])).unwrap_or_default() {
        if !header(name).is_empty() {
            hit += &format!(" {name}={}", header(name));
        }
    }
    let nth = {
        let mut hits = hits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        hits.push(hit);
        hits.iter().filter(|hit| hit.split_whitespace().nth(1) == Some(path.as_str())).count()
    };
    if let Some(answers) = entry.and_then(|entry| entry["seq"].as_array()) {
        entry = answers.get(nth.min(answers.len()).saturating_sub(1));
    }
    let Some(entry) = entry else {
        return reply(stream, &method, 404, b"no such path\n", &[], None);
    };
    if let Some(delay) = entry["delay_ms"].as_u64() {
        std::thread::sleep(Duration::from_millis(delay));
    }
    if entry["require_auth"].as_str().is_some_and(|wanted| wanted != who) {
        return reply(
            stream,
            &method,
            401,
            b"auth\n",
            &[("WWW-Authenticate".into(), "Basic realm=\"x\"".into())],
            None,
        );
    }
    for (name, wanted) in entry["require_headers"].as_object().into_iter().flatten() {
        if header(name) != wanted.as_str().unwrap_or_default() {
            return reply(stream, &method, 403, b"header\n", &[], None);
        }
    }
    let extra: Vec<(String, String)> = entry["headers"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), tokens.fill(value.as_str().unwrap_or_default())))
        .collect();
    let data = body(&entry["body"], tokens);
    let cut = entry["cut_at"].as_u64().map(|at| at as usize);
    reply(stream, &method, entry["status"].as_u64().unwrap_or(200), &data, &extra, cut)
}

fn reply(
    mut stream: TcpStream,
    method: &str,
    status: u64,
    data: &[u8],
    headers: &[(String, String)],
    cut: Option<usize>,
) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} answer\r\nContent-Length: {}\r\nConnection: close\r\n", data.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    stream.write_all(head.as_bytes())?;
    if method != "HEAD" {
        stream.write_all(&data[..cut.unwrap_or(data.len()).min(data.len())])?;
    }
    stream.flush()
}
