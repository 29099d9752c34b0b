//! Who may ask: checks of Host, Origin and token that every request passes, and limits on its body.
//!
//! A web page in the user's browser can send requests to loopback addresses, and by DNS rebinding even read the
//! answers. Its requests carry the page's Origin, or a Host that is not a loopback name: both are refused.

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

use super::HttpOptions;
use super::problem::Problem;
use crate::{MAX_MESSAGE_BYTES, ServerError};

const BODY_PATIENCE: Duration = Duration::from_secs(30);

/// The rules of one server.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    token: Option<Hash>,
}

/// Why a request is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    Token,
}

impl Guard {
    /// Refuses to be made for an address that others can reach without a token.
    pub(crate) fn new(http: &HttpOptions) -> Result<Self, ServerError> {
        let token = http.token.as_ref().filter(|token| !token.is_empty());
        if token.is_none() && !http.address.ip().is_loopback() {
            return Err(ServerError::TokenRequired { address: http.address });
        }
        let token = token.map(|token| blake3::hash(token.expose().as_bytes()));
        Ok(Self { address: http.address, token })
    }

    fn admit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = authority(headers, &HOST).ok_or(Refusal::Host)?;
        if self.address.ip().is_loopback() && !is_loopback(host.host()) {
            return Err(Refusal::Host);
        }
        if headers.contains_key(ORIGIN) && !self.is_own_origin(headers, &host) {
            return Err(Refusal::Origin);
        }
        Ok(())
    }

    fn authorise(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        match &self.token {
            Some(token) if !bears(headers, token) => Err(Refusal::Token),
            _ => Ok(()),
        }
    }

    /// Pages that this server sent, or on loopback any local page.
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

fn bears(headers: &HeaderMap, token: &Hash) -> bool {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    // Hashes are compared in constant time, so that a guess learns nothing from how long its refusal took.
    given.is_some_and(|given| blake3::hash(given.as_bytes()) == *token)
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        tracing::warn!(?refusal, "a request was refused");
        match refusal {
            Refusal::Host => Self::new(
                StatusCode::FORBIDDEN,
                "This Host is not served here.",
                "Ask for 127.0.0.1 or localhost.",
            ),
            Refusal::Origin => {
                Self::new(StatusCode::FORBIDDEN, "Requests of this Origin are not served.", None)
            }
            Refusal::Token => Self::new(
                StatusCode::UNAUTHORIZED,
                "A bearer token is required.",
                "Send `Authorization: Bearer TOKEN`, with the token that the server was started with.",
            )
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
        }
    }
}

/// The first layer of the router, before all routes.
pub(crate) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.admit(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => Problem::from(refusal).into_response(),
    }
}

/// The layer before all routes that tell something about the project. The web page itself tells nothing, and a
/// browser that asks for it cannot bear a token yet.
pub(crate) async fn ask_for_token(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.authorise(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => Problem::from(refusal).into_response(),
    }
}

/// The layer behind the token: reads the body within its limits, so that no route waits for a slow sender, and nobody
/// who is not known fills the memory.
pub(crate) async fn read_body(request: Request, next: Next) -> Response {
    match with_whole_body(request).await {
        Ok(request) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

async fn with_whole_body(request: Request) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    let read = tokio::time::timeout(BODY_PATIENCE, axum::body::to_bytes(body, MAX_MESSAGE_BYTES)).await;
    let slow = |_| Problem::new(StatusCode::REQUEST_TIMEOUT, "The body took too long to arrive.", None);
    let large = |_| {
        let message = format!("The body is larger than {} MiB.", MAX_MESSAGE_BYTES >> 20);
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message, None)
    };
    let body = read.map_err(slow)?.map_err(large)?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

#[cfg(test)]
mod tests {
    use vectorcode_core::config::Secret;

    use super::*;

    fn guard(address: &str, token: Option<&str>) -> Guard {
        let token = token.map(|token| Secret::from(token.to_owned()));
        Guard::new(&HttpOptions { address: address.parse().unwrap(), token }).unwrap()
    }

    fn admit(guard: &Guard, headers: &[(HeaderName, &str)]) -> Result<(), Refusal> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        guard.admit(&headers).and_then(|()| guard.authorise(&headers))
    }

    #[test]
    fn an_open_address_needs_a_token() {
        let open = |address: &str, token: Option<&str>| {
            let token = token.map(|token| Secret::from(token.to_owned()));
            Guard::new(&HttpOptions { address: address.parse().unwrap(), token })
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
            assert_eq!(admit(&guard, &[(HOST, host)]), Err(Refusal::Host), "{host}");
        }
        assert_eq!(admit(&guard, &[]), Err(Refusal::Host));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let local = guard("127.0.0.1:80", None);
        let ask = |origin| admit(&local, &[(HOST, "localhost"), (ORIGIN, origin)]);
        assert_eq!(ask("http://localhost:3000"), Ok(()));
        assert_eq!(ask("http://[::1]:3000"), Ok(()));
        for origin in ["https://evil.example", "null", "http://localhost.evil.example", "garbage"] {
            assert_eq!(ask(origin), Err(Refusal::Origin), "{origin}");
        }
    }

    #[test]
    fn a_token_is_asked_of_everyone_once_it_is_set() {
        let guard = guard("0.0.0.0:80", Some("secret"));
        let ask = |value| admit(&guard, &[(HOST, "dev.example:80"), (AUTHORIZATION, value)]);
        assert_eq!(ask("Bearer secret"), Ok(()));
        assert_eq!(ask("bearer secret"), Ok(()));
        for value in ["Bearer wrong", "secret", "Basic secret", "Bearer "] {
            assert_eq!(ask(value), Err(Refusal::Token), "{value}");
        }
        let own =
            [(HOST, "dev.example:80"), (ORIGIN, "http://dev.example:80"), (AUTHORIZATION, "Bearer secret")];
        assert_eq!(admit(&guard, &own), Ok(()));
        let other =
            [(HOST, "dev.example:80"), (ORIGIN, "http://evil.example"), (AUTHORIZATION, "Bearer secret")];
        assert_eq!(admit(&guard, &other), Err(Refusal::Origin));
    }
}
