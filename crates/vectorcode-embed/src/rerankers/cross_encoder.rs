//! Reranker `onnx`: a cross-encoder provided by the user, which runs on this machine's CPU.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use vectorcode_core::config::RerankOnnxConfig;

use super::best_first;
use crate::onnx::{PairScorer, WordPiece, thread_count};
use crate::{EmbedError, Reranker};

/// Pairs per run. The deadline is checked between runs, so a run must be short; single pairs would leave threads idle.
const PAIRS_PER_RUN: usize = 4;

/// A BERT-like model that reads a query and a text together and returns one score.
pub struct CrossEncoder {
    path: PathBuf,
    tokenizer: WordPiece,
    scorer: PairScorer,
    max_tokens: usize,
}

impl CrossEncoder {
    pub fn load(config: &RerankOnnxConfig) -> Result<Self, EmbedError> {
        let (Some(model), Some(tokenizer)) = (&config.model_path, &config.tokenizer_path) else {
            return Err(EmbedError::Setting {
                key: "rerank.onnx.model_path",
                problem: "the reranker `onnx` needs model_path and tokenizer_path".into(),
            });
        };
        let bad = |path: &Path, problem| EmbedError::ModelFile { path: path.into(), problem };
        let json = fs::read_to_string(tokenizer).map_err(|error| bad(tokenizer, error.to_string()))?;
        let threads = thread_count(None);
        Ok(Self {
            path: model.clone(),
            tokenizer: WordPiece::parse(&json).map_err(|problem| bad(tokenizer, problem))?,
            scorer: PairScorer::load(model, threads).map_err(|problem| bad(model, problem))?,
            max_tokens: config.max_tokens,
        })
    }
}

impl Reranker for CrossEncoder {
    /// Texts that are not scored before the deadline keep their order after the scored ones, which were ranked higher anyway.
    fn rerank(&self, query: &str, texts: &[&str], deadline: Instant) -> Result<Vec<usize>, EmbedError> {
        let mut scored: Vec<(usize, f32)> = Vec::with_capacity(texts.len());
        for run in texts.chunks(PAIRS_PER_RUN) {
            if Instant::now() >= deadline {
                break;
            }
            let pairs: Vec<_> =
                run.iter().map(|text| self.tokenizer.encode_pair(query, text, self.max_tokens)).collect();
            let bad = |problem| EmbedError::ModelFile { path: self.path.clone(), problem };
            let fits = self.scorer.score(&pairs).map_err(bad)?;
            let first = scored.len();
            scored.extend((first..).zip(fits));
        }
        if scored.len() < texts.len().min(2) {
            return Err(EmbedError::Reranker {
                problem: "the time limit was reached before two texts were scored".into(),
            });
        }
        Ok(best_first(scored))
    }
}

impl fmt::Debug for CrossEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrossEncoder").field("path", &self.path).finish_non_exhaustive()
    }
}
