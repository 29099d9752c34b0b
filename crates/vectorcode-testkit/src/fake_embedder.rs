//! A provider without a model. Its vectors are hashed words, so texts that share words are close to each other.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use vectorcode_core::{VectorSpace, lock, words};
use vectorcode_embed::{EmbedError, Embedder, Embedding, Limits, TextKind, TextRefused};

/// How the fake responds to requests for vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    #[default]
    Work,
    /// Every call fails, as if the server were down.
    Fail,
    /// This many calls work; the next one fails, and so do all later ones.
    FailAfter(usize),
    /// A call panics, as with a bug in the program.
    Panic,
    /// A call does not return until another behaviour is set.
    Hang,
    /// Texts that contain this are refused; other texts in the batch are embedded.
    Refuse(String),
}

/// Deterministic, fast and observable: it counts calls and records the texts it was given.
#[derive(Debug)]
pub struct FakeEmbedder {
    space: VectorSpace,
    limits: Limits,
    state: Mutex<State>,
    behaviour_set: Condvar,
}

#[derive(Debug, Default)]
struct State {
    behaviour: Behaviour,
    calls: usize,
    documents: Vec<String>,
    queries: Vec<String>,
}

impl FakeEmbedder {
    pub fn new(dimensions: usize) -> Self {
        Self {
            space: VectorSpace::new("fake", "hashed-words", dimensions),
            limits: Limits { batch_size: 32, concurrency: 2, max_tokens: 512 },
            state: Mutex::default(),
            behaviour_set: Condvar::new(),
        }
    }

    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// A different model name makes a different vector space.
    pub fn with_model(mut self, model: &str) -> Self {
        self.space.model = model.into();
        self
    }

    pub fn set_behaviour(&self, behaviour: Behaviour) {
        self.lock().behaviour = behaviour;
        self.behaviour_set.notify_all();
    }

    /// Number of calls of [`Embedder::embed`] so far, including failed and hanging ones.
    pub fn calls(&self) -> usize {
        self.lock().calls
    }

    /// The documents that got a vector, in the order of the calls.
    pub fn documents(&self) -> Vec<String> {
        self.lock().documents.clone()
    }

    /// The queries that got a vector, in the order of the calls.
    pub fn queries(&self) -> Vec<String> {
        self.lock().queries.clone()
    }

    /// A test that fails while it holds the lock must not hide its message behind a poisoned lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Counts the call, and waits while the fake is set to hang.
    fn begin_call(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        state.calls += 1;
        self.behaviour_set
            .wait_while(state, |state| state.behaviour == Behaviour::Hang)
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.space.dimensions];
        words::for_each_word(text, |word| vector[bucket(word, self.space.dimensions)] += 1.0);
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            for value in &mut vector {
                *value /= length;
            }
        } else {
            // A text without words also needs a vector of length 1.
            vector[0] = 1.0;
        }
        vector
    }
}

impl Embedder for FakeEmbedder {
    fn space(&self) -> &VectorSpace {
        &self.space
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn check_ready(&self) -> Result<(), EmbedError> {
        match self.lock().behaviour {
            Behaviour::Fail | Behaviour::FailAfter(0) => Err(down()),
            _ => Ok(()),
        }
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let mut state = self.begin_call();
        let mut refused = None;
        match &mut state.behaviour {
            Behaviour::Fail | Behaviour::FailAfter(0) => return Err(down()),
            Behaviour::FailAfter(calls) => *calls -= 1,
            Behaviour::Panic => panic!("told to panic"),
            Behaviour::Refuse(part) => refused = Some(part.clone()),
            Behaviour::Work | Behaviour::Hang => {}
        }
        let is_refused = |text: &str| refused.as_ref().is_some_and(|part| text.contains(part.as_str()));
        let given = texts.iter().filter(|text| !is_refused(text)).map(ToString::to_string);
        match kind {
            TextKind::Document => state.documents.extend(given),
            TextKind::Query => state.queries.extend(given),
        }
        drop(state);
        let outcome = |text: &&str| {
            if is_refused(text) {
                return Err(TextRefused { reason: "refused by the fake embedder".into() });
            }
            Ok(self.vector(text))
        };
        Ok(texts.iter().map(outcome).collect())
    }
}

fn down() -> EmbedError {
    EmbedError::Provider { provider: "fake", message: "told to fail".into() }
}

/// FNV-1a over the lower-cased word: stable across platforms and versions.
fn bucket(word: &str, buckets: usize) -> usize {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    });
    (hash % buckets as u64) as usize
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    fn embed(fake: &FakeEmbedder, text: &str) -> Vec<f32> {
        fake.embed(TextKind::Document, &[text]).unwrap().remove(0).unwrap()
    }

    #[test]
    fn shared_words_bring_texts_together() {
        let fake = FakeEmbedder::new(256);
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let retry = embed(&fake, "fn retry_payment(order: Order)");
        assert!((dot(&retry, &retry) - 1.0).abs() < 1e-5);
        let near = dot(&retry, &embed(&fake, "retry the payment"));
        let far = dot(&retry, &embed(&fake, "parse a colour"));
        assert!(near > far, "{near} <= {far}");
    }

    #[test]
    fn fails_and_refuses_as_told() {
        let fake = FakeEmbedder::new(8);
        fake.set_behaviour(Behaviour::FailAfter(1));
        assert!(fake.embed(TextKind::Query, &["a"]).is_ok());
        assert!(fake.embed(TextKind::Query, &["b"]).is_err());
        fake.set_behaviour(Behaviour::Refuse("bad".into()));
        let outcomes = fake.embed(TextKind::Document, &["good", "bad"]).unwrap();
        assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false]);
        assert_eq!(
            (fake.calls(), fake.queries(), fake.documents()),
            (3, vec!["a".into()], vec!["good".into()])
        );
    }

    #[test]
    fn a_hanging_call_goes_on_when_told() {
        let fake = Arc::new(FakeEmbedder::new(8));
        fake.set_behaviour(Behaviour::Hang);
        let caller = thread::spawn({
            let fake = Arc::clone(&fake);
            move || embed(&fake, "late").len()
        });
        while fake.calls() == 0 {
            thread::yield_now();
        }
        assert!(fake.documents().is_empty());
        fake.set_behaviour(Behaviour::Work);
        assert_eq!(caller.join().unwrap(), 8);
    }
}
