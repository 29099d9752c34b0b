//! Tests indexed commits: after any sequence of writes, each must answer like an index of its own files.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use vectorcode_core::{BlobId, CommitId};
use vectorcode_store::{
    CandidateQuery, FileRow, FileUpdate, IndexReader, IndexWriter, NameMatch, NameQuery, StoreErrorCode,
    TextQuery, TextTerm, TreeKey,
};

use super::equivalence::by_text;
use crate::fixture::{Index, OpenStore, code, file, sqlite, vector};

pub const PATHS: [&str; 4] = ["src/a.rs", "src/b.rs", "tests/c.rs", "README.md"];

pub type Files = BTreeMap<String, FileUpdate>;

#[derive(Clone, Debug)]
enum Step {
    Write(Box<FileUpdate>),
    Remove(&'static str),
    Ask(Vec<FileUpdate>),
    Forget,
    Compact,
}

pub fn update() -> impl Strategy<Value = FileUpdate> {
    let line = prop::sample::select(vec!["one red", "Two red blue", "three blue", "four green red"]);
    (prop::sample::select(PATHS.to_vec()), prop::collection::vec(line, 1..4))
        .prop_map(|(path, lines)| by_text(file(path, &lines)))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => update().prop_map(|update| Step::Write(Box::new(update))),
        1 => prop::sample::select(PATHS.to_vec()).prop_map(Step::Remove),
        3 => prop::collection::vec(update(), 0..4).prop_map(Step::Ask),
        1 => Just(Step::Forget),
        1 => Just(Step::Compact),
    ];
    prop::collection::vec(step, 1..12)
}

pub fn key(number: usize) -> TreeKey {
    let mut commit = [7; 20];
    commit[0] = number as u8;
    TreeKey { commit: CommitId::from_bytes(&commit).unwrap(), rules: [1; 16] }
}

pub fn by_path(updates: impl IntoIterator<Item = FileUpdate>) -> Files {
    updates.into_iter().map(|update| (update.parsed.path.clone(), update)).collect()
}

/// Indexes a commit like the engine: writes only the file versions that are not stored yet.
pub fn write_tree(index: &Index, key: &TreeKey, files: &Files) {
    let mut writer = index.store.tree_writer(key).unwrap();
    let row_of = |writer: &dyn IndexWriter, update: &FileUpdate| -> Option<FileRow> {
        let contents = writer.reader().contents().unwrap();
        let stored = contents.get(&update.parsed.path)?;
        stored.iter().find(|content| content.state.blob == update.state.blob).map(|content| content.file)
    };
    let new: Vec<FileUpdate> =
        files.values().filter(|update| row_of(&*writer, update).is_none()).cloned().collect();
    let prepared = new.iter().map(writer.preparation()).collect();
    writer.write_contents(&new, prepared).unwrap();
    let rows: Vec<FileRow> = files.values().map(|update| row_of(&*writer, update).unwrap()).collect();
    writer.write_tree(key, &rows, 0).unwrap();
}

/// The data behind searches, symbols and the graph, without row ids, which differ between indexes and backends.
#[derive(Debug, PartialEq)]
pub struct Answers {
    /// Path, first line, full-text score, similarity, number of matching names.
    found: Vec<(String, u32, f32, Option<f32>, usize)>,
    files: BTreeMap<String, Option<BlobId>>,
    texts: Vec<(String, String)>,
    counts: [u64; 5],
}

pub fn answers(reader: &dyn IndexReader) -> Answers {
    let words = ["red", "blue", "one", "src"];
    let terms = words.map(|word| TextTerm { word: word.into(), prefix: false }).to_vec();
    let names = NameMatch::Words(words.map(str::to_owned).to_vec());
    let query = CandidateQuery {
        text: TextQuery { terms },
        static_vector: Some(vector(3)),
        names: vec![NameQuery { name: names, limit: 3 }],
        depth: 5,
        ..CandidateQuery::default()
    };
    let found = reader.candidates(&query).unwrap().into_iter();
    let found = found.map(|found| {
        let (path, line) = (found.chunk.path.to_string(), found.chunk.span.start_line);
        (path, line, found.full_text, found.static_similarity, found.names.len())
    });
    let files: BTreeMap<_, _> =
        reader.files().unwrap().into_iter().map(|(path, state)| (path, state.blob)).collect();
    let texts = files.keys().flat_map(|path| reader.chunks_of(path).unwrap());
    let texts = texts.map(|stored| (stored.chunk.path, stored.chunk.content)).collect();
    let definitions = reader.definitions_named(&["one", "Two", "three"]).unwrap().len() as u64;
    let uses = reader.references_named(&["red", "blue"]).unwrap().len() as u64;
    let (imports, stats) = (reader.imports().unwrap().len() as u64, reader.stats().unwrap());
    let counts = [definitions, uses, imports, stats.files, stats.chunks];
    Answers { found: found.collect(), files, texts, counts }
}

