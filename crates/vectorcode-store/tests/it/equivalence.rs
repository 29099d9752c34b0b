//! Whatever is written and asked, a search finds what looking at everything would find.

use proptest::prelude::*;
use vectorcode_store::{
    ChunkFilter, FileUpdate, IndexReader, IndexWriter, Stage, StoredChunk, TestCode, TextQuery, TextTerm,
};

use crate::fixture::{Index, file, vector};

const PATHS: [&str; 6] = ["src/a.rs", "src/deep/b.rs", "tests/c.rs", "d.py", "src/e.py", "README.md"];

fn updates() -> impl Strategy<Value = Vec<FileUpdate>> {
    let line = prop::sample::select(vec!["one red", "Two red blue", "three blue", "four green red", "five"]);
    let lines = prop::collection::vec(line, 1..5);
    let update = (prop::sample::select(PATHS.to_vec()), lines).prop_map(|(path, lines)| file(path, &lines));
    prop::collection::vec(update, 1..10)
}

fn filters() -> impl Strategy<Value = ChunkFilter> {
    let languages =
        prop::sample::select(vec![vec![], vec!["rust".to_owned()], vec!["python".into(), "go".into()]]);
    let prefix = prop::option::of(prop::sample::select(vec!["src/".to_owned(), "te".into(), "x".into()]));
    let glob =
        prop::option::of(prop::sample::select(vec!["*.rs".to_owned(), "src/**".into(), "src/*.rs".into()]));
    let kind = prop::option::of(prop::sample::select(vec!["struct".to_owned(), "function_item".into()]));
    let tests = prop::sample::select(vec![TestCode::Any, TestCode::Exclude, TestCode::Only]);
    (languages, prefix, glob, kind, tests).prop_map(|(languages, path_prefix, path_glob, kind, tests)| {
        ChunkFilter { languages, path_prefix, path_glob, kind, tests, ..ChunkFilter::default() }
    })
}

/// The filter, said again in the plainest way.
fn allows(filter: &ChunkFilter, stored: &StoredChunk) -> bool {
    let chunk = &stored.chunk;
    let is_struct = chunk.symbol.as_ref().is_some_and(|name| name.starts_with(char::is_uppercase));
    let glob = match filter.path_glob.as_deref() {
        Some("*.rs") => chunk.path.contains(".rs"),
        Some("src/**") => chunk.path.starts_with("src/"),
        Some("src/*.rs") => chunk.path == "src/a.rs",
        _ => true,
    };
    (filter.languages.is_empty() || filter.languages.contains(&chunk.language))
        && filter.path_prefix.as_ref().is_none_or(|prefix| chunk.path.starts_with(prefix))
        && glob
        && filter.kind.as_ref().is_none_or(|kind| *kind == chunk.kind || (kind == "struct" && is_struct))
        && match filter.tests {
            TestCode::Any => true,
            TestCode::Exclude => !chunk.is_test,
            TestCode::Only => chunk.is_test,
        }
}

fn every_chunk(index: &Index) -> Vec<StoredChunk> {
    let paths = index.writer.files().unwrap();
    paths.keys().flat_map(|path| index.writer.chunks_of(path).unwrap()).collect()
}

fn query(words: &[String]) -> TextQuery {
    TextQuery { terms: words.iter().map(|word| TextTerm { word: word.clone(), prefix: false }).collect() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_filtered_search_finds_the_best_that_the_filter_allows(
        updates in updates(), filter in filters(), seed in 0_usize..50, k in 0_usize..8,
    ) {
        let mut index = Index::new();
        let reader = index.reader();
        for update in &updates {
            index.writer.write_files(std::slice::from_ref(update)).unwrap();
            // A reader that follows step by step must end where a fresh one begins.
            reader.nearest(Stage::Static, &vector(seed), &filter, k).unwrap();
        }
        let everything = every_chunk(&index);
        let allowed: Vec<_> = everything.iter().filter(|stored| allows(&filter, stored)).map(|s| s.row).collect();
        let scores = reader.similarities(Stage::Static, &vector(seed), &allowed).unwrap();
        let mut expected: Vec<_> =
            allowed.iter().zip(scores).map(|(row, score)| (score.unwrap(), *row)).collect();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        expected.truncate(k);

        for reader in [&reader, &index.reader()] {
            let near = reader.nearest(Stage::Static, &vector(seed), &filter, k).unwrap();
            let near: Vec<_> = near.iter().map(|scored| (scored.score, scored.row)).collect();
            prop_assert_eq!(&near, &expected);
        }
    }

    #[test]
    fn words_find_the_chunks_that_hold_them(
        updates in updates(), filter in filters(), removed in 0_usize..6,
        words in prop::collection::vec(prop::sample::select(vec!["red", "blue", "green", "nowhere"]), 1..3),
    ) {
        let mut index = Index::new();
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
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut found: Vec<_> =
            index.writer.full_text(&query(&words), &filter, 100).unwrap().iter().map(|s| s.row).collect();
        found.sort();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn no_text_of_a_user_breaks_a_search(text in "\\PC{0,40}", prefix in any::<bool>()) {
        let mut index = Index::new();
        index.writer.write_files(&[file("a.rs", &["one NEAR AND", "two \" OR *"])]).unwrap();
        let words = TextQuery { terms: vec![TextTerm { word: text.clone(), prefix }] };
        let all = ChunkFilter::default();
        index.writer.full_text(&words, &all, 5).unwrap();
        for name in [
            vectorcode_store::NameMatch::Exact(text.clone()),
            vectorcode_store::NameMatch::Prefix(text.clone()),
            vectorcode_store::NameMatch::Fuzzy(text.clone()),
            vectorcode_store::NameMatch::Words(vec![text.clone()]),
            vectorcode_store::NameMatch::Words(vec![]),
        ] {
            index.writer.definitions(&name, &all, 5).unwrap();
        }
        let filter = ChunkFilter { path_prefix: Some(text.clone()), kind: Some(text.clone()), ..all };
        index.writer.full_text(&words, &filter, 5).unwrap();
    }
}
