//! Embeds a query only once when several projects are searched for it at the same time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use vectorcode_core::{VectorSpace, lock};
use vectorcode_embed::{EmbedError, Embedder, Embedding, Limits, TextKind};

/// How long a vector is kept. Projects that are searched together start embedding within this time of each other.
const KEPT: Duration = Duration::from_secs(2);

/// Makes one call to the inner embedder for all callers that want the same text at the same time ("single flight").
pub(crate) struct DedupEmbedder {
    inner: Arc<dyn Embedder>,
    /// Oldest first.
    calls: Mutex<VecDeque<Arc<EmbedCall>>>,
}

/// One call, in progress or just finished.
struct EmbedCall {
    kind: TextKind,
    text: String,
    since: Instant,
    result: OnceLock<Result<Embedding, Arc<EmbedError>>>,
}

impl DedupEmbedder {
    pub(crate) fn new(inner: Arc<dyn Embedder>) -> Self {
        Self { inner, calls: Mutex::default() }
    }

    /// The existing call for this text, or a new one.
    fn call(&self, kind: TextKind, text: &str) -> Arc<EmbedCall> {
        let now = Instant::now();
        let mut calls = lock(&self.calls);
        // A busy server has a thousand of them, so only those at the front are checked.
        while calls.pop_front_if(|oldest| !oldest.is_recent(now)).is_some() {}
        let mut same = calls.iter().filter(|known| known.kind == kind && known.text == text);
        if let Some(known) = same.find(|known| known.is_recent(now)) {
            return known.clone();
        }
        let text = text.to_owned();
        let call = Arc::new(EmbedCall { kind, text, since: now, result: OnceLock::new() });
        calls.push_back(call.clone());
        call
    }

    fn run(&self, call: &EmbedCall) -> Result<Embedding, Arc<EmbedError>> {
        let mut outcomes = self.inner.embed(call.kind, &[&call.text]).map_err(Arc::new)?;
        outcomes.pop().ok_or_else(|| self.no_vector())
    }

    fn no_vector(&self) -> Arc<EmbedError> {
        let problem = "no vector came back".into();
        Arc::new(EmbedError::BadVectors { space: self.inner.space().clone(), problem })
    }
}

impl EmbedCall {
    /// A failure is shared with the callers already waiting for it and then forgotten, so that the next caller
    /// retries.
    fn is_recent(&self, now: Instant) -> bool {
        match self.result.get() {
            None => true,
            Some(Ok(_)) => now.saturating_duration_since(self.since) < KEPT,
            Some(Err(_)) => false,
        }
    }
}

impl Embedder for DedupEmbedder {
    fn space(&self) -> &VectorSpace {
        self.inner.space()
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn check_ready(&self) -> Result<(), EmbedError> {
        self.inner.check_ready()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let [text] = texts else { return self.inner.embed(kind, texts) };
        let call = self.call(kind, text);
        let result = call.result.get_or_init(|| self.run(&call));
        result.clone().map(|embedding| vec![embedding]).map_err(EmbedError::Shared)
    }
}
