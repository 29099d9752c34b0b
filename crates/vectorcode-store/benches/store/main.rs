//! How fast the store writes, loads and finds, on made-up code of 10,000 and 100,000 chunks.
//!
//! `cargo bench -p vectorcode-store`; the bytes a chunk are printed first.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Instant;

use divan::{Bencher, black_box};
use tempfile::TempDir;
use vectorcode_store::{
    ChunkFilter, FileUpdate, IndexReader, IndexWriter, NameMatch, SqliteReader, SqliteWriter, Stage,
    TextQuery, TextTerm,
};

mod corpus;

const SIZES: [usize; 2] = [10_000, 100_000];
/// Files a transaction, as the engine writes them.
const BATCH_FILES: usize = 64;

struct Built {
    _directory: TempDir,
    path: PathBuf,
    reader: SqliteReader,
}

static SMALL: LazyLock<Built> = LazyLock::new(|| build(SIZES[0]));
static LARGE: LazyLock<Built> = LazyLock::new(|| build(SIZES[1]));

fn built(chunks: usize) -> &'static Built {
    if chunks == SIZES[0] { &SMALL } else { &LARGE }
}

fn main() {
    divan::main();
}

/// Builds an index with both stages, and says what it cost.
fn build(chunks: usize) -> Built {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("index.db");
    let mut writer = SqliteWriter::create(&path, &corpus::spaces()).expect("a new index");
    let files = corpus::files(chunks);
    let started = Instant::now();
    write(&mut writer, &files);
    let stage_one = started.elapsed();
    let started = Instant::now();
    embed(&mut writer);
    let stage_two = started.elapsed();
    let stats = writer.stats().expect("statistics");
    drop(writer);
    let text: u64 =
        files.iter().flat_map(|file| &file.parsed.chunks).map(|chunk| chunk.content.len() as u64).sum();
    let bytes = path.metadata().expect("the index").len();
    eprintln!(
        "{chunks} chunks: stage one {:.0} chunks/s, vectors {:.0}/s, {} bytes of text and {} beyond it a chunk, {} symbols",
        chunks as f64 / stage_one.as_secs_f64(),
        chunks as f64 / stage_two.as_secs_f64(),
        text / stats.chunks,
        (bytes - text) / stats.chunks,
        stats.symbols,
    );
    let reader = SqliteReader::open(&path).expect("a reader");
    Built { _directory: directory, path, reader }
}

fn write(writer: &mut SqliteWriter, files: &[FileUpdate]) {
    for batch in files.chunks(BATCH_FILES) {
        writer.write_files(batch).expect("a batch of files");
    }
}

fn embed(writer: &mut SqliteWriter) {
    loop {
        let pending = writer.pending(256).expect("pending chunks");
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

/// Six words, from the most common to the rare.
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
            let path = directory.path().join("index.db");
            (SqliteWriter::create(&path, &corpus::spaces()).expect("a new index"), directory)
        })
        .bench_local_values(|(mut writer, directory)| {
            write(&mut writer, &files);
            (writer, directory)
        });
}

#[divan::bench(args = SIZES)]
fn full_text_six_terms(bencher: Bencher<'_, '_>, chunks: usize) {
    let (reader, query) = (&built(chunks).reader, six_terms());
    bencher.bench(|| reader.full_text(black_box(&query), &ChunkFilter::default(), 100).expect("matches"));
}

#[divan::bench(args = SIZES)]
fn full_text_filtered(bencher: Bencher<'_, '_>, chunks: usize) {
    let (reader, query) = (&built(chunks).reader, six_terms());
    let filter = ChunkFilter { path_prefix: Some("src/m1/".into()), ..ChunkFilter::default() };
    bencher.bench(|| reader.full_text(black_box(&query), &filter, 100).expect("matches"));
}

#[divan::bench(args = SIZES)]
fn nearest_static_192(bencher: Bencher<'_, '_>, chunks: usize) {
    let (reader, vector) = (&built(chunks).reader, corpus::vector(7, 192));
    bencher.bench(|| {
        reader.nearest(Stage::Static, black_box(&vector), &ChunkFilter::default(), 100).expect("near")
    });
}

#[divan::bench(args = SIZES)]
fn nearest_provider_384(bencher: Bencher<'_, '_>, chunks: usize) {
    let (reader, vector) = (&built(chunks).reader, corpus::vector(7, 384));
    bencher.bench(|| {
        reader.nearest(Stage::Provider, black_box(&vector), &ChunkFilter::default(), 100).expect("near")
    });
}

#[divan::bench(args = SIZES)]
fn nearest_filtered(bencher: Bencher<'_, '_>, chunks: usize) {
    let (reader, vector) = (&built(chunks).reader, corpus::vector(7, 384));
    let filter = ChunkFilter { languages: vec!["rust".into()], ..ChunkFilter::default() };
    bencher.bench(|| reader.nearest(Stage::Provider, black_box(&vector), &filter, 100).expect("near"));
}

/// What a new process pays: open, load, one search of each kind.
#[divan::bench(args = SIZES)]
fn cold_open_and_search(bencher: Bencher<'_, '_>, chunks: usize) {
    let path = &built(chunks).path;
    let (small, wide, query) = (corpus::vector(7, 192), corpus::vector(7, 384), six_terms());
    bencher.bench(|| {
        let reader = SqliteReader::open(path).expect("a reader");
        let all = ChunkFilter::default();
        let near = reader.nearest(Stage::Static, &small, &all, 100).expect("near");
        let nearer = reader.nearest(Stage::Provider, &wide, &all, 100).expect("near");
        let found = reader.full_text(&query, &all, 100).expect("matches");
        (near, nearer, found)
    });
}

#[divan::bench(args = SIZES)]
fn cold_load_static(bencher: Bencher<'_, '_>, chunks: usize) {
    let (path, vector) = (&built(chunks).path, corpus::vector(7, 192));
    bencher.bench(|| {
        let reader = SqliteReader::open(path).expect("a reader");
        reader.nearest(Stage::Static, &vector, &ChunkFilter::default(), 100).expect("near")
    });
}

#[divan::bench(args = SIZES)]
fn chunks_by_row(bencher: Bencher<'_, '_>, chunks: usize) {
    let reader = &built(chunks).reader;
    let found = reader.full_text(&six_terms(), &ChunkFilter::default(), 50).expect("matches");
    let rows: Vec<_> = found.iter().map(|scored| scored.row).collect();
    bencher.bench(|| reader.chunks(black_box(&rows)).expect("chunks"));
}

#[divan::bench(args = SIZES)]
fn definitions_by_words(bencher: Bencher<'_, '_>, chunks: usize) {
    let reader = &built(chunks).reader;
    let wanted = NameMatch::Words(vec![corpus::word(5), corpus::word(40)]);
    bencher
        .bench(|| reader.definitions(black_box(&wanted), &ChunkFilter::default(), 20).expect("definitions"));
}
