//! The repository's history in the index: what is read, when, and how commits vote in searches.

use vectorcode_core::api::{HistoryRequest, Hit, IndexRequest, SearchMode, SearchRequest};
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::{EngineError, Keeper};
use vectorcode_testkit::{TempProject, TestRepository};

use crate::project::{Indexed, about, eventually};

const FILES: [(&str, &str); 3] = [("a.rs", "apples"), ("b.rs", "bears"), ("c.rs", "cars")];

fn project(config: Config) -> (Indexed, TestRepository) {
    let files = TempProject::empty();
    for (path, topic) in FILES {
        files.write(path, about(topic));
    }
    let repository = TestRepository::init(files.root());
    (Indexed::of(files, config), repository)
}

/// The history signal of the best hit in a file, or 0.
fn vote(project: &Indexed, query: &str, path: &str, before: Option<&str>) -> f32 {
    let request = SearchRequest {
        threshold: Some(0.0),
        explain: true,
        mode: SearchMode::Fast,
        history_before: before.map(str::to_owned),
        ..SearchRequest::query(query)
    };
    let hits = project.engine.search(&request).unwrap().hits;
    let signal =
        |hit: &Hit| hit.signals.iter().find(|signal| signal.name == "history").map(|signal| signal.value);
    hits.iter().filter(|hit| hit.path == path).filter_map(signal).fold(0.0, f32::max)
}

fn commits(project: &Indexed) -> u64 {
    project.engine.status().unwrap().commits
}

#[test]
fn similar_messages_vote_for_the_files_that_they_changed() {
    let (project, mut repository) = project(Config::default());
    repository.commit("import", &[("a.rs", Some("1")), ("b.rs", Some("1")), ("c.rs", Some("1"))]);
    repository.commit("Reconnect after the broker closes the socket", &[("b.rs", Some("2"))]);
    repository.commit("Spell the licence correctly", &[("c.rs", Some("2"))]);
    project.index();
    assert_eq!(commits(&project), 3);
    let query = "the socket of a broker is not reconnected";
    // None of these words is in the file: only the history points to it.
    assert!((vote(&project, query, "b.rs", None) - 1.0).abs() < 1e-6);
    assert!(vote(&project, query, "a.rs", None) < 0.5);
}

/// A defect is often fixed in more than one file: a file that always changes with the first result comes right after
/// it.
#[test]
fn files_that_change_together_with_the_first_answer_a_report_too() {
    let files = TempProject::empty();
    files.write("src/basket.rs", "/// Adds an item to the basket and counts its rebate.\npub fn add_to_basket(item: u32) -> u32 {\n    item\n}\n");
    files.write("src/shelf.rs", "/// An item on the shelf.\npub fn shelf(item: u32) -> u32 {\n    item\n}\n");
    files.write("src/ledger.rs", "/// Books what was paid.\npub fn book(paid: u32) -> u32 {\n    paid\n}\n");
    let mut repository = TestRepository::init(files.root());
    repository.commit(
        "import",
        &[("src/basket.rs", Some("1")), ("src/shelf.rs", Some("1")), ("src/ledger.rs", Some("1"))],
    );
    for (version, message) in ["Tidy up", "Rename things", "Next release"].iter().enumerate() {
        let text = version.to_string();
        repository.commit(message, &[("src/basket.rs", Some(&text)), ("src/ledger.rs", Some(&text))]);
    }
    let project = Indexed::of(files, Config::default());
    project.index();
    let paths = |query: &str| {
        let request = SearchRequest { mode: SearchMode::Fast, ..SearchRequest::query(query) };
        let hits = project.engine.search(&request).unwrap().hits;
        hits.into_iter().map(|hit| hit.path).collect::<Vec<_>>()
    };
    let report = "The rebate of the basket is wrong\n\nWhen an item is added to the basket twice, its rebate is counted \
                  only once, and the shelf shows another item.";
    assert_eq!(paths(report), ["src/basket.rs", "src/ledger.rs", "src/shelf.rs"]);
    let question = "where is an item added to the basket";
    assert_eq!(
        paths(question),
        ["src/basket.rs", "src/shelf.rs", "src/ledger.rs"],
        "a question asks for one place"
    );
}

/// A commit's own message must not answer the question derived from it, nor may later commits.
#[test]
fn a_commit_and_those_after_it_cannot_vote_for_its_own_question() {
    let (project, mut repository) = project(Config::default());
    repository.commit("import", &[("a.rs", Some("1")), ("b.rs", Some("1")), ("c.rs", Some("1"))]);
    let asked = repository.commit("Reconnect after the broker closes the socket", &[("b.rs", Some("2"))]);
    let later =
        repository.commit("Fix: reconnect after the broker closes the socket", &[("b.rs", Some("3"))]);
    project.index();
    let query = "Reconnect after the broker closes the socket";
    assert!(vote(&project, query, "b.rs", None) > 0.9);
    assert!(
        vote(&project, query, "b.rs", Some(&later[..10])) > 0.9,
        "the first one is an ancestor of the second"
    );
    assert!(vote(&project, query, "b.rs", Some(&asked[..10])) < 0.01);
    assert!(vote(&project, query, "b.rs", Some("0123456789")) < 0.01, "an unknown commit has no ancestors");
}

