//! Throughput of discovery and parsing, in bytes of source per second.
//!
//! `VECTORCODE_BENCH_TREE=DIR cargo bench -p vectorcode-source` measures a real source tree; without it, the fixtures.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use divan::Bencher;
use divan::counter::BytesCount;
use vectorcode_core::CancelToken;
use vectorcode_core::config::IndexingConfig;
use vectorcode_source::{Language, Scope, SourceText, parse_source};

struct Source {
    path: String,
    language: &'static Language,
    content: SourceText,
}

static TREE: LazyLock<PathBuf> = LazyLock::new(|| {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    std::env::var_os("VECTORCODE_BENCH_TREE").map_or_else(|| fixtures.into(), PathBuf::from)
});

static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let scope = scope();
    let found = scope.discover(&CancelToken::default()).expect("the tree can be walked");
    let read = |file: vectorcode_source::FoundFile| {
        let content = scope.read(&file).ok()?;
        Some(Source { path: file.path, language: file.language, content: content.source })
    };
    found.files.into_iter().filter_map(read).collect()
});

fn main() {
    divan::main();
}

fn scope() -> Scope {
    Scope::new(&TREE, &IndexingConfig::default()).expect("the tree exists")
}

fn parse(source: &Source) -> usize {
    parse_source(&source.path, source.language, &source.content).chunks.len()
}

fn total_bytes() -> BytesCount {
    BytesCount::new(SOURCES.iter().map(|source| source.content.text.len()).sum::<usize>())
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn discover(bencher: Bencher<'_, '_>) {
    bencher.counter(total_bytes()).bench(|| scope().discover(&CancelToken::default()));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn parse_on_one_thread(bencher: Bencher<'_, '_>) {
    bencher.counter(total_bytes()).bench(|| SOURCES.iter().map(parse).sum::<usize>());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn parse_on_all_threads(bencher: Bencher<'_, '_>) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    bencher.counter(total_bytes()).bench(|| {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(source) = SOURCES.get(next.fetch_add(1, Ordering::Relaxed)) {
                        divan::black_box(parse(source));
                    }
                });
            }
        });
    });
}
