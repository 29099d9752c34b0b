//! Several projects at once: the registry, merged searches, and projects that are missing, broken or slow.

use std::path::PathBuf;
use std::sync::Arc;

use vectorcode_core::api::{
    Cursor, IndexRequest, ProjectSelection, ProjectState, SearchMode, SearchRequest, SearchResponse,
    SearchTarget,
};
use vectorcode_core::config::{Config, SearchConfig};
use vectorcode_core::{CancelToken, Diagnose, SilentProgress};
use vectorcode_engine::{
    Embedders, Engine, EngineError, EngineOptions, Freshen, Project, Projects, Removal, WhenLocked,
};
use vectorcode_testkit::{Behaviour, FakeEmbedder, TempProject};

use crate::project::about;

/// A folder of projects with its own registry.
struct Shelf {
    files: TempProject,
}

impl Shelf {
    fn new() -> Self {
        Self { files: TempProject::empty() }
    }

    fn options(&self, embedder: &Arc<FakeEmbedder>) -> EngineOptions {
        EngineOptions {
            embedders: Embedders::fixed(embedder.clone()),
            registry: Some(self.files.path("data/projects.json")),
            ..EngineOptions::default()
        }
    }

    fn engine(&self, name: &str, config: Config, embedder: &Arc<FakeEmbedder>) -> Arc<Engine> {
        let project = Project::at(&self.files.path(name)).unwrap();
        Arc::new(Engine::new(project, config, self.options(embedder)))
    }

    /// Creates and indexes a project about some topics.
    fn project(&self, name: &str, topics: &[&str]) -> Arc<Engine> {
        for topic in topics {
            self.files.write(&format!("{name}/src/{topic}.rs"), about(topic));
        }
        let engine = self.engine(name, Config::default(), &Arc::new(FakeEmbedder::new(32)));
        index(&engine);
        engine
    }
}

fn index(engine: &Engine) {
    engine
        .index(&IndexRequest::default(), WhenLocked::Wait, &SilentProgress, &CancelToken::default())
        .unwrap();
}

fn around(engine: &Arc<Engine>) -> Projects {
    Projects::around(engine.clone(), Freshen::Never)
}

fn request(query: &str) -> SearchRequest {
    SearchRequest { threshold: Some(0.0), limit: 100, ..SearchRequest::query(query) }
}

fn places(response: &SearchResponse) -> Vec<String> {
    let place = |hit: &vectorcode_core::api::Hit| format!("{}:{}", hit.project.clone().unwrap(), hit.path);
    response.hits.iter().map(place).collect()
}

fn named(names: &[&str]) -> ProjectSelection {
    ProjectSelection::Named(names.iter().map(ToString::to_string).collect())
}

#[test]
fn an_indexed_project_is_registered_and_a_removed_one_is_not() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples"]);
    let web = shelf.project("web", &["windows"]);
    let list = around(&api).list().unwrap().projects;
    let shown: Vec<_> =
        list.iter().map(|one| (one.name.as_str(), one.state, one.files, one.current)).collect();
    assert_eq!(
        shown,
        [("api", ProjectState::Ready, Some(1), true), ("web", ProjectState::Ready, Some(1), false)]
    );
    assert!(list[0].last_sync_at.is_some());
    web.remove(Removal::Index).unwrap();
    assert_eq!(around(&api).list().unwrap().projects.len(), 1);
}

#[test]
fn a_project_that_is_removed_and_indexed_again_is_registered_again() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples"]);
    let web = shelf.project("web", &["windows"]);
    web.remove(Removal::Index).unwrap();
    index(&web);
    let names: Vec<_> =
        around(&api).list().unwrap().projects.into_iter().map(|project| project.name).collect();
    assert_eq!(names, ["api", "web"]);
}

#[test]
fn answers_are_merged_into_one_ranking() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples", "bears"]);
    shelf.project("web", &["apples", "cars"]);
    let projects = around(&api);
    let all = projects.search(&request("apples"), &ProjectSelection::All).unwrap();
    assert_eq!(all.total, 4);
    assert!(all.hits.is_sorted_by(|a, b| a.score >= b.score));
    let mut first = places(&all)[..2].to_vec();
    first.sort();
    assert_eq!(first, ["api:src/apples.rs", "web:src/apples.rs"]);
    let alone = api.search(&request("apples")).unwrap();
    let score = all.hits.iter().find(|hit| hit.project.as_deref() == Some("api")).unwrap().score;
    assert!((score - alone.hits[0].score).abs() < f32::EPSILON, "a project does not change another's scores");
    let only = projects.search(&request("apples"), &named(&["web"])).unwrap();
    assert!(places(&only).iter().all(|place| place.starts_with("web:")), "{only:?}");
}

