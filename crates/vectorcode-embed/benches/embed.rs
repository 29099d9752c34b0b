//! Throughput of the bundled models: `cargo bench -p vectorcode-embed`. `scripts/bench-embed.sh` compares the transformer with
//! ONNX Runtime.

use divan::{Bencher, counter::ItemsCount};
use vectorcode_core::config::OnnxConfig;
use vectorcode_embed::{Embedder, OnnxEmbedder, StaticModel, TextKind};

fn main() {
    divan::main();
}

/// Chunks of about `bytes` bytes of real source code, from this crate.
fn chunks(bytes: usize) -> Vec<&'static str> {
    const SOURCES: [&str; 3] = [
        include_str!("../src/static_model.rs"),
        include_str!("../src/embedder.rs"),
        include_str!("../src/error.rs"),
    ];
    SOURCES.into_iter().flat_map(|source| split(source, bytes)).collect()
}

fn split(source: &'static str, bytes: usize) -> impl Iterator<Item = &'static str> {
    let starts: Vec<usize> =
        (0..source.len() / bytes).map(|n| source.floor_char_boundary(n * bytes)).collect();
    starts.into_iter().map(move |start| &source[start..source.floor_char_boundary(start + bytes)])
}

#[divan::bench(sample_count = 200)]
fn static_model_800_bytes(bencher: Bencher) {
    let model = StaticModel::bundled();
    let chunks = chunks(800);
    let mut vector = [0.0; StaticModel::DIMENSIONS];
    bencher.counter(ItemsCount::new(chunks.len())).bench_local(|| {
        for chunk in &chunks {
            divan::black_box(model.embed_into(chunk, &mut vector));
        }
    });
}

/// Sixteen texts of exactly this many tokens.
#[divan::bench(args = [16, 64, 128, 256], consts = [1, 2], sample_count = 20)]
fn transformer<const THREADS: usize>(bencher: Bencher, tokens: usize) {
    let embedder = bundled(THREADS);
    let text = "read ".repeat(tokens - 2);
    let texts = [&text[..]; 16];
    bencher
        .counter(ItemsCount::new(texts.len()))
        .bench_local(|| embedder.embed(TextKind::Document, &texts).expect("the bundled model runs"));
}

#[divan::bench(sample_count = 50)]
fn transformer_query_64_tokens(bencher: Bencher) {
    let embedder = bundled(1);
    let text = "read ".repeat(62);
    bencher.bench_local(|| embedder.embed(TextKind::Query, &[&text]).expect("the bundled model runs"));
}

/// Loads the model and embeds one short query, as every command in a terminal has to.
#[divan::bench(sample_count = 20)]
fn transformer_load_and_first_query(bencher: Bencher) {
    bencher.bench_local(|| bundled(1).embed(TextKind::Query, &["retry a failed payment"]));
}

fn bundled(threads: usize) -> OnnxEmbedder {
    let config = OnnxConfig { threads: Some(threads), ..OnnxConfig::default() };
    let embedder = OnnxEmbedder::new(&config).expect("the default settings are valid");
    embedder.check_ready().expect("the bundled model loads");
    embedder
}
