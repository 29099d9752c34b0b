//! Embeds texts with a configured provider and compares the vectors with known ones.
//!
//! ```text
//! provider CONFIG.toml REFERENCE.json   every vector must agree with the one in the file
//! provider CONFIG.toml TEXT...          compares with the bundled transformer
//! ```

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use vectorcode_core::config::{OnnxConfig, Sources, load};
use vectorcode_embed::{Embedder, Embedding, OnnxEmbedder, TextKind, provider};

/// Allows for runtimes that round differently, and for those that do not quantise activations, which differ more.
const LEAST_COSINE: f32 = 0.97;

#[derive(Deserialize)]
struct Reference {
    text: String,
    transformer: Vec<f32>,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let config = arguments.next().context("usage: provider CONFIG.toml (REFERENCE.json | TEXT...)")?;
    let texts: Vec<String> = arguments.collect();
    let environment = std::env::vars().collect();
    let sources = Sources { user_file: Some(PathBuf::from(config)), environment, ..Sources::default() };
    let embedder = provider(&load(&sources)?.config)?;
    embedder.check_ready()?;
    match texts.as_slice() {
        [file] if Path::new(file).is_file() => compare_with_file(&*embedder, file),
        texts => compare_with_bundled(&*embedder, texts),
    }
}

fn compare_with_file(embedder: &dyn Embedder, file: &str) -> anyhow::Result<()> {
    let references: Vec<Reference> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let texts: Vec<&str> = references.iter().map(|reference| reference.text.as_str()).collect();
    let embeddings = embedder.embed(TextKind::Document, &texts)?;
    for (reference, embedding) in references.iter().zip(&embeddings) {
        let cosine = report(&reference.text, embedding, &reference.transformer);
        ensure!(cosine.is_some_and(|cosine| cosine >= LEAST_COSINE), "the vectors do not agree");
    }
    eprintln!("{} vectors of {} agree with {file}", embeddings.len(), embedder.space());
    Ok(())
}

fn compare_with_bundled(embedder: &dyn Embedder, texts: &[String]) -> anyhow::Result<()> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let bundled = OnnxEmbedder::new(&OnnxConfig::default())?.embed(TextKind::Document, &texts)?;
    let embeddings = embedder.embed(TextKind::Document, &texts)?;
    for ((text, embedding), bundled) in texts.iter().zip(&embeddings).zip(&bundled) {
        let Ok(bundled) = bundled else { bail!("the bundled model refused a text") };
        report(text, embedding, bundled);
    }
    Ok(())
}

/// Prints a line about one text. Returns the cosine if the two vectors can be compared.
#[expect(clippy::print_stdout, reason = "this is the output of a command")]
fn report(text: &str, embedding: &Embedding, known: &[f32]) -> Option<f32> {
    let start: String = text.chars().take(60).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    match embedding {
        Ok(vector) if vector.len() == known.len() => {
            let cosine = vector.iter().zip(known).map(|(a, b)| a * b).sum();
            println!("cosine {cosine:.4}  {start}");
            Some(cosine)
        }
        Ok(vector) => {
            println!("{} dimensions  {start}", vector.len());
            None
        }
        Err(refused) => {
            println!("refused: {refused}  {start}");
            None
        }
    }
}
