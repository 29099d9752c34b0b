//! Where releases are published, and what each one is called.
//!
//! The layout is that of GitHub's releases, and a plain file server can mirror it:
//! `<base>/latest/download/release.json` names the newest version, and the files of a version are under
//! `<base>/download/v<version>/`.

use semver::Version;
use serde::Deserialize;

use super::download::Client;
use super::error::UpgradeError;

const DEFAULT_URL: &str = "https://github.com/alejandro-technology/vectorcode/releases";
const URL_VARIABLE: &str = "VECTORCODE_RELEASES_URL";

/// The content of `release.json`.
#[derive(Debug, Deserialize)]
struct Index {
    version: Version,
}

#[derive(Debug)]
pub struct Releases {
    base: String,
    client: Client,
}

impl Releases {
    /// The project's own releases, or those that the environment names.
    pub fn from_environment() -> Self {
        let configured = std::env::var(URL_VARIABLE).ok().filter(|url| !url.is_empty());
        let base = configured.unwrap_or_else(|| DEFAULT_URL.to_owned()).trim_end_matches('/').to_owned();
        let client = Client::new(&base);
        Self { base, client }
    }

    /// The newest version.
    pub fn latest(&self) -> Result<Version, UpgradeError> {
        let url = format!("{}/latest/download/release.json", self.base);
        let bytes = self.client.get(&url)?;
        let index: Index = serde_json::from_slice(&bytes)
            .map_err(|error| UpgradeError::BadIndex { url, message: error.to_string() })?;
        Ok(index.version)
    }

    /// A file of a version. The version is part of the address, so that files of two releases never mix.
    pub fn file(&self, version: &Version, name: &str) -> Result<Vec<u8>, UpgradeError> {
        self.client.get(&format!("{}/download/v{version}/{name}", self.base))
    }
}
