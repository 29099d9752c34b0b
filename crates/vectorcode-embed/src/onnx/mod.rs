//! Provider `onnx`: the bundled transformer, or an ONNX file of the user's, on this machine's processor.
//!
//! Here are tokenising, prefixes, dimensions and the [`Embedder`]; what turns tokens into vectors stands behind
//! [`Encoder`].
//!
//! Two encoders: `mini_lm` runs the bundled model on int8 kernels of our own, `pooled` runs any ONNX file through `rten`.
//! The first is worth its code: for the same 1,789 chunks and the same weights it takes 21 processor seconds, the other 57.
//! A build with the feature `gpu` gives whole batches of the bundled model to a graphics card, where there is one.

mod graph;
mod identifiers;
mod mini_lm;
mod pair_scorer;
mod pooled;
mod wordpiece;

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::thread::available_parallelism;

use vectorcode_core::config::{OnnxConfig, Pooling};
use vectorcode_core::{VectorSpace, content_hash};

use crate::vector::{checked, cosine};
use crate::{EmbedError, Embedder, Embedding, Limits, TextKind};
use mini_lm::MiniLm;
pub(crate) use pair_scorer::PairScorer;
use pooled::Pooled;
pub(crate) use wordpiece::WordPiece;

const BUNDLED: &str = "code-minilm-l4";
/// Put there by the build script: the published crate has no file of this size.
pub(crate) static BUNDLED_MODEL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/model.onnx"));
const BUNDLED_TOKENIZER: &str = include_str!("../../models/code-minilm-l4/tokenizer.json");
const BUNDLED_DIMENSIONS: usize = 384;
const BUNDLED_MAX_TOKENS: usize = 512;

/// Texts of a batch for each thread: enough to keep all busy, and yet done within a fifth of a second, because an edit that is
/// to be indexed waits for them.
const TEXTS_PER_THREAD: usize = 16;

/// Texts of a batch for a graphics card, and the fewest that are worth the way to it.
const TEXTS_PER_CARD: usize = 256;
const FEWEST_FOR_CARD: usize = 16;
/// While one batch is computed, the next is tokenised and the last is written.
const BATCHES_PER_CARD: usize = 3;

/// What a graphics card is tried with, and the cosine that its vectors must have to those of the processor (0.9996 is usual).
const PROBE: &str = "fn retry(payment: &Payment, attempts: u32) -> Result<Receipt> { charge(payment).or_else(|_| retry(payment, attempts - 1)) }";
const LEAST_AGREEMENT: f32 = 0.995;

/// Token ids in, one vector for each sequence out, before it is cut to its dimensions and to unit length.
trait Encoder: Send + Sync {
    fn encode(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, String>;
}

/// A tokeniser and the model that knows its ids.
struct Transformer {
    tokenizer: WordPiece,
    encoder: Box<dyn Encoder>,
}

/// The local transformer. The bundled one loads on first use.
pub struct OnnxEmbedder {
    space: VectorSpace,
    config: OnnxConfig,
    transformer: OnceLock<Result<Transformer, String>>,
    /// The bundled model on a graphics card, opened when chunks are to be embedded.
    card: OnceLock<Option<Box<dyn Encoder>>>,
}

impl OnnxEmbedder {
    /// The bundled model, or the one that `config` names. The latter is read at once: its file alone tells how long
    /// its vectors are.
    pub fn new(config: &OnnxConfig) -> Result<Self, EmbedError> {
        match (&config.model_path, &config.tokenizer_path) {
            (None, None) => Self::bundled(config),
            (Some(model), Some(tokenizer)) => Self::from_files(config, model, tokenizer),
            _ => Err(EmbedError::Setting {
                key: "provider.onnx.model_path",
                problem: "model_path and tokenizer_path belong together; only one of them is set".into(),
            }),
        }
    }

    fn bundled(config: &OnnxConfig) -> Result<Self, EmbedError> {
        if config.model != BUNDLED {
            return Err(EmbedError::Setting {
                key: "provider.onnx.model",
                problem: format!("there is no bundled model {}; {BUNDLED} is the one", config.model),
            });
        }
        if config.pooling != Pooling::Mean {
            return Err(EmbedError::Setting {
                key: "provider.onnx.pooling",
                problem: format!("{BUNDLED} is made for `mean`"),
            });
        }
        let dimensions = kept_dimensions(config, BUNDLED_DIMENSIONS)?;
        let config = OnnxConfig { max_tokens: config.max_tokens.min(BUNDLED_MAX_TOKENS), ..config.clone() };
        let model = model_name(BUNDLED, &config, "");
        Ok(Self {
            space: VectorSpace::new("onnx", model, dimensions),
            config,
            transformer: OnceLock::new(),
            card: OnceLock::new(),
        })
    }