#[test]
fn pages_are_parts_of_the_whole_answer() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples", "bears", "cars"]);
    shelf.project("web", &["apples", "doors"]);
    let projects = around(&api);
    let whole = places(&projects.search(&request("apples"), &ProjectSelection::All).unwrap());
    let mut cursor = None;
    let mut paged = Vec::new();
    loop {
        let request = SearchRequest { limit: 2, cursor, ..request("apples") };
        let page = projects.search(&request, &ProjectSelection::All).unwrap();
        paged.extend(places(&page));
        assert_eq!(page.total, whole.len());
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
        assert_eq!(cursor, Some(Cursor::at(paged.len())));
    }
    assert_eq!(paged, whole);
}

#[test]
fn gone_misconfigured_and_empty_projects_become_notes() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples"]);
    for name in ["gone", "broken", "settings", "bare"] {
        drop(shelf.project(name, &["apples"]));
    }
    shelf.files.remove("gone");
    shelf.files.remove("bare/.vectorcode/index.db");
    for file in ["index.db-wal", "index.db-shm"] {
        let path = shelf.files.path(&format!("broken/.vectorcode/{file}"));
        if path.exists() {
            std::fs::remove_file(path).unwrap();
        }
    }
    shelf.files.write("broken/.vectorcode/index.db", "this is no database, and it is long enough to be read");
    shelf.files.write("settings/.vectorcode/config.toml", "[search\n");
    let projects = around(&api);
    let response = projects.search(&request("apples"), &ProjectSelection::All).unwrap();
    let mut found = places(&response);
    found.sort();
    assert_eq!(found, ["api:src/apples.rs", "broken:src/apples.rs"], "a damaged index is built again");
    let notes = response.notes.join("\n");
    for expected in [
        "gone was not searched: its folder is no longer there",
        "bare was not searched: it has no index",
        "is damaged; it was kept as",
        "settings was not searched: ",
    ] {
        assert!(notes.contains(expected), "{expected} in {notes}");
    }
    let states: Vec<_> =
        projects.list().unwrap().projects.into_iter().map(|one| (one.name, one.state)).collect();
    let expected = [
        ("api", ProjectState::Ready),
        ("bare", ProjectState::NotIndexed),
        ("broken", ProjectState::Ready),
        ("gone", ProjectState::Gone),
        ("settings", ProjectState::Broken),
    ];
    assert_eq!(states, expected.map(|(name, state)| (name.to_owned(), state)));
    assert_eq!(projects.prune().unwrap(), ["gone"]);
    assert_eq!(projects.list().unwrap().projects.len(), 4);
    let error = projects.search(&request("apples"), &named(&["bare"])).unwrap_err();
    assert!(matches!(error, EngineError::NoProjectAnswered { .. }), "{error}");
}

#[test]
fn a_slow_project_does_not_hold_up_the_others() {
    let shelf = Shelf::new();
    shelf.project("api", &["apples"]);
    let slow = Arc::new(FakeEmbedder::new(32));
    shelf.files.write("slow/src/apples.rs", about("apples"));
    let late = shelf.engine("slow", Config::default(), &slow);
    index(&late);
    let search = SearchConfig { project_timeout_ms: 300, ..SearchConfig::default() };
    let home = shelf.engine("api", Config { search, ..Config::default() }, &Arc::new(FakeEmbedder::new(32)));
    let projects = around(&home);
    projects.keep(late);
    slow.set_behaviour(Behaviour::Hang);
    for _ in 0..9 {
        let response = projects.search(&request("apples"), &ProjectSelection::All).unwrap();
        assert_eq!(places(&response), ["api:src/apples.rs"]);
        assert!(response.notes[0].contains("slow was not searched"), "{:?}", response.notes);
    }
    // The ninth request is not even started: earlier ones are still waiting.
    let notes = projects.search(&request("apples"), &ProjectSelection::All).unwrap().notes;
    assert!(notes[0].contains("still busy with earlier requests"), "{notes:?}");
    slow.set_behaviour(Behaviour::Work);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while projects.search(&request("apples"), &ProjectSelection::All).unwrap().hits.len() < 2 {
        assert!(std::time::Instant::now() < deadline, "the project does not come back");
        std::thread::yield_now();
    }
}

