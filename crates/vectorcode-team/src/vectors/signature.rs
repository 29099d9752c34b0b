//! Signs and verifies bundles with the team's minisign keys. Signing is optional for a push; a reader that has a public key
//! in its settings accepts only bundles signed with it.

use ct_codecs::{Base64, Decoder};
use minisign::{SecretKey, SecretKeyBox};
use minisign_verify::{PublicKey, Signature};

use crate::TeamError;

/// The text of a secret key, as `minisign -G` writes it.
const KEY_VARIABLE: &str = "VECTORCODE_SHARE_SIGNING_KEY";
/// The password of the key, unless it has none (`minisign -G -W`).
const PASSWORD_VARIABLE: &str = "VECTORCODE_SHARE_SIGNING_PASSWORD";

/// Size of a minisign secret key: three algorithm names (the second one describes how the password is applied), 48 bytes that
/// belong to the password, the key's number, the key, and a checksum.
const KEY_BYTES: usize = 158;
const KDF_AT: std::ops::Range<usize> = 2..4;
const CHECKSUM_FROM: usize = 126;

/// Signs manifests.
pub struct SigningKey(SecretKey);

impl SigningKey {
    /// The key from the environment, if there is one.
    pub fn from_environment() -> Result<Option<Self>, TeamError> {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        variable(KEY_VARIABLE).map(|text| Self::parse(&text, variable(PASSWORD_VARIABLE))).transpose()
    }

    fn parse(text: &str, password: Option<String>) -> Result<Self, TeamError> {
        let bad =
            |error: minisign::PError| TeamError::BadKey { what: KEY_VARIABLE, problem: error.to_string() };
        let sealed = SecretKeyBox::from_string(text.trim()).map_err(bad)?;
        // Without a password, minisign would prompt for it on the terminal.
        let key = match (password, without_checksum(text)) {
            (Some(password), _) => sealed.into_secret_key(Some(password)),
            (None, Some(bytes)) => SecretKey::from_bytes(&bytes).and_then(checked),
            (None, None) => sealed.into_unencrypted_secret_key(),
        };
        key.map(Self).map_err(bad)
    }

    pub(crate) fn sign(&self, payload: &[u8]) -> Result<String, TeamError> {
        let comment = Some("vectorcode bundle");
        let signed = minisign::sign(None, &self.0, payload, comment, comment);
        let signed =
            signed.map_err(|error| TeamError::BadKey { what: KEY_VARIABLE, problem: error.to_string() })?;
        Ok(signed.into_string())
    }
}

/// The bytes of a key that has no checksum. The program minisign writes none into a key without a password, and does not need
/// one to read it, but the library does.
fn without_checksum(text: &str) -> Option<Vec<u8>> {
    let bytes = Base64::decode_to_vec(text.trim().lines().nth(1)?.trim(), None).ok()?;
    let is_plain = bytes.len() == KEY_BYTES && bytes[KDF_AT] == [0; 2];
    (is_plain && bytes[CHECKSUM_FROM..].iter().all(|byte| *byte == 0)).then_some(bytes)
}

/// Replaces the check of the checksum: signatures of a damaged key cannot be verified with its public key.
fn checked(key: SecretKey) -> minisign::Result<SecretKey> {
    let public = minisign::PublicKey::from_secret_key(&key)?;
    minisign::sign(Some(&public), &key, &b""[..], None, None).map(|_| key)
}

/// Does not show the secret.
impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey")
    }
}

/// The public key that bundles must be signed with.
#[derive(Debug)]
pub struct TrustedKey(PublicKey);

impl TrustedKey {
    /// Parses the setting `share.public_key`: the second line of a `minisign.pub`. Empty: no key.
    pub fn from_setting(text: &str) -> Result<Option<Self>, TeamError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let bad = |error: minisign_verify::Error| TeamError::BadKey {
            what: "share.public_key",
            problem: error.to_string(),
        };
        PublicKey::from_base64(text).map(|key| Some(Self(key))).map_err(bad)
    }

    pub(crate) fn verify(&self, payload: &[u8], signature: &[u8]) -> Result<(), String> {
        if signature.is_empty() {
            return Err("it has no signature".into());
        }
        let signature =
            Signature::decode(&String::from_utf8_lossy(signature)).map_err(|error| error.to_string())?;
        self.0.verify(payload, &signature, false).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use minisign::KeyPair;

    use super::*;

    pub(crate) fn pair() -> (SigningKey, TrustedKey) {
        let pair = KeyPair::generate_unencrypted_keypair().unwrap();
        let public = TrustedKey::from_setting(&pair.pk.to_base64()).unwrap().unwrap();
        (SigningKey(pair.sk), public)
    }

    #[test]
    fn keys_are_read_as_minisign_writes_them() {
        let pair = KeyPair::generate_unencrypted_keypair().unwrap();
        let text = pair.sk.to_box(None).unwrap().into_string();
        let key = SigningKey::parse(&text, None).unwrap();
        let trusted = TrustedKey::from_setting(&format!(" {}\n", pair.pk.to_base64())).unwrap().unwrap();
        let signature = key.sign(b"payload").unwrap();
        assert_eq!(trusted.verify(b"payload", signature.as_bytes()), Ok(()));
        assert!(trusted.verify(b"other", signature.as_bytes()).is_err());
        assert!(trusted.verify(b"payload", b"rubbish").is_err());
        assert!(SigningKey::parse("rubbish", None).is_err());
        assert!(TrustedKey::from_setting("rubbish").is_err());
        assert!(TrustedKey::from_setting(" ").unwrap().is_none());
    }

    /// A key for this test, created by minisign 0.11 with `-G -W`: its checksum is empty.
    const MINISIGN_KEY: &str = "untrusted comment: minisign encrypted secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIvZUZsLbVsJWNzu6lpVocG0PkY/06AYI63YxKYVmtbED/L5UPYiHyCaDhpVdDTGrV7OfOSM+FMnCPwCy6ug6tDeZVvbeVlkdAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
";
    const MINISIGN_PUBLIC_KEY: &str = "RWQi9lRmwttWwiaDhpVdDTGrV7OfOSM+FMnCPwCy6ug6tDeZVvbeVlkd";

    #[test]
    fn a_key_of_the_program_minisign_has_no_checksum_and_signs() {
        let key = SigningKey::parse(MINISIGN_KEY, None).unwrap();
        let trusted = TrustedKey::from_setting(MINISIGN_PUBLIC_KEY).unwrap().unwrap();
        let signature = key.sign(b"payload").unwrap();
        assert_eq!(trusted.verify(b"payload", signature.as_bytes()), Ok(()));
        // One letter of the secret half is changed.
        let damaged = MINISIGN_KEY.replace("lpVocG0P", "lpVocG0Q");
        assert!(SigningKey::parse(&damaged, None).is_err());
    }

    #[test]
    fn a_key_with_a_password_needs_it() {
        let pair = KeyPair::generate_encrypted_keypair(Some("secret".into())).unwrap();
        let text = pair.sk.to_box(None).unwrap().into_string();
        assert!(SigningKey::parse(&text, None).is_err());
        assert!(SigningKey::parse(&text, Some("wrong".into())).is_err());
    }
}
