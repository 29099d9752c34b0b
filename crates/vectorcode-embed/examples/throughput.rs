//! Runs the bundled transformer as a process, to compare its speed with another runtime: see `scripts/bench-embed.sh`.
//!
//! Reads one JSON object per line, `{"threads": 2, "texts": ["..."]}`, and prints the seconds that each took.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use vectorcode_core::config::OnnxConfig;
use vectorcode_embed::{Embedder, OnnxEmbedder, TextKind};

#[derive(serde::Deserialize)]
struct Request {
    threads: usize,
    texts: Vec<String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut embedders = HashMap::new();
    for line in io::stdin().lock().lines() {
        let Request { threads, texts } = serde_json::from_str(&line?)?;
        let config = OnnxConfig { threads: Some(threads), ..OnnxConfig::default() };
        let embedder = embedders.entry(threads).or_insert(OnnxEmbedder::new(&config)?);
        embedder.check_ready()?;
        let texts: Vec<&str> = texts.iter().map(|text| &text[..]).collect();
        let start = Instant::now();
        embedder.embed(TextKind::Document, &texts)?;
        writeln!(io::stdout(), "{}", start.elapsed().as_secs_f64())?;
    }
    Ok(())
}
