//! The one way in which this crate speaks HTTP: a bounded number of requests at a time, each with a timeout, tried
//! again when that can help. What is asked and what the answer means is left to the providers.

mod failure;
mod gate;
mod retry;
mod tls;
mod url;

use std::io::Read;
use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body, RequestBuilder};
use vectorcode_core::config::Secret;

use crate::EmbedError;
pub(crate) use failure::Failure;
use gate::Gate;
pub(crate) use retry::Patience;
use retry::Retry;
pub(crate) use url::BaseUrl;

/// More than any batch of vectors takes; what is longer is no answer to our question.
const LONGEST_ANSWER_BYTES: u64 = 256 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The key of a provider and the header that carries it.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub key: Secret,
    /// Where the key is looked up, for the error that says that it is missing or refused.
    pub variable: &'static str,
    pub header: &'static str,
    /// What stands before the key in the header: `"Bearer "` or nothing.
    pub scheme: &'static str,
}

/// A server that answers JSON with JSON.
#[derive(Debug)]
pub(crate) struct Service {
    agent: Agent,
    base: BaseUrl,
    credentials: Option<Credentials>,
    gate: Gate,
}

impl Service {
    pub fn new(
        base: BaseUrl,
        credentials: Option<Credentials>,
        concurrency: usize,
    ) -> Result<Self, EmbedError> {
        // A redirect would carry the key to a server that nobody named.
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
        let gate = Gate::new(concurrency);
        Ok(Self { agent: config.build().new_agent(), base, credentials, gate })
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

    pub fn get(&self, path: &str, patience: &Patience) -> Result<Vec<u8>, Failure> {
        self.ask(patience, || self.prepare(self.agent.get(self.base.join(path)), patience).call())
    }

    pub fn post(&self, path: &str, json: &[u8], patience: &Patience) -> Result<Vec<u8>, Failure> {
        self.ask(patience, || {
            let request = self.prepare(self.agent.post(self.base.join(path)), patience);
            request.header("content-type", "application/json").send(json)
        })
    }

    fn prepare<B>(&self, request: RequestBuilder<B>, patience: &Patience) -> RequestBuilder<B> {
        let request = request.config().timeout_global(Some(patience.timeout)).build();
        match &self.credentials {
            Some(Credentials { key, header, scheme, .. }) => {
                request.header(*header, format!("{scheme}{}", key.expose()))
            }
            None => request,
        }
    }

    /// Sends until there is an answer or patience ends. The slot is kept while waiting: a server that asks for
    /// patience should not get other requests meanwhile.
    fn ask(
        &self,
        patience: &Patience,
        send: impl Fn() -> Result<Response<Body>, ureq::Error>,
    ) -> Result<Vec<u8>, Failure> {
        let _slot = self.gate.enter();
        let mut retry = Retry::new(patience);
        loop {
            let failure = match send().map_err(Failure::from).and_then(read_answer) {
                Ok(body) => return Ok(body),
                Err(failure) => failure.reworded(|words| self.without_key(words)),
            };
            let Some(wait) = retry.wait_after(&failure) else { return Err(failure) };
            tracing::warn!(server = %self.base, %failure, "retrying in {:.1} s", wait.as_secs_f64());
            std::thread::sleep(wait);
        }
    }

    /// Servers quote what they were sent; a key must not come back in a message.
    pub fn without_key(&self, words: &str) -> String {
        match &self.credentials {
            Some(Credentials { key, .. }) if !key.is_empty() => words.replace(key.expose(), key.shown()),
            _ => words.to_owned(),
        }
    }
}

fn read_answer(response: Response<Body>) -> Result<Vec<u8>, Failure> {
    let (head, body) = response.into_parts();
    let mut bytes = Vec::new();
    let mut reader = body.into_with_config().limit(LONGEST_ANSWER_BYTES).reader();
    reader.read_to_end(&mut bytes).map_err(|error| Failure::from(ureq::Error::from(error)))?;
    if head.status.is_success() { Ok(bytes) } else { Err(Failure::refused(&head, &bytes)) }
}
