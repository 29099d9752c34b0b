//! A first index of words only: what it can answer, and how the rest is added.

use std::fs::File;
use std::path::PathBuf;

use vectorcode_core::api::{
    IndexReport, IndexRequest, SearchRequest, SymbolHit, SymbolRequest, SymbolResponse,
};
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::{Keeper, WhenLocked};
use vectorcode_testkit::TempProject;

use crate::project::{Indexed, about, eventually, index_with};

/// Makes every project count as large.
fn words_first() -> Config {
    let mut config = Config::default();
    config.indexing.words_first_from = 0;
    config.watcher.debounce_ms = 50;
    config
}

const CALLER: &str = "use crate::apples::handle_apples;\n\npub fn sell(input: &str) -> String {\n    handle_apples(input)\n}\n";

fn shop() -> Indexed {
    let files: [(&str, &str); 5] = [
        ("apples.rs", &about("apples")),
        ("pears.rs", &format!("{}\n{}", about("pears"), about("quinces"))),
        ("shop.rs", CALLER),
        ("notes.md", "# Apples\n\nWhere apples come from, and what they cost in winter.\n"),
        ("data.csv", "apples,1\npears,2\n"),
    ];
    Indexed::of(TempProject::new(&files), words_first())
}

fn as_a_search_does(project: &Indexed) -> IndexReport {
    index_with(&project.engine, &IndexRequest::before_search()).unwrap()
}

fn symbols(project: &Indexed, name: &str) -> Vec<SymbolHit> {
    ask(project, name).symbols
}

fn ask(project: &Indexed, name: &str) -> SymbolResponse {
    let limit = SymbolRequest::DEFAULT_LIMIT;
    let request = SymbolRequest { name: name.into(), kinds: Vec::new(), paths: Vec::new(), limit };
    project.engine.symbols(&request).unwrap()
}

#[test]
fn a_search_reads_the_structure_of_what_answers_it() {
    let project = shop();
    as_a_search_does(&project);
    assert!(project.engine.lacks_structure());
    let request = SearchRequest { limit: 1, ..SearchRequest::query("handle quinces") };
    let hit = project.engine.search(&request).unwrap().hits.remove(0);
    assert_eq!((hit.path.as_str(), hit.symbol.as_deref()), ("pears.rs", Some("handle_quinces")));
    assert_eq!(hit.start_line, 7, "cut along the function");
    // The files that did not match still have only their words.
    assert!(project.engine.lacks_structure());
}

#[test]
fn a_question_about_structure_reads_all_of_it_first() {
    let project = shop();
    as_a_search_does(&project);
    let found = symbols(&project, "handle_apples");
    assert_eq!(found.len(), 1);
    assert!(!project.engine.lacks_structure());
    let answer = ask(&project, "sell");
    assert!(answer.symbols.len() == 1 && answer.notes.is_empty(), "{answer:?}");
}

#[test]
fn a_search_for_a_kind_reads_all_of_it_first() {
    let project = shop();
    as_a_search_does(&project);
    let request = SearchRequest { kinds: vec!["function".into()], ..SearchRequest::query("sell") };
    let response = project.engine.search(&request).unwrap();
    assert_eq!(response.hits[0].symbol.as_deref(), Some("sell"));
    assert!(!project.engine.lacks_structure());
}

#[test]
fn names_in_a_file_lead_to_their_definitions() {
    let project = shop();
    as_a_search_does(&project);
    assert!(!project.engine.links("shop.rs").unwrap().names.is_empty());
}

#[test]
fn where_another_process_writes_the_words_answer_and_a_note_tells() {
    let project = shop();
    as_a_search_does(&project);
    let lock = File::options().write(true).open(project.files.path(".vectorcode/lock")).unwrap();
    lock.lock().unwrap();
    assert!(project.finds_fast("quinces", "pears.rs"));
    let status = project.engine.status().unwrap();
    assert!(status.notes.iter().any(|note| note.contains("not read yet")), "{:?}", status.notes);
}

#[test]
fn what_is_read_in_two_steps_is_what_is_read_at_once() {
    let (two_steps, at_once) = (shop(), shop());
    as_a_search_does(&two_steps);
    let (second, whole) = (two_steps.index(), at_once.index());
    assert!(!two_steps.engine.lacks_structure());
    assert_eq!((second.files, second.chunks, second.pending), (whole.files, whole.chunks, whole.pending));
    let [first, other] = [&two_steps, &at_once].map(|project| project.engine.status().unwrap());
    assert_eq!((first.symbols, first.languages), (other.symbols, other.languages));
    for question in ["apples in winter", "handle pears", "sell"] {
        let [first, other] = [&two_steps, &at_once].map(|project| project.search(question));
        assert_eq!(first, other);
    }
}

#[test]
fn an_edit_between_the_steps_is_read_whole() {
    let project = shop();
    as_a_search_does(&project);
    project.files.write("shop.rs", about("oranges"));
    let report = as_a_search_does(&project);
    assert_eq!(report.files_changed, 1, "files with only their words count as indexed");
    assert!(project.engine.lacks_structure());
    assert!(project.finds_fast("oranges", "shop.rs"));
    let pending = project.engine.status().unwrap().pending;
    assert!(pending.is_empty(), "{pending:?}");
}

#[test]
fn a_run_that_was_stopped_is_continued() {
    let project = shop();
    let stopped = CancelToken::default();
    stopped.cancel();
    let request = IndexRequest::before_search();
    let report = project.engine.index(&request, WhenLocked::Wait, &SilentProgress, &stopped);
    assert!(report.is_err() || report.is_ok_and(|report| report.cancelled));
    as_a_search_does(&project);
    assert!(project.engine.lacks_structure());
    assert!(project.finds_fast("quinces", "pears.rs"));
    project.index();
    assert_eq!(symbols(&project, "sell").len(), 1);
}

#[test]
fn named_files_are_read_whole_and_the_rest_is_not_forgotten() {
    let project = shop();
    as_a_search_does(&project);
    let paths = vec![PathBuf::from("pears.rs")];
    index_with(&project.engine, &IndexRequest { paths, ..IndexRequest::before_structure() }).unwrap();
    assert!(project.engine.lacks_structure());
}

#[test]
fn a_small_project_and_a_second_index_are_read_at_once() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    as_a_search_does(&project);
    assert!(!project.engine.lacks_structure());
}

#[test]
fn a_server_reads_the_structure_in_the_background() {
    let project = shop();
    let _keeper = Keeper::start(project.engine.clone()).unwrap();
    eventually("both steps and the vectors", || {
        let status = project.engine.status();
        !project.engine.lacks_structure()
            && status.is_ok_and(|status| status.symbols > 0 && status.coverage.fraction() >= 1.0)
    });
    assert_eq!(symbols(&project, "sell").len(), 1);
}
