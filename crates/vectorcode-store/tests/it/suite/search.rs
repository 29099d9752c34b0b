//! Tests of searching by words, vectors and names, with filters.

use std::collections::HashMap;

use vectorcode_core::PathFilter;
use vectorcode_store::{
    CandidateQuery, ChunkFacts, ChunkFilter, ChunkRow, NameMatch, NameQuery, PartQuery, TestCode, TextQuery,
    TextTerm,
};

use crate::fixture::{Index, OpenStore, Vectors, file, full_text, nearest, seed, vector};

fn text(words: &[&str]) -> TextQuery {
    TextQuery { terms: words.iter().map(|word| TextTerm { word: (*word).into(), prefix: false }).collect() }
}

fn sample(open: OpenStore) -> Index {
    let mut index = Index::new(open);
    index
        .writer
        .write_files(&[
            file(
                "src/user.rs",
                &["createUser inserts a row", "User holds a name", "drop_user deletes a row"],
            ),
            file("src/net/retry.py", &["retry waits for the network", "backoff doubles the wait"]),
            file("tests/user.rs", &["creates_user checks createUser"]),
            file("README.md", &["Retry explains the network"]),
        ])
        .unwrap();
    index
}

/// The symbols of the chunks that a filtered search by words finds, best first.
fn found(index: &Index, words: &[&str], filter: &ChunkFilter) -> Vec<String> {
    let query =
        CandidateQuery { text: text(words), filter: filter.clone(), depth: 10, ..CandidateQuery::default() };
    let candidates = index.read().candidates(&query).unwrap();
    let symbols: HashMap<_, _> =
        candidates.into_iter().map(|found| (found.chunk.row, found.chunk.symbol.clone())).collect();
    let ranked = full_text(index.read(), words, filter, 10);
    ranked.iter().filter_map(|(row, _)| symbols[row].as_deref().map(str::to_owned)).collect()
}

pub fn identifiers_of_every_fashion_find_each_other(open: OpenStore) {
    let index = sample(open);
    for spelling in ["createUser", "create_user", "createuser"] {
        assert_eq!(found(&index, &[spelling], &ChunkFilter::default())[0], "createUser", "{spelling}");
    }
    assert_eq!(found(&index, &["backoff"], &ChunkFilter::default()), ["backoff"]);
}

pub fn filters_restrict_words_and_directions_alike(open: OpenStore) {
    let index = sample(open);
    let filters = [
        (ChunkFilter { languages: vec!["python".into()], ..Default::default() }, 2),
        (ChunkFilter { paths: PathFilter::prefix("src/"), ..Default::default() }, 5),
        (ChunkFilter { paths: PathFilter::parse(["*.rs"]), ..Default::default() }, 4),
        (ChunkFilter { paths: PathFilter::parse(["src/*.rs"]), ..Default::default() }, 3),
        (ChunkFilter { paths: PathFilter::parse(["src/*.rs", "*.py"]), ..Default::default() }, 5),
        (ChunkFilter { paths: PathFilter::parse(["src/", "!*.py"]), ..Default::default() }, 3),
        (ChunkFilter { paths: PathFilter::parse(["!src/"]), ..Default::default() }, 2),
        (ChunkFilter { within: vec!["src".into()], ..Default::default() }, 5),
        (ChunkFilter { within: vec!["sr".into()], ..Default::default() }, 0),
        (ChunkFilter { outside: vec!["src".into(), "x".into()], ..Default::default() }, 2),
        (ChunkFilter { kinds: vec!["struct".into()], ..Default::default() }, 2),
        (ChunkFilter { kinds: vec!["function_item".into()], ..Default::default() }, 7),
        (ChunkFilter { kinds: vec!["struct".into(), "method".into()], ..Default::default() }, 2),
        (ChunkFilter { class: Some(vectorcode_core::ContentClass::Docs), ..Default::default() }, 1),
        (ChunkFilter { tests: TestCode::Only, ..Default::default() }, 1),
        (ChunkFilter { tests: TestCode::Exclude, ..Default::default() }, 6),
        (ChunkFilter { languages: vec!["cobol".into()], ..Default::default() }, 0),
    ];
    for (filter, expected) in filters {
        let near = nearest(index.read(), Vectors::Static, &vector(3), &filter, 10).unwrap();
        assert_eq!(near.len(), expected, "{filter:?}");
        assert_eq!(index.read().count(&filter).unwrap(), expected as u64, "{filter:?}");
        let words = ["row", "name", "network", "wait", "checks"];
        assert_eq!(found(&index, &words, &filter).len(), expected, "{filter:?}");
    }
}

