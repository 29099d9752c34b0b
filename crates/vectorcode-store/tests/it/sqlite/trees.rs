//! Tests that commits share the tables of the working tree.

use std::time::Duration;

use crate::fixture::{Index, file, sqlite, vector};
use crate::suite::equivalence::by_text;
use crate::suite::trees::{answers, by_path, key, new_index_of, write_tree};

#[test]
fn a_commit_shares_what_the_working_tree_has() {
    let mut index = Index::new(sqlite);
    let files = by_path([file("a.rs", &["one red", "two red"]), file("b.rs", &["three blue"])]);
    index.writer.write_files(&files.values().cloned().collect::<Vec<_>>()).unwrap();
    let chunks = |index: &Index| count(index, "chunk_rows");
    write_tree(&index, &key(1), &files);
    assert_eq!(chunks(&index), 3);

    // The commit keeps its file versions when the working tree changes. They are deleted with the commit.
    index.writer.write_files(&[file("a.rs", &["one red", "two green"])]).unwrap();
    index.writer.remove_files(&["b.rs".into()]).unwrap();
    assert_eq!(chunks(&index), 5);
    assert_eq!(index.writer.forget_trees(Duration::ZERO, 0).unwrap(), 2);
    assert_eq!(chunks(&index), 2);
}

/// A file version that differs in one chunk costs only that chunk, regardless of which version is forgotten first.
#[test]
fn contents_of_a_path_share_what_they_have_in_common() {
    let lines: Vec<String> = (0..20).map(|line| format!("line {line} blue")).collect();
    let version = |edits: usize| {
        let edit =
            |(line, text): (usize, &String)| if line < edits { format!("{text} red") } else { text.clone() };
        let lines: Vec<String> = lines.iter().enumerate().map(edit).collect();
        by_text(file("a.rs", &lines.iter().map(String::as_str).collect::<Vec<_>>()))
    };
    let mut index = Index::new(sqlite);
    index.writer.write_files(&[version(0)]).unwrap();
    for commit in [1, 2, 3] {
        write_tree(&index, &key(commit), &by_path([version(commit)]));
    }
    index.writer.write_files(&[version(4)]).unwrap();
    let stored = |index: &Index| ["chunk_text", "chunk_words", "vec_static"].map(|table| count(index, table));
    assert_eq!(count(&index, "chunk_rows"), 4 * 20);
    assert_eq!(stored(&index), [19 + 4; 3], "the old version of the first line is gone");

    for commit in [1, 2, 3] {
        let expected = answers(new_index_of(&by_path([version(commit)])).read());
        assert_eq!(answers(&*index.store.tree_reader(&key(commit)).unwrap().unwrap()), expected);
    }
    index.writer.remove_files(&["a.rs".into()]).unwrap();
    assert_eq!(stored(&index), [19 + 3; 3]);
    index.writer.forget_trees(Duration::from_hours(1), 1).unwrap();
    assert_eq!(stored(&index), [20; 3]);
    index.writer.forget_trees(Duration::ZERO, 0).unwrap();
    assert_eq!(stored(&index), [0; 3]);
}

fn count(index: &Index, table: &str) -> i64 {
    let conn = rusqlite::Connection::open(index.directory.path().join("index.db")).unwrap();
    conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
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
