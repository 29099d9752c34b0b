//! The same query in the same state gets the same result, all pages come from one ranking, and vectors survive a
//! checkout.

use vectorcode_core::api::{IndexRequest, SearchRequest, SearchResponse};
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::Keeper;
use vectorcode_testkit::{Behaviour, TempProject, TestRepository};

use crate::project::{Indexed, about, eventually, index, index_with};

const TOPICS: [&str; 6] = ["apples", "pears", "quinces", "plums", "cherries", "figs"];

fn orchard(copies: usize) -> Indexed {
    let files = TempProject::empty();
    write_copies(&files, 0..copies);
    Indexed::of(files, Config::default())
}

fn write_copies(files: &TempProject, copies: std::ops::Range<usize>) {
    for copy in copies {
        for topic in TOPICS {
            files.write(&format!("{topic}/{copy}.rs"), about(&format!("{topic}{copy}")));
        }
    }
}

fn sync(project: &Indexed) {
    let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
    index_with(&project.engine, &request).unwrap();
}

fn ask(project: &Indexed, query: &str) -> SearchResponse {
    let request =
        SearchRequest { threshold: Some(0.0), limit: 100, explain: true, ..SearchRequest::query(query) };
    SearchResponse { took_ms: 0.0, ..project.engine.search(&request).unwrap() }
}

fn coverage(project: &Indexed) -> f32 {
    project.engine.status().unwrap().coverage.fraction()
}

#[test]
fn a_question_asked_again_has_the_same_answer_before_anything_is_embedded() {
    let project = orchard(8);
    sync(&project);
    let first = ask(&project, "everything about apples");
    assert_eq!(ask(&project, "everything about apples"), first);
    let other = project.reopened(project.embedder.clone());
    let request = SearchRequest {
        threshold: Some(0.0),
        limit: 100,
        explain: true,
        ..SearchRequest::query("everything about apples")
    };
    assert_eq!(SearchResponse { took_ms: 0.0, ..other.search(&request).unwrap() }, first);
    assert!(project.embedder.documents().is_empty(), "some with vectors and some without cannot be compared");
}

#[test]
fn a_small_project_is_compared_by_meaning_at_once() {
    let project = orchard(2);
    sync(&project);
    let first = ask(&project, "everything about apples");
    let made = project.embedder.documents().len();
    assert!(made > 0, "its candidates get vectors");
    assert_eq!(ask(&project, "everything about apples"), first);
    assert_eq!(project.embedder.documents().len(), made, "and are not embedded again");
}

#[test]
fn other_questions_and_half_of_the_vectors_do_not_change_an_answer() {
    let half = orchard(4);
    half.index();
    write_copies(&half.files, 4..13);
    sync(&half);
    assert!(coverage(&half) > 0.2 && coverage(&half) < 0.5);
    let none = orchard(13);
    sync(&none);
    let answer = |project: &Indexed| ask(project, "trim the input of plums").hits;
    let first = answer(&none);
    ask(&none, "figs and cherries");
    ask(&none, "where pears are handled");
    assert_eq!(answer(&none), first);
    assert_eq!(answer(&half), first, "partial coverage proposes no candidates");
}

#[test]
fn an_edit_that_cannot_be_embedded_is_found_by_its_words_and_a_note_tells() {
    let project = orchard(8);
    project.index();
    project.files.write("apples/new.rs", about("apples"));
    sync(&project);
    // The query gets its vector, the new file does not.
    project.embedder.set_behaviour(Behaviour::FailAfter(1));
    let answer = ask(&project, "everything about apples");
    assert!(answer.hits.iter().any(|hit| hit.path == "apples/new.rs"));
    assert!(answer.notes.iter().any(|note| note.contains("not compared by meaning")), "{:?}", answer.notes);
}

#[test]
fn a_checkout_there_and_back_costs_no_vector() {
    let project = orchard(4);
    project.index();
    let embedded = project.embedder.documents().len();
    let before = ask(&project, "everything about apples").hits;
    for topic in TOPICS {
        project.files.write(&format!("{topic}/0.rs"), about("bears"));
        project.files.remove(&format!("{topic}/1.rs"));
    }
    sync(&project);
    write_copies(&project.files, 0..2);
    sync(&project);
    assert!((coverage(&project) - 1.0).abs() < f32::EPSILON, "{}", coverage(&project));
    assert_eq!(project.embedder.documents().len(), embedded, "the provider was not called");
    assert_eq!(ask(&project, "everything about apples").hits, before);
}

