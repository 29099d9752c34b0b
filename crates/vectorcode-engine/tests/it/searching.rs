//! Searching: filters, thresholds, pages, modes, missing parts, and hostile queries.

use std::sync::Arc;

use vectorcode_core::Diagnose;
use vectorcode_core::api::{
    ClassFilter, Cursor, Freshness, GraphQuery, GraphRequest, Hit, SearchMode, SearchRequest, SearchTarget,
    SymbolRequest, TestFilter,
};
use vectorcode_engine::EngineError;
use vectorcode_testkit::{Behaviour, FakeEmbedder};

use crate::project::{Indexed, about, index};

const RETRY: &str = "/// Tries again with exponential backoff.\npub fn retry_with_backoff(limit: u32) -> u32 {\n    \
                     let mut delay = 1;\n    for _ in 0..limit {\n        delay *= 2;\n    }\n    delay\n}\n";
const LOGIN: &str = "def login(user, password):\n    \"\"\"Checks the password of a user.\"\"\"\n    \
                     return verify(user, password)\n\n\ndef logout(user):\n    sessions.pop(user, None)\n";
const LOGIN_TEST: &str = "from login import login\n\n\ndef test_login_with_password():\n    \
                          assert login('user', 'password')\n";

fn sample() -> Indexed {
    let project = Indexed::new(&[
        ("src/net/retry.rs", RETRY),
        ("src/auth/login.py", LOGIN),
        ("tests/test_login.py", LOGIN_TEST),
        ("docs/login.md", "# Login\n\nHow a user logs in with a password.\n"),
        ("settings.toml", "[login]\npassword_length = 12\n"),
    ]);
    index(&project.engine).unwrap();
    project
}

fn request(query: &str) -> SearchRequest {
    SearchRequest { threshold: Some(0.0), ..SearchRequest::query(query) }
}

fn hits(project: &Indexed, request: &SearchRequest) -> Vec<Hit> {
    project.engine.search(request).unwrap().hits
}

fn paths(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.path.as_str()).collect()
}

#[test]
fn the_definition_comes_before_its_test_and_its_documentation() {
    let project = sample();
    let found = hits(&project, &request("login with password"));
    assert_eq!(found[0].path, "src/auth/login.py");
    assert_eq!(found[0].symbol.as_deref(), Some("login"));
}

#[test]
fn a_type_comes_before_its_constructors() {
    let fields = "    private final Setting setting = Setting.of(1);\n".repeat(60);
    let constructor = |kind: &str| {
        let body = format!("        use({kind}, new ValueWriter(), ValueWriter.class);\n").repeat(40);
        format!(
            "\n    /** A value writer of a value writer. */\n    public ValueWriter({kind} from) {{\n{body}    }}\n"
        )
    };
    let constructors = [constructor("Writer"), constructor("Stream")].concat();
    let java =
        format!("/** Puts it into a file. */\npublic class ValueWriter {{\n{fields}{constructors}}}\n");
    let project =
        Indexed::new(&[("src/ValueWriter.java", java.as_str()), ("src/Other.java", "class Other {}\n")]);
    index(&project.engine).unwrap();
    let found = hits(&project, &SearchRequest { mode: SearchMode::Fast, ..request("ValueWriter") });
    assert_eq!(found[0].symbol.as_deref(), Some("ValueWriter"), "{found:#?}");
}

#[test]
fn a_query_for_tests_finds_them_first() {
    let project = sample();
    assert_eq!(hits(&project, &request("tests of login"))[0].path, "tests/test_login.py");
}

#[test]
fn filters_hold_for_every_hit() {
    let project = sample();
    let base = request("login password retry");
    let only = |request: SearchRequest| paths(&hits(&project, &request)).join(" ");
    assert_eq!(only(SearchRequest { languages: vec!["Rust".into()], ..base.clone() }), "src/net/retry.rs");
    assert_eq!(only(SearchRequest { paths: vec!["./src/net/".into()], ..base.clone() }), "src/net/retry.rs");
    assert_eq!(only(SearchRequest { paths: vec!["**/*.md".into()], ..base.clone() }), "docs/login.md");
    assert_eq!(only(SearchRequest { class: ClassFilter::Config, ..base.clone() }), "settings.toml");
    assert_eq!(only(SearchRequest { class: ClassFilter::Docs, ..base.clone() }), "docs/login.md");
    assert_eq!(only(SearchRequest { tests: TestFilter::Only, ..base.clone() }), "tests/test_login.py");
    let without = only(SearchRequest { tests: TestFilter::Exclude, ..base });
    assert!(!without.contains("tests/") && without.contains("src/auth/login.py"), "{without}");
}

