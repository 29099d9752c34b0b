//! Compares searches with a brute-force evaluation, for arbitrary writes and queries.

use std::collections::BTreeMap;

use proptest::prelude::*;
use vectorcode_core::{PathFilter, PathPattern};
use vectorcode_store::{
    Candidate, CandidateQuery, ChunkFilter, FileUpdate, IndexReader, NameMatch, NameQuery, StoredChunk,
    TestCode, TextQuery, TextTerm,
};

use crate::fixture::{Index, OpenStore, Vectors, file, full_text, nearest, seed, vector};

const PATHS: [&str; 6] = ["src/a.rs", "src/deep/b.rs", "tests/c.rs", "d.py", "src/e.py", "README.md"];

fn updates() -> impl Strategy<Value = Vec<FileUpdate>> {
    let line = prop::sample::select(vec!["one red", "Two red blue", "three blue", "four green red", "five"]);
    let lines = prop::collection::vec(line, 1..5);
    let update =
        (prop::sample::select(PATHS.to_vec()), lines).prop_map(|(path, lines)| by_text(file(path, &lines)));
    prop::collection::vec(update, 1..10)
}

/// Makes vectors depend on the text, like those of a model: a backend may store one vector for all chunks with the same text.
pub fn by_text(mut update: FileUpdate) -> FileUpdate {
    let chunks = update.parsed.chunks.iter();
    update.static_vectors = chunks.map(|chunk| Some(vector(seed(&chunk.embedding_text())))).collect();
    update
}

fn filters() -> impl Strategy<Value = ChunkFilter> {
    let languages =
        prop::sample::select(vec![vec![], vec!["rust".to_owned()], vec!["python".into(), "go".into()]]);
    let prefix = prop::option::of(prop::sample::select(vec!["src/".to_owned(), "te".into(), "x".into()]));
    let glob =
        prop::option::of(prop::sample::select(vec!["*.rs".to_owned(), "src/**".into(), "src/*.rs".into()]));
    let kind = prop::option::of(prop::sample::select(vec!["struct".to_owned(), "function_item".into()]));
    let tests = prop::sample::select(vec![TestCode::Any, TestCode::Exclude, TestCode::Only]);
    (languages, prefix, glob, kind, tests).prop_map(|(languages, prefix, glob, kind, tests)| {
        // Including both would match paths that pass either one: a path has to match only one of the included patterns.
        let paths = match (prefix, glob) {
            (Some(prefix), Some(glob)) => PathFilter::parse([prefix, format!("!{glob}")]),
            (prefix, glob) => PathFilter::parse(prefix.or(glob)),
        };
        let kinds = kind.into_iter().collect();
        ChunkFilter { languages, paths, kinds, tests, ..ChunkFilter::default() }
    })
}

/// The filter, implemented in the simplest way.
fn allows(filter: &ChunkFilter, stored: &StoredChunk) -> bool {
    let chunk = &stored.chunk;
    let is_struct = chunk.symbol.as_ref().is_some_and(|name| name.starts_with(char::is_uppercase));
    let matches = |pattern: &PathPattern| match pattern {
        PathPattern::Prefix(prefix) => chunk.path.starts_with(prefix),
        PathPattern::Glob(glob) => match glob.as_str() {
            "*.rs" => chunk.path.contains(".rs"),
            "src/**" => chunk.path.starts_with("src/"),
            _ => chunk.path == "src/a.rs",
        },
    };
    let PathFilter { include, exclude } = &filter.paths;
    (filter.languages.is_empty() || filter.languages.contains(&chunk.language))
        && (include.is_empty() || include.iter().any(matches))
        && !exclude.iter().any(matches)
        && filter.kinds.first().is_none_or(|kind| *kind == chunk.kind || (kind == "struct" && is_struct))
        && match filter.tests {
            TestCode::Any => true,
            TestCode::Exclude => !chunk.is_test,
            TestCode::Only => chunk.is_test,
        }
}

fn every_chunk(index: &Index) -> Vec<StoredChunk> {
    let paths = index.read().files().unwrap();
    paths.keys().flat_map(|path| index.read().chunks_of(path).unwrap()).collect()
}

fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(24)
}

pub fn a_filtered_search_finds_the_best_that_the_filter_allows(open: OpenStore) {
    proptest!(cases(), |(updates in updates(), filter in filters(), seed in 0_usize..50, k in 0_usize..8)| {
        let mut index = Index::new(open);
        let reader = index.reader();
        for update in &updates {
            index.writer.write_files(std::slice::from_ref(update)).unwrap();
            // A reader that follows every step must end up in the same state as a new one.
            nearest(&*reader, Vectors::Static, &vector(seed), &filter, k).unwrap();
        }
        let everything = every_chunk(&index);
        let allowed: Vec<_> = everything.iter().filter(|stored| allows(&filter, stored)).map(|s| s.row).collect();
        let everything = ChunkFilter::default();
        let mut expected = nearest(&*reader, Vectors::Static, &vector(seed), &everything, 1000).unwrap();
        expected.retain(|(row, _)| allowed.contains(row));
        expected.truncate(k);

        for reader in [&reader, &index.reader()] {
            let near = nearest(&**reader, Vectors::Static, &vector(seed), &filter, k).unwrap();
            prop_assert_eq!(&near, &expected);
        }
    });
}

