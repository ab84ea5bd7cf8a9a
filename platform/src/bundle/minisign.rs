//! Keys and signatures as minisign writes them: Ed25519, over the message (`Ed`) or over its BLAKE2b-512 (`ED`).
//!
//! A signature file holds two: one of the message, and one of the first signature and the trusted comment, so that
//! the comment cannot be exchanged. Secret keys are those of `minisign -G -W`, without a password.

use base64ct::{Base64, Encoding};
use blake2::{Blake2b256, Blake2b512, Digest};
use ccm_core::{Error, Result};
use ed25519_compact as ed25519;

/// What tells keys apart; chosen at random when a pair is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyId([u8; 8]);

impl core::fmt::Display for KeyId {
    /// As minisign shows it: a number, in hex.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:016X}", u64::from_le_bytes(self.0))
    }
}

/// A key that verifies.
pub struct PublicKey {
    /// Which pair it is of.
    pub id: KeyId,
    key: ed25519::PublicKey,
}

/// A key that signs.
pub struct SecretKey {
    id: KeyId,
    pair: ed25519::KeyPair,
}

/// A signature file.
pub(super) struct Signature {
    hashed: bool,
    pub(super) id: KeyId,
    signature: ed25519::Signature,
    comment: String,
    global: ed25519::Signature,
}

/// Plain Ed25519, and Ed25519 over the hash: what the first two bytes of keys and signatures say.
const PLAIN: &[u8] = b"Ed";
const HASHED: &[u8] = b"ED";

impl PublicKey {
    /// Reads a `.pub` file, or the one line in it that counts.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self> {
        let bytes: [u8; 42] = decoded(text).ok_or_else(|| Error::invalid("is no minisign public key"))?;
        let (kind, id, key) = (&bytes[..2], &bytes[2..10], &bytes[10..]);
        let key = ed25519::PublicKey::from_slice(key).ok().filter(|_| kind == PLAIN);
        let key = key.ok_or_else(|| Error::invalid("is a public key of another kind than Ed25519"))?;
        Ok(Self { id: KeyId(array(id)), key })
    }

    /// The file.
    #[must_use]
    pub fn text(&self) -> String {
        let bytes = [PLAIN, &self.id.0, &*self.key].concat();
        format!("untrusted comment: minisign public key {}\n{}\n", self.id, Base64::encode_string(&bytes))
    }
}

impl SecretKey {
    /// A fresh pair out of random bytes.
    #[must_use]
    pub fn new(seed: [u8; 32], id: [u8; 8]) -> Self {
        Self { id: KeyId(id), pair: ed25519::KeyPair::from_seed(ed25519::Seed::new(seed)) }
    }

    /// Reads a secret key file.
    ///
    /// # Errors
    /// When it is none, is damaged, or needs a password.
    pub fn parse(text: &str) -> Result<Self> {
        let bytes: [u8; 158] = decoded(text).ok_or_else(|| Error::invalid("is no minisign secret key"))?;
        if &bytes[..2] != PLAIN || &bytes[4..6] != b"B2" {
            return Err(Error::invalid("is a secret key of another kind than Ed25519"));
        }
        if bytes[2..4] != [0, 0] {
            return Err(Error::invalid(
                "is encrypted: make one without a password, with `ccm bundle keygen` or `minisign -G -W`",
            ));
        }
        let pair = ed25519::KeyPair::from_seed(ed25519::Seed::new(array(&bytes[62..94])));
        if pair.pk[..] != bytes[94..126] {
            return Err(Error::invalid("is a damaged secret key"));
        }
        Ok(Self { id: KeyId(array(&bytes[54..62])), pair })
    }

    /// The file.
    #[must_use]
    pub fn text(&self) -> String {
        let sum = Blake2b256::new().chain_update(PLAIN).chain_update(self.id.0).chain_update(*self.pair.sk).finalize();
        // No password: no way to derive a key from one, no salt, no limits.
        let bytes = [PLAIN, &[0, 0], b"B2", &[0; 48], &self.id.0, &*self.pair.sk, &sum].concat();
        format!("untrusted comment: minisign encrypted secret key\n{}\n", Base64::encode_string(&bytes))
    }

