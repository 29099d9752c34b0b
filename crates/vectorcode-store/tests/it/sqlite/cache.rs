//! Tests of the per-user embedding cache.

use std::fs;

use rusqlite::Connection;
use vectorcode_core::VectorSpace;
use vectorcode_store::EmbeddingCache;

use crate::child;
use crate::fixture::{spaces, vector};

fn put(cache: &EmbeddingCache, space: &VectorSpace, text: &str, vector: &[f32]) {
    cache.put_many(space, std::iter::once((text, vector)));
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>() / norm(a) / norm(b)
}

#[test]
fn a_vector_is_found_by_its_space_and_exact_text() {
    let directory = tempfile::tempdir().unwrap();
    let space = spaces().provider;
    let cache = EmbeddingCache::open(directory.path(), 1 << 20).unwrap();
    put(&cache, &space, "text", &vector(1));
    drop(cache);

    let cache = EmbeddingCache::open(directory.path(), 1 << 20).unwrap();
    let found = cache.get_many(&space, &["text", "Text", "text "]);
    assert!(cosine(found[0].as_ref().unwrap(), &vector(1)) > 0.9999);
    assert_eq!(found[1..], [None, None]);
    let other = VectorSpace::new("onnx", "another", space.dimensions);
    assert_eq!(cache.get_many(&other, &["text"]), [None]);
}

#[test]
fn the_cache_stays_within_its_bound_and_keeps_the_newest() {
    let directory = tempfile::tempdir().unwrap();
    let space = VectorSpace::new("onnx", "wide", 1024);
    let cache = EmbeddingCache::open(directory.path(), 300_000).unwrap();
    for number in 0..1000 {
        put(&cache, &space, &format!("text {number}"), &vec![number as f32; 1024]);
    }
    let found = cache.get_many(&space, &["text 0", "text 999"]);
    assert!(found[0].is_none() && found[1].is_some());
    drop(cache);
    assert!(fs::metadata(directory.path().join("embeddings.db")).unwrap().len() < 400_000);
}

#[test]
fn a_damaged_cache_is_begun_anew_without_a_word() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("embeddings.db"), "garbage".repeat(500)).unwrap();
    let space = spaces().provider;
    let cache = EmbeddingCache::open(directory.path(), 1 << 20).unwrap();
    assert_eq!(cache.get_many(&space, &["text"]), [None]);
    put(&cache, &space, "text", &vector(1));
    assert!(cache.get_many(&space, &["text"])[0].is_some());
}

#[test]
fn vectors_are_found_where_their_last_use_cannot_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let space = spaces().provider;
    let cache = EmbeddingCache::open(directory.path(), 1 << 20).unwrap();
    put(&cache, &space, "text", &vector(1));
    // As if used on an earlier day, with a disk that has been full since.
    let full = "UPDATE vectors SET used = 1;
        CREATE TRIGGER full BEFORE UPDATE ON vectors BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    Connection::open(directory.path().join("embeddings.db")).unwrap().execute_batch(full).unwrap();
    assert!(cache.get_many(&space, &["text"])[0].is_some());
}

#[test]
fn a_cache_that_is_damaged_while_it_is_open_is_begun_anew() {
    let directory = tempfile::tempdir().unwrap();
    let (path, space) = (directory.path().join("embeddings.db"), spaces().provider);
    let cache = EmbeddingCache::open(directory.path(), 1 << 20).unwrap();
    put(&cache, &space, "text", &vector(1));
    fs::write(&path, vec![7; 40_000]).unwrap();
    fs::write(path.with_extension("db-wal"), []).unwrap();
    let _ = cache.get_many(&space, &["text"]);
    put(&cache, &space, "other", &vector(2));
    assert!(cache.get_many(&space, &["other"])[0].is_some());
}

#[test]
fn processes_fill_one_cache_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let outputs: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..3).map(|_| scope.spawn(|| child::run("fill_cache", directory.path()))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    for output in outputs {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let cache = EmbeddingCache::open(directory.path(), 1 << 20).unwrap();
    let texts: Vec<String> = (0..69).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = cache.get_many(&spaces().provider, &texts);
    assert!(found.iter().all(Option::is_some));
}