#[test]
fn vectors_that_a_search_made_are_kept_for_the_index() {
    let project = orchard(8);
    let before = project.index().embedded;
    project.files.write("apples/new.rs", about("apples"));
    sync(&project);
    ask(&project, "everything about apples");
    assert_eq!(project.embedder.documents().len() as u64, before + 1);
    let report = project.index();
    assert_eq!((report.reused, report.embedded), (1, 0));
}

/// The first page of a query, then `meanwhile`, then the other pages. Returns all hits, and the notes of the later
/// pages.
fn pages(project: &Indexed, meanwhile: impl FnOnce()) -> (Vec<String>, Vec<String>) {
    let request =
        SearchRequest { threshold: Some(0.0), limit: 5, ..SearchRequest::query("everything about apples") };
    let first = project.engine.search(&request).unwrap();
    meanwhile();
    let (mut hits, mut notes, mut next) = (first.hits, Vec::new(), first.next);
    while next.is_some() {
        let page = project.engine.search(&SearchRequest { cursor: next, ..request.clone() }).unwrap();
        hits.extend(page.hits);
        notes.extend(page.notes);
        next = page.next;
    }
    (hits.into_iter().map(|hit| format!("{}:{}", hit.path, hit.start_line)).collect(), notes)
}

#[test]
fn all_pages_are_of_the_ranking_of_the_first() {
    let project = orchard(4);
    sync(&project);
    let (quiet, _) = pages(&project, || {});
    let (busy, notes) = pages(&project, || {
        project.index();
        write_copies(&project.files, 4..6);
        sync(&project);
    });
    assert_eq!(busy, quiet, "{notes:?}");
}

#[test]
fn a_page_of_a_ranking_that_is_gone_says_so() {
    let project = orchard(4);
    sync(&project);
    let request =
        SearchRequest { threshold: Some(0.0), limit: 5, ..SearchRequest::query("everything about apples") };
    let next = project.engine.search(&request).unwrap().next;
    let second = SearchRequest { cursor: next, ..request };
    let says_so = |response: SearchResponse| response.notes.iter().any(|note| note.contains("new ranking"));
    let reopened = || project.reopened(project.embedder.clone());
    assert!(!says_so(reopened().search(&second).unwrap()), "the same question in the same state");
    project.files.write("apples/new.rs", about("apples"));
    sync(&project);
    assert!(says_so(reopened().search(&second).unwrap()));
}

#[test]
fn a_search_reads_a_fixed_part_of_a_long_history_and_the_index_the_rest() {
    let files = TempProject::new(&[("a.rs", &about("apples"))]);
    let mut repository = TestRepository::init(files.root());
    for number in 0..300 {
        repository.commit("some change", &[("a.rs", Some(if number % 2 == 0 { "1" } else { "2" }))]);
    }
    let project = Indexed::of(files, Config::default());
    let commits = || project.engine.status().unwrap().commits;
    for _ in 0..2 {
        project.engine.freshen(&IndexRequest::before_search(), &SilentProgress, &CancelToken::default());
        assert_eq!(commits(), 256, "however often it runs");
    }
    project.index();
    assert_eq!(commits(), 300);
}

#[test]
fn an_answer_that_may_change_says_once_how_far_the_index_is() {
    let files = TempProject::empty();
    write_copies(&files, 0..8);
    let mut config = Config::default();
    config.indexing.words_first_from = 0;
    let project = Indexed::of(files, config);
    index_with(&project.engine, &IndexRequest::before_search()).unwrap();
    let told = |response: &SearchResponse| {
        response.notes.iter().filter(|note| note.contains("may change")).cloned().collect::<Vec<_>>()
    };
    let first = ask(&project, "everything about apples");
    let [note] = &told(&first)[..] else { panic!("{:?}", first.notes) };
    assert!(note.contains("of 48 files"), "{note}");
    assert_eq!(ask(&project, "everything about apples"), first, "all of the best hits have their structure");
    index(&project.engine).unwrap();
    assert!(told(&ask(&project, "everything about apples")).is_empty());
}

#[test]
fn a_server_at_work_says_how_many_vectors_there_are() {
    let project = orchard(4);
    project.embedder.set_behaviour(Behaviour::Fail);
    let _keeper = Keeper::start(project.engine.clone()).unwrap();
    eventually("the files", || project.engine.is_complete() && project.engine.is_watched());
    let answer = ask(&project, "everything about apples");
    assert!(answer.notes.iter().any(|note| note.contains("0 % of the vectors")), "{:?}", answer.notes);
}