#[test]
fn headers_of_a_project_in_c_are_c() {
    let project = Indexed::new(&[
        ("src/pool.c", "#include \"pool.h\"\n\nint pool_open(struct pool *p) {\n    return p->size;\n}\n"),
        ("src/pool.h", "struct pool {\n    int size;\n};\n\nint pool_open(struct pool *p);\n"),
        ("src/pool.py", "def pool_open(size):\n    return size\n"),
    ]);
    index(&project.engine).unwrap();
    let of = |language: &str| {
        let request = SearchRequest { languages: vec![language.into()], ..request("size of the pool") };
        let mut found: Vec<String> = hits(&project, &request).into_iter().map(|hit| hit.path).collect();
        found.sort();
        found.dedup();
        found
    };
    assert_eq!(of("c"), ["src/pool.c", "src/pool.h"]);
    assert_eq!(of("h"), ["src/pool.h"]);
    assert!(of("c++").is_empty());
}

#[test]
fn scores_fall_with_rank_and_the_threshold_cuts_by_them() {
    let project = sample();
    let all = project.engine.search(&request("login with password")).unwrap();
    assert!(all.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
    assert!(all.hits.is_sorted_by(|left, right| left.score >= right.score));
    let threshold = all.hits[1].score;
    let cut = project
        .engine
        .search(&SearchRequest { threshold: Some(threshold), ..request("login with password") })
        .unwrap();
    assert_eq!(cut.hits, all.hits[..cut.hits.len()]);
    assert!(cut.hits.iter().all(|hit| hit.score >= threshold));
    assert_eq!(cut.total, cut.hits.len());
}

#[test]
fn pages_join_to_the_whole_list() {
    let project = sample();
    let all = project.engine.search(&request("login password retry")).unwrap();
    let mut paged = Vec::new();
    let mut cursor = None;
    loop {
        let page = SearchRequest { limit: 2, cursor, ..request("login password retry") };
        let page = project.engine.search(&page).unwrap();
        assert_eq!(page.total, all.total);
        paged.extend(page.hits);
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(paged, all.hits);
    let beyond = SearchRequest { cursor: Some(Cursor::at(usize::MAX)), ..request("login") };
    assert!(hits(&project, &beyond).is_empty());
}

#[test]
fn hostile_queries_are_only_text() {
    let project = sample();
    let long = "login password ".repeat(700);
    let hostile = [
        "?!…;--",
        "\" OR 1=1; DROP TABLE chunks; --",
        "login* NEAR(password) AND NOT ^body: {path symbol}: x",
        "日本語の検索 поиск تسجيل",
        "a\u{0}b\u{7f}\u{202e}",
        "((((((((((",
        "'",
        "%_%",
        "\\",
        "👩‍👩‍👧‍👦",
        long.as_str(),
    ];
    for query in hostile {
        for mode in [SearchMode::Auto, SearchMode::Fast, SearchMode::Semantic] {
            let answer = project.engine.search(&SearchRequest { mode, ..request(query) });
            assert!(answer.is_ok(), "{query:?}: {:?}", answer.err());
        }
    }
    assert_eq!(hits(&project, &request(&long))[0].path, "src/auth/login.py");
    for empty in ["", " \n\t"] {
        assert!(matches!(project.engine.search(&request(empty)), Err(EngineError::EmptyQuery)));
    }
}

#[test]
fn a_provider_that_fails_is_named_and_stage_one_answers() {
    let project = sample();
    let embedder = Arc::new(FakeEmbedder::new(32));
    let engine = project.reopened(embedder.clone());
    index(&engine).unwrap();
    embedder.set_behaviour(Behaviour::Fail);
    for mode in [SearchMode::Auto, SearchMode::Semantic] {
        let answer = engine.search(&SearchRequest { mode, ..request("login with password") }).unwrap();
        assert_eq!(answer.hits[0].path, "src/auth/login.py");
        assert!(
            answer
                .notes
                .iter()
                .any(|note| note.contains("Stage two (embeddings of the provider) was skipped")),
            "{:?}",
            answer.notes
        );
    }
    let fast = SearchRequest { mode: SearchMode::Fast, ..request("login with password") };
    let answer = engine.search(&fast).unwrap();
    assert!(answer.notes.is_empty() && answer.semantic_coverage.is_none());
}

#[test]
fn code_like_a_place_is_found_and_the_place_itself_is_not() {
    let project = Indexed::new(&[
        ("a.py", "def read_config(path):\n    with open(path) as file:\n        return parse(file.read())\n"),
        (
            "b.py",
            "def load_settings(path):\n    with open(path) as file:\n        return parse(file.read())\n",
        ),
        ("c.py", "def paint(canvas, colour):\n    canvas.fill(colour)\n    canvas.flush()\n"),
    ]);
    index(&project.engine).unwrap();
    let at = |path: &str, line| SearchRequest {
        threshold: Some(0.0),
        ..SearchRequest::new(SearchTarget::Location { path: path.into(), line })
    };
    let found = hits(&project, &at("a.py", 2));
    assert_eq!(found[0].path, "b.py");
    assert!(found.iter().all(|hit| hit.path != "a.py"));
    let snippet = SearchTarget::Snippet("with open(name) as file:\n    return parse(file.read())".into());
    let found = hits(&project, &SearchRequest { threshold: Some(0.0), ..SearchRequest::new(snippet) });
    assert_ne!(found[0].path, "c.py");
    let missing = project.engine.search(&at("a.py", 999));
    assert!(matches!(missing, Err(EngineError::NoSuchLocation { line: 999, .. })));
}

#[test]
fn what_changed_on_disk_is_found_again_or_flagged() {
    let project = sample();
    let retry = || {
        let found = hits(&project, &request("retry with backoff"));
        found.into_iter().find(|hit| hit.path == "src/net/retry.rs").unwrap()
    };
    assert_eq!(retry().freshness, Freshness::Fresh);
    let before = retry();
    project.files.write("src/net/retry.rs", format!("// A new first line.\n{RETRY}"));
    let moved = retry();
    assert_eq!((moved.freshness, moved.start_line), (Freshness::Moved, before.start_line + 1));
    project.files.write("src/net/retry.rs", "pub fn other() {}\n");
    assert!(matches!(retry().freshness, Freshness::Stale { .. }));
    project.files.remove("src/net/retry.rs");
    let answer = project.engine.search(&request("retry with backoff")).unwrap();
    assert!(answer.notes.iter().any(|note| note.contains("src/net/retry.rs")), "{:?}", answer.notes);
}

#[test]
fn explained_parts_name_every_signal() {
    let project = sample();
    let found = hits(&project, &SearchRequest { explain: true, ..request("login with password") });
    let names: Vec<&str> = found[0].signals.iter().map(|signal| signal.name.as_str()).collect();
    assert!(names.contains(&"full_text") && names.contains(&"coverage"), "{names:?}");
    assert!(hits(&project, &request("login"))[0].signals.is_empty());
}

#[test]
fn languages_have_aliases_and_an_unknown_one_is_an_error() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    let ask = |language: &str| {
        let languages = vec![language.to_owned()];
        project.engine.search(&SearchRequest { languages, ..SearchRequest::query("apples") })
    };
    assert_eq!(ask("ts").unwrap().notes, ["The index has no files in typescript; it has: rust."]);
    for name in ["rust", "Rust", "rs"] {
        assert_eq!(ask(name).unwrap().hits.len(), 1, "{name}");
    }
    for name in ["golang", "c++", "cs", "js", "py", "md", "sh", "yml"] {
        assert_eq!(ask(name).unwrap().hits.len(), 0, "{name}");
    }
    let error = ask("klingon").unwrap_err();
    assert_eq!(error.to_string(), "\"klingon\" is not a language that vectorcode knows");
    assert_eq!(error.hint().unwrap(), "The index has: rust");
}

#[test]
fn whatever_is_asked_of_an_index_that_no_run_has_finished_the_answer_says_so() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.engine.init().unwrap();
    let said =
        |notes: Vec<String>| notes.iter().any(|note| note.contains("still being built, with 0 files so far"));
    let stats = GraphRequest { query: GraphQuery::Stats, limit: 10 };
    let symbols = SymbolRequest { name: "apples".into(), kinds: Vec::new(), paths: Vec::new(), limit: 10 };
    assert!(said(project.engine.graph(&stats).unwrap().notes));
    assert!(said(project.engine.symbols(&symbols).unwrap().notes));
    assert!(said(project.engine.search(&SearchRequest::query("apples")).unwrap().notes));
    project.index();
    assert!(!said(project.engine.graph(&stats).unwrap().notes));
    assert!(!said(project.engine.symbols(&symbols).unwrap().notes));
}

#[test]
fn a_kind_that_does_not_exist_is_an_error_with_the_list() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    let ask = |kind: &str| {
        project.engine.search(&SearchRequest { kinds: vec![kind.into()], ..SearchRequest::query("apples") })
    };
    for kind in ["function", "func", "fn", "function_item"] {
        assert_eq!(ask(kind).unwrap().hits.len(), 1, "{kind}");
    }
    assert_eq!(ask("class").unwrap().hits.len(), 0);
    assert!(ask("animal").unwrap_err().hint().unwrap().starts_with("The kinds are: function, method"));
}
