//! Provider `onnx`: runs the bundled transformer, or an ONNX file of the user, on the CPU.
//!
//! This module tokenises, adds prefixes, shortens vectors and implements [`Embedder`]; an [`Encoder`] turns tokens into vectors.
//!
//! There are two encoders: `mini_lm` runs the bundled model on our own int8 kernels, and `pooled` runs any ONNX file with `rten`.
//! The first is worth its code: for the same 1,789 chunks and the same weights it takes 21 seconds of CPU time instead of 57.

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

use crate::vector::checked;
use crate::{EmbedError, Embedder, Embedding, Limits, TextKind};
use mini_lm::MiniLmEncoder;
pub(crate) use mini_lm::tensors::BYTES as BUNDLED_TENSORS;
pub(crate) use pair_scorer::PairScorer;
use pooled::PoolingEncoder;
pub(crate) use wordpiece::WordPiece;

const BUNDLED: &str = "code-minilm-l4";
const BUNDLED_TOKENIZER: &str = include_str!("../../models/code-minilm-l4/tokenizer.json");
const BUNDLED_DIMENSIONS: usize = 384;
const BUNDLED_MAX_TOKENS: usize = 512;

/// Texts per thread in a batch: enough to keep all threads busy, but finished within a fifth of a second, because indexing an
/// edit waits for the running batch.
const TEXTS_PER_THREAD: usize = 16;

/// Turns each sequence of token ids into one vector, which is not yet shortened or scaled to unit length.
trait Encoder: Send + Sync {
    fn encode(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, String>;
}

/// A tokeniser and the model that was trained with its ids.
struct Transformer {
    tokenizer: WordPiece,
    encoder: Box<dyn Encoder>,
}

/// The local transformer. The bundled one loads on first use.
pub struct OnnxEmbedder {
    space: VectorSpace,
    config: OnnxConfig,
    transformer: OnceLock<Result<Transformer, String>>,
}

impl OnnxEmbedder {
    /// The bundled model, or the files that `config` names. Files are loaded immediately, because only the model itself shows how
    /// many dimensions its vectors have.
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
                problem: format!("there is no bundled model {}; the only one is {BUNDLED}", config.model),
            });
        }
        if config.pooling != Pooling::Mean {
            return Err(EmbedError::Setting {
                key: "provider.onnx.pooling",
                problem: format!("{BUNDLED} requires `mean`"),
            });
        }
        let dimensions = kept_dimensions(config, BUNDLED_DIMENSIONS)?;
        let config = OnnxConfig { max_tokens: config.max_tokens.min(BUNDLED_MAX_TOKENS), ..config.clone() };
        let model = model_name(BUNDLED, &config, "");
        Ok(Self { space: VectorSpace::new("onnx", model, dimensions), config, transformer: OnceLock::new() })
    }

    fn from_files(config: &OnnxConfig, model: &Path, tokenizer: &Path) -> Result<Self, EmbedError> {
        let bad = |path: &Path, problem| EmbedError::ModelFile { path: path.into(), problem };
        let bytes = fs::read(model).map_err(|error| bad(model, error.to_string()))?;
        let json = fs::read_to_string(tokenizer).map_err(|error| bad(tokenizer, error.to_string()))?;
        let transformer = Transformer {
            tokenizer: WordPiece::parse(&json).map_err(|problem| bad(tokenizer, problem))?,
            encoder: Box::new(
                PoolingEncoder::load(model, config.pooling, thread_count(config.threads))
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
        })
    }

    fn transformer(&self) -> Result<&Transformer, EmbedError> {
        let loaded = self.transformer.get_or_init(|| Transformer::bundled(thread_count(self.config.threads)));
        loaded.as_ref().map_err(|problem| self.failure(problem.clone()))
    }

    fn encode(&self, texts: &[Cow<'_, str>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let transformer = self.transformer()?;
        let sequences = transformer.tokenise(texts, self.config.max_tokens);
        transformer.encoder.encode(&sequences).map_err(|problem| self.failure(problem))
    }

    fn failure(&self, problem: String) -> EmbedError {
        match &self.config.model_path {
            Some(path) => EmbedError::ModelFile { path: path.clone(), problem },
            None => EmbedError::BundledModel { model: BUNDLED, problem },
        }
    }

    /// The text as the model expects it: with its prefix and, for documents of the bundled model, with split identifiers.
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

    /// One call uses all threads, so concurrent calls would only wait.
    fn limits(&self) -> Limits {
        let batch_size = TEXTS_PER_THREAD * thread_count(self.config.threads);
        Limits { batch_size, concurrency: 1, max_tokens: self.config.max_tokens }
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
        self.encode(&texts)?.into_iter().map(cut_and_check).collect()
    }
}

impl fmt::Debug for OnnxEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxEmbedder").field("space", &self.space).finish_non_exhaustive()
    }
}

impl Transformer {
    fn bundled(threads: usize) -> Result<Self, String> {
        let encoder = Box::new(MiniLmEncoder::load(threads)?);
        Ok(Self { tokenizer: WordPiece::parse(BUNDLED_TOKENIZER)?, encoder })
    }

    fn tokenise(&self, texts: &[impl AsRef<str>], max_tokens: usize) -> Vec<Vec<u32>> {
        texts.iter().map(|text| self.tokenizer.encode(text.as_ref(), max_tokens)).collect()
    }
}

/// At most one thread per core: more gain nothing, and the setting may come from a malicious project.
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

/// The configured name of the model, or else the name of its file.
fn display_name(config: &OnnxConfig, path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    if config.model == BUNDLED { stem.unwrap_or_default() } else { config.model.clone() }
}

/// `name`, followed by a hash of everything besides the text that determines a vector, unless all of it is as in the bundled
/// model: vectors of different settings must never be mistaken for one another.
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
