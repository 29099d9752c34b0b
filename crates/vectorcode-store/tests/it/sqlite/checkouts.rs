//! Tests linked worktrees that share the main worktree's index: after any sequence of writes, each must answer like an index of
//! its own.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use vectorcode_core::SkipReason;
use vectorcode_store::{FileRow, FileUpdate, IndexReader, IndexWriter, SqliteStore, Store, StoreErrorCode};

use crate::fixture::{Index, code, file, spaces, sqlite, vector};
use crate::suite::trees::{Answers, Files, PATHS, answers, by_path, key, new_index_of, update, write_tree};

#[derive(Clone, Debug)]
enum Step {
    Write(Box<FileUpdate>),
    Remove(&'static str),
    /// Stored file versions become files of this worktree.
    Link(usize),
    Touch(&'static str, i64),
    Ask(Vec<FileUpdate>),
    ForgetCommits,
    ForgetCheckout,
    Rebuild,
    Compact,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let path = || prop::sample::select(PATHS.to_vec());
    let step = prop_oneof![
        8 => update().prop_map(|update| Step::Write(Box::new(update))),
        2 => path().prop_map(Step::Remove),
        3 => (0..3_usize).prop_map(Step::Link),
        1 => (path(), 5..9_i64).prop_map(|(path, time)| Step::Touch(path, time)),
        2 => prop::collection::vec(update(), 0..4).prop_map(Step::Ask),
        1 => Just(Step::ForgetCommits),
        1 => Just(Step::ForgetCheckout),
        1 => Just(Step::Rebuild),
        1 => Just(Step::Compact),
    ];
    prop::collection::vec((0..3_usize, step), 1..12)
}

/// A worktree and its expected state.
struct Worktree {
    store: SqliteStore,
    files: Files,
    /// The answers of an index with only these files, and the modification times.
    expected: Expected,
    reader: Arc<dyn IndexReader>,
}

type Expected = (Answers, Vec<(String, i64)>);

fn expected(files: &Files) -> Expected {
    let times = files.iter().map(|(path, update)| (path.clone(), update.state.mtime_ns)).collect();
    (answers(new_index_of(files).read()), times)
}

fn given(reader: &dyn IndexReader) -> Expected {
    let files = reader.files().unwrap().into_iter();
    let mut times: Vec<(String, i64)> = files.map(|(path, state)| (path, state.mtime_ns)).collect();
    times.sort();
    (answers(reader), times)
}

impl Worktree {
    fn new(main: &SqliteStore, name: Option<&str>, directory: &std::path::Path) -> Self {
        let store = match name {
            Some(name) => main.clone().of_worktree(name, &directory.join(name)),
            None => main.clone(),
        };
        store.create(&spaces()).unwrap();
        let reader = store.reader().unwrap();
        Self { store, files: Files::new(), expected: expected(&Files::new()), reader }
    }

    fn writer(&self) -> Box<dyn IndexWriter> {
        self.store.writer().unwrap()
    }
}

/// The rows that contain these files, with their modification times.
fn rows_of(reader: &dyn IndexReader, files: &Files) -> Vec<(FileRow, i64)> {
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    let contents = reader.contents_at(&paths).unwrap();
    let row = |update: &FileUpdate| {
        let mut found = contents.get(&update.parsed.path).into_iter().flatten();
        let found = found.find(|content| content.state.hash == update.state.hash);
        (found.expect("some worktree has it").file, update.state.mtime_ns)
    };
    files.values().map(row).collect()
}

#[test]
fn every_worktree_answers_as_an_index_of_its_own_files() {
    proptest!(ProptestConfig::with_cases(10), |(steps in steps())| {
        let directory = tempfile::tempdir().unwrap();
        let main = SqliteStore::open_in(directory.path());
        let names = [None, Some("topic"), Some("it's")];
        let mut trees = names.map(|name| Worktree::new(&main, name, directory.path()));
        let mut commits: Vec<(Arc<dyn IndexReader>, _)> = Vec::new();
        for (number, (place, step)) in steps.into_iter().enumerate() {
            match step {
                Step::Write(update) => {
                    trees[place].writer().write_files(std::slice::from_ref(&*update)).unwrap();
                    trees[place].files.extend(by_path([*update]));
                }
                Step::Remove(path) => {
                    trees[place].writer().remove_files(&[path.to_owned()]).unwrap();
                    trees[place].files.remove(path);
                }
                Step::Link(from) => {
                    let files = trees[from].files.clone();
                    let rows = rows_of(&*trees[place].reader, &files);
                    trees[place].writer().link_files(&rows).unwrap();
                    trees[place].files.extend(files);
                }
                Step::Touch(path, time) => {
                    if let Some(update) = trees[place].files.get_mut(path) {
                        update.state.mtime_ns = time;
                        let state = update.state.clone();
                        trees[place].writer().touch_files(&[(path.to_owned(), state)]).unwrap();
                    }
                }
                Step::Ask(updates) => {
                    let (files, store) = (by_path(updates), Arc::new(trees[place].store.clone()));
                    let index = Index { directory: tempfile::tempdir().unwrap(), writer: store.writer().unwrap(), store };
                    write_tree(&index, &key(number), &files);
                    let reader = index.store.tree_reader(&key(number)).unwrap().unwrap();
                    commits.push((reader, answers(new_index_of(&files).read())));
                }
                Step::ForgetCommits => {
                    trees[place].writer().forget_trees(Duration::ZERO, 0).unwrap();
                    commits.clear();
                }
                Step::ForgetCheckout if place > 0 => {
                    trees[place].store.remove().unwrap();
                    prop_assert!(!trees[place].store.exists());
                    prop_assert_eq!(code(trees[place].reader.version()), Some(StoreErrorCode::NotInitialized));
                    trees[place] = Worktree::new(&main, names[place], directory.path());
                }
                Step::ForgetCheckout => {}
                Step::Rebuild => {
                    let mut rebuild = trees[place].store.rebuild(&spaces()).unwrap();
                    let files: Vec<FileUpdate> = trees[place].files.values().cloned().collect();
                    rebuild.writer().write_files(&files).unwrap();
                    rebuild.commit().unwrap();
                    commits.clear();
                    let kept = trees[place].files.clone();
                    for tree in &mut trees {
                        tree.files.retain(|path, update| {
                            kept.get(path).is_some_and(|kept| kept.state.hash == update.state.hash)
                        });
                        tree.expected = expected(&tree.files);
                    }
                }
                Step::Compact => trees[place].writer().compact().unwrap(),
            }
            trees[place].expected = expected(&trees[place].files);
            for tree in &trees {
                prop_assert_eq!(&given(&*tree.reader), &tree.expected);
            }
            for (reader, expected) in &commits {
                prop_assert_eq!(&answers(&**reader), expected);
            }
        }
        trees[0].reader.verify().unwrap();
    });
}

#[test]
fn what_two_worktrees_have_is_stored_once() {
    let mut index = Index::new(sqlite);
    index.writer.write_files(&[file("a.rs", &["one red", "two red"])]).unwrap();
    let pending = index.read().pending(9).unwrap();
    index.writer.write_vectors(&[(pending[0].row, vector(1)), (pending[1].row, vector(2))]).unwrap();
    let main = SqliteStore::open_in(index.directory.path());
    let topic = main.of_worktree("topic", &index.directory.path().join("topic"));
    let mut writer = topic.create(&spaces()).unwrap();
    writer.write_files(&[file("a.rs", &["one red", "two red"]), file("b.rs", &["one red"])]).unwrap();
    assert_eq!(writer.reader().stats().unwrap().embedded, 2, "vectors are shared");
    writer.write_files(&[file("a.rs", &["one red", "two blue"])]).unwrap();
    assert_eq!(writer.reader().stats().unwrap().embedded, 1, "vectors are copied if texts are equal");
    assert_eq!(index.read().stats().unwrap().embedded, 2, "the main worktree keeps its own");
    assert_eq!(writer.forget_checkouts(&["topic".into()]).unwrap(), 2, "nothing is left behind");
    assert_eq!(index.read().checkouts().unwrap(), [""; 0]);
}

#[test]
fn what_is_noted_of_a_worktree_is_its_own() {
    let mut index = Index::new(sqlite);
    index.writer.set_meta("last_sync_at", "today").unwrap();
    index.writer.set_skipped(&[(SkipReason::Binary, 3)]).unwrap();
    let main = SqliteStore::open_in(index.directory.path());
    let topic = main.of_worktree("topic", &index.directory.path().join("topic"));
    let mut writer = topic.create(&spaces()).unwrap();
    assert_eq!(writer.reader().meta("last_sync_at").unwrap(), None);
    assert_eq!(writer.reader().skipped().unwrap(), []);
    writer.set_meta("last_sync_at", "yesterday").unwrap();
    writer.set_skipped(&[(SkipReason::Binary, 1)]).unwrap();
    assert_eq!(index.read().meta("last_sync_at").unwrap().as_deref(), Some("today"));
    assert_eq!(index.read().skipped().unwrap(), [(SkipReason::Binary, 3)]);
}
