//! What all providers behind HTTP have in common: texts are cut into requests, a request that is too large is split,
//! and no vector passes unchecked. How a provider words its requests is left to its [`Protocol`].

mod batches;
mod families;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::de::DeserializeOwned;
use vectorcode_core::VectorSpace;

use crate::http::{Failure, Patience, Service};
use crate::vector::checked;
use crate::{EmbedError, Embedder, Embedding, Limits, TextKind, TextRefused};
pub(crate) use families::Family;

/// Bytes that a text of source code has for each token, at least; used to shorten what is too long.
const BYTES_PER_TOKEN: usize = 3;

/// A request, before it is sent.
pub(crate) struct Question {
    /// With a leading slash.
    pub path: String,
    pub json: serde_json::Value,
}

/// The dialect of one provider.
pub(crate) trait Protocol: Send + Sync {
    fn question(&self, kind: TextKind, texts: &[Cow<'_, str>]) -> Question;

    /// The vectors of an answer, in the order of the texts, or what is wrong with it.
    fn vectors(&self, answer: &[u8]) -> Result<Vec<Vec<f32>>, String>;

    /// What can be found out about the server without embedding anything.
    fn check_server(&self, _service: &Service, _patience: &Patience) -> Result<(), EmbedError> {
        Ok(())
    }

    /// Failures for which this provider has words of its own.
    fn explain(&self, _service: &Service, _failure: &Failure) -> Option<EmbedError> {
        None
    }
}

/// Reads the JSON of an answer, or says why it cannot be read.
pub(crate) fn parse<T: DeserializeOwned>(answer: &[u8]) -> Result<T, String> {
    serde_json::from_slice(answer).map_err(|error| format!("unusable answer: {error}"))
}

/// An [`Embedder`] that asks a server.
pub struct RemoteEmbedder {
    pub(crate) space: VectorSpace,
    pub(crate) provider: &'static str,
    pub(crate) limits: Limits,
    /// Text in one request, in bytes: providers bound the tokens of a request too.
    pub(crate) request_bytes: usize,
    pub(crate) timeout: Duration,
    pub(crate) family: Family,
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
        let patience = Patience::for_readiness(self.timeout);
        self.protocol.check_server(&self.service, &patience)?;
        Call { embedder: self, kind: TextKind::Query, patience }.embed(&["ready".into()]).map(drop)
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        self.service.check_key()?;
        let patience = match kind {
            TextKind::Document => Patience::for_indexing(self.timeout),
            TextKind::Query => Patience::for_query(self.timeout),
        };
        let call = Call { embedder: self, kind, patience };
        let filled: Vec<_> = texts.iter().filter(|text| !text.trim().is_empty()).collect();
        let prepared: Vec<_> = filled.iter().map(|text| self.family.prefixed(kind, text)).collect();
        let mut embeddings = Vec::with_capacity(prepared.len());
        for batch in batches::batches(&prepared, self.limits.batch_size, self.request_bytes) {
            embeddings.extend(call.embed(batch)?);
        }
        Ok(with_blanks(texts, embeddings))
    }
}

/// Servers refuse a whole request for one empty text, so these are never sent; here they get their place back.
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
    patience: Patience,
}

impl Call<'_> {
    /// One outcome for each text. Halves the request for as long as the server finds it too large.
    fn embed(&self, texts: &[Cow<'_, str>]) -> Result<Vec<Embedding>, EmbedError> {
        match self.ask(texts) {
            Ok(answer) => self.accept(&answer, texts.len()),
            Err(failure) if !failure.is_too_large() => Err(self.explain(&failure)),
            Err(_) if texts.len() > 1 => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut embeddings = self.embed(first)?;
                embeddings.extend(self.embed(second)?);
                Ok(embeddings)
            }
            Err(_) => self.embed_shortened(&texts[0]),
        }
    }

    /// The second and last try for a text that is too long by itself.
    fn embed_shortened(&self, text: &str) -> Result<Vec<Embedding>, EmbedError> {
        let bytes = (text.len() / 2).min(self.embedder.limits.max_tokens * BYTES_PER_TOKEN);
        let shortened = &text[..text.floor_char_boundary(bytes)];
        match self.ask(&[shortened.into()]) {
            Ok(answer) => self.accept(&answer, 1),
            Err(failure) if failure.is_too_large() => Ok(vec![Err(TextRefused {
                reason: format!("{} refused the text: {failure}", self.embedder.provider),
            })]),
            Err(failure) => Err(self.explain(&failure)),
        }
    }

    fn ask(&self, texts: &[Cow<'_, str>]) -> Result<Vec<u8>, Failure> {
        let Question { path, json } = self.embedder.protocol.question(self.kind, texts);
        self.embedder.service.post(&path, json.to_string().as_bytes(), &self.patience)
    }

    fn accept(&self, answer: &[u8], expected: usize) -> Result<Vec<Embedding>, EmbedError> {
        let RemoteEmbedder { space, service, protocol, .. } = self.embedder;
        let bad = |problem: &str| EmbedError::BadVectors {
            space: space.clone(),
            problem: service.without_key(problem),
        };
        let vectors = protocol.vectors(answer).map_err(|problem| bad(&problem))?;
        if vectors.len() != expected {
            return Err(bad(&format!("{} vectors came back for {expected} texts", vectors.len())));
        }
        vectors.into_iter().map(|vector| checked(space, vector).map(Ok)).collect()
    }

    fn explain(&self, failure: &Failure) -> EmbedError {
        let RemoteEmbedder { provider, service, protocol, .. } = self.embedder;
        protocol.explain(service, failure).unwrap_or_else(|| plain_error(provider, service, failure))
    }
}

fn plain_error(provider: &'static str, service: &Service, failure: &Failure) -> EmbedError {
    match (failure, service.key_variable()) {
        (Failure::NoAnswer { reason, .. }, _) => {
            EmbedError::Unreachable { provider, url: service.base().to_string(), reason: reason.clone() }
        }
        (Failure::Status { code: 429, retry_after, .. }, _) if !failure.is_out_of_quota() => {
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
