//! Commits share the tables of the working tree.

use std::time::Duration;

use crate::fixture::{Index, file, sqlite, vector};
use crate::suite::trees::{by_path, key, write_tree};

#[test]
fn a_commit_shares_what_the_working_tree_has() {
    let mut index = Index::new(sqlite);
    let files = by_path([file("a.rs", &["one red", "two red"]), file("b.rs", &["three blue"])]);
    index.writer.write_files(&files.values().cloned().collect::<Vec<_>>()).unwrap();
    let chunks = |index: &Index| {
        let conn = rusqlite::Connection::open(index.directory.path().join("index.db")).unwrap();
        conn.query_row("SELECT count(*) FROM chunk_rows", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    write_tree(&index, &key(1), &files);
    assert_eq!(chunks(&index), 3);

    // The commit keeps its contents when the working tree goes on, and they are gone with it.
    index.writer.write_files(&[file("a.rs", &["one red", "two green"])]).unwrap();
    index.writer.remove_files(&["b.rs".into()]).unwrap();
    assert_eq!(chunks(&index), 5);
    assert_eq!(index.writer.forget_trees(Duration::ZERO, 0).unwrap(), 2);
    assert_eq!(chunks(&index), 2);
}

#[test]
fn what_only_a_commit_has_is_embedded_after_the_working_tree() {
    let mut index = Index::new(sqlite);
    write_tree(&index, &key(1), &by_path([file("a.rs", &["one red"])]));
    index.writer.write_files(&[file("b.rs", &["two blue"])]).unwrap();
    for path in ["b.rs", "a.rs"] {
        let pending = index.read().pending(9).unwrap();
        assert_eq!(pending.iter().map(|chunk| &*chunk.path).collect::<Vec<_>>(), [path]);
        index.writer.write_vectors(&[(pending[0].row, vector(1))]).unwrap();
    }
    assert!(index.read().pending(9).unwrap().is_empty());
    assert_eq!(index.store.tree_reader(&key(1)).unwrap().unwrap().stats().unwrap().embedded, 1);
}