pub fn words_find_the_chunks_that_hold_them(open: OpenStore) {
    proptest!(cases(), |(updates in updates(), filter in filters(), removed in 0_usize..6, words in prop::collection::vec(prop::sample::select(vec!["red", "blue", "green", "nowhere"]), 1..3))| {
        let mut index = Index::new(open);
        for update in &updates {
            index.writer.write_files(std::slice::from_ref(update)).unwrap();
        }
        index.writer.remove_files(&[PATHS[removed].to_owned()]).unwrap();
        let mut expected: Vec<_> = every_chunk(&index)
            .iter()
            .filter(|stored| allows(&filter, stored))
            .filter(|stored| stored.chunk.content.split(' ').any(|word| words.contains(&word)))
            .map(|stored| stored.row)
            .collect();
        expected.sort();
        let mut found: Vec<_> =
            full_text(index.read(), &words, &filter, 100).into_iter().map(|(row, _)| row).collect();
        found.sort();
        prop_assert_eq!(found, expected);
    });
}

/// Everything that ranking sees of an index, by location, because row ids differ between indexes.
fn measured(reader: &dyn IndexReader, query: &CandidateQuery) -> Vec<(String, u32, f32, Option<f32>, usize)> {
    let found = reader.candidates(query).unwrap();
    let measure = |found: Candidate| {
        let chunk = &found.chunk;
        let (path, line) = (chunk.path.to_string(), chunk.span.start_line);
        (path, line, found.full_text, found.static_similarity, found.names.len())
    };
    found.into_iter().map(measure).collect()
}

/// Regression test: deleted chunks used to count towards the number of documents, their length and the rarity of words until
/// their segments were merged, so the scores of an edited index drifted away from those of a new one.
pub fn an_edited_index_ranks_like_a_new_one(open: OpenStore) {
    let words = prop::collection::vec(prop::sample::select(vec!["red", "blue", "green", "one", "src"]), 1..4);
    proptest!(cases(), |(updates in edits(), removed in 0_usize..6, words in words, seed in 0_usize..50, depth in 1_usize..8)| {
        let mut edited = Index::new(open);
        let mut last: BTreeMap<String, FileUpdate> = BTreeMap::new();
        for update in &updates {
            edited.writer.write_files(std::slice::from_ref(update)).unwrap();
            last.insert(update.parsed.path.clone(), update.clone());
        }
        edited.writer.remove_files(&[PATHS[removed].to_owned()]).unwrap();
        last.remove(PATHS[removed]);
        let mut fresh = Index::new(open);
        fresh.writer.write_files(&last.into_values().collect::<Vec<_>>()).unwrap();

        let terms = words.iter().map(|word| TextTerm { word: (*word).into(), prefix: false }).collect();
        let names = NameMatch::Words(words.iter().map(|word| (*word).to_owned()).collect());
        let query = CandidateQuery {
            text: TextQuery { terms },
            static_vector: Some(vector(seed)),
            names: vec![NameQuery { name: names, limit: 3 }],
            depth,
            ..CandidateQuery::default()
        };
        prop_assert_eq!(measured(edited.read(), &query), measured(fresh.read(), &query));
    });
}

/// More edits than there are files, so that most of them replace something.
fn edits() -> impl Strategy<Value = Vec<FileUpdate>> {
    prop::collection::vec(updates(), 1..5).prop_map(|rounds| rounds.into_iter().flatten().collect())
}

/// Tests a new reader, one that has been used before, and both after edits.
pub fn the_nearest_of_many_are_those_of_a_comparison_with_all(open: OpenStore) {
    let mut index = Index::new(open);
    let reader = index.reader();
    let (all, k) = (ChunkFilter::default(), 40);
    for edit in 0..3 {
        let lines: Vec<String> = (edit * 7..60).map(|line| format!("name{line} of edit {edit}")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let files: Vec<FileUpdate> =
            (edit..30).map(|number| file(&format!("src/{number}.rs"), &lines)).collect();
        index.writer.write_files(&files).unwrap();
        for question in 0..3 {
            let near = |k| nearest(&*reader, Vectors::Static, &vector(question), &all, k).unwrap();
            assert_eq!(near(k), near(5000)[..k], "edit {edit}, question {question}");
        }
    }
}

pub fn no_text_of_a_user_breaks_a_search(open: OpenStore) {
    proptest!(cases(), |(text in "\\PC{0,40}", prefix in any::<bool>())| {
        let mut index = Index::new(open);
        index.writer.write_files(&[file("a.rs", &["one NEAR AND", "two \" OR *"])]).unwrap();
        let words = TextQuery { terms: vec![TextTerm { word: text.clone(), prefix }] };
        let query = CandidateQuery { text: words, depth: 5, ..CandidateQuery::default() };
        index.read().candidates(&query).unwrap();
        let all = ChunkFilter::default();
        for name in [
            NameMatch::Exact(text.clone()),
            NameMatch::Prefix(text.clone()),
            NameMatch::Fuzzy(text.clone()),
            NameMatch::Words(vec![text.clone()]),
            NameMatch::Words(vec![]),
        ] {
            index.read().definitions(&name, &all, 5).unwrap();
        }
        let filter = ChunkFilter { paths: PathFilter::prefix(text.clone()), kinds: vec![text.clone()], ..all };
        index.read().candidates(&CandidateQuery { filter, ..query }).unwrap();
    });
}
