//! A web page in the user's browser can send requests to loopback addresses and, with DNS rebinding, even read the responses.
//! Its requests carry the page's Origin, or a Host that is not a loopback name: both are rejected.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use blake3::Hash;
use tokio_util::sync::CancellationToken;
use vectorcode_core::config::{ServerConfig, without_password};
use vectorcode_core::is_loopback_host;
use vectorcode_engine::Reach;

use super::open_body::until_ended;
use super::options::HttpOptions;
use super::problem::Problem;
use crate::access::{AccessTokens, Caller, CallerId, CallerStreams, RateLimiter};
use crate::error::ServerError;

/// How often revoked tokens are looked for, to end their streams and sessions. Their next request is refused at once.
const REVOCATION_CHECK: Duration = Duration::from_millis(500);

/// The access rules of one server.
#[derive(Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    /// Hash of the token from the environment, which allows everything.
    own_token: Option<Hash>,
    tokens: Option<Arc<dyn AccessTokens>>,
    /// Public host and port of the server behind a proxy.
    public: Option<Authority>,
    requests_per_minute: u32,
    limiter: RateLimiter,
    caller_streams: CallerStreams,
}

/// Why a request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rejection {
    Host,
    Origin,
    Token,
    /// The token file cannot be read.
    NoTokens,
    /// The caller must wait this long.
    Rate(Duration),
}

impl Guard {
    /// Fails for an address that other machines can reach without a token.
    pub(crate) fn new(http: &HttpOptions, settings: &ServerConfig) -> Result<Self, ServerError> {
        let own_token = http.token.as_ref().filter(|token| !token.is_empty());
        let own_token = own_token.map(|token| blake3::hash(token.expose().as_bytes()));
        let public = settings.public_url.as_deref().map(public_authority).transpose()?;
        let tokens = http.tokens.clone();
        let has_tokens = tokens.as_ref().map_or(Ok(false), |tokens| tokens.are_used())?;
        if own_token.is_none() && !has_tokens && (public.is_some() || !http.address.ip().is_loopback()) {
            return Err(ServerError::TokenRequired { address: http.address });
        }
        Ok(Self {
            address: http.address,
            own_token,
            tokens,
            public,
            requests_per_minute: settings.requests_per_minute,
            limiter: RateLimiter::default(),
            caller_streams: CallerStreams::default(),
        })
    }

