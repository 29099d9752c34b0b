//! A question that is put to several projects at once is embedded once.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use vectorcode_core::VectorSpace;
use vectorcode_embed::{EmbedError, Embedder, Embedding, Limits, TextKind};

/// How long an answer is remembered: about as long as projects that are asked together take to come to it.
const REMEMBERED: Duration = Duration::from_secs(2);

/// An embedder that gives all who ask the same at the same time one answer.
pub(crate) struct AskedOnce {
    inner: Arc<dyn Embedder>,
    asked: Mutex<Vec<Arc<Question>>>,
}

struct Question {
    kind: TextKind,
    text: String,
    since: Instant,
    answer: OnceLock<Result<Embedding, Arc<EmbedError>>>,
}

impl AskedOnce {
    pub(crate) fn new(inner: Arc<dyn Embedder>) -> Self {
        Self { inner, asked: Mutex::default() }
    }

    fn question(&self, kind: TextKind, text: &str) -> Arc<Question> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.retain(|question| question.is_recent());
        if let Some(known) = asked.iter().find(|known| known.kind == kind && known.text == text) {
            return known.clone();
        }
        let question =
            Question { kind, text: text.to_owned(), since: Instant::now(), answer: OnceLock::new() };
        asked.push(Arc::new(question));
        asked[asked.len() - 1].clone()
    }

    fn ask(&self, question: &Question) -> Result<Embedding, Arc<EmbedError>> {
        let mut outcomes = self.inner.embed(question.kind, &[&question.text]).map_err(Arc::new)?;
        let nothing = || self.no_vector();
        outcomes.pop().ok_or_else(nothing)
    }

    fn no_vector(&self) -> Arc<EmbedError> {
        let problem = "no vector came back".into();
        Arc::new(EmbedError::BadVectors { space: self.inner.space().clone(), problem })
    }
}

impl Question {
    /// A failure is shared with those who wait for it, and no longer: the next one may have better luck.
    fn is_recent(&self) -> bool {
        match self.answer.get() {
            None => true,
            Some(Ok(_)) => self.since.elapsed() < REMEMBERED,
            Some(Err(_)) => false,
        }
    }
}

impl Embedder for AskedOnce {
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
        let question = self.question(kind, text);
        let answer = question.answer.get_or_init(|| self.ask(&question));
        answer.clone().map(|embedding| vec![embedding]).map_err(EmbedError::Shared)
    }
}
