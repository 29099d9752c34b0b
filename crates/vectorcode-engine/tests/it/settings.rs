//! Settings that change while a server runs: applied without a restart, and never worse than before.

use std::sync::Arc;

use vectorcode_core::api::{ArtifactFilter, ProjectSelection, SearchRequest};
use vectorcode_core::config::{self, Approvals, Override, Sources};
use vectorcode_engine::{Embedders, Engine, EngineOptions, Freshen, Keeper, Project, Projects};
use vectorcode_testkit::{FakeEmbedder, TempProject};

use crate::project::{about, eventually, index};

const FILE: &str = ".vectorcode/config.toml";
const TRUST: &str = "user/trust.json";
const SCHEMA: &str = "CREATE TABLE invoices (\n  id INTEGER PRIMARY KEY,\n  customer TEXT NOT NULL\n);\n";

fn options(files: &TempProject) -> EngineOptions {
    let debounce = Override { key: "watcher.debounce_ms", value: 50.into(), flag: "--debounce" };
    let settings = Sources {
        project_file: Some(files.path(FILE)),
        trust_file: Some(files.path(TRUST)),
        overrides: vec![debounce],
        ..Sources::default()
    };
    EngineOptions { settings, ..EngineOptions::default() }
}

fn fake(files: &TempProject) -> EngineOptions {
    let embedders = Embedders::fixed(Arc::new(FakeEmbedder::new(32)));
    EngineOptions { embedders, ..options(files) }
}

/// An engine with the project's own settings, and the keeper that follows them.
fn kept(files: &TempProject, options: EngineOptions) -> (Arc<Engine>, Keeper) {
    let config = config::load(&options.settings).unwrap().config;
    let engine = Arc::new(Engine::new(Project::at(files.root()).unwrap(), config, options));
    let keeper = Keeper::start(engine.clone()).unwrap();
    eventually("the catch-up", || {
        engine.status().is_ok_and(|status| status.coverage.fraction() >= 1.0 && status.chunks > 0)
    });
    (engine, keeper)
}

/// Approves the settings that the project's file requests, as the user would.
fn trust(files: &TempProject) {
    let sources = options(files).settings;
    let asked = config::load(&sources).unwrap().trust.unwrap().asked;
    Approvals::new(files.path(TRUST)).add(&asked).unwrap();
}

/// Whether a search returns the file with the literal word in it.
fn finds(engine: &Engine, word: &str, path: &str) -> bool {
    let request = SearchRequest { threshold: Some(0.0), ..SearchRequest::query(word) };
    let hits = engine.search(&request).unwrap().hits;
    hits.iter().any(|hit| hit.path == path && hit.content.contains(word))
}

fn notes(engine: &Engine) -> String {
    engine.search(&SearchRequest::query("invoices")).unwrap().notes.join("\n")
}

fn shop() -> TempProject {
    TempProject::new(&[
        (".gitignore", "generated/\n"),
        ("generated/schema.sql", SCHEMA),
        ("src/invoice.rs", &about("invoices")),
    ])
}

#[test]
fn a_new_artifact_is_indexed_and_a_removed_one_goes() {
    let files = shop();
    let (engine, _keeper) = kept(&files, fake(&files));
    files.write(FILE, "[[artifacts]]\nname = \"schema\"\npath = \"generated/schema.sql\"\n");
    eventually("the new artifact", || finds(&engine, "invoices", "generated/schema.sql"));
    assert_eq!(engine.artifacts().unwrap().artifacts[0].name, "schema");
    files.remove(FILE);
    eventually("its end", || !finds(&engine, "invoices", "generated/schema.sql"));
}

#[test]
fn other_settings_are_taken_up_too() {
    let files = shop();
    let (engine, _keeper) = kept(&files, fake(&files));
    files.write(
        FILE,
        "linked_projects = [\"web\"]\n[indexing]\nexclude_dirs = [\"src\"]\n[search]\ndefault_limit = 3\n",
    );
    eventually("the excluded directory to go", || !finds(&engine, "invoices", "src/invoice.rs"));
    let config = engine.config();
    assert_eq!((config.linked_projects.len(), config.search.default_limit), (1, 3));
    assert_eq!(config.watcher.debounce_ms, 50, "command line overrides still apply");
}

