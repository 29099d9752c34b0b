//! A damaged index is repaired, whatever the damage: the process that detects it rebuilds the index and reports it.

use std::sync::Arc;

use vectorcode_core::api::{FileRequest, SearchMode, SearchRequest};
use vectorcode_testkit::{FakeEmbedder, SplitMix64};

use crate::project::{Indexed, about, index};

fn damage(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    const PAGE: usize = 8192;
    match random.below(3) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => {
            let page = random.below(bytes.len() / PAGE) * PAGE;
            bytes[page..page + PAGE].fill(random.next_u64() as u8);
        }
        _ => {
            for _ in 0..=random.below(40) {
                let place = random.below(bytes.len());
                bytes[place] = random.next_u64() as u8;
            }
        }
    }
}

/// A small project, and the bytes of its index.
fn sound() -> (Indexed, Vec<u8>) {
    let project = Indexed::new(&[("a.rs", &about("apples")), ("src/b.rs", &about("bears"))]);
    project.index();
    let project = project.closed();
    let path = project.files.path(".vectorcode/index.db");
    // The writer was the last connection, so closing it moved the log into the database file.
    (project, std::fs::read(path).unwrap())
}

fn put(project: &Indexed, bytes: &[u8]) {
    for log in ["index.db-wal", "index.db-shm"] {
        let _ = std::fs::remove_file(project.files.path(".vectorcode").join(log));
    }
    project.files.write(".vectorcode/index.db", bytes);
}

fn assert_mended_after_index(seeds: std::ops::Range<u64>) {
    let (project, sound) = sound();
    for seed in seeds {
        let mut bytes = sound.clone();
        damage(&mut bytes, &mut SplitMix64(seed));
        put(&project, &bytes);
        let engine = project.reopened(Arc::new(FakeEmbedder::new(32)));
        index(&engine).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        let request = SearchRequest {
            threshold: Some(0.0),
            mode: SearchMode::Fast,
            ..SearchRequest::query("handle apples")
        };
        engine.search(&request).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        engine.status().unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
    }
}

#[test]
fn a_search_works_after_an_index_of_any_damage_1() {
    assert_mended_after_index(0..70);
}

#[test]
fn a_search_works_after_an_index_of_any_damage_2() {
    assert_mended_after_index(70..140);
}

#[test]
fn a_search_works_after_an_index_of_any_damage_3() {
    assert_mended_after_index(140..210);
}

/// Regression test: SQLite reads a page at the position of another without an error, and rows are missing. Only
/// `index --full` helped.
#[test]
fn an_index_finds_pages_that_are_in_the_place_of_others() {
    const PAGE: usize = 8192;
    let (project, sound) = sound();
    for page in 2..sound.len() / PAGE {
        let mut bytes = sound.clone();
        bytes.copy_within((page - 1) * PAGE..page * PAGE, page * PAGE);
        put(&project, &bytes);
        let engine = project.reopened(Arc::new(FakeEmbedder::new(32)));
        assert_eq!(index(&engine).unwrap().files, 2, "page {page}");
        for (topic, path) in [("apples", "a.rs"), ("bears", "src/b.rs")] {
            let request =
                SearchRequest { threshold: Some(0.0), mode: SearchMode::Fast, ..SearchRequest::query(topic) };
            let hits = engine.search(&request).unwrap().hits;
            assert!(hits.iter().any(|hit| hit.path == path), "page {page}: {topic}");
        }
    }
}

/// A project whose index is damaged from its second page on.
fn damaged() -> Indexed {
    let (project, mut bytes) = sound();
    let page = 8192;
    bytes[page..].fill(0xA5);
    put(&project, &bytes);
    project
}

#[test]
fn an_answer_without_notes_leaves_it_to_the_next_to_tell_of_damage() {
    let project = damaged();
    let engine = project.reopened(Arc::new(FakeEmbedder::new(32)));
    let file = engine.file(&FileRequest { path: "a.rs".into(), start_line: None, end_line: None }).unwrap();
    assert!(file.content.contains("handle_apples"), "{file:?}");
    let is_told = |notes: Vec<String>| notes.iter().any(|note| note.contains("damaged"));
    assert!(is_told(engine.status().unwrap().notes));
    assert!(!is_told(engine.status().unwrap().notes), "reported once");
}

#[test]
fn a_search_that_meets_damage_rebuilds_and_says_so() {
    let project = damaged();
    let engine = project.reopened(Arc::new(FakeEmbedder::new(32)));
    let request = SearchRequest {
        threshold: Some(0.0),
        mode: SearchMode::Fast,
        ..SearchRequest::query("handle apples")
    };
    let response = engine.search(&request).unwrap();
    assert!(response.hits.iter().any(|hit| hit.path == "a.rs"), "{:?}", response.hits);
    assert!(response.notes.iter().any(|note| note.contains("damaged")), "{:?}", response.notes);
    assert!(engine.search(&request).unwrap().notes.is_empty(), "reported once");
}

/// Rows that only a bug in vectorcode can leave behind: the parts of a chunk and the definitions of a file that do
/// not exist. Their row ids are later reused.
const ORPHANS: &str = "PRAGMA foreign_keys = OFF;
    INSERT INTO chunk_text (id, content) SELECT seq + 1, 'left over' FROM sqlite_sequence
        WHERE name = 'chunk_rows';
    INSERT INTO symbols (file_id, ordinal, name_id, kind, chunk_id, start_line, end_line, byte_start, byte_end, name_line, signature)
        SELECT max(id) + 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, '' FROM source_files;";

#[test]
fn rows_that_a_fault_of_ours_left_cost_no_vectors() {
    let (project, _) = sound();
    let path = project.files.path(".vectorcode/index.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(ORPHANS).unwrap();
    project.files.write("src/c.rs", about("cherries"));
    let embedder = Arc::new(FakeEmbedder::new(32));
    let report = index(&project.reopened(embedder)).unwrap();
    assert!(report.notes.iter().any(|note| note.contains("a bug in vectorcode")), "{:?}", report.notes);
    assert_eq!((report.files, report.embedded + report.reused), (3, 1), "only the new file");
    assert!(index(&project.engine).unwrap().notes.is_empty(), "reported once");
    let names = std::fs::read_dir(project.files.path(".vectorcode")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|name| name.contains("damaged")), "{names:?}");
    assert!(project.finds("cherries", "src/c.rs") && project.finds("apples", "a.rs"));
}