#[test]
fn commits_of_another_branch_do_not_vote() {
    let (project, mut repository) = project(Config::default());
    let base = repository.commit("import", &[("a.rs", Some("1"))]);
    let side = repository.commit("Reconnect after the broker closes the socket", &[("b.rs", Some("2"))]);
    project.index();
    let query = "reconnect the broker's socket";
    assert!(vote(&project, query, "b.rs", None) > 0.9);
    repository.reset(&base);
    repository.commit("Spell the licence correctly", &[("c.rs", Some("2"))]);
    project.index();
    assert!(vote(&project, query, "b.rs", None) < 0.01);
    assert_eq!(commits(&project), 2);
    repository.merge("Merge the other branch", &[&side]);
    project.index();
    assert!(vote(&project, query, "b.rs", None) > 0.9);
}

#[test]
fn a_sync_reads_what_is_new_and_the_setting_bounds_it() {
    let (project, mut repository) = project(Config::default());
    repository.commit("one", &[("a.rs", Some("1"))]);
    project.index();
    repository.commit("two", &[("a.rs", Some("2"))]);
    repository.commit("three", &[("a.rs", Some("3"))]);
    project.engine.freshen(&IndexRequest::before_search(), &SilentProgress, &CancelToken::default());
    assert_eq!(commits(&project), 3);
    for (wanted, known) in [(2, 2), (0, 0)] {
        let mut config = Config::default();
        config.history.commits = wanted;
        let files = TempProject::new(&[("a.rs", &about("apples"))]);
        let mut repository = TestRepository::init(files.root());
        for number in 0..3 {
            repository.commit("some change", &[("a.rs", Some(&number.to_string()))]);
        }
        let other = Indexed::of(files, config);
        other.index();
        assert_eq!(commits(&other), known, "of {wanted} wanted");
    }
}

/// It is read in parallel with the files, and has more commits than the queue holds.
#[test]
fn a_long_history_is_read_whole() {
    let mut config = Config::default();
    config.history.commits = 4000;
    let (project, mut repository) = project(config);
    for number in 0..3400 {
        let text = if number % 2 == 0 { "1" } else { "2" };
        repository.commit("some change", &[("a.rs", Some(text))]);
    }
    project.index();
    assert_eq!(commits(&project), 3400);
}

#[test]
fn a_damaged_repository_costs_a_note() {
    let (project, _) = project(Config::default());
    std::fs::write(project.files.path(".git/HEAD"), "\0\u{1}garbage").unwrap();
    let report = project.index();
    assert_eq!(report.files, 3);
    assert!(report.notes.iter().any(|note| note.contains("HEAD")), "{:?}", report.notes);
    assert!(project.finds("apples", "a.rs"));
    assert_eq!(commits(&project), 0);
}

/// A project must not show the commits of another repository, nor those that an earlier version read from it.
#[test]
fn a_repository_that_leads_elsewhere_is_forgotten_with_a_note() {
    let (project, mut repository) = project(Config::default());
    repository.commit("import", &[("a.rs", Some("1"))]);
    project.index();
    assert_eq!(commits(&project), 1);
    let private = TempProject::empty();
    TestRepository::init(private.root()).commit("secret", &[("b.rs", Some("1"))]);
    project.files.write(".git/commondir", format!("{}\n", private.root().join(".git").display()));
    let report = project.index();
    assert!(report.notes.iter().any(|note| note.contains("commondir")), "{:?}", report.notes);
    assert_eq!(commits(&project), 0);
    let response = project.engine.history(&HistoryRequest::default()).unwrap();
    assert!(response.commits.is_empty() && response.notes[0].contains("commondir"), "{:?}", response.notes);
}

#[test]
fn a_server_reads_the_history_in_the_background() {
    let mut config = Config::default();
    config.watcher.debounce_ms = 50;
    let (project, mut repository) = project(config);
    repository.commit("one", &[("a.rs", Some("1"))]);
    let _keeper = Keeper::start(project.engine.clone()).unwrap();
    eventually("the history", || project.engine.status().is_ok_and(|status| status.commits == 1));
    repository.commit("two", &[("a.rs", Some("2"))]);
    project.files.write("a.rs", about("oranges"));
    eventually("the new commit", || project.engine.status().is_ok_and(|status| status.commits == 2));
}

