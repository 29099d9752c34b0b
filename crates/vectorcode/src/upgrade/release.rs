//! The addresses and file names of releases.
//!
//! The layout is that of GitHub releases, so a plain file server can mirror it: `<base>/latest/download/release.json` names the
//! newest version, and the files of a version are under `<base>/download/v<version>/`. The signature of an archive is next to
//! it, with `.minisig` appended to its name.

use semver::Version;
use serde::Deserialize;

use super::download::{Client, MAX_ARCHIVE_BYTES, MAX_TEXT_BYTES};
use super::error::UpgradeError;
use super::signature::ReleaseKey;

const DEFAULT_URL: &str = "https://github.com/alejandro-technology/vectorcode/releases";
const URL_VARIABLE: &str = "VECTORCODE_RELEASES_URL";
/// The public key for own builds published at [`URL_VARIABLE`]. A mirror does not need it.
const KEY_VARIABLE: &str = "VECTORCODE_RELEASES_KEY";

/// The content of `release.json`.
#[derive(Debug, Deserialize)]
struct ReleaseIndex {
    version: Version,
}

#[derive(Debug)]
pub struct Releases {
    base: String,
    client: Client,
    /// Used instead of the project's key.
    key: Option<String>,
}

impl Releases {
    /// The project's releases, or those that the environment names. A key from the environment is only used together with an
    /// address: the project's own releases must be signed with the project's key.
    pub fn from_environment() -> Self {
        let url = variable(URL_VARIABLE);
        let key = url.as_ref().and_then(|_| variable(KEY_VARIABLE));
        let base = url.unwrap_or_else(|| DEFAULT_URL.to_owned()).trim_end_matches('/').to_owned();
        Self { client: Client::new(&base), base, key }
    }

    /// The newest version.
    pub fn latest(&self) -> Result<Version, UpgradeError> {
        let url = format!("{}/latest/download/release.json", self.base);
        let bytes = self.client.get(&url, MAX_TEXT_BYTES)?;
        let index: ReleaseIndex = serde_json::from_slice(&bytes)
            .map_err(|error| UpgradeError::BadIndex { url, message: error.to_string() })?;
        Ok(index.version)
    }

    /// Downloads a file of a version and verifies its signature. The version is part of the address, so that files of two
    /// releases never mix.
    pub fn signed_file(&self, version: &Version, name: &str) -> Result<Vec<u8>, UpgradeError> {
        let key = self.key.as_deref().map_or_else(ReleaseKey::of_project, ReleaseKey::parse)?;
        let url = format!("{}/download/v{version}/{name}", self.base);
        let bytes = self.client.get(&url, MAX_ARCHIVE_BYTES)?;
        let signature =
            self.client.get(&format!("{url}.minisig"), MAX_TEXT_BYTES).map_err(|error| match error {
                UpgradeError::NotFound { .. } => UpgradeError::NotSigned { file: name.to_owned() },
                other => other,
            })?;
        key.verify(&bytes, &signature, name, version)?;
        Ok(bytes)
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