    /// The key that verifies what this one signs.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey { id: self.id, key: self.pair.pk }
    }

    /// The signature file of a message.
    pub(super) fn sign(&self, message: &[u8], comment: &str) -> String {
        let signature = self.pair.sk.sign(Blake2b512::digest(message), None);
        let global = self.pair.sk.sign([&*signature, comment.as_bytes()].concat(), None);
        let bytes = [HASHED, &self.id.0, &*signature].concat();
        format!(
            "untrusted comment: signature from minisign secret key\n{}\ntrusted comment: {comment}\n{}\n",
            Base64::encode_string(&bytes),
            Base64::encode_string(&*global)
        )
    }
}

impl Signature {
    pub(super) fn parse(text: &str) -> Result<Self> {
        Self::read(text).ok_or_else(|| Error::invalid("is no minisign signature"))
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        lines.next()?.strip_prefix("untrusted comment: ")?;
        let bytes: [u8; 74] = exactly(lines.next()?)?;
        let comment = lines.next()?.strip_prefix("trusted comment: ")?.to_owned();
        let global: [u8; 64] = exactly(lines.next()?)?;
        let hashed = match &bytes[..2] {
            kind if kind == HASHED => true,
            kind if kind == PLAIN => false,
            _ => return None,
        };
        let end = lines.next().is_none();
        end.then(|| Self {
            hashed,
            id: KeyId(array(&bytes[2..10])),
            signature: ed25519::Signature::new(array(&bytes[10..])),
            comment,
            global: ed25519::Signature::new(global),
        })
    }

    /// The key made this signature of this message, and the trusted comment with it.
    pub(super) fn is_of(&self, message: &[u8], key: &PublicKey) -> bool {
        let of_message = match self.hashed {
            true => key.key.verify(Blake2b512::digest(message), &self.signature),
            false => key.key.verify(message, &self.signature),
        };
        let with_comment = [&*self.signature, self.comment.as_bytes()].concat();
        self.id == key.id && of_message.is_ok() && key.key.verify(with_comment, &self.global).is_ok()
    }
}

/// The base64 line of a key file: the one after the comment, or the only one.
fn decoded<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut lines = text.lines().filter(|line| !line.starts_with("untrusted comment:") && !line.trim().is_empty());
    let bytes = exactly(lines.next()?)?;
    lines.next().is_none().then_some(bytes)
}

fn exactly<const N: usize>(line: &str) -> Option<[u8; N]> {
    Base64::decode_vec(line.trim()).ok()?.try_into().ok()
}

/// A piece of known length; it is always as long as it must be.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> SecretKey {
        SecretKey::new([seed; 32], [seed; 8])
    }

    #[test]
    fn keys_survive_their_files() {
        let secret = SecretKey::parse(&key(7).text()).unwrap();
        let public = PublicKey::parse(&secret.public().text()).unwrap();
        assert_eq!((public.id, public.text()), (key(7).id, key(7).public().text()));
        let bare = secret.public().text();
        assert_eq!(PublicKey::parse(bare.lines().last().unwrap()).unwrap().id, public.id);
        assert!(PublicKey::parse(&secret.text()).is_err() && SecretKey::parse(&bare).is_err());
    }

    #[test]
    fn a_signature_is_of_its_message_its_key_and_its_comment() {
        let text = key(1).sign(b"message", "version 7");
        let signature = Signature::parse(&text).unwrap();
        assert!(signature.is_of(b"message", &key(1).public()));
        assert!(!signature.is_of(b"massage", &key(1).public()));
        assert!(!signature.is_of(b"message", &key(2).public()));
        let other = Signature::parse(&text.replace("version 7", "version 8")).unwrap();
        assert!(!other.is_of(b"message", &key(1).public()));
    }

    #[test]
    fn signatures_of_minisign_before_it_hashed_are_read_too() {
        let secret = key(3);
        let signature = secret.pair.sk.sign(b"message", None);
        let global = secret.pair.sk.sign([&*signature, &b"c"[..]].concat(), None);
        let text = format!(
            "untrusted comment: x\n{}\ntrusted comment: c\n{}\n",
            Base64::encode_string(&[PLAIN, &secret.id.0, &*signature].concat()),
            Base64::encode_string(&*global)
        );
        assert!(Signature::parse(&text).unwrap().is_of(b"message", &secret.public()));
    }

    #[test]
    fn what_is_cut_is_no_signature() {
        let text = key(1).sign(b"message", "c");
        for end in 0..text.len() - 1 {
            assert!(Signature::parse(&text[..end]).is_err(), "{end}");
        }
        assert!(Signature::parse(&format!("{text}more\n")).is_err());
    }
}
