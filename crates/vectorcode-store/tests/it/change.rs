//! What is left after files change.

use vectorcode_core::VectorSpace;
use vectorcode_store::{ChunkFilter, IndexReader, IndexWriter, NameMatch, SqliteWriter, Stage, StoreError};

use crate::fixture::{Index, file, state, vector};

#[test]
fn what_is_written_is_read_back() {
    let mut index = Index::new();
    let update = file("src/a.rs", &["createUser makes a user", "drop_user removes it"]);
    let outcome = index.writer.write_files(std::slice::from_ref(&update)).unwrap();
    assert_eq!((outcome.chunks_new, outcome.chunks_unchanged), (2, 0));

    let stored = index.writer.chunks_of("src/a.rs").unwrap();
    let chunks: Vec<_> = stored.iter().map(|stored| stored.chunk.clone()).collect();
    assert_eq!(chunks, update.parsed.chunks);
    let definitions: Vec<_> = index
        .writer
        .definitions_of("src/a.rs")
        .unwrap()
        .into_iter()
        .map(|stored| stored.definition)
        .collect();
    assert_eq!(definitions, update.parsed.definitions);
    assert_eq!(index.writer.file("src/a.rs").unwrap(), Some(update.state));
}

#[test]
fn an_edit_keeps_the_rows_and_vectors_of_unchanged_chunks() {
    let mut index = Index::new();
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2", "three 3"])]).unwrap();
    let pending = index.writer.pending(10).unwrap();
    let vectors: Vec<_> = pending.iter().map(|chunk| (chunk.row, vector(7))).collect();
    index.writer.write_vectors(&vectors).unwrap();

    let outcome =
        index.writer.write_files(&[file("a.rs", &["zero 0", "one 1", "two two", "three 3"])]).unwrap();
    assert_eq!((outcome.chunks_new, outcome.chunks_unchanged), (2, 2));
    assert_eq!(index.contents_of("a.rs"), ["zero 0", "one 1", "two two", "three 3"]);
    let waiting: Vec<_> = index.writer.pending(10).unwrap().into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(waiting, ["rust | a.rs | zero\nzero 0", "rust | a.rs | two\ntwo two"]);
    assert_eq!(index.writer.stats().unwrap().embedded, 2);
}

#[test]
fn a_removed_file_leaves_nothing_behind() {
    let mut index = Index::new();
    index.writer.write_files(&[file("a.rs", &["one 1"]), file("b.rs", &["two 2"])]).unwrap();
    let pending = index.writer.pending(10).unwrap();
    index.writer.write_vectors(&[(pending[0].row, vector(1))]).unwrap();
    index.writer.remove_files(&["a.rs".into(), "b.rs".into(), "never.rs".into()]).unwrap();

    let stats = index.writer.stats().unwrap();
    assert_eq!((stats.files, stats.chunks, stats.symbols, stats.embedded), (0, 0, 0, 0));
    let all = ChunkFilter::default();
    assert!(index.writer.nearest(Stage::Static, &vector(1), &all, 5).unwrap().is_empty());
    assert!(index.writer.nearest(Stage::Provider, &vector(1), &all, 5).unwrap().is_empty());
    assert!(index.writer.definitions(&NameMatch::Fuzzy("one".into()), &all, 5).unwrap().is_empty());
    assert_eq!(index.rows_left(), Vec::<String>::new());
}

#[test]
fn a_touched_file_keeps_everything_but_its_time() {
    let mut index = Index::new();
    index.writer.write_files(&[file("a.rs", &["one 1"]), file("b.rs", &["two 2"])]).unwrap();
    let mut later = state("one 1");
    later.mtime_ns = 99;
    index.writer.touch_files(&[("a.rs".into(), later.clone())]).unwrap();
    assert_eq!(index.writer.file("a.rs").unwrap(), Some(later));
    let order: Vec<_> = index.writer.pending(10).unwrap().into_iter().map(|chunk| chunk.path).collect();
    assert_eq!(order, ["a.rs", "b.rs"], "the most recently modified first");
}

#[test]
fn a_vector_that_comes_too_late_is_dropped() {
    let mut index = Index::new();
    index.writer.write_files(&[file("a.rs", &["one 1"])]).unwrap();
    let late = index.writer.pending(1).unwrap()[0].row;
    index.writer.write_files(&[file("a.rs", &["two 2"])]).unwrap();
    index.writer.write_vectors(&[(late, vector(1))]).unwrap();
    let stats = index.writer.stats().unwrap();
    assert_eq!((stats.chunks, stats.embedded), (1, 0));
}

#[test]
fn a_refused_text_is_not_offered_again() {
    let mut index = Index::new();
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let row = index.writer.pending(1).unwrap()[0].row;
    index.writer.refuse(row, "too long").unwrap();
    index.writer.write_files(&[file("a.rs", &["zero 0", "one 1", "two 2"])]).unwrap();
    let stats = index.writer.stats().unwrap();
    assert_eq!((stats.refused, stats.embedded, index.writer.pending(10).unwrap().len()), (1, 0, 2));
}

#[test]
fn another_provider_begins_without_vectors_and_keeps_everything_else() {
    let mut index = Index::new();
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2", "three 3"])]).unwrap();
    let pending = index.writer.pending(10).unwrap();
    index.writer.write_vectors(&[(pending[0].row, vector(1)), (pending[1].row, vector(2))]).unwrap();
    index.writer.refuse(pending[2].row, "too long").unwrap();
    let reader = index.reader();
    let mut other = SqliteWriter::open(index.writer.path()).unwrap();
    assert_eq!(reader.nearest(Stage::Provider, &vector(1), &ChunkFilter::default(), 5).unwrap().len(), 2);

    let space = VectorSpace::new("ollama", "test", 3);
    index.writer.change_provider(&space).unwrap();
    assert_eq!(
        (index.writer.spaces().unwrap().provider, reader.spaces().unwrap().provider),
        (space.clone(), space)
    );
    let stats = reader.stats().unwrap();
    assert_eq!((stats.chunks, stats.embedded, stats.refused), (3, 0, 0));
    assert_eq!(reader.nearest(Stage::Static, &vector(1), &ChunkFilter::default(), 5).unwrap().len(), 3);
    let late = other.write_vectors(&[(pending[0].row, vector(1))]);
    assert!(matches!(late, Err(StoreError::ProviderMismatch { .. })), "{late:?}");

    let pending = reader.pending(10).unwrap();
    assert_eq!(pending.len(), 3);
    index.writer.write_vectors(&[(pending[0].row, vec![1.0, 0.0, 0.0])]).unwrap();
    let found = reader.nearest(Stage::Provider, &[1.0, 0.0, 0.0], &ChunkFilter::default(), 5).unwrap();
    assert_eq!(found.iter().map(|scored| scored.row).collect::<Vec<_>>(), [pending[0].row]);
}