pub fn definitions_are_found_whole_begun_by_words_and_nearly(open: OpenStore) {
    let index = sample(open);
    let names = |wanted: NameMatch| -> Vec<String> {
        let found = index.read().definitions(&wanted, &ChunkFilter::default(), 10).unwrap();
        found.into_iter().map(|found| found.definition.definition.name).collect()
    };
    assert_eq!(names(NameMatch::Exact("createuser".into())), ["createUser"]);
    assert_eq!(names(NameMatch::Exact("app::createUser".into())), ["createUser"]);
    assert_eq!(names(NameMatch::Exact("other.createUser".into())), Vec::<String>::new());
    assert_eq!(names(NameMatch::Prefix("create".into())), ["createUser", "creates_user"]);
    assert_eq!(names(NameMatch::Words(vec!["user".into(), "create".into()]))[0], "createUser");
    assert_eq!(names(NameMatch::Fuzzy("creatUser".into()))[0], "createUser");
}

pub fn another_spelling_is_a_word_of_the_names_at_hand(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["dough 1", "year2024 2"])]).unwrap();
    let reader = index.reader();
    let spellings = |words: &[&str]| reader.spellings_of(words).unwrap();
    assert_eq!(spellings(&["dogh", "dough", "flowr"]), [Some("dough".into()), None, None]);
    assert_eq!(spellings(&["2025"]), [None], "numbers get no suggestion");
    index.writer.write_files(&[file("b.rs", &["flower 2"])]).unwrap();
    assert_eq!(spellings(&["flowr"]), [Some("flower".into())], "a name that was added later");
    index.writer.remove_files(&["a.rs".into()]).unwrap();
    assert_eq!(spellings(&["dogh"]), [None], "a name that was removed");
}

pub fn a_definition_is_filtered_by_its_own_kind(open: OpenStore) {
    let index = sample(open);
    let filter = ChunkFilter { kinds: vec!["struct".into()], ..Default::default() };
    let found = index.read().definitions(&NameMatch::Fuzzy("user".into()), &filter, 10).unwrap();
    let names: Vec<_> = found.iter().map(|found| found.definition.definition.name.as_str()).collect();
    assert_eq!(names, ["User"]);
}

pub fn a_reader_in_another_connection_follows_the_writer(open: OpenStore) {
    let mut index = sample(open);
    let reader = index.reader();
    let all = ChunkFilter::default();
    let best = |wanted: usize| nearest(&*reader, Vectors::Static, &vector(wanted), &all, 1).unwrap()[0];
    let path = "new/file.rs";
    best(1);
    index.writer.write_files(&[file(path, &["fresh 1"])]).unwrap();
    let (row, similarity) = best(seed(path));
    assert!(similarity > 0.999);
    assert_eq!(reader.chunks_of(path).unwrap()[0].row, row);
    let only = ChunkFilter { paths: PathFilter::prefix("new/"), ..Default::default() };
    assert_eq!(nearest(&*reader, Vectors::Static, &vector(1), &only, 5).unwrap().len(), 1);
    index.writer.remove_files(&[path.into()]).unwrap();
    assert_ne!(best(seed(path)).0, row);
    assert!(nearest(&*reader, Vectors::Static, &vector(1), &only, 5).unwrap().is_empty());
}