#[test]
fn a_broken_edit_keeps_the_last_good_settings_and_says_so() {
    let files = shop();
    files.write(FILE, "[search]\ndefault_limit = 3\n");
    let (engine, _keeper) = kept(&files, fake(&files));
    assert_eq!(notes(&engine), "");
    files.write(FILE, "[search]\ndefault_limit = = 4\n");
    eventually("a note", || notes(&engine).contains("config.toml:2:17"));
    assert!(engine.status().unwrap().notes[0].contains("the previous ones still apply"));
    assert_eq!(engine.config().search.default_limit, 3);
    files.write("src/invoice.rs", about("apples"));
    eventually("an edit of the code", || finds(&engine, "apples", "src/invoice.rs"));
    files.write(FILE, "[search]\ndefault_limit = 5\n");
    eventually("the mended settings", || engine.config().search.default_limit == 5);
    eventually("no notes, once all files were compared", || notes(&engine).is_empty());
}

#[test]
fn another_model_is_taken_up_and_every_chunk_embedded_anew() {
    let files = shop();
    files.write(FILE, "[provider.onnx]\ndimensions = 128\n");
    let (engine, _keeper) = kept(&files, options(&files));
    assert_eq!(engine.status().unwrap().space.dimensions, 128);
    files.write(FILE, "[provider.onnx]\ndimensions = 64\n");
    eventually("vectors of the other model", || {
        let status = engine.status().unwrap();
        status.space.dimensions == 64 && status.coverage.fraction() >= 1.0
    });
    eventually("no notes, once all files were compared", || notes(&engine).is_empty());
    assert!(finds(&engine, "invoices", "src/invoice.rs"));
}

#[test]
fn a_provider_that_does_not_work_leaves_the_vectors_alone() {
    let files = shop();
    let (engine, _keeper) = kept(&files, options(&files));
    let before = engine.status().unwrap();
    files.write(FILE, "[provider]\nname = \"ollama\"\n[provider.ollama]\nurl = \"http://127.0.0.1:9\"\n");
    eventually("the request for trust", || notes(&engine).contains("vectorcode trust"));
    assert_eq!(engine.config().provider.name, config::ProviderName::Onnx);
    trust(&files);
    eventually("a note", || notes(&engine).contains("Ollama not reachable"));
    let status = engine.status().unwrap();
    assert_eq!(status.space, before.space);
    // The change of the approvals file may also have been indexed meanwhile.
    assert!(status.coverage.embedded >= before.coverage.embedded);
    files.write(FILE, "");
    eventually("the way back", || notes(&engine).is_empty());
}

#[test]
fn watching_can_be_switched_on() {
    let files = shop();
    files.write(FILE, "[watcher]\ndisabled = true\n");
    let (engine, _keeper) = kept(&files, fake(&files));
    files.write(FILE, "[watcher]\ndisabled = false\n");
    eventually("the new settings", || !engine.config().watcher.disabled);
    files.write("src/invoice.rs", about("apples"));
    eventually("the edit", || finds(&engine, "apples", "src/invoice.rs"));
}

#[test]
fn settings_of_other_projects_are_followed() {
    let shelf = TempProject::new(&[("web/a.rs", &about("apples")), ("api/b.rs", &about("bears"))]);
    let embedders = Embedders::fixed(Arc::new(FakeEmbedder::new(32)));
    let registry = Some(shelf.path("projects.json"));
    let options = EngineOptions { embedders, registry, ..EngineOptions::default() };
    let [api, _web] = ["api", "web"].map(|name| {
        let project = Project::at(&shelf.path(name)).unwrap();
        let engine = Arc::new(Engine::new(project, config::Config::default(), options.clone()));
        index(&engine).unwrap();
        engine
    });
    let projects = Projects::around(api, Freshen::Never);
    let web = ProjectSelection::Named(vec!["web".into()]);
    let request = SearchRequest {
        threshold: Some(0.0),
        artifacts: ArtifactFilter::Exclude,
        ..SearchRequest::query("apples")
    };
    assert_eq!(projects.search(&request, &web).unwrap().total, 1);
    shelf.write("web/.vectorcode/config.toml", "[[artifacts]]\nname = \"all\"\npath = \"a.rs\"\n");
    eventually("the new artifact", || projects.search(&request, &web).unwrap().total == 0);
}
