//! Downloads files, with a limit on time and size.

use std::time::Duration;

use vectorcode_core::read_bounded;

use super::error::UpgradeError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Long enough for an archive of 40 MB at 70 kB a second.
const TOTAL_TIMEOUT: Duration = Duration::from_mins(10);
/// Ten times the size of a release: a server that sends without end must not exhaust the memory.
pub const MAX_ARCHIVE_BYTES: u64 = 512 * 1024 * 1024;
/// Maximum size of a signature or a release index, which have a few lines.
pub const MAX_TEXT_BYTES: u64 = 64 * 1024;

#[derive(Debug)]
pub struct Client {
    agent: ureq::Agent,
}

impl Client {
    /// A client for addresses below `base`. If that is HTTPS, redirects to plain HTTP are refused.
    pub fn new(base: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .https_only(base.starts_with("https://"))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(TOTAL_TIMEOUT))
            .user_agent(concat!("vectorcode/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into() }
    }

    /// The file at an address, of at most `limit` bytes.
    pub fn get(&self, url: &str, limit: u64) -> Result<Vec<u8>, UpgradeError> {
        tracing::debug!(url, "download");
        let failed = |error| match error {
            ureq::Error::StatusCode(404) => UpgradeError::NotFound { url: url.to_owned() },
            other => UpgradeError::Download { url: url.to_owned(), source: Box::new(other) },
        };
        let mut response = self.agent.get(url).call().map_err(failed)?;
        // ureq limits the bytes on the wire, which may be compressed.
        let body = response.body_mut().with_config().limit(limit).reader();
        read_bounded(body, limit).map_err(|error| failed(error.into()))
    }
}
