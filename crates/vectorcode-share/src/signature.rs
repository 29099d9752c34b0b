//! Who made a bundle: minisign keys of the team. Signing is optional for a pusher; a reader that names a public key takes
//! nothing else.

use minisign::{SecretKey, SecretKeyBox};
use minisign_verify::{PublicKey, Signature};

use crate::ShareError;

/// The text of a secret key, as `minisign -G` writes it.
const KEY_VARIABLE: &str = "VECTORCODE_SHARE_SIGNING_KEY";
/// Its password, unless the key has none (`minisign -G -W`).
const PASSWORD_VARIABLE: &str = "VECTORCODE_SHARE_SIGNING_PASSWORD";

/// Signs manifests.
pub struct SigningKey(SecretKey);

impl SigningKey {
    /// The key of the environment, if there is one.
    pub fn from_environment() -> Result<Option<Self>, ShareError> {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        variable(KEY_VARIABLE).map(|text| Self::parse(&text, variable(PASSWORD_VARIABLE))).transpose()
    }

    fn parse(text: &str, password: Option<String>) -> Result<Self, ShareError> {
        let bad =
            |error: minisign::PError| ShareError::BadKey { what: KEY_VARIABLE, problem: error.to_string() };
        let sealed = SecretKeyBox::from_string(text.trim()).map_err(bad)?;
        // Without a password, minisign would ask for it on the terminal.
        let key = match password {
            Some(password) => sealed.into_secret_key(Some(password)),
            None => sealed.into_unencrypted_secret_key(),
        };
        key.map(Self).map_err(bad)
    }

    pub(crate) fn sign(&self, payload: &[u8]) -> Result<String, ShareError> {
        let comment = Some("vectorcode bundle");
        let signed = minisign::sign(None, &self.0, payload, comment, comment);
        let signed =
            signed.map_err(|error| ShareError::BadKey { what: KEY_VARIABLE, problem: error.to_string() })?;
        Ok(signed.into_string())
    }
}

/// A secret is not shown.
impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey")
    }
}

/// The key whose bundles are taken.
#[derive(Debug)]
pub struct TrustedKey(PublicKey);

impl TrustedKey {
    /// The setting `share.public_key`: the second line of a `minisign.pub`. Empty: no key.
    pub fn from_setting(text: &str) -> Result<Option<Self>, ShareError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let bad = |error: minisign_verify::Error| ShareError::BadKey {
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

    #[test]
    fn a_key_with_a_password_needs_it() {
        let pair = KeyPair::generate_encrypted_keypair(Some("secret".into())).unwrap();
        let text = pair.sk.to_box(None).unwrap().into_string();
        assert!(SigningKey::parse(&text, None).is_err());
        assert!(SigningKey::parse(&text, Some("wrong".into())).is_err());
    }
}
