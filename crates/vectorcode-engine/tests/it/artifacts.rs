//! Context artifacts: indexed even if ignored, kept up to date, searchable on their own, and independent of each
//! other.

use vectorcode_core::api::{ArtifactFilter, ArtifactState, ArtifactStatus, IndexRequest, SearchRequest};
use vectorcode_core::config::{ArtifactConfig, Config};
use vectorcode_engine::EngineError;
use vectorcode_testkit::TempProject;

use crate::project::{Indexed, about, index_with};

const SCHEMA: &str = "CREATE TABLE invoices (\n  id INTEGER PRIMARY KEY,\n  customer TEXT NOT NULL\n);\n";
const RUNBOOK: &str =
    "Failover of the primary database: stop the writers, promote the replica, start the writers.\n";

fn artifact(name: &str, path: &str) -> ArtifactConfig {
    ArtifactConfig { name: name.into(), path: path.into(), description: format!("About {name}.") }
}

fn project(files: &[(&str, &str)], artifacts: &[(&str, &str)]) -> Indexed {
    let artifacts = artifacts.iter().map(|(name, path)| artifact(name, path)).collect();
    let project = Indexed::of(TempProject::new(files), Config { artifacts, ..Config::default() });
    project.index();
    project
}

fn status(project: &Indexed, name: &str) -> ArtifactStatus {
    let all = project.engine.artifacts().unwrap().artifacts;
    all.into_iter().find(|artifact| artifact.name == name).unwrap()
}

fn paths(project: &Indexed, query: &str, artifact: Option<&str>) -> Vec<String> {
    let request = SearchRequest { threshold: Some(0.0), ..SearchRequest::query(query) };
    let response = project.engine.search_context(&request, artifact).unwrap();
    response.hits.into_iter().map(|hit| hit.path).collect()
}

#[test]
fn ignored_and_unknown_files_are_found_in_the_context() {
    let project = project(
        &[
            (".gitignore", "generated/\n"),
            ("generated/db/schema.sql", SCHEMA),
            ("generated/other.sql", SCHEMA),
            ("ops/failover.runbook", RUNBOOK),
            ("src/invoice.rs", &about("invoices")),
        ],
        &[("schema", "generated/db"), ("runbooks", "./ops")],
    );
    assert_eq!(paths(&project, "invoices", Some("schema")), ["generated/db/schema.sql"]);
    assert_eq!(paths(&project, "promote the replica", Some("runbooks")), ["ops/failover.runbook"]);
    assert!(!project.finds("invoices", "generated/other.sql"), "the rest of an ignored directory stays out");
    let schema = status(&project, "schema");
    assert_eq!((schema.state, schema.files, schema.problem), (ArtifactState::Indexed, 1, None));
    assert!(schema.chunks >= 1);
}

#[test]
fn a_search_takes_the_context_in_or_leaves_it_out() {
    let project = project(
        &[("db/schema.sql", SCHEMA), ("src/invoice.rs", &about("invoices"))],
        &[("schema", "db/schema.sql")],
    );
    let hits = |artifacts| {
        let request = SearchRequest { threshold: Some(0.0), artifacts, ..SearchRequest::query("invoices") };
        let found = project.engine.search(&request).unwrap().hits;
        let mut found: Vec<_> = found.into_iter().map(|hit| (hit.path, hit.artifact)).collect();
        found.sort();
        found
    };
    let (schema, code) =
        (("db/schema.sql".to_owned(), Some("schema".to_owned())), ("src/invoice.rs".to_owned(), None));
    assert_eq!(hits(ArtifactFilter::Include), [schema.clone(), code.clone()]);
    assert_eq!(hits(ArtifactFilter::Exclude), [code]);
    assert_eq!(hits(ArtifactFilter::Only), [schema]);
}

#[test]
fn a_missing_or_unfit_artifact_is_reported_and_the_others_work() {
    let config = Config {
        artifacts: vec![
            artifact("good", "notes.md"),
            artifact("missing", "nowhere.md"),
            artifact("outside", "../elsewhere"),
            artifact("secret", ".env"),
            artifact("large", "docs"),
            artifact("binary", "image.bin"),
        ],
        indexing: vectorcode_core::config::IndexingConfig { max_file_size: 500, ..Default::default() },
        ..Config::default()
    };
    let files = TempProject::new(&[
        ("notes.md", RUNBOOK),
        (".env", "KEY=1\n"),
        ("docs/small.md", "# Small\n\nA few words.\n"),
        ("docs/large.md", &RUNBOOK.repeat(10)),
    ]);
    files.write("image.bin", b"\0\x01\x02");
    let project = Indexed::of(files, config);
    project.index();
    let state = |name| status(&project, name).state;
    assert_eq!(state("good"), ArtifactState::Indexed);
    assert_eq!(state("missing"), ArtifactState::Missing);
    for name in ["outside", "secret", "binary"] {
        assert_eq!(state(name), ArtifactState::Unusable, "{name}");
    }
    let large = status(&project, "large");
    assert_eq!((large.state, large.files), (ArtifactState::Indexed, 1));
    assert!(large.problem.unwrap().contains("docs/large.md is left out (too large)"));
    assert!(status(&project, "outside").problem.unwrap().contains("outside the project"));
    assert!(!paths(&project, "KEY", None).contains(&".env".to_owned()), "secrets are never read");
    assert_eq!(paths(&project, "replica", Some("good")), ["notes.md"]);
    let request = SearchRequest::query("replica");
    let notes = project.engine.search_context(&request, None).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("`missing`: there is nothing at nowhere.md")), "{notes:?}");
    assert!(project.engine.search_context(&request, Some("outside")).unwrap().hits.is_empty());
}

