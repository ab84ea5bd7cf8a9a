//! The system's error numbers as errors of core.

use ccm_core::Error;
use ccm_core::error::{Cause, Kind, System};
use nix::errno::Errno;

/// An operation on an object that the system refused.
#[cold]
pub(crate) fn fault(operation: &'static str, object: impl Into<String>, errno: Errno) -> Error {
    refusal(operation, object, cause(errno), sentence(errno))
}

/// The same from an error of the standard library.
#[cold]
pub(crate) fn io_fault(operation: &'static str, object: impl Into<String>, error: &std::io::Error) -> Error {
    match error.raw_os_error() {
        Some(number) => fault(operation, object, Errno::from_raw(number)),
        None => refusal(operation, object, Cause::Other, error.to_string()),
    }
}

/// A refusal in words of our own.
#[cold]
pub(crate) fn refusal(
    operation: &'static str,
    object: impl Into<String>,
    cause: Cause,
    text: impl Into<String>,
) -> Error {
    Kind::System(System { operation, object: object.into(), cause, text: text.into() }).into()
}

fn cause(errno: Errno) -> Cause {
    match errno {
        Errno::ENOENT => Cause::NotFound,
        Errno::EEXIST => Cause::Exists,
        Errno::EACCES | Errno::EPERM => Cause::Denied,
        Errno::EROFS => Cause::ReadOnly,
        Errno::EBUSY | Errno::ETXTBSY => Cause::Busy,
        Errno::EXDEV => Cause::CrossDevice,
        Errno::ENOTDIR => Cause::NotDirectory,
        Errno::EISDIR => Cause::IsDirectory,
        Errno::ENOTEMPTY => Cause::NotEmpty,
        Errno::ELOOP => Cause::Symlink,
        Errno::ENOSPC | Errno::EDQUOT => Cause::Full,
        Errno::EOPNOTSUPP | Errno::ENOSYS => Cause::Unsupported,
        Errno::ETIMEDOUT => Cause::TimedOut,
        _ => Cause::Other,
    }
}

/// The system's words, in lower case as all our errors: `permission denied`.
fn sentence(errno: Errno) -> String {
    let text = errno.desc();
    let starts_with_acronym = text.chars().nth(1).is_some_and(|second| second.is_ascii_uppercase() || second == '/');
    if starts_with_acronym { text.to_owned() } else { text[..1].to_ascii_lowercase() + &text[1..] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_the_operation_the_object_and_why() {
        assert_eq!(fault("open", "/x", Errno::ENOENT).to_string(), "open /x: no such file or directory");
        assert_eq!(fault("read", "/x", Errno::EIO).to_string(), "read /x: I/O error");
    }
}