    fn admit(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Rejection> {
        let host = host_of(target, headers).ok_or(Rejection::Host)?;
        let is_known = is_loopback_host(host.host()) || self.is_public(&host);
        if self.address.ip().is_loopback() && !is_known {
            return Err(Rejection::Host);
        }
        if headers.contains_key(ORIGIN) && !self.is_own_origin(headers, &host) {
            return Err(Rejection::Origin);
        }
        Ok(())
    }

    /// Identifies the caller and counts the request. Streams and sessions of the caller end with its token.
    fn authorise(&self, headers: &HeaderMap) -> Result<Caller, Rejection> {
        self.identify(headers).map(|caller| self.caller_streams.admit(caller))
    }

    fn identify(&self, headers: &HeaderMap) -> Result<Caller, Rejection> {
        let given = bearer(headers);
        // Hashes are compared in constant time, so that an attacker learns nothing from the response time.
        let is_own = |given: &str| self.own_token == Some(blake3::hash(given.as_bytes()));
        if given.is_some_and(is_own) {
            return self.within_rate(Caller::of_environment(), self.requests_per_minute);
        }
        if let (Some(tokens), Some(given)) = (&self.tokens, given)
            && let Some(grant) = tokens.find(given).map_err(|error| unreadable(&error))?
        {
            let rate = grant.requests_per_minute.unwrap_or(self.requests_per_minute);
            return self.within_rate(Caller::with(&grant), rate);
        }
        // Other users of this machine can reach the port too, so without a token only registered projects are accessible.
        if self.needs_token()? { Err(Rejection::Token) } else { Ok(Caller::local(Reach::Registered)) }
    }

    fn needs_token(&self) -> Result<bool, Rejection> {
        let are_used = |tokens: &Arc<dyn AccessTokens>| tokens.are_used().map_err(|error| unreadable(&error));
        Ok(self.own_token.is_some()
            || self.public.is_some()
            || !self.address.ip().is_loopback()
            || self.tokens.as_ref().map_or(Ok(false), are_used)?)
    }

    /// Ends the streams and sessions of callers that have lost access. If the token file cannot be read, streams stay open, but
    /// new requests are refused.
    fn end_revoked(&self) {
        let Ok(valid) = self.tokens.as_ref().map(|tokens| tokens.valid_ids()).transpose() else { return };
        let (Ok(needs_token), valid) = (self.needs_token(), valid.unwrap_or_default()) else { return };
        let is_own = |id: &str| Caller::of_environment().token_id() == Some(id);
        self.caller_streams.revoke_except(|caller: &CallerId| match caller {
            None => !needs_token,
            Some(id) => is_own(id) || valid.contains(&**id),
        });
    }

    fn within_rate(&self, caller: Caller, per_minute: u32) -> Result<Caller, Rejection> {
        let id = caller.token_id().unwrap_or_default();
        self.limiter.admit(id, per_minute, Instant::now()).map_err(Rejection::Rate)?;
        Ok(caller)
    }

    /// True for pages of this server, and on loopback for any local page.
    fn is_own_origin(&self, headers: &HeaderMap, host: &Authority) -> bool {
        let origin = only(headers, &ORIGIN).and_then(|origin| origin.parse::<Uri>().ok());
        match origin.as_ref().and_then(Uri::authority) {
            Some(origin) if self.is_public(origin) => true,
            Some(origin) if self.address.ip().is_loopback() => is_loopback_host(origin.host()),
            Some(origin) => origin == host,
            None => false,
        }
    }

    fn is_public(&self, authority: &Authority) -> bool {
        self.public.as_ref() == Some(authority)
    }
}

/// Refuses every request while the tokens cannot be read.
fn unreadable(error: &ServerError) -> Rejection {
    tracing::error!(%error, "requests are refused");
    Rejection::NoTokens
}

fn public_authority(url: &str) -> Result<Authority, ServerError> {
    let wrong = || ServerError::PublicUrl { url: without_password(url).into_owned() };
    let parsed: Uri = url.parse().map_err(|_| wrong())?;
    if !matches!(parsed.scheme_str(), Some("http" | "https")) {
        return Err(wrong());
    }
    parsed.authority().filter(|authority| !authority.as_str().contains('@')).cloned().ok_or_else(wrong)
}

/// The host that the request is for. `None` if the request names different hosts, because a proxy might have checked another
/// one.
fn host_of(target: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let host: Authority = only(headers, &HOST)?.parse().ok()?;
    let is_named_alike = target.authority().is_none_or(|named| *named == host);
    (is_named_alike && !host.as_str().contains('@')).then_some(host)
}

/// The value of a header that occurs exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// The token of `Authorization: Bearer TOKEN`.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = only(headers, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Self {
        tracing::warn!(?rejection, "a request was rejected");
        match rejection {
            Rejection::Host => Self::new(
                StatusCode::FORBIDDEN,
                "The Host header of the request is not allowed.",
                "Use 127.0.0.1 or localhost in the URL, or name the host in `server.public_url`.",
            ),
            Rejection::Origin => {
                Self::new(StatusCode::FORBIDDEN, "Requests from this Origin are not allowed.", None)
            }
            Rejection::Token => Self::new(
                StatusCode::UNAUTHORIZED,
                "A bearer token is required.",
                "Send `Authorization: Bearer TOKEN`, with a token from `vectorcode token create` or the one that the server was started with.",
            )
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
            Rejection::NoTokens => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "The server cannot read its tokens; its log says why.",
                None,
            ),
            Rejection::Rate(wait) => Self::too_many(wait),
        }
    }
}

/// Runs until the server stops, and ends the streams and sessions of revoked and expired tokens.
pub(crate) async fn end_revoked(guard: Arc<Guard>, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(REVOCATION_CHECK) => guard.end_revoked(),
            () = shutdown.cancelled() => return,
        }
    }
}

/// The first middleware, before all routes: checks Host and Origin.
pub(crate) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.admit(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(rejection) => Problem::from(rejection).into_response(),
    }
}

/// The middleware before all routes that reveal something about the project: identifies the caller. The files of the web page
/// need no token, since a browser that loads them has none yet.
pub(crate) async fn check_token(
    State(guard): State<Arc<Guard>>,
    mut request: Request,
    next: Next,
) -> Response {
    match guard.authorise(request.headers()) {
        Ok(caller) => {
            request.extensions_mut().insert(caller.clone());
            let mut response = until_ended(next.run(request).await, caller.ended().clone());
            // For the request log.
            response.extensions_mut().insert(caller);
            response
        }
        Err(rejection) => Problem::from(rejection).into_response(),
    }
}

