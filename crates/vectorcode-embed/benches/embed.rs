//! Throughput of the bundled models: `cargo bench -p vectorcode-embed`.

use divan::{Bencher, counter::ItemsCount};
use vectorcode_embed::StaticModel;

fn main() {
    divan::main();
}

/// Chunks of about `bytes` bytes of real source: this crate's own.
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

#[divan::bench(sample_count = 50)]
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
