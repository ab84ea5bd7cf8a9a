//! A command line split into words as a shell would, without one: quotes and backslashes, nothing else.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Error, Result};

/// Splits a command line into words.
///
/// Between single quotes all is literal; between double quotes a backslash stands before `$`, `` ` ``, `"`,
/// `\` and a line end; elsewhere before anything. Backslash and line end vanish together.
///
/// # Errors
/// A quote or an escape that does not end.
pub fn split(line: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(next) = rest.next() {
        match next {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => single(&mut rest, word.get_or_insert_default())?,
            '"' => double(&mut rest, word.get_or_insert_default())?,
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err(unterminated("backslash escape", line)),
            },
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Ok(words)
}

fn single(rest: &mut core::str::Chars<'_>, word: &mut String) -> Result<()> {
    let text = rest.as_str();
    let end = text.find('\'').ok_or_else(|| unterminated("single-quoted string", text))?;
    let (quoted, after) = text.split_at(end);
    word.push_str(quoted);
    *rest = after.chars();
    rest.next();
    Ok(())
}

fn double(rest: &mut core::str::Chars<'_>, word: &mut String) -> Result<()> {
    let text = rest.as_str();
    while let Some(next) = rest.next() {
        match next {
            '"' => return Ok(()),
            '\\' => match rest.next() {
                Some(escaped @ ('$' | '`' | '"' | '\\')) => word.push(escaped),
                Some('\n') => {}
                Some(other) => word.extend(['\\', other]),
                None => break,
            },
            plain => word.push(plain),
        }
    }
    Err(unterminated("double-quoted string", text))
}

#[cold]
fn unterminated(what: &str, text: &str) -> Error {
    let near: String = text.chars().take(32).collect();
    Error::invalid(alloc::format!("unterminated {what} in the command, near {near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_would() {
        let line = "/bin/echo 'a b'  \"c \\\" \\d $e\" f\\ g '' h'i'\"j\" \\\n k";
        assert_eq!(split(line).unwrap(), ["/bin/echo", "a b", "c \" \\d $e", "f g", "", "hij", "k"]);
        assert_eq!(split(" \t\n").unwrap(), [""; 0]);
    }

    #[test]
    fn what_does_not_end_is_refused() {
        for line in ["echo 'a", "echo \"a", "echo \"a\\", "echo a\\"] {
            assert!(split(line).is_err(), "{line}");
        }
    }
}