    fn from_files(config: &OnnxConfig, model: &Path, tokenizer: &Path) -> Result<Self, EmbedError> {
        let bad = |path: &Path, problem| EmbedError::ModelFile { path: path.into(), problem };
        let bytes = fs::read(model).map_err(|error| bad(model, error.to_string()))?;
        let json = fs::read_to_string(tokenizer).map_err(|error| bad(tokenizer, error.to_string()))?;
        let transformer = Transformer {
            tokenizer: WordPiece::parse(&json).map_err(|problem| bad(tokenizer, problem))?,
            encoder: Box::new(
                Pooled::load(model, config.pooling, thread_count(config.threads))
                    .map_err(|problem| bad(model, problem))?,
            ),
        };
        let probe = transformer.tokenise(&["probe"], config.max_tokens);
        let probe = transformer.encoder.encode(&probe).map_err(|problem| bad(model, problem))?;
        let dimensions = kept_dimensions(config, probe[0].len())?;
        let name = model_name(&display_name(config, model), config, &content_hash(&bytes));
        Ok(Self {
            space: VectorSpace::new("onnx", name, dimensions),
            config: config.clone(),
            transformer: OnceLock::from(Ok(transformer)),
            card: OnceLock::from(None),
        })
    }

    fn transformer(&self) -> Result<&Transformer, EmbedError> {
        let loaded = self.transformer.get_or_init(|| Transformer::bundled(thread_count(self.config.threads)));
        loaded.as_ref().map_err(|problem| self.failure(problem.clone()))
    }

    fn card(&self, transformer: &Transformer) -> Option<&dyn Encoder> {
        let open = || mini_lm::on_graphics_card().filter(|card| transformer.agrees_with(&**card));
        self.card.get_or_init(|| self.config.gpu.then(open).flatten()).as_deref()
    }

    /// The vectors of `texts`, on the graphics card where that is faster. Where it fails, the processor takes its place.
    fn encode(&self, kind: TextKind, texts: &[Cow<'_, str>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let transformer = self.transformer()?;
        let sequences = transformer.tokenise(texts, self.config.max_tokens);
        let is_batch = kind == TextKind::Document && texts.len() >= FEWEST_FOR_CARD;
        if let Some(card) = is_batch.then(|| self.card(transformer)).flatten() {
            match card.encode(&sequences) {
                Ok(vectors) => return Ok(vectors),
                Err(problem) => {
                    tracing::warn!(problem, "the graphics card failed; the processor computes vectors");
                }
            }
        }
        transformer.encoder.encode(&sequences).map_err(|problem| self.failure(problem))
    }

    fn failure(&self, problem: String) -> EmbedError {
        match &self.config.model_path {
            Some(path) => EmbedError::ModelFile { path: path.clone(), problem },
            None => EmbedError::BundledModel { model: BUNDLED, problem },
        }
    }

    /// A text as this model wants to read it.
    fn prepared<'t>(&self, kind: TextKind, text: &'t str) -> Cow<'t, str> {
        let is_bundled = self.config.model_path.is_none();
        let text: Cow<'t, str> = if is_bundled && kind == TextKind::Document {
            identifiers::split(text).into()
        } else {
            text.into()
        };
        let prefix = match kind {
            TextKind::Document => &self.config.document_prefix,
            TextKind::Query => &self.config.query_prefix,
        };
        if prefix.is_empty() { text } else { format!("{prefix}{text}").into() }
    }
}

impl Embedder for OnnxEmbedder {
    fn space(&self) -> &VectorSpace {
        &self.space
    }

    /// On the processor one call uses all threads, so further ones at the same time would only wait. The first batch is one for
    /// the processor, because a few edits are not worth opening a card.
    fn limits(&self) -> Limits {
        let (batch_size, concurrency) = match self.card.get() {
            Some(Some(_)) => (TEXTS_PER_CARD, BATCHES_PER_CARD),
            _ => (TEXTS_PER_THREAD * thread_count(self.config.threads), 1),
        };
        Limits { batch_size, concurrency, max_tokens: self.config.max_tokens }
    }

