//! Access control: the Host, Origin and token of every request are checked, and its body is limited.
//!
//! A web page in the user's browser can send requests to loopback addresses, and by DNS rebinding even read the
//! responses. Its requests carry the page's Origin, or a Host that is not a loopback name: both are rejected.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use blake3::Hash;

use super::options::HttpOptions;
use super::problem::Problem;
use crate::error::ServerError;
use crate::limits::MAX_MESSAGE_BYTES;

const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The access rules of one server.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    token: Option<Hash>,
}

/// Why a request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rejection {
    Host,
    Origin,
    Token,
}

impl Guard {
    /// Fails for an address that other machines can reach without a token.
    pub(crate) fn new(http: &HttpOptions) -> Result<Self, ServerError> {
        let token = http.token.as_ref().filter(|token| !token.is_empty());
        if token.is_none() && !http.address.ip().is_loopback() {
            return Err(ServerError::TokenRequired { address: http.address });
        }
        let token = token.map(|token| blake3::hash(token.expose().as_bytes()));
        Ok(Self { address: http.address, token })
    }

    fn admit(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        let host = authority(headers, &HOST).ok_or(Rejection::Host)?;
        if self.address.ip().is_loopback() && !is_loopback(host.host()) {
            return Err(Rejection::Host);
        }
        if headers.contains_key(ORIGIN) && !self.is_own_origin(headers, &host) {
            return Err(Rejection::Origin);
        }
        Ok(())
    }

    fn authorise(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        match &self.token {
            Some(token) if !has_token(headers, token) => Err(Rejection::Token),
            _ => Ok(()),
        }
    }

    /// True for pages of this server, and on loopback for any local page.
    fn is_own_origin(&self, headers: &HeaderMap, host: &Authority) -> bool {
        let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok()?.parse::<Uri>().ok());
        match origin.as_ref().and_then(Uri::authority) {
            Some(origin) if self.address.ip().is_loopback() => is_loopback(origin.host()),
            Some(origin) => origin == host,
            None => false,
        }
    }
}

fn authority(headers: &HeaderMap, name: &HeaderName) -> Option<Authority> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

fn has_token(headers: &HeaderMap, token: &Hash) -> bool {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    // Hashes are compared in constant time, so that an attacker learns nothing from the response time.
    given.is_some_and(|given| blake3::hash(given.as_bytes()) == *token)
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Self {
        tracing::warn!(?rejection, "a request was rejected");
        match rejection {
            Rejection::Host => Self::new(
                StatusCode::FORBIDDEN,
                "The Host header of the request is not allowed.",
                "Use 127.0.0.1 or localhost in the URL.",
            ),
            Rejection::Origin => {
                Self::new(StatusCode::FORBIDDEN, "Requests from this Origin are not allowed.", None)
            }
            Rejection::Token => Self::new(
                StatusCode::UNAUTHORIZED,
                "A bearer token is required.",
                "Send `Authorization: Bearer TOKEN`, with the token that the server was started with.",
            )
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
        }
    }
}

/// The first layer, before all routes: Host and Origin.
pub(crate) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.admit(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(rejection) => Problem::from(rejection).into_response(),
    }
}

/// The layer before all routes that reveal something about the project. The files of the web page do not, and a browser
/// that loads them has no token yet.
pub(crate) async fn check_token(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.authorise(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(rejection) => Problem::from(rejection).into_response(),
    }
}

/// The layer after the token check: reads the body within its limits, so that no route waits for a slow sender, and only
/// authorised callers can use memory.
pub(crate) async fn read_body(request: Request, next: Next) -> Response {
    match with_whole_body(request).await {
        Ok(request) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

async fn with_whole_body(request: Request) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    let read = tokio::time::timeout(BODY_TIMEOUT, axum::body::to_bytes(body, MAX_MESSAGE_BYTES)).await;
    let slow =
        |_| Problem::new(StatusCode::REQUEST_TIMEOUT, "The request body took too long to arrive.", None);
    let large = |_| {
        let message = format!("The request body is larger than {} MiB.", MAX_MESSAGE_BYTES >> 20);
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message, None)
    };
    let body = read.map_err(slow)?.map_err(large)?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

#[cfg(test)]
mod tests {
    use vectorcode_core::config::Secret;

    use super::*;
    use crate::mcp::DefaultProject;

    fn options(address: &str, token: Option<Secret>) -> HttpOptions {
        HttpOptions { address: address.parse().unwrap(), token, default_project: DefaultProject::Fixed }
    }

    fn guard(address: &str, token: Option<&str>) -> Guard {
        let token = token.map(|token| Secret::from(token.to_owned()));
        Guard::new(&options(address, token)).unwrap()
    }

    fn admit(guard: &Guard, headers: &[(HeaderName, &str)]) -> Result<(), Rejection> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        guard.admit(&headers).and_then(|()| guard.authorise(&headers))
    }

    #[test]
    fn an_open_address_needs_a_token() {
        let open = |address: &str, token: Option<&str>| {
            let token = token.map(|token| Secret::from(token.to_owned()));
            Guard::new(&options(address, token))
        };
        assert!(matches!(open("0.0.0.0:80", None), Err(ServerError::TokenRequired { .. })));
        assert!(matches!(open("0.0.0.0:80", Some(" ")), Err(ServerError::TokenRequired { .. })));
        assert!(open("0.0.0.0:80", Some("secret")).is_ok());
        assert!(open("[::1]:80", None).is_ok());
    }

    #[test]
    fn loopback_serves_loopback_names_only() {
        let guard = guard("127.0.0.1:80", None);
        for host in ["localhost", "LOCALHOST:99", "127.0.0.1:80", "127.1.2.3", "[::1]:80"] {
            assert_eq!(admit(&guard, &[(HOST, host)]), Ok(()), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "10.0.0.1", "127.0.0.1.evil.example", "a b"] {
            assert_eq!(admit(&guard, &[(HOST, host)]), Err(Rejection::Host), "{host}");
        }
        assert_eq!(admit(&guard, &[]), Err(Rejection::Host));
    }

    #[test]
    fn pages_of_other_sites_are_rejected() {
        let local = guard("127.0.0.1:80", None);
        let ask = |origin| admit(&local, &[(HOST, "localhost"), (ORIGIN, origin)]);
        assert_eq!(ask("http://localhost:3000"), Ok(()));
        assert_eq!(ask("http://[::1]:3000"), Ok(()));
        for origin in ["https://evil.example", "null", "http://localhost.evil.example", "garbage"] {
            assert_eq!(ask(origin), Err(Rejection::Origin), "{origin}");
        }
    }

    #[test]
    fn a_token_is_required_once_it_is_set() {
        let guard = guard("0.0.0.0:80", Some("secret"));
        let ask = |value| admit(&guard, &[(HOST, "dev.example:80"), (AUTHORIZATION, value)]);
        assert_eq!(ask("Bearer secret"), Ok(()));
        assert_eq!(ask("bearer secret"), Ok(()));
        for value in ["Bearer wrong", "secret", "Basic secret", "Bearer "] {
            assert_eq!(ask(value), Err(Rejection::Token), "{value}");
        }
        let own =
            [(HOST, "dev.example:80"), (ORIGIN, "http://dev.example:80"), (AUTHORIZATION, "Bearer secret")];
        assert_eq!(admit(&guard, &own), Ok(()));
        let other =
            [(HOST, "dev.example:80"), (ORIGIN, "http://evil.example"), (AUTHORIZATION, "Bearer secret")];
        assert_eq!(admit(&guard, &other), Err(Rejection::Origin));
    }
}
