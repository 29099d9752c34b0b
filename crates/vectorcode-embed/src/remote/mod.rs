//! The embedder for all HTTP providers: groups texts into requests, splits a request that is too large or contains a refused
//! text, and checks every vector. The format of requests and responses is left to the [`Protocol`] of each provider.

mod batches;
mod model_family;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::time::Duration;

use serde::de::DeserializeOwned;
use vectorcode_core::VectorSpace;

use crate::http::{RequestFailure, RetryPolicy, Service};
use crate::vector::checked;
use crate::{EmbedError, Embedder, Embedding, Limits, TextKind, TextRefused};
pub(crate) use model_family::ModelFamily;

/// Source code has at least this many bytes per token; used to shorten a text that is too long.
const BYTES_PER_TOKEN: usize = 3;
/// Hosted services respond within seconds or not at all. Servers on the user's own hardware may load a model first, so they have
/// a setting for the timeout.
pub(crate) const HOSTED_TIMEOUT: Duration = Duration::from_mins(1);
/// A harmless text for checks: no provider has a reason to refuse it.
const READY: &str = "ready";

/// Path and body of a request for embeddings.
pub(crate) struct EmbedRequest {
    /// With a leading slash.
    pub path: String,
    pub json: serde_json::Value,
}

/// The format of one provider's requests and responses.
pub(crate) trait Protocol: Send + Sync {
    fn request(&self, kind: TextKind, texts: &[Cow<'_, str>]) -> EmbedRequest;

    /// The vectors of a response, in the order of the texts, or what is wrong with the response.
    fn vectors(&self, response: &[u8]) -> Result<Vec<Vec<f32>>, String>;

    /// Checks the server without embedding anything.
    fn check_server(&self, _service: &Service, _policy: &RetryPolicy) -> Result<(), EmbedError> {
        Ok(())
    }

    /// The provider-specific error for `failure`; `None` for the general one.
    fn explain(&self, _service: &Service, _failure: &RequestFailure) -> Option<EmbedError> {
        None
    }
}

/// Parses the JSON of a response, or says why that failed.
pub(crate) fn parse<T: DeserializeOwned>(response: &[u8]) -> Result<T, String> {
    serde_json::from_slice(response).map_err(|error| format!("unusable answer: {error}"))
}

/// An [`Embedder`] over HTTP.
pub struct RemoteEmbedder {
    pub(crate) space: VectorSpace,
    pub(crate) provider: &'static str,
    pub(crate) limits: Limits,
    /// Maximum bytes of text in one request: providers limit the tokens of a request too.
    pub(crate) request_bytes: usize,
    pub(crate) timeout: Duration,
    pub(crate) family: ModelFamily,
    pub(crate) service: Service,
    pub(crate) protocol: Box<dyn Protocol>,
}

impl Embedder for RemoteEmbedder {
    fn space(&self) -> &VectorSpace {
        &self.space
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn check_ready(&self) -> Result<(), EmbedError> {
        self.service.check_key()?;
        let policy = RetryPolicy::for_readiness(self.timeout);
        self.protocol.check_server(&self.service, &policy)?;
        Call::new(self, TextKind::Query, policy).embed(&[READY.into()]).map(drop)
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        self.service.check_key()?;
        let policy = match kind {
            TextKind::Document => RetryPolicy::for_indexing(self.timeout),
            TextKind::Query => RetryPolicy::for_query(self.timeout),
        };
        let call = Call::new(self, kind, policy);
        let filled: Vec<_> = texts.iter().filter(|text| !text.trim().is_empty()).collect();
        let prepared: Vec<_> = filled.iter().map(|text| self.family.prefixed(kind, text)).collect();
        let mut embeddings = Vec::with_capacity(prepared.len());
        for batch in batches::batches(&prepared, self.limits.batch_size, self.request_bytes) {
            embeddings.extend(call.embed(batch)?);
        }
        Ok(with_blanks(texts, embeddings))
    }
}

/// Inserts a [`TextRefused`] for each empty text. Empty texts are never sent, because servers refuse a whole request that
/// contains one.
fn with_blanks(texts: &[&str], embeddings: Vec<Embedding>) -> Vec<Embedding> {
    let mut embeddings = embeddings.into_iter();
    let blank = || Err(TextRefused { reason: "the text is empty".into() });
    texts
        .iter()
        .map(|text| if text.trim().is_empty() { blank() } else { embeddings.next().unwrap_or_else(blank) })
        .collect()
}

/// One call of [`Embedder::embed`].
struct Call<'a> {
    embedder: &'a RemoteEmbedder,
    kind: TextKind,
    policy: RetryPolicy,
    /// Whether the provider embeds a harmless text; tested at most once.
    works: OnceCell<bool>,
}

impl<'a> Call<'a> {
    fn new(embedder: &'a RemoteEmbedder, kind: TextKind, policy: RetryPolicy) -> Self {
        Self { embedder, kind, policy, works: OnceCell::new() }
    }

    /// One result for each text. Splits the request in half for as long as the server reports that it is too large or refuses one
    /// of the texts.
    fn embed(&self, texts: &[Cow<'_, str>]) -> Result<Vec<Embedding>, EmbedError> {
        let failure = match self.send(texts) {
            Ok(response) => return self.accept(&response, texts.len()),
            Err(failure) => failure,
        };
        let is_refusal = || failure.may_be_about_a_text() && self.is_fault_of_a_text();
        match texts {
            _ if !failure.is_too_large() && !is_refusal() => Err(self.explain(&failure)),
            [text] if failure.is_too_large() => self.embed_shortened(text),
            [_] => Ok(vec![Err(self.refused(&failure))]),
            _ => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut embeddings = self.embed(first)?;
                embeddings.extend(self.embed(second)?);
                Ok(embeddings)
            }
        }
    }

    /// The second and last attempt for a text that is too long by itself.
    fn embed_shortened(&self, text: &str) -> Result<Vec<Embedding>, EmbedError> {
        let bytes = (text.len() / 2).min(self.embedder.limits.max_tokens * BYTES_PER_TOKEN);
        let shortened = &text[..text.floor_char_boundary(bytes)];
        match self.send(&[shortened.into()]) {
            Ok(response) => self.accept(&response, 1),
            Err(failure) if failure.is_too_large() => Ok(vec![Err(self.refused(&failure))]),
            Err(failure) => Err(self.explain(&failure)),
        }
    }

    fn refused(&self, failure: &RequestFailure) -> TextRefused {
        TextRefused { reason: format!("{} refused the text: {failure}", self.embedder.provider) }
    }

    /// Whether a document was not embedded because of its text, which then will never get a vector, rather than because of
    /// settings, an account or a server, which may change. Always false for a query, where the error itself is returned.
    fn is_fault_of_a_text(&self) -> bool {
        self.kind == TextKind::Document && *self.works.get_or_init(|| self.provider_works())
    }

    fn provider_works(&self) -> bool {
        let RemoteEmbedder { space, protocol, .. } = self.embedder;
        let vectors = self.send(&[READY.into()]).ok().and_then(|response| protocol.vectors(&response).ok());
        let vector = vectors.and_then(|mut vectors| vectors.pop());
        vector.is_some_and(|vector| checked(space, vector).is_ok())
    }

    fn send(&self, texts: &[Cow<'_, str>]) -> Result<Vec<u8>, RequestFailure> {
        let EmbedRequest { path, json } = self.embedder.protocol.request(self.kind, texts);
        self.embedder.service.post(&path, json.to_string().as_bytes(), &self.policy)
    }

    fn accept(&self, response: &[u8], expected: usize) -> Result<Vec<Embedding>, EmbedError> {
        let RemoteEmbedder { space, service, protocol, .. } = self.embedder;
        let bad = |problem: &str| EmbedError::BadVectors {
            space: space.clone(),
            problem: service.without_key(problem),
        };
        let vectors = protocol.vectors(response).map_err(|problem| bad(&problem))?;
        if vectors.len() != expected {
            return Err(bad(&format!("{} vectors came back for {expected} texts", vectors.len())));
        }
        let check = |vector: Vec<f32>| {
            if vector.iter().all(|value| *value == 0.0) && self.is_fault_of_a_text() {
                let reason = format!("{} returned a vector of zeros for the text", self.embedder.provider);
                return Ok(Err(TextRefused { reason }));
            }
            checked(space, vector).map(Ok)
        };
        vectors.into_iter().map(check).collect()
    }

    fn explain(&self, failure: &RequestFailure) -> EmbedError {
        let RemoteEmbedder { provider, service, protocol, .. } = self.embedder;
        protocol.explain(service, failure).unwrap_or_else(|| general_error(provider, service, failure))
    }
}

fn general_error(provider: &'static str, service: &Service, failure: &RequestFailure) -> EmbedError {
    match (failure, service.key_variable()) {
        (RequestFailure::NoAnswer { reason, .. }, _) => {
            EmbedError::Unreachable { provider, url: service.base().to_string(), reason: reason.clone() }
        }
        (RequestFailure::Status { retry_after, .. }, _) if failure.is_rate_limit() => {
            EmbedError::RateLimited { retry_after_secs: retry_after.map_or(60, |wait| wait.as_secs()) }
        }
        (_, Some(env_var)) if failure.is_key_refused() => {
            EmbedError::ApiKeyRefused { provider, env_var, message: failure.to_string() }
        }
        _ => EmbedError::Provider { provider, message: failure.to_string() },
    }
}

impl fmt::Debug for RemoteEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteEmbedder")
            .field("space", &self.space)
            .field("limits", &self.limits)
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}