#[test]
fn commits_are_found_by_what_they_say_and_by_what_they_changed() {
    let (project, mut repository) = project(Config::default());
    repository.commit("import", &[("a.rs", Some("1")), ("b.rs", Some("1"))]);
    repository.commit(
        "Retry the upload\n\nThe proxy drops the first connection of the day.",
        &[("b.rs", Some("2"))],
    );
    repository.commit("Rename a helper", &[("a.rs", Some("2"))]);
    project.index();
    let subjects = |query: Option<&str>, path: Option<&str>| {
        let request = HistoryRequest {
            query: query.map(str::to_owned),
            path: path.map(str::to_owned),
            ..HistoryRequest::default()
        };
        let response = project.engine.history(&request).unwrap();
        response.commits.into_iter().map(|commit| commit.subject).collect::<Vec<_>>()
    };
    assert_eq!(subjects(Some("why are uploads retried"), None)[0], "Retry the upload");
    assert_eq!(subjects(Some("proxy connection"), None), ["Retry the upload"]);
    assert_eq!(subjects(None, Some("a.rs")), ["Rename a helper", "import"]);
    assert_eq!(subjects(None, None), ["Rename a helper", "Retry the upload", "import"]);
    assert!(subjects(Some("zebra"), None).is_empty());
    let unknown = HistoryRequest { path: Some("nowhere.rs".into()), ..HistoryRequest::default() };
    assert!(matches!(project.engine.history(&unknown), Err(EngineError::NoHistoryOf { .. })));
}

mod changes {
    use vectorcode_core::api::{ChangeKind, ChangesRequest, ChangesResponse};
    use vectorcode_core::{CancelToken, SilentProgress};
    use vectorcode_testkit::{TempProject, TestRepository};

    use crate::project::Indexed;

    const PRICE: &str =
        "pub fn price(units: u32) -> u32 {\n    units * 3\n}\n\npub fn unrelated() -> u32 {\n    1\n}\n";
    const CART: &str = "use crate::price::price;\n\npub fn total(units: u32) -> u32 {\n    price(units)\n}\n";
    const TESTS: &str =
        "use shop::cart::total;\n\n#[test]\nfn totals_are_added() {\n    assert_eq!(total(2), 6);\n}\n";

    fn shop() -> (Indexed, TestRepository) {
        let sources = [
            ("src/price.rs", PRICE),
            ("src/cart.rs", CART),
            ("src/lib.rs", "pub mod cart;\npub mod price;\n"),
            ("tests/cart.rs", TESTS),
        ];
        let files = TempProject::new(&sources);
        files.write("Cargo.toml", "[package]\nname = \"shop\"\n");
        let mut repository = TestRepository::init(files.root());
        let committed: Vec<(&str, Option<&str>)> =
            sources.iter().map(|(path, text)| (*path, Some(*text))).collect();
        repository.commit("import", &committed);
        repository.commit("settings", &[("Cargo.toml", Some("[package]\nname = \"shop\"\n"))]);
        (Indexed::of(files, vectorcode_core::config::Config::default()), repository)
    }

    fn changes(project: &Indexed, revisions: Option<&str>) -> ChangesResponse {
        project
            .engine
            .changes(&ChangesRequest::of(revisions), &SilentProgress, &CancelToken::default())
            .unwrap()
    }

