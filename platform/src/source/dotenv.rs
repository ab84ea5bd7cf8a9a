//! The `.env` file: names for the `Environ` root of templates.
//!
//! The usual conventions hold: comments, `export`, quotes of both kinds, blanks around names and values. What is
//! no `NAME=value` is passed over as the reference does, but told of. Nothing is expanded.

use std::io::ErrorKind;

use ccm_core::Result;

use crate::errno::io_fault;

/// What a `.env` file gives.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Dotenv {
    /// Names and values in their order; later ones win.
    pub variables: Vec<(String, String)>,
    /// Lines that mean nothing: `.env:3: …`.
    pub warnings: Vec<String>,
}

/// Bytes a `.env` file may have.
const LARGEST: u64 = 1 << 20;

/// Reads a `.env` file; none, or a directory of that name, gives nothing.
///
/// # Errors
/// When it is there and cannot be read, is no regular file, or is larger than 1 MiB.
pub fn read(path: &str) -> Result<Dotenv> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => return Ok(Dotenv::default()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Dotenv::default()),
        Err(error) => return Err(io_fault("open", path, &error)),
        Ok(_) => {}
    }
    let bytes = ccm_core::host::Files::read(&crate::Linux::new(), path, LARGEST)?;
    Ok(parse(path, &String::from_utf8_lossy(&bytes)))
}

fn parse(path: &str, text: &str) -> Dotenv {
    let mut found = Dotenv::default();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        match entry(line.trim()) {
            Ok(variable) => found.variables.extend(variable),
            Err(complaint) => found.warnings.push(format!("{path}:{}: {complaint}", number + 1)),
        }
    }
    found
}

/// The variable of a line; none in an empty line, a comment, or one with an empty value, which is as if it were
/// not set.
fn entry(line: &str) -> std::result::Result<Option<(String, String)>, &'static str> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let line = match line.strip_prefix("export") {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => line,
    };
    let (name, value) = line.split_once('=').ok_or("expected NAME=value")?;
    let name = name.trim_end();
    let odd = |character: char| character.is_whitespace() || character.is_control() || "\"'`$".contains(character);
    if name.is_empty() || name.contains(odd) {
        return Err("the name before = has characters that no variable has");
    }
    let value = match value.trim_start() {
        quoted if quoted.starts_with(['"', '\'']) => unquote(quoted)?,
        _ => match uncommented(value) {
            "" => return Ok(None),
            plain => plain.to_owned(),
        },
    };
    Ok(Some((name.to_owned(), value)))
}

/// A value up to a `#` that stands after a blank.
fn uncommented(value: &str) -> &str {
    let comment = value.match_indices('#').find(|(at, _)| value[..*at].ends_with([' ', '\t']));
    value[..comment.map_or(value.len(), |(at, _)| at)].trim()
}

/// A value in quotes: in single ones every character is itself, in double ones a backslash escapes.
fn unquote(text: &str) -> std::result::Result<String, &'static str> {
    let mut characters = text.chars();
    let quote = characters.next().unwrap_or('"');
    let mut value = String::new();
    loop {
        match characters.next().ok_or("the quote is not closed on this line")? {
            end if end == quote => break,
            '\\' if quote == '"' => match characters.next().ok_or("the quote is not closed on this line")? {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                itself @ ('"' | '\\' | '$' | '`') => value.push(itself),
                other => value.extend(['\\', other]),
            },
            character => value.push(character),
        }
    }
    let rest = characters.as_str().trim_start();
    if rest.is_empty() || rest.starts_with('#') { Ok(value) } else { Err("something follows the closing quote") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Option<(String, String)> {
        let mut found = parse(".env", line);
        assert_eq!(found.warnings, [""; 0]);
        found.variables.pop()
    }

    fn value(line: &str) -> String {
        one(line).unwrap().1
    }

    #[test]
    fn values_follow_the_usual_conventions() {
        assert_eq!(value("A=plain"), "plain");
        assert_eq!(value("  A = b c  "), "b c");
        assert_eq!(value("A=x=y"), "x=y");
        assert_eq!(value("A=\"two words\" # note"), "two words");
        assert_eq!(value("A='quoted $x \\n'"), "quoted $x \\n");
        assert_eq!(value(r#"A="a\"b\nc\d""#), "a\"b\nc\\d");
        assert_eq!(value("A=b # note"), "b");
        assert_eq!(value("A=#fff"), "#fff");
    }

    #[test]
    fn export_is_no_part_of_the_name() {
        assert_eq!(one("export BAZ=1"), Some(("BAZ".to_owned(), "1".to_owned())));
        assert_eq!(one("exported=1"), Some(("exported".to_owned(), "1".to_owned())));
    }

    #[test]
    fn comments_and_empty_values_give_nothing() {
        assert_eq!((one(""), one("  # A=no"), one("A= # no")), (None, None, None));
        assert_eq!(value("A=''"), "");
    }

    #[test]
    fn odd_lines_are_named_and_passed_over() {
        let found = parse(".env", "A=1\r\nno sense\n\nB=\"open\n");
        assert_eq!(found.variables, [("A".to_owned(), "1".to_owned())]);
        assert_eq!(found.warnings.len(), 2);
        assert!(found.warnings[1].starts_with(".env:4: the quote"), "{:?}", found.warnings);
    }
}
