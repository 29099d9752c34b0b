//! The HTTP client of all providers: limits the number of concurrent requests, sets timeouts, and retries where that can help.
//! What to send and how to read the response is left to the providers.

mod failure;
mod retry;
mod semaphore;
pub(crate) mod tls;
mod url;

use std::io::ErrorKind;
use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body, RequestBuilder};
use vectorcode_core::config::Secret;
use vectorcode_core::read_bounded;

use crate::EmbedError;
pub(crate) use failure::RequestFailure;
use retry::Retry;
pub(crate) use retry::RetryPolicy;
use semaphore::Semaphore;
pub(crate) use url::BaseUrl;

/// Larger than any batch of vectors; a longer response is an error.
const MAX_RESPONSE_BYTES: u64 = 256 << 20;
/// Much shorter than the timeout of a request, which allows for computing vectors: a host that drops packets should fail early.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The API key of a provider and the header that carries it.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub key: Secret,
    /// The environment variable of the key, for errors about a missing or refused key.
    pub variable: &'static str,
    pub header: &'static str,
    /// Written before the key in the header: `"Bearer "` or nothing.
    pub scheme: &'static str,
}

/// A server with a JSON API.
#[derive(Debug)]
pub(crate) struct Service {
    agent: Agent,
    base: BaseUrl,
    credentials: Option<Credentials>,
    permits: Semaphore,
}

impl Service {
    pub fn new(
        base: BaseUrl,
        credentials: Option<Credentials>,
        concurrency: usize,
    ) -> Result<Self, EmbedError> {
        // No redirects: one would send the key to a server that is not configured.
        let mut config = Agent::config_builder()
            .user_agent(concat!("vectorcode/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_connect(Some(CONNECT_TIMEOUT));
        if base.is_https() {
            config = config.tls_config(tls::config()?);
        }
        if base.is_loopback() {
            config = config.proxy(None);
        }
        let permits = Semaphore::new(concurrency);
        Ok(Self { agent: config.build().new_agent(), base, credentials, permits })
    }

    pub fn base(&self) -> &BaseUrl {
        &self.base
    }

    pub fn key_variable(&self) -> Option<&'static str> {
        self.credentials.as_ref().map(|credentials| credentials.variable)
    }

    pub fn check_key(&self) -> Result<(), EmbedError> {
        match &self.credentials {
            Some(credentials) if credentials.key.is_empty() => {
                Err(EmbedError::ApiKeyMissing { env_var: credentials.variable })
            }
            _ => Ok(()),
        }
    }

    pub fn get(&self, path: &str, policy: &RetryPolicy) -> Result<Vec<u8>, RequestFailure> {
        self.send(policy, || self.prepare(self.agent.get(self.base.join(path)), policy).call())
    }

    pub fn post(&self, path: &str, json: &[u8], policy: &RetryPolicy) -> Result<Vec<u8>, RequestFailure> {
        self.send(policy, || {
            let request = self.prepare(self.agent.post(self.base.join(path)), policy);
            request.header("content-type", "application/json").send(json)
        })
    }

    fn prepare<B>(&self, request: RequestBuilder<B>, policy: &RetryPolicy) -> RequestBuilder<B> {
        let request = request.config().timeout_global(Some(policy.timeout)).build();
        match &self.credentials {
            Some(Credentials { key, header, scheme, .. }) => {
                request.header(*header, format!("{scheme}{}", key.expose()))
            }
            None => request,
        }
    }

    /// Sends a request until it succeeds or the policy allows no further attempt. The permit is held between attempts, because a
    /// server that asks us to slow down should not get other requests meanwhile.
    fn send(
        &self,
        policy: &RetryPolicy,
        attempt: impl Fn() -> Result<Response<Body>, ureq::Error>,
    ) -> Result<Vec<u8>, RequestFailure> {
        let _permit = self.permits.acquire();
        let mut retry = Retry::new(policy);
        loop {
            let failure = match attempt().map_err(RequestFailure::from).and_then(read_response) {
                Ok(body) => return Ok(body),
                Err(failure) => failure.map_message(|message| self.without_key(message)),
            };
            let Some(wait) = retry.wait_after(&failure) else { return Err(failure) };
            let what = if failure.is_rate_limit() { "API rate limited. " } else { "" };
            tracing::warn!(server = %self.base, %failure, "{what}Retrying in {:.1}s...", wait.as_secs_f64());
            std::thread::sleep(wait);
        }
    }

    /// Masks the key in `text`. Servers quote requests in their errors, and the key must not appear in our messages.
    pub fn without_key(&self, text: &str) -> String {
        match &self.credentials {
            Some(Credentials { key, .. }) if !key.is_empty() => text.replace(key.expose(), key.shown()),
            _ => text.to_owned(),
        }
    }
}

fn read_response(response: Response<Body>) -> Result<Vec<u8>, RequestFailure> {
    let (head, body) = response.into_parts();
    // The limit of ureq counts the bytes on the wire, which may be compressed; `read_bounded` limits the decompressed body.
    let reader = body.into_with_config().limit(MAX_RESPONSE_BYTES).reader();
    let bytes = read_bounded(reader, MAX_RESPONSE_BYTES).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => ureq::Error::BodyExceedsLimit(MAX_RESPONSE_BYTES),
        _ => ureq::Error::from(error),
    })?;
    if head.status.is_success() { Ok(bytes) } else { Err(RequestFailure::refused(&head, &bytes)) }
}
