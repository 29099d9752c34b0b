//! Where releases are published, and what their files are called.
//!
//! The layout is that of GitHub's releases, and a plain file server can mirror it: `<base>/latest/download/release.json`
//! names the newest version, and the files of a version are under `<base>/download/v<version>/`. An archive has its
//! signature beside it, with `.minisig` after its name.

use semver::Version;
use serde::Deserialize;

use super::download::{Client, MAX_ARCHIVE_BYTES, MAX_TEXT_BYTES};
use super::error::UpgradeError;
use super::signature::ReleaseKey;

const DEFAULT_URL: &str = "https://github.com/alejandro-technology/vectorcode/releases";
const URL_VARIABLE: &str = "VECTORCODE_RELEASES_URL";
/// The public key of somebody who publishes builds of their own at [`URL_VARIABLE`]. A mirror needs none.
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
    /// Replaces the project's key.
    key: Option<String>,
}

impl Releases {
    /// The project's own releases, or those that the environment names. A key from the environment counts only together
    /// with an address: nothing but the project's key is accepted for the project's releases.
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

    /// A file of a version, whose signature was verified. The version is part of the address, so that files of two
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