#[test]
fn a_changed_artifact_is_pending_until_it_is_indexed() {
    let project = project(&[("ops/a.runbook", RUNBOOK), ("src/a.rs", &about("apples"))], &[("ops", "ops")]);
    project.files.write("ops/a.runbook", "Restore a backup from cold storage, table by table.\n");
    project.files.write("ops/b.runbook", "Rotate the certificates of the load balancer.\n");
    project.files.write("src/b.rs", about("bears"));
    assert_eq!(status(&project, "ops").state, ArtifactState::Pending);
    let report = index_with(&project.engine, &project.engine.context_request(Some("ops")).unwrap()).unwrap();
    assert_eq!(report.files_changed, 2);
    assert_eq!(status(&project, "ops").state, ArtifactState::Indexed);
    assert_eq!(paths(&project, "cold storage", None)[0], "ops/a.runbook");
    assert!(!project.finds("bears", "src/b.rs"), "only the artifact was read");
    project.files.remove("ops/a.runbook");
    project.index();
    assert_eq!(paths(&project, "cold storage", None), ["ops/b.runbook"]);
}

#[test]
fn socraticode_files_are_read_as_they_are() {
    let project = Indexed::new(&[
        (
            ".socraticodecontextartifacts.json",
            r#"{ "artifacts": [ { "name": "database-schema", "path": "./db/schema.sql",
                 "description": "All tables. Use it before writing a migration." } ] }"#,
        ),
        ("db/schema.sql", SCHEMA),
        ("src/a.rs", &about("apples")),
    ]);
    project.index();
    let schema = status(&project, "database-schema");
    assert_eq!(schema.defined_in, ".socraticodecontextartifacts.json");
    assert_eq!(paths(&project, "invoices", Some("database-schema")), ["db/schema.sql"]);
    index_with(&project.engine, &project.engine.remove_artifacts(Some("database-schema")).unwrap()).unwrap();
    assert_eq!(project.files.read(".socraticodecontextartifacts.json"), r#"{ "artifacts": [  ] }"#);
    assert!(!project.engine.has_artifacts());
}

#[test]
fn a_removed_artifact_leaves_settings_and_index() {
    let files =
        TempProject::new(&[(".gitignore", "/ops\n"), ("ops/a.runbook", RUNBOOK), ("docs/b.md", RUNBOOK)]);
    files.write(
        ".vectorcode/config.toml",
        "# Keep me.\n[search]\n\n# Gone with it.\n[[artifacts]]\nname = \"ops\"\npath = \"ops\"\n\n[[artifacts]]\nname = \"docs\"\npath = \"docs\"\n",
    );
    let artifacts = vec![artifact("ops", "ops"), artifact("docs", "docs")];
    let project = Indexed::of(files, Config { artifacts, ..Config::default() });
    project.index();
    assert!(project.finds("replica", "ops/a.runbook"));
    for name in ["ops", "docs"] {
        index_with(&project.engine, &project.engine.remove_artifacts(Some(name)).unwrap()).unwrap();
    }
    assert!(!project.finds("replica", "ops/a.runbook"), "it was indexed only because of the artifact");
    assert!(project.finds("replica", "docs/b.md"), "documentation is part of the project anyway");
    assert_eq!(project.files.read(".vectorcode/config.toml"), "# Keep me.\n[search]\n");
    let none = project.engine.search_context(&SearchRequest::query("x"), None);
    assert!(matches!(none, Err(EngineError::NoArtifacts)), "{none:?}");
}

#[test]
fn an_unknown_artifact_is_answered_with_those_there_are() {
    let project = project(&[("a.md", RUNBOOK)], &[("notes", "a.md")]);
    let error = project.engine.search_context(&SearchRequest::query("x"), Some("nots")).unwrap_err();
    let hint = vectorcode_core::Diagnose::hint(&error).unwrap();
    assert!(hint.contains("notes"), "{hint}");
}

#[test]
fn a_full_rebuild_keeps_artifacts() {
    let project = project(&[(".gitignore", "gen/\n"), ("gen/a.sql", SCHEMA)], &[("gen", "gen/a.sql")]);
    index_with(&project.engine, &IndexRequest { full: true, ..IndexRequest::default() }).unwrap();
    assert_eq!(paths(&project, "invoices", None), ["gen/a.sql"]);
}
