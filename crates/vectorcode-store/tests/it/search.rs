//! Finding by words, by direction and by name, under filters.

use vectorcode_store::{
    ChunkFilter, IndexReader, IndexWriter, NameMatch, Stage, TestCode, TextQuery, TextTerm,
};

use crate::fixture::{Index, file, seed, vector};

fn text(words: &[&str]) -> TextQuery {
    TextQuery { terms: words.iter().map(|word| TextTerm { word: (*word).into(), prefix: false }).collect() }
}

fn sample() -> Index {
    let mut index = Index::new();
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

/// The symbols of the chunks that a filtered search by words finds.
fn found(index: &Index, words: &[&str], filter: &ChunkFilter) -> Vec<String> {
    let scored = index.writer.full_text(&text(words), filter, 10).unwrap();
    let rows: Vec<_> = scored.iter().map(|scored| scored.row).collect();
    index.writer.chunks(&rows).unwrap().into_iter().filter_map(|stored| stored.chunk.symbol.clone()).collect()
}

#[test]
fn identifiers_of_every_fashion_find_each_other() {
    let index = sample();
    for spelling in ["createUser", "create_user", "createuser"] {
        assert_eq!(found(&index, &[spelling], &ChunkFilter::default())[0], "createUser", "{spelling}");
    }
    assert_eq!(found(&index, &["backoff"], &ChunkFilter::default()), ["backoff"]);
}

#[test]
fn filters_restrict_words_and_directions_alike() {
    let index = sample();
    let filters = [
        (ChunkFilter { languages: vec!["python".into()], ..Default::default() }, 2),
        (ChunkFilter { path_prefix: Some("src/".into()), ..Default::default() }, 5),
        (ChunkFilter { path_glob: Some("*.rs".into()), ..Default::default() }, 4),
        (ChunkFilter { path_glob: Some("src/*.rs".into()), ..Default::default() }, 3),
        (ChunkFilter { within: vec!["src".into()], ..Default::default() }, 5),
        (ChunkFilter { within: vec!["sr".into()], ..Default::default() }, 0),
        (ChunkFilter { outside: vec!["src".into(), "x".into()], ..Default::default() }, 2),
        (ChunkFilter { kind: Some("struct".into()), ..Default::default() }, 2),
        (ChunkFilter { kind: Some("function_item".into()), ..Default::default() }, 7),
        (ChunkFilter { class: Some(vectorcode_core::ContentClass::Docs), ..Default::default() }, 1),
        (ChunkFilter { tests: TestCode::Only, ..Default::default() }, 1),
        (ChunkFilter { tests: TestCode::Exclude, ..Default::default() }, 6),
        (ChunkFilter { languages: vec!["cobol".into()], ..Default::default() }, 0),
    ];
    for (filter, expected) in filters {
        let near = index.writer.nearest(Stage::Static, &vector(3), &filter, 10).unwrap();
        assert_eq!(near.len(), expected, "{filter:?}");
        assert_eq!(index.writer.count(&filter).unwrap(), expected as u64, "{filter:?}");
        let words = ["row", "name", "network", "wait", "checks"];
        assert_eq!(found(&index, &words, &filter).len(), expected, "{filter:?}");
    }
}

#[test]
fn definitions_are_found_whole_begun_by_words_and_nearly() {
    let index = sample();
    let names = |wanted: NameMatch| -> Vec<String> {
        let found = index.writer.definitions(&wanted, &ChunkFilter::default(), 10).unwrap();
        found.into_iter().map(|found| found.definition.definition.name).collect()
    };
    assert_eq!(names(NameMatch::Exact("createuser".into())), ["createUser"]);
    assert_eq!(names(NameMatch::Exact("app::createUser".into())), ["createUser"]);
    assert_eq!(names(NameMatch::Exact("other.createUser".into())), Vec::<String>::new());
    assert_eq!(names(NameMatch::Prefix("create".into())), ["createUser", "creates_user"]);
    assert_eq!(names(NameMatch::Words(vec!["user".into(), "create".into()]))[0], "createUser");
    assert_eq!(names(NameMatch::Fuzzy("creatUser".into()))[0], "createUser");
}

#[test]
fn a_definition_is_filtered_by_its_own_kind() {
    let index = sample();
    let filter = ChunkFilter { kind: Some("struct".into()), ..Default::default() };
    let found = index.writer.definitions(&NameMatch::Fuzzy("user".into()), &filter, 10).unwrap();
    let names: Vec<_> = found.iter().map(|found| found.definition.definition.name.as_str()).collect();
    assert_eq!(names, ["User"]);
}

#[test]
fn a_reader_in_another_connection_follows_the_writer() {
    let mut index = sample();
    let reader = index.reader();
    let all = ChunkFilter::default();
    let best = |wanted: usize| reader.nearest(Stage::Static, &vector(wanted), &all, 1).unwrap()[0];
    let path = "new/file.rs";
    best(1);
    index.writer.write_files(&[file(path, &["fresh 1"])]).unwrap();
    let near = best(seed(path));
    assert!(near.score > 0.999);
    assert_eq!(reader.chunks(&[near.row]).unwrap()[0].chunk.path, path);
    let only = ChunkFilter { path_prefix: Some("new/".into()), ..Default::default() };
    assert_eq!(reader.nearest(Stage::Static, &vector(1), &only, 5).unwrap().len(), 1);
    index.writer.remove_files(&[path.into()]).unwrap();
    assert!(best(seed(path)).row != near.row);
    assert!(reader.nearest(Stage::Static, &vector(1), &only, 5).unwrap().is_empty());
}