#[test]
fn projects_that_hang_do_not_keep_others_from_being_asked() {
    let shelf = Shelf::new();
    shelf.project("zoo", &["apples"]);
    let slow = Arc::new(FakeEmbedder::new(32));
    let search = SearchConfig { project_timeout_ms: 2000, ..SearchConfig::default() };
    let home = shelf.engine("zoo", Config { search, ..Config::default() }, &Arc::new(FakeEmbedder::new(32)));
    let projects = around(&home);
    // More projects than are queried at the same time, all sorted before the one that answers.
    let at_once = std::thread::available_parallelism().map_or(1, usize::from).max(4);
    for number in 0..=at_once {
        let name = format!("slow{number}");
        shelf.files.write(&format!("{name}/src/apples.rs"), about("apples"));
        let late = shelf.engine(&name, Config::default(), &slow);
        index(&late);
        projects.keep(late);
    }
    slow.set_behaviour(Behaviour::Hang);
    let response = projects.search(&request("apples"), &ProjectSelection::All).unwrap();
    slow.set_behaviour(Behaviour::Work);
    assert_eq!(places(&response), ["zoo:src/apples.rs"]);
    assert_eq!(response.notes.len(), at_once + 1, "{:?}", response.notes);
}

#[test]
fn a_provider_that_fails_costs_a_note_with_the_projects_name() {
    let shelf = Shelf::new();
    let embedder = Arc::new(FakeEmbedder::new(32));
    shelf.project("api", &["apples"]);
    let home = shelf.engine("api", Config::default(), &embedder);
    embedder.set_behaviour(Behaviour::Fail);
    let response = around(&home).search(&request("apples"), &ProjectSelection::All).unwrap();
    assert_eq!(response.hits.len(), 1);
    assert!(
        response.notes[0].starts_with("api: Stage two (embeddings of the provider) was skipped"),
        "{:?}",
        response.notes
    );
}

#[test]
fn names_paths_and_nothing_else_select_projects() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples"]);
    shelf.project("web", &["apples"]);
    shelf.files.write("other/a.rs", about("apples"));
    let projects = around(&api);
    let find = |name: &str| projects.search(&request("apples"), &named(&[name]));
    let absolute = shelf.files.path("web/src").display().to_string();
    for text in ["web", "../web", "../web/src", &absolute] {
        assert_eq!(places(&find(text).unwrap()), ["web:src/apples.rs"], "{text}");
    }
    for text in ["../other", "/", "..", "other", "src", "../nowhere"] {
        assert!(matches!(find(text), Err(EngineError::UnknownProject { .. })), "{text}");
    }
    let hint = find("wbe").unwrap_err().hint().unwrap();
    assert!(hint.starts_with("Did you mean web? Known projects: api, web."), "{hint}");
    let twice = projects.search(&request("apples"), &named(&["web", "../web"])).unwrap();
    assert_eq!(twice.total, 1);
}

#[test]
fn linked_projects_are_asked_with_the_one_at_hand() {
    let shelf = Shelf::new();
    shelf.project("api", &["apples"]);
    shelf.project("web", &["apples"]);
    shelf.project("unlinked", &["apples"]);
    let linked_projects = vec![PathBuf::from("../web"), PathBuf::from("../nowhere")];
    let home = shelf.engine(
        "api",
        Config { linked_projects, ..Config::default() },
        &Arc::new(FakeEmbedder::new(32)),
    );
    let projects = around(&home);
    let response = projects.search(&request("apples"), &ProjectSelection::Linked).unwrap();
    assert_eq!(places(&response), ["api:src/apples.rs", "web:src/apples.rs"]);
    assert!(response.notes[0].contains("../nowhere is not registered"), "{:?}", response.notes);
    let linked: Vec<String> =
        projects.list().unwrap().projects.into_iter().filter(|one| one.linked).map(|one| one.name).collect();
    assert_eq!(linked, ["web"]);
}

#[test]
fn a_terminal_reads_what_changed_first() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples"]);
    shelf.project("web", &["apples"]);
    shelf.files.write("web/src/zebras.rs", about("zebras"));
    let search = |projects: &Projects| {
        let request = SearchRequest { mode: SearchMode::Fast, ..request("zebras") };
        places(&projects.search(&request, &ProjectSelection::All).unwrap())
    };
    assert!(!search(&around(&api)).contains(&"web:src/zebras.rs".into()));
    assert_eq!(search(&Projects::around(api, Freshen::First))[0], "web:src/zebras.rs");
}