/// The error of a route that was reached without [`check_token`].
pub(crate) fn unguarded() -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "The caller of this request is not known.", None)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicBool, Ordering};

    use vectorcode_core::api::ProjectFilter;
    use vectorcode_core::config::Secret;

    use super::*;
    use crate::access::{Grant, Scope};
    use crate::mcp::DefaultProject;

    fn options(address: &str, token: Option<Secret>) -> HttpOptions {
        let (address, default_project) = (address.parse().unwrap(), DefaultProject::Fixed);
        HttpOptions { address, token, tokens: None, webhook: None, default_project }
    }

    fn guard(address: &str, token: Option<&str>) -> Guard {
        let token = token.map(|token| Secret::from(token.to_owned()));
        Guard::new(&options(address, token), &ServerConfig::default()).unwrap()
    }

    fn admit(guard: &Guard, headers: &[(HeaderName, &str)]) -> Result<(), Rejection> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        guard.admit(&Uri::from_static("/"), &headers).and_then(|()| guard.authorise(&headers)).map(drop)
    }

    #[test]
    fn an_open_address_needs_a_token() {
        let open = |address: &str, token: Option<&str>| {
            let token = token.map(|token| Secret::from(token.to_owned()));
            Guard::new(&options(address, token), &ServerConfig::default())
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

    #[test]
    fn a_published_server_accepts_its_public_name_and_needs_a_token() {
        let published =
            ServerConfig { public_url: Some("https://code.example.com".into()), ..ServerConfig::default() };
        let local = |token: Option<&str>| {
            let token = token.map(|token| Secret::from(token.to_owned()));
            Guard::new(&options("127.0.0.1:80", token), &published)
        };
        assert!(matches!(local(None), Err(ServerError::TokenRequired { .. })));
        let guard = local(Some("secret")).unwrap();
        let token = (AUTHORIZATION, "Bearer secret");
        let (host, origin) = ((HOST, "code.example.com"), (ORIGIN, "https://code.example.com"));
        assert_eq!(admit(&guard, &[host.clone(), origin, token.clone()]), Ok(()));
        assert_eq!(admit(&guard, std::slice::from_ref(&host)), Err(Rejection::Token));
        assert_eq!(admit(&guard, &[(HOST, "evil.example"), token.clone()]), Err(Rejection::Host));
        assert_eq!(admit(&guard, &[host, (ORIGIN, "https://evil.example"), token]), Err(Rejection::Origin));
        for url in ["code.example.com", "file:///etc/passwd", "https://ada:secret@host", ""] {
            let settings = ServerConfig { public_url: Some(url.into()), ..ServerConfig::default() };
            let error = Guard::new(&options("127.0.0.1:80", None), &settings).unwrap_err();
            assert!(matches!(&error, ServerError::PublicUrl { .. }) && !error.to_string().contains("secret"));
        }
    }

    /// One token, as long as the tokens can be read.
    #[derive(Debug, Default)]
    struct OneToken {
        is_broken: AtomicBool,
    }

    impl AccessTokens for OneToken {
        fn are_used(&self) -> Result<bool, ServerError> {
            Ok(true)
        }

        fn find(&self, token: &str) -> Result<Option<Grant>, ServerError> {
            if self.is_broken.load(Ordering::Relaxed) {
                return Err(ServerError::AccessTokens { problem: "unreadable".into(), hint: None });
            }
            let (scope, projects) = (Scope::Read, ProjectFilter::default());
            Ok((token == "good").then(|| Grant {
                id: "1".into(),
                scope,
                projects,
                requests_per_minute: None,
            }))
        }

        fn valid_ids(&self) -> Result<HashSet<String>, ServerError> {
            Ok(HashSet::from(["1".into()]))
        }
    }

    #[test]
    fn while_tokens_are_in_use_every_request_needs_one_and_unreadable_tokens_admit_nobody() {
        let tokens = Arc::new(OneToken::default());
        let options = HttpOptions { tokens: Some(tokens.clone()), ..options("127.0.0.1:80", None) };
        let guard = Guard::new(&options, &ServerConfig::default()).unwrap();
        let ask = |value: &str| admit(&guard, &[(HOST, "localhost"), (AUTHORIZATION, value)]);
        assert_eq!(ask("Bearer good"), Ok(()));
        assert_eq!(ask("Bearer bad"), Err(Rejection::Token));
        assert_eq!(admit(&guard, &[(HOST, "localhost")]), Err(Rejection::Token), "tokens are in use");
        tokens.is_broken.store(true, Ordering::Relaxed);
        assert_eq!(ask("Bearer good"), Err(Rejection::NoTokens));
    }
}