pub fn new_index_of(files: &Files) -> Index {
    let mut index = Index::new(sqlite);
    index.writer.write_files(&files.values().cloned().collect::<Vec<_>>()).unwrap();
    index
}

pub fn every_tree_answers_as_an_index_of_its_own_files(open: OpenStore) {
    proptest!(ProptestConfig::with_cases(10), |(steps in steps())| {
        let mut index = Index::new(open);
        let mut working = Files::new();
        let mut trees: Vec<(Arc<dyn IndexReader>, Answers)> = Vec::new();
        let reader = index.reader();
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Write(update) => {
                    index.writer.write_files(std::slice::from_ref(&*update)).unwrap();
                    working.extend(by_path([*update]));
                }
                Step::Remove(path) => {
                    index.writer.remove_files(&[path.to_owned()]).unwrap();
                    working.remove(path);
                }
                Step::Ask(updates) => {
                    let files = by_path(updates);
                    write_tree(&index, &key(number), &files);
                    let reader = index.store.tree_reader(&key(number)).unwrap().unwrap();
                    trees.push((reader, answers(new_index_of(&files).read())));
                }
                Step::Forget => {
                    index.writer.forget_trees(Duration::ZERO, 0).unwrap();
                    for (reader, _) in trees.drain(..) {
                        prop_assert_eq!(code(reader.version()), Some(StoreErrorCode::TreeGone));
                    }
                }
                Step::Compact => index.writer.compact().unwrap(),
            }
            prop_assert_eq!(answers(&*reader), answers(new_index_of(&working).read()));
            for (reader, expected) in &trees {
                prop_assert_eq!(&answers(&**reader), expected);
            }
        }
        index.read().verify().unwrap();
    });
}

pub fn vectors_of_the_working_tree_are_those_of_the_same_text_in_a_commit(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one red", "two red"])]).unwrap();
    let pending = index.read().pending(9).unwrap();
    index.writer.write_vectors(&[(pending[0].row, vector(1)), (pending[1].row, vector(2))]).unwrap();
    write_tree(&index, &key(1), &by_path([file("a.rs", &["one red", "two blue"])]));
    let commit = index.store.tree_reader(&key(1)).unwrap().unwrap();
    assert_eq!(commit.stats().unwrap().embedded, 1);
}

pub fn the_oldest_of_too_many_commits_are_forgotten(open: OpenStore) {
    let mut index = Index::new(open);
    for number in 0..4 {
        let text = format!("one {number}");
        write_tree(&index, &key(number), &by_path([file("a.rs", &[&text])]));
    }
    assert_eq!(index.writer.forget_trees(Duration::from_hours(1), 3).unwrap(), 1);
    let is_kept = |number| index.store.tree_reader(&key(number)).unwrap().is_some();
    assert_eq!([0, 1, 2, 3].map(is_kept), [false, true, true, true]);
}

pub fn a_commit_that_was_begun_and_given_up_is_not_there(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one red"])]).unwrap();
    for _ in 0..2 {
        let mut writer = index.store.tree_writer(&key(1)).unwrap();
        let new = [file("b.rs", &["two blue"])];
        let prepared = new.iter().map(writer.preparation()).collect();
        writer.write_contents(&new, prepared).unwrap();
        assert!(index.store.tree_reader(&key(1)).unwrap().is_none());
    }
    assert_eq!(index.read().files().unwrap().into_keys().collect::<Vec<_>>(), ["a.rs"]);
    write_tree(&index, &key(1), &by_path([file("b.rs", &["two blue"])]));
    let Index { store, writer, .. } = index;
    // Windows cannot delete an open file.
    drop(writer);
    store.remove().unwrap();
    assert!(store.tree_reader(&key(1)).map_or(true, |reader| reader.is_none()));
}