    fn symbols(response: &ChangesResponse) -> Vec<(&str, ChangeKind)> {
        response.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.change)).collect()
    }

    #[test]
    fn a_tree_without_changes_touches_nothing() {
        let (project, _) = shop();
        project.index();
        let response = changes(&project, None);
        assert_eq!((response.files.len(), response.symbols.len(), response.tests.len()), (0, 0, 0));
    }

    #[test]
    fn an_edit_leads_to_its_callers_and_tests() {
        let (project, _) = shop();
        project.files.write("src/price.rs", PRICE.replace("units * 3", "units * 4"));
        project.index();
        let response = changes(&project, None);
        assert_eq!(response.files.len(), 1);
        let file = &response.files[0];
        assert_eq!((file.path.as_str(), file.lines_added, file.lines_removed), ("src/price.rs", 1, 1));
        assert!(file.is_indexed && response.notes.is_empty(), "{:?}", response.notes);
        assert_eq!(symbols(&response), [("price", ChangeKind::Modified)]);
        assert!(response.affected.iter().any(|user| user.path == "src/cart.rs"), "{:?}", response.affected);
        assert!(
            response.tests.iter().any(|test| test.name.contains("totals_are_added")),
            "{:?}",
            response.tests
        );
    }

    #[test]
    fn helpers_and_fixtures_are_no_tests_to_run() {
        let (project, _) = shop();
        project.files.write("src/price.rs", PRICE.replace("units * 3", "units * 4"));
        project.files.write(
            "tests/cart.rs",
            "use shop::cart::total;\n\nfn helper() -> u32 {\n    total(2)\n}\n\n\
             #[test]\nfn totals_are_added() {\n    assert_eq!(helper(), 6);\n}\n",
        );
        project.files.write("shop/cart.py", "def total(units):\n    return units * 3\n");
        project.files.write(
            "tests/test_cart.py",
            "from shop.cart import total\n\n\ndef fixture():\n    return total(1)\n\n\n\
             def test_totals():\n    def inner():\n        return total(2)\n    assert inner() == 6\n",
        );
        project.index();
        let tests: Vec<String> = changes(&project, None).tests.into_iter().map(|test| test.name).collect();
        assert!(tests.contains(&"totals_are_added".to_owned()), "{tests:?}");
        assert!(tests.contains(&"test_totals".to_owned()), "{tests:?}");
        assert_eq!(tests.len(), 2, "{tests:?}");
    }

    #[test]
    fn an_index_that_is_behind_is_named() {
        let (project, _) = shop();
        project.index();
        project
            .files
            .write("src/price.rs", format!("// one more line\n{PRICE}").replace("units * 3", "units * 4"));
        let response = changes(&project, None);
        assert_eq!(symbols(&response), [("price", ChangeKind::Modified)]);
        assert!(
            response.notes.iter().any(|note| note.contains("behind the files on disk")),
            "{:?}",
            response.notes
        );
    }

    #[test]
    fn added_and_deleted_files_and_symbols_are_told_apart() {
        let (project, _) = shop();
        project.files.remove("src/cart.rs");
        project.files.write("src/tax.rs", "pub fn tax() -> u32 {\n    19\n}\n");
        project.files.write("src/price.rs", "pub fn price(units: u32) -> u32 {\n    units * 3\n}\n");
        project.index();
        let response = changes(&project, None);
        let files: Vec<_> = response.files.iter().map(|file| (file.path.as_str(), file.change)).collect();
        assert_eq!(
            files,
            [
                ("src/cart.rs", ChangeKind::Deleted),
                ("src/price.rs", ChangeKind::Modified),
                ("src/tax.rs", ChangeKind::Added)
            ]
        );
        let deleted: Vec<&str> = symbols(&response)
            .into_iter()
            .filter(|(_, change)| *change == ChangeKind::Deleted)
            .map(|(name, _)| name)
            .collect();
        assert_eq!(deleted, ["total", "unrelated"]);
        assert!(symbols(&response).contains(&("tax", ChangeKind::Added)));
    }

    #[test]
    fn a_renamed_file_is_one_change_and_its_users_are_named() {
        let (project, _) = shop();
        project.files.remove("src/price.rs");
        project.files.write("src/prices.rs", PRICE.replace("    1\n", "    2\n"));
        project.files.write("src/cart.rs", CART.replace("price::price", "prices::price"));
        project.files.write("src/lib.rs", "pub mod cart;\npub mod prices;\n");
        project.index();
        let response = changes(&project, None);
        let renamed = response.files.iter().find(|file| file.change == ChangeKind::Renamed).unwrap();
        assert_eq!(
            (renamed.old_path.as_deref(), renamed.path.as_str()),
            (Some("src/price.rs"), "src/prices.rs")
        );
        assert_eq!((renamed.lines_added, renamed.lines_removed), (1, 1));
        assert!(response.files.iter().all(|file| file.path != "src/price.rs"), "{:?}", response.files);
        assert!(symbols(&response).contains(&("unrelated", ChangeKind::Modified)), "{response:?}");
        assert!(!symbols(&response).iter().any(|(name, _)| *name == "price"), "{response:?}");
        assert!(response.tests.iter().any(|test| test.name == "totals_are_added"), "{:?}", response.tests);
    }

    #[test]
    fn commits_and_branches_are_compared() {
        let (project, mut repository) = shop();
        let changed = PRICE.replace("    1\n", "    2\n");
        repository.commit("change", &[("src/price.rs", Some(&changed))]);
        project.files.write("src/price.rs", &changed);
        project.index();
        assert_eq!(symbols(&changes(&project, None)), []);
        assert_eq!(symbols(&changes(&project, Some("HEAD~1"))), [("unrelated", ChangeKind::Modified)]);
        assert_eq!(symbols(&changes(&project, Some("..HEAD"))), [("unrelated", ChangeKind::Modified)]);
        assert_eq!(symbols(&changes(&project, Some("main..main"))), []);
        let error = project
            .engine
            .changes(&ChangesRequest::of(Some("nowhere")), &SilentProgress, &CancelToken::default())
            .unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
    }

    #[test]
    fn other_line_ends_are_no_change() {
        let (project, _) = shop();
        project.files.write("src/price.rs", PRICE.replace('\n', "\r\n"));
        project.index();
        assert_eq!(changes(&project, None).files, []);
    }
}
