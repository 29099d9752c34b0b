//! Benchmarks of writing, loading and searching an index of 10,000 and 100,000 synthetic chunks.
//!
//! Run with `cargo bench -p vectorcode-store`. The first lines of output are the bytes that each chunk takes.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use divan::{Bencher, black_box};
use tempfile::TempDir;
use vectorcode_core::PathFilter;
use vectorcode_store::{
    CandidateQuery, ChunkFilter, FileUpdate, IndexReader, IndexWriter, NameMatch, NameQuery, SqliteStore,
    Store, TextQuery, TextTerm,
};

mod corpus;

const SIZES: [usize; 2] = [10_000, 100_000];
/// Files per transaction, as in the engine.
const BATCH_FILES: usize = 64;

struct Built {
    _directory: TempDir,
    store: SqliteStore,
    reader: Arc<dyn IndexReader>,
}

static SMALL: LazyLock<Built> = LazyLock::new(|| build(SIZES[0]));
static LARGE: LazyLock<Built> = LazyLock::new(|| build(SIZES[1]));

fn built(chunks: usize) -> &'static Built {
    if chunks == SIZES[0] { &SMALL } else { &LARGE }
}

fn main() {
    divan::main();
}

/// Builds an index with both stages and prints the throughput and the size.
fn build(chunks: usize) -> Built {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let store = SqliteStore::open_in(directory.path());
    let mut writer = store.create(&corpus::spaces()).expect("a new index");
    let files = corpus::files(chunks);
    let started = Instant::now();
    write(&mut *writer, &files);
    let stage_one = started.elapsed();
    let started = Instant::now();
    embed(&mut *writer);
    let stage_two = started.elapsed();
    let stats = writer.reader().stats().expect("statistics");
    drop(writer);
    let text: u64 =
        files.iter().flat_map(|file| &file.parsed.chunks).map(|chunk| chunk.content.len() as u64).sum();
    let bytes = directory.path().join("index.db").metadata().expect("the index").len();
    eprintln!(
        "{chunks} chunks: stage one {:.0} chunks/s, vectors {:.0}/s, {} bytes of text and {} beyond it a chunk, {} symbols",
        chunks as f64 / stage_one.as_secs_f64(),
        chunks as f64 / stage_two.as_secs_f64(),
        text / stats.chunks,
        (bytes - text) / stats.chunks,
        stats.symbols,
    );
    let reader = store.reader().expect("a reader");
    Built { _directory: directory, store, reader }
}

fn write(writer: &mut dyn IndexWriter, files: &[FileUpdate]) {
    for batch in files.chunks(BATCH_FILES) {
        writer.write_files(batch).expect("a batch of files");
    }
}

fn embed(writer: &mut dyn IndexWriter) {
    loop {
        let pending = writer.reader().pending(256).expect("pending chunks");
        if pending.is_empty() {
            return;
        }
        let vectors: Vec<_> =
            pending.iter().map(|chunk| (chunk.row, corpus::vector(chunk.row.0 as u64, 384))).collect();
        writer.write_vectors(&vectors).expect("a batch of vectors");
    }
}

fn query(words: &[&str]) -> TextQuery {
    TextQuery { terms: words.iter().map(|word| TextTerm { word: (*word).into(), prefix: false }).collect() }
}

/// Six words, from very common to rare.
fn six_terms() -> TextQuery {
    let words = [3, 20, 60, 200, 600, 1800].map(corpus::word);
    query(&words.each_ref().map(String::as_str))
}

#[divan::bench]
fn write_stage_one_1000_chunks(bencher: Bencher<'_, '_>) {
    let files = corpus::files(1000);
    bencher
        .counter(1000_usize)
        .with_inputs(|| {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let store = SqliteStore::open_in(directory.path());
            (store.create(&corpus::spaces()).expect("a new index"), directory)
        })
        .bench_local_values(|(mut writer, directory)| {
            write(&mut *writer, &files);
            (writer, directory)
        });
}

fn by_text() -> CandidateQuery {
    CandidateQuery { text: six_terms(), depth: 100, ..CandidateQuery::default() }
}

fn by_static_vector() -> CandidateQuery {
    CandidateQuery { static_vector: Some(corpus::vector(7, 192)), depth: 100, ..CandidateQuery::default() }
}

fn by_provider_vector() -> CandidateQuery {
    CandidateQuery { provider_vector: Some(corpus::vector(7, 384)), depth: 100, ..CandidateQuery::default() }
}

/// The query of a complete search: words, both vectors and names.
fn by_everything() -> CandidateQuery {
    let words = NameMatch::Words(vec![corpus::word(5), corpus::word(40)]);
    CandidateQuery {
        text: six_terms(),
        static_vector: Some(corpus::vector(7, 192)),
        provider_vector: Some(corpus::vector(7, 384)),
        names: vec![NameQuery { name: words, limit: 40 }],
        depth: 100,
        ..CandidateQuery::default()
    }
}

fn bench_candidates(bencher: Bencher<'_, '_>, chunks: usize, query: &CandidateQuery) {
    let reader = &built(chunks).reader;
    bencher.bench(|| reader.candidates(black_box(query)).expect("candidates"));
}

#[divan::bench(args = SIZES)]
fn full_text_six_terms(bencher: Bencher<'_, '_>, chunks: usize) {
    bench_candidates(bencher, chunks, &by_text());
}

#[divan::bench(args = SIZES)]
fn full_text_filtered(bencher: Bencher<'_, '_>, chunks: usize) {
    let filter = ChunkFilter { paths: PathFilter::prefix("src/m1/"), ..ChunkFilter::default() };
    bench_candidates(bencher, chunks, &CandidateQuery { filter, ..by_text() });
}

#[divan::bench(args = SIZES)]
fn nearest_static_192(bencher: Bencher<'_, '_>, chunks: usize) {
    bench_candidates(bencher, chunks, &by_static_vector());
}

#[divan::bench(args = SIZES)]
fn nearest_provider_384(bencher: Bencher<'_, '_>, chunks: usize) {
    bench_candidates(bencher, chunks, &by_provider_vector());
}

#[divan::bench(args = SIZES)]
fn nearest_filtered(bencher: Bencher<'_, '_>, chunks: usize) {
    let filter = ChunkFilter { languages: vec!["rust".into()], ..ChunkFilter::default() };
    bench_candidates(bencher, chunks, &CandidateQuery { filter, ..by_provider_vector() });
}

#[divan::bench(args = SIZES)]
fn all_lists_in_one_call(bencher: Bencher<'_, '_>, chunks: usize) {
    bench_candidates(bencher, chunks, &by_everything());
}

/// The cost of the first search in a new process: open the index, load it, and run one search of each kind.
#[divan::bench(args = SIZES)]
fn cold_open_and_search(bencher: Bencher<'_, '_>, chunks: usize) {
    let (store, query) = (&built(chunks).store, by_everything());
    bencher.bench(|| store.reader().expect("a reader").candidates(&query).expect("candidates"));
}

#[divan::bench(args = SIZES)]
fn cold_load_static(bencher: Bencher<'_, '_>, chunks: usize) {
    let (store, query) = (&built(chunks).store, by_static_vector());
    bencher.bench(|| store.reader().expect("a reader").candidates(&query).expect("candidates"));
}

#[divan::bench(args = SIZES)]
fn definitions_by_words(bencher: Bencher<'_, '_>, chunks: usize) {
    let reader = &built(chunks).reader;
    let wanted = NameMatch::Words(vec![corpus::word(5), corpus::word(40)]);
    bencher
        .bench(|| reader.definitions(black_box(&wanted), &ChunkFilter::default(), 20).expect("definitions"));
}