pub fn one_call_joins_the_lists_and_compares_each_chunk_by_all(open: OpenStore) {
    let mut index = sample(open);
    let pending = index.read().pending(10).unwrap();
    index.writer.write_vectors(&[(pending[0].row, vector(5))]).unwrap();
    let names = [NameMatch::Exact("retry".into()), NameMatch::Words(vec!["user".into(), "drop".into()])];
    let query = CandidateQuery {
        text: text(&["backoff"]),
        static_vector: Some(vector(seed("README.md"))),
        provider_vector: Some(vector(5)),
        names: names.into_iter().map(|name| NameQuery { name, limit: 5 }).collect(),
        depth: 1,
        ..CandidateQuery::default()
    };
    let found = index.read().candidates(&query).unwrap();
    assert!(found.is_sorted_by_key(|found| (&found.chunk.path, found.chunk.span.byte_start)));
    let by_symbol = |symbol: &str, path: &str| {
        let is_it = |chunk: &ChunkFacts| chunk.symbol.as_deref() == Some(symbol) && *chunk.path == *path;
        found.iter().find(|found| is_it(&found.chunk)).unwrap()
    };
    assert!(by_symbol("backoff", "src/net/retry.py").full_text > 0.0);
    assert!(by_symbol("Retry", "README.md").static_similarity.unwrap() > 0.999);
    assert_eq!(by_symbol("retry", "src/net/retry.py").names[0].query, 0);
    assert_eq!(by_symbol("drop_user", "src/user.rs").names[0].query, 1);
    assert!(found.iter().all(|found| found.static_similarity.is_some()), "including those that words found");
    let embedded: Vec<_> = found.iter().filter(|found| found.provider_similarity.is_some()).collect();
    assert_eq!(embedded.iter().map(|found| found.chunk.row).collect::<Vec<_>>(), [pending[0].row]);

    let without = CandidateQuery { exclude: vec![pending[0].row], ..query };
    let rest = index.read().candidates(&without).unwrap();
    assert_eq!(rest.len(), found.len() - 1);
}

pub fn parts_are_asked_for_themselves(open: OpenStore) {
    let index = sample(open);
    let title = PartQuery { text: text(&["retry"]), ..PartQuery::default() };
    let body = PartQuery { static_vector: Some(vector(seed("tests/user.rs"))), ..PartQuery::default() };
    let query = CandidateQuery {
        text: text(&["backoff"]),
        parts: vec![title, body],
        depth: 2,
        ..CandidateQuery::default()
    };
    let found = index.read().candidates(&query).unwrap();
    let of = |path: &str| found.iter().find(|found| *found.chunk.path == *path).unwrap();
    let (readme, tests) = (of("README.md"), of("tests/user.rs"));
    assert!(readme.full_text == 0.0 && readme.parts[0].full_text > 0.0, "found by the title alone");
    assert!(tests.parts[1].static_similarity.unwrap() > 0.999 && tests.static_similarity.is_none());
    assert!(found.iter().all(|found| found.parts.len() == 2));
}

pub fn files_are_found_by_name(open: OpenStore) {
    let index = sample(open);
    let found = index.read().paths_named(&["User.rs", "none.rs"]).unwrap();
    assert_eq!(found, ["src/user.rs", "tests/user.rs"]);
}

pub fn only_live_chunks_count_for_a_word(open: OpenStore) {
    let mut index = sample(open);
    let counts = |index: &Index| index.read().word_frequencies(&["createuser", "row", "nowhere"]).unwrap();
    assert_eq!((counts(&index).chunks, counts(&index).holding), (7, vec![2, 2, 0]));
    index.writer.remove_files(&["tests/user.rs".into()]).unwrap();
    assert_eq!((counts(&index).chunks, counts(&index).holding), (6, vec![1, 2, 0]));
}

pub fn many_names_are_answered_in_their_order(open: OpenStore) {
    let index = sample(open);
    let names = ["createUser", "nobody", "retry"];
    let defined = index.read().definitions_named(&names).unwrap();
    assert_eq!(defined.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 1]);
    let used = index.read().references_named(&["row", "createUser", "nobody"]).unwrap();
    assert_eq!(used.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 0]);
}

pub fn ranking_knows_the_words_of_a_chunk_and_texts_are_read_by_row(open: OpenStore) {
    let index = sample(open);
    let query = CandidateQuery { text: text(&["backoff"]), depth: 5, ..CandidateQuery::default() };
    let found = index.read().candidates(&query).unwrap();
    let mut rows: Vec<_> = found.iter().map(|found| found.chunk.row).collect();
    let chunks = index.read().chunks(&rows).unwrap();
    assert_eq!(chunks.iter().map(|chunk| chunk.row).collect::<Vec<_>>(), rows);
    for (found, stored) in found.iter().zip(&chunks) {
        assert_eq!(*found.chunk, ChunkFacts::of(stored));
        assert!(stored.chunk.content.contains("backoff"));
    }
    rows.insert(0, ChunkRow(1 << 20));
    rows.reverse();
    let chunks = index.read().chunks(&rows).unwrap();
    assert_eq!(
        chunks.iter().map(|chunk| chunk.row).collect::<Vec<_>>(),
        rows[..rows.len() - 1],
        "one does not exist"
    );
}
