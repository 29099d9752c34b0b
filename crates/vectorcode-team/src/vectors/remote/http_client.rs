//! Sends the requests of `object_store` with `ureq`, which the binary already contains: reqwest would add a second TLS
//! library with C code. Each request blocks its own thread; only a few run at a time.

use std::io::ErrorKind;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpService,
};
use ureq::Agent;
use ureq::http::request::Parts;
use ureq::http::{Method, Request, Response};
use vectorcode_core::read_bounded;

use crate::TeamError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Enough for one pack over a slow connection.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(5);
/// Larger than any object; a longer response is rejected.
const MAX_RESPONSE_BYTES: u64 = 80 << 20;
const MAX_REDIRECTS: u32 = 3;

/// Whether redirects are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redirects {
    /// For reads without credentials.
    Follow,
    /// A signed request is valid for one server only.
    Refuse,
}

/// Creates clients for `object_store`.
#[derive(Debug)]
pub(super) struct Connector {
    redirects: Redirects,
    tls: ureq::tls::TlsConfig,
}

impl Connector {
    pub fn new(redirects: Redirects) -> Result<Self, TeamError> {
        let tls = vectorcode_embed::tls_config().map_err(vectorcode_engine::EngineError::from)?;
        Ok(Self { redirects, tls })
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http =
            options.get_config_value(&ClientConfigKey::AllowHttp).is_some_and(|value| value == "true");
        let mut config = Agent::config_builder()
            .user_agent(concat!("vectorcode/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .https_only(!allows_http)
            .max_redirects(if self.redirects == Redirects::Follow { MAX_REDIRECTS } else { 0 })
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(REQUEST_TIMEOUT))
            .tls_config(self.tls.clone());
        if allows_http {
            // Plain HTTP is used only for this machine and for metadata services of clouds, which no proxy can reach.
            config = config.proxy(None);
        }
        Ok(HttpClient::new(Service { agent: config.build().new_agent() }))
    }
}

#[derive(Debug)]
struct Service {
    agent: Agent,
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let agent = self.agent.clone();
        let sent = tokio::task::spawn_blocking(move || send(&agent, parts, &body)).await;
        sent.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?
    }
}

fn send(agent: &Agent, mut parts: Parts, body: &[u8]) -> Result<HttpResponse, HttpError> {
    // ureq sets it from the body.
    parts.headers.remove(ureq::http::header::CONTENT_LENGTH);
    let has_body = matches!(parts.method, Method::PUT | Method::POST | Method::PATCH) || !body.is_empty();
    let sent = if has_body {
        agent.run(Request::from_parts(parts, body))
    } else {
        agent.run(Request::from_parts(parts, ()))
    };
    let (parts, body) = sent.map_err(failure)?.into_parts();
    // The limit of ureq applies to the transferred bytes, which may be compressed.
    let reader = body.into_with_config().limit(MAX_RESPONSE_BYTES).reader();
    let bytes = read_bounded(reader, MAX_RESPONSE_BYTES).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => failure(ureq::Error::BodyExceedsLimit(MAX_RESPONSE_BYTES)),
        _ => failure(error.into()),
    })?;
    Ok(Response::from_parts(parts, bytes.into()))
}

/// The kind decides whether the request is retried.
fn failure(error: ureq::Error) -> HttpError {
    use ureq::Error;
    let kind = match &error {
        Error::Timeout(_) => HttpErrorKind::Timeout,
        Error::ConnectionFailed | Error::HostNotFound => HttpErrorKind::Connect,
        Error::Io(_) => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}