    fn check_ready(&self) -> Result<(), EmbedError> {
        self.transformer().map(|_| ())
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let texts: Vec<Cow<'_, str>> = texts.iter().map(|text| self.prepared(kind, text)).collect();
        let cut_and_check = |mut vector: Vec<f32>| {
            vector.truncate(self.space.dimensions);
            checked(&self.space, vector).map(Ok)
        };
        self.encode(kind, &texts)?.into_iter().map(cut_and_check).collect()
    }
}

impl fmt::Debug for OnnxEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxEmbedder").field("space", &self.space).finish_non_exhaustive()
    }
}

impl Transformer {
    fn bundled(threads: usize) -> Result<Self, String> {
        let encoder = Box::new(MiniLm::load(BUNDLED_MODEL, threads)?);
        Ok(Self { tokenizer: WordPiece::parse(BUNDLED_TOKENIZER)?, encoder })
    }

    /// Whether another encoder of this model gives the same vectors: drivers of graphics cards have faults of their own.
    fn agrees_with(&self, other: &dyn Encoder) -> bool {
        let probe = self.tokenise(&[PROBE, "probe"], BUNDLED_MAX_TOKENS);
        let agree = match (self.encoder.encode(&probe), other.encode(&probe)) {
            (Ok(ours), Ok(others)) => ours.iter().zip(&others).all(|(a, b)| cosine(a, b) > LEAST_AGREEMENT),
            _ => false,
        };
        if !agree {
            tracing::warn!("the graphics card gives other vectors than the processor, and is not used");
        }
        agree
    }

    fn tokenise(&self, texts: &[impl AsRef<str>], max_tokens: usize) -> Vec<Vec<u32>> {
        texts.iter().map(|text| self.tokenizer.encode(text.as_ref(), max_tokens)).collect()
    }
}

/// More threads than cores gain nothing, and the setting may come from a project that means harm.
pub(crate) fn thread_count(asked: Option<usize>) -> usize {
    let cores = available_parallelism().map_or(1, usize::from);
    asked.unwrap_or(cores).clamp(1, cores)
}

fn kept_dimensions(config: &OnnxConfig, all: usize) -> Result<usize, EmbedError> {
    match config.dimensions {
        None => Ok(all),
        Some(kept) if (1..=all).contains(&kept) => Ok(kept),
        Some(kept) => Err(EmbedError::Setting {
            key: "provider.onnx.dimensions",
            problem: format!("{kept} is not between 1 and the {all} dimensions of the model"),
        }),
    }
}

/// The name that the user gave the model, or that of its file.
fn display_name(config: &OnnxConfig, path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    if config.model == BUNDLED { stem.unwrap_or_default() } else { config.model.clone() }
}

/// `name`, marked with everything beside the text that decides a vector, unless all of that is as bundled: vectors
/// of different settings must never be taken for one another.
fn model_name(name: &str, config: &OnnxConfig, model_hash: &str) -> String {
    let settings = |config: &OnnxConfig| {
        let OnnxConfig { pooling, query_prefix, document_prefix, max_tokens, .. } = config;
        format!("{pooling:?}\0{query_prefix}\0{document_prefix}\0{max_tokens}")
    };
    let (chosen, default) = (settings(config), settings(&OnnxConfig::default()));
    if model_hash.is_empty() && chosen == default {
        return name.into();
    }
    format!("{name}@{}", &content_hash(format!("{model_hash}\0{chosen}").as_bytes())[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A card whose values are wrong in this way.
    struct Card(fn(&mut f32));

    impl Encoder for Card {
        fn encode(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, String> {
            let mut vectors = MiniLm::load(BUNDLED_MODEL, 1)?.encode(sequences)?;
            vectors.iter_mut().flatten().step_by(3).for_each(self.0);
            Ok(vectors)
        }
    }

    #[test]
    fn a_graphics_card_that_computes_something_else_is_not_used() {
        let transformer = Transformer::bundled(1).unwrap();
        assert!(transformer.agrees_with(&Card(|_| {})));
        assert!(!transformer.agrees_with(&Card(|value| *value = 0.0)));
        assert!(!transformer.agrees_with(&Card(|value| *value = f32::NAN)));
    }
}