#[test]
fn code_like_a_place_at_hand_is_found_in_other_projects() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples", "bears"]);
    shelf.project("web", &["apples", "cars"]);
    let location = |line| SearchTarget::Location { path: "src/apples.rs".into(), line };
    let request = |line| SearchRequest { threshold: Some(0.0), ..SearchRequest::new(location(line)) };
    let response = around(&api).search(&request(2), &ProjectSelection::All).unwrap();
    assert_eq!(places(&response)[0], "web:src/apples.rs");
    assert!(!places(&response).contains(&"api:src/apples.rs".into()), "the location itself is excluded");
    let error = around(&api).search(&request(999), &ProjectSelection::All).unwrap_err();
    assert!(matches!(error, EngineError::NoSuchLocation { .. }), "{error}");
}

#[test]
fn what_makes_no_sense_across_projects_is_refused() {
    let shelf = Shelf::new();
    let api = shelf.project("api", &["apples"]);
    let projects = around(&api);
    let error = projects.search(&request("  "), &ProjectSelection::All).unwrap_err();
    assert!(matches!(error, EngineError::EmptyQuery));
    let empty = Shelf::new();
    empty.files.write("x/a.rs", about("apples"));
    let lone = empty.engine("x", Config::default(), &Arc::new(FakeEmbedder::new(32)));
    let error = around(&lone).search(&request("apples"), &ProjectSelection::All).unwrap_err();
    assert!(matches!(error, EngineError::NoProjects), "{error}");
    assert!(around(&lone).list().unwrap().projects.is_empty());
}

#[test]
fn many_more_projects_than_stay_open_are_all_searched() {
    let shelf = Shelf::new();
    let home = shelf.project("p00", &["apples"]);
    for number in 1..12 {
        shelf.project(&format!("p{number:02}"), &["apples"]);
    }
    let projects = around(&home);
    for _ in 0..2 {
        let response = projects.search(&request("apples"), &ProjectSelection::All).unwrap();
        assert_eq!((response.total, response.notes.len()), (12, 0), "{:?}", response.notes);
    }
}

#[test]
fn a_question_to_many_projects_is_embedded_once() {
    let shelf = Shelf::new();
    shelf.project("web", &["windows"]);
    shelf.project("app", &["apples"]);
    shelf.project("api", &["ants"]);
    let embedder = Arc::new(FakeEmbedder::new(32));
    let home = shelf.engine("api", Config::default(), &embedder);
    let found = around(&home).search(&request("windows"), &ProjectSelection::All).unwrap();
    assert_eq!(found.total, 3);
    assert_eq!(embedder.queries(), ["windows"]);
}

#[test]
fn many_projects_answer_as_each_would_alone() {
    const TOPICS: [&str; 9] =
        ["apples", "bears", "cars", "doors", "eggs", "foxes", "gates", "hills", "islands"];
    let shelf = Shelf::new();
    let engines: Vec<Arc<Engine>> = (0..9)
        .map(|number| {
            let topics: Vec<&str> =
                TOPICS.iter().copied().cycle().skip(number).take(1 + number % 4).collect();
            shelf.project(&format!("p{number}"), &topics)
        })
        .collect();
    let projects = around(&engines[0]);
    for query in ["apples", "open the gates", "count bears and foxes", "islands of eggs"] {
        let mut alone: Vec<(String, f32)> = Vec::new();
        for (number, engine) in engines.iter().enumerate() {
            let hits = engine.search(&request(query)).unwrap().hits;
            alone.extend(hits.into_iter().map(|hit| (format!("p{number}:{}", hit.path), hit.score)));
        }
        alone.sort_by(|one, other| other.1.total_cmp(&one.1));
        for limit in [3, 10, 100] {
            let request = SearchRequest { limit, ..request(query) };
            let together = projects.search(&request, &ProjectSelection::All).unwrap();
            let scores = together.hits.iter().map(|hit| hit.score);
            let found: Vec<(String, f32)> = places(&together).into_iter().zip(scores).collect();
            assert_eq!(found, alone[..limit.min(alone.len())], "{query}");
            assert_eq!(together.total, alone.len());
        }
    }
}

#[test]
fn a_hit_whose_file_is_gone_makes_room_for_the_next() {
    let shelf = Shelf::new();
    let home = shelf.project("p0", &["apples", "bears"]);
    for number in 1..6 {
        shelf.project(&format!("p{number}"), &["apples"]);
    }
    shelf.files.remove("p0/src/apples.rs");
    let request = SearchRequest { limit: 3, mode: SearchMode::Fast, ..request("apples") };
    let response = around(&home).search(&request, &ProjectSelection::All).unwrap();
    assert_eq!(places(&response), ["p1:src/apples.rs", "p2:src/apples.rs", "p3:src/apples.rs"]);
    assert!(response.notes[0].starts_with("p0: src/apples.rs no longer exists"), "{:?}", response.notes);
}
