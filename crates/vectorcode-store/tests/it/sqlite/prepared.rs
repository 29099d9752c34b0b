//! Tests of files that are prepared before their transaction.

use rusqlite::Connection;
use vectorcode_store::{ChunkFilter, FileUpdate, IndexWriter, PreparedFile};

use crate::fixture::{Index, file, full_text, sqlite};

/// A backend may get files that another backend prepared, or that were not prepared at all.
#[test]
fn files_are_written_the_same_whoever_prepared_them() {
    let updates: Vec<FileUpdate> = vec![file("a.rs", &["one 1", "two 2"]), file("b.rs", &["three 3"])];
    let chunks = |prepared: fn(&dyn IndexWriter, &[FileUpdate]) -> Vec<PreparedFile>| {
        let mut index = Index::new(sqlite);
        let prepared = prepared(&*index.writer, &updates);
        index.writer.write_prepared(&updates, prepared).unwrap();
        index.read().verify().unwrap();
        ["a.rs", "b.rs"].map(|path| index.read().chunks_of(path).unwrap())
    };
    let by_writer = chunks(|writer, updates| updates.iter().map(writer.preparation()).collect());
    assert_eq!(by_writer, chunks(|_, updates| updates.iter().map(|_| PreparedFile::default()).collect()));
    assert_eq!(by_writer, chunks(|_, _| Vec::new()));
    assert_eq!(by_writer.map(|chunks| chunks.len()), [2, 1]);
}

/// New rows are inserted when all files of a transaction are known, but rows of the same file must not wait for that.
#[test]
fn of_a_file_that_comes_twice_the_last_version_stays() {
    let mut index = Index::new(sqlite);
    let versions = [file("a.rs", &["one 1", "two 2"]), file("a.rs", &["two 2", "three 3"])];
    index.writer.write_files(&[&versions[..], &[file("b.rs", &["four 4"])]].concat()).unwrap();
    index.read().verify().unwrap();
    let chunks = index.read().chunks_of("a.rs").unwrap();
    let contents: Vec<&str> = chunks.iter().map(|chunk| chunk.chunk.content.as_str()).collect();
    assert_eq!(contents, ["two 2", "three 3"]);
    let found = |word| full_text(index.read(), &[word], &ChunkFilter::default(), 9).len();
    assert_eq!(["one", "two", "three", "four"].map(found), [0, 1, 1, 1]);
}

#[test]
fn a_compacted_index_has_one_list_of_each_word() {
    let mut index = Index::new(sqlite);
    for word in ["one", "two", "three", "four", "five"] {
        let text = format!("shared {word}");
        index.writer.write_files(&[file(&format!("{word}.rs"), &[&text])]).unwrap();
    }
    index.writer.remove_files(&["three.rs".into()]).unwrap();
    let found = |index: &Index| {
        ["shared", "four"].map(|word| full_text(index.read(), &[word], &ChunkFilter::default(), 9))
    };
    let before = found(&index);
    assert_eq!(before.each_ref().map(Vec::len), [4, 1]);

    index.writer.compact().unwrap();
    let conn = Connection::open(index.directory.path().join("index.db")).unwrap();
    let count = "SELECT count(*), sum(documents), (SELECT count(*) FROM dead) FROM segments";
    let counted = conn.query_row(count, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    assert_eq!(counted, Ok((1_i64, 4_i64, 0_i64)));
    assert_eq!(found(&index), before);
}

/// Foreign keys would delete what belongs to a chunk, but the writer turns them off because they cost a lookup per insert.
#[test]
fn nothing_is_left_of_a_file_that_was_removed() {
    let mut index = Index::new(sqlite);
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"]), file("b.rs", &["three 3"])]).unwrap();
    let waiting = index.read().pending(10).unwrap();
    index.writer.write_vectors(&[(waiting[0].row, vec![1.0; 8])]).unwrap();
    index.writer.refuse(waiting[1].row, "too long").unwrap();
    index.writer.remove_files(&["a.rs".into(), "b.rs".into()]).unwrap();
    let conn = Connection::open(index.directory.path().join("index.db")).unwrap();
    let tables = [
        "source_files",
        "chunk_rows",
        "chunk_text",
        "chunk_words",
        "vec_static",
        "vec_provider",
        "vec_static_codes",
        "refused",
        "symbols",
        "file_facts",
        "names",
        "word_names",
    ];
    for table in tables {
        let left: i64 =
            conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}
