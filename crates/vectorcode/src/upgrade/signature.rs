//! Verifies that an archive was signed with the release key, for this file of this version.
//!
//! A checksum from the server that also has the archive only protects against a broken download. The public key is part of the
//! binary, so neither a compromised server nor a mirror can offer a binary that the project did not release.

use minisign_verify::{Error as MinisignError, PublicKey, Signature};
use semver::Version;

use super::error::UpgradeError;

/// The project's key. Until the first release is prepared the file holds a comment and no key.
const PROJECT_KEY: &str = include_str!("../../minisign.pub");

/// Only signatures that hash the file first are accepted. No recent minisign creates the older kind.
const ALLOW_LEGACY: bool = false;

/// The key that releases are signed with.
#[derive(Debug)]
pub struct ReleaseKey(PublicKey);

impl ReleaseKey {
    pub fn of_project() -> Result<Self, UpgradeError> {
        match PROJECT_KEY.lines().nth(1) {
            Some(key) => Self::parse(key),
            None => Err(UpgradeError::NoReleaseKey),
        }
    }

    /// The second line of a `minisign.pub`.
    pub fn parse(base64: &str) -> Result<Self, UpgradeError> {
        let key = PublicKey::from_base64(base64.trim());
        key.map(Self).map_err(|error| UpgradeError::BadReleaseKey { message: error.to_string() })
    }

    /// Checks that `signature` was made with this key, for these bytes as `file` of `version`.
    ///
    /// Name and version are in the signed comment. Without them, an old release with a known vulnerability, or the archive of
    /// another platform, could be served under the name of a new one.
    pub fn verify(
        &self,
        bytes: &[u8],
        signature: &[u8],
        file: &str,
        version: &Version,
    ) -> Result<(), UpgradeError> {
        let refuse = |error: MinisignError| UpgradeError::BadSignature {
            file: file.to_owned(),
            message: reason(&error),
        };
        let signature = Signature::decode(&String::from_utf8_lossy(signature)).map_err(refuse)?;
        self.0.verify(bytes, &signature, ALLOW_LEGACY).map_err(refuse)?;
        let expected = format!("vectorcode {version} {file}");
        let found = signature.trusted_comment();
        if found == expected {
            return Ok(());
        }
        Err(UpgradeError::OtherSignature { expected, found: found.to_owned() })
    }
}

fn reason(error: &MinisignError) -> String {
    match error {
        MinisignError::UnexpectedKeyId => "it was made with another key".to_owned(),
        MinisignError::InvalidSignature => "the file is not the one that was signed".to_owned(),
        other => format!("it cannot be read: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the minisign documentation: a signature of the bytes `test`.
    const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    const SIGNATURE: &str = "untrusted comment: signature from minisign secret key
RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=
trusted comment: timestamp:1633700835\tfile:test\tprehashed
wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==
";

    fn verify(bytes: &[u8], signature: &str) -> UpgradeError {
        let key = ReleaseKey::parse(KEY).unwrap();
        key.verify(bytes, signature.as_bytes(), "test", &Version::new(1, 0, 0)).unwrap_err()
    }

    #[test]
    fn a_genuine_signature_with_another_comment_is_refused() {
        let error = verify(b"test", SIGNATURE);
        assert!(matches!(error, UpgradeError::OtherSignature { .. }), "{error}");
    }

    /// Made by minisign 0.11 as `scripts/sign-release.sh` calls it, with a key for this test.
    #[test]
    fn a_signature_of_the_program_minisign_is_accepted() {
        const SIGNED: &str = "untrusted comment: signature from minisign secret key
RUQi9lRmwttWwhB8rwPdOwLhQUcJurwcsdmr2LOVk1Pbmtjm/ulKxVfQFLTLzttQxeM9Q2y7SJ8VKePX4Rwr6fm5ncUsaH4o6wE=
trusted comment: vectorcode 0.2.0 vectorcode-linux-x86_64.tar.gz
xfqYVLDjJSKwwurPs313tJszqDJm57TFWnk6ieL/Glt1H7X/O1iOAoaiI0gZCVJdoQQX53CzX+dCF1tZtdMoCw==
";
        let key = ReleaseKey::parse("RWQi9lRmwttWwiaDhpVdDTGrV7OfOSM+FMnCPwCy6ug6tDeZVvbeVlkd").unwrap();
        let verify = |signature: &str, file: &str, version| {
            key.verify(b"an archive\n", signature.as_bytes(), file, &version)
        };
        let (file, version) = ("vectorcode-linux-x86_64.tar.gz", Version::new(0, 2, 0));
        verify(SIGNED, file, version.clone()).unwrap();
        verify(&SIGNED.replace('\n', "\r\n"), file, version.clone()).unwrap();
        assert!(verify(SIGNED, "vectorcode-linux-aarch64.tar.gz", version).is_err());
        assert!(verify(SIGNED, file, Version::new(0, 3, 0)).is_err());
        let later = SIGNED.replace("0.2.0", "0.3.0");
        let error = verify(&later, file, Version::new(0, 3, 0)).unwrap_err();
        assert!(matches!(error, UpgradeError::BadSignature { .. }), "the comment is signed: {error}");
    }

    #[test]
    fn a_changed_file_or_comment_is_refused() {
        for error in [
            verify(b"Test", SIGNATURE),
            verify(b"test", &SIGNATURE.replace("timestamp:1", "timestamp:2")),
            verify(b"test", "not a signature"),
        ] {
            assert!(matches!(error, UpgradeError::BadSignature { .. }), "{error}");
        }
    }

    #[test]
    fn the_key_of_the_project_is_a_key_or_a_placeholder() {
        let key = ReleaseKey::of_project();
        assert!(matches!(key, Ok(_) | Err(UpgradeError::NoReleaseKey)), "{key:?}");
    }

    /// The scripts cannot read the file, and `cargo binstall` reads the key from the manifest.
    #[test]
    fn every_copy_of_the_key_is_the_same() {
        let key = PROJECT_KEY.lines().nth(1).unwrap_or_default();
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        for (file, line) in [
            ("install.sh", format!("release_key='{key}'")),
            ("install.ps1", format!("$ReleaseKey = '{key}'")),
        ] {
            let script = std::fs::read_to_string(format!("{root}/{file}")).unwrap();
            assert!(script.lines().any(|found| found == line), "{file} has no line {line}");
        }
        let manifest = include_str!("../../Cargo.toml");
        assert!(
            key.is_empty() || manifest.contains(&format!("pubkey = \"{key}\"")),
            "Cargo.toml lacks the key"
        );
    }
}
