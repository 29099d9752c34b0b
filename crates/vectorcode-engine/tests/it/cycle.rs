//! Index, change, index again: the integration tests required by the specification.

use std::path::PathBuf;

use vectorcode_core::SkipReason;
use vectorcode_core::api::{IndexRequest, SymbolRequest};
use vectorcode_core::config::Config;
use vectorcode_engine::EngineError;
use vectorcode_testkit::{Behaviour, FakeEmbedder, TempProject};

use crate::project::{Indexed, about, index, index_with};

fn skipped(report: &vectorcode_core::api::IndexReport, reason: SkipReason) -> u64 {
    report.skipped.iter().find(|skip| skip.reason == reason).map_or(0, |skip| skip.count)
}

#[test]
fn full_index_cycle() {
    let project = Indexed::of(TempProject::from_fixture("sample_ts"), Config::default());
    let report = project.index();
    assert!(report.files >= 18, "{report:?}");
    assert!(report.chunks >= report.files);
    assert_eq!(report.chunks_new, report.chunks);
    assert_eq!(report.embedded, report.chunks);
    assert_eq!(report.pending, 0);
    let status = project.engine.status().unwrap();
    assert_eq!((status.files, status.chunks), (report.files, report.chunks));
    assert!((status.coverage.fraction() - 1.0).abs() < f32::EPSILON);
    assert!(
        status
            .last_sync_at
            .is_some_and(|synced| !status.created_at.is_empty() && synced >= status.created_at)
    );
    assert!(status.pending.is_empty());
    assert!(project.files.path(".vectorcode/.gitignore").exists());
}

/// For example after a checkout.
#[test]
fn symbols_are_known_while_their_files_move() {
    let files: Vec<(String, String)> =
        (0..100).map(|number| (format!("old/f{number}.rs"), about(&format!("topic{number}")))).collect();
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Indexed::new(&borrowed);
    project.index();
    std::fs::rename(project.files.path("old"), project.files.path("moved")).unwrap();
    let request =
        SymbolRequest { name: "handle_topic7".into(), kinds: Vec::new(), paths: Vec::new(), limit: 1 };
    let path_now =
        || project.engine.symbols(&request).unwrap().symbols.first().map(|found| found.path.clone());
    std::thread::scope(|scope| {
        let indexing = scope.spawn(|| project.index());
        while !indexing.is_finished() {
            assert!(path_now().is_some());
        }
    });
    assert_eq!(path_now().as_deref(), Some("moved/f7.rs"));
}

#[test]
fn a_binary_file_is_not_pending_for_ever() {
    let project = Indexed::new(&[("a.rs", &about("apples")), ("b.json", "{\"text\": \"\0\"}")]);
    let report = project.index();
    assert_eq!((report.files, skipped(&report, SkipReason::Binary)), (1, 1));
    assert!(project.engine.status().unwrap().pending.is_empty());
}

#[test]
fn an_unchanged_project_costs_nothing() {
    let project = Indexed::of(TempProject::from_fixture("sample_py"), Config::default());
    let first = project.index();
    let calls = project.embedder.calls();
    let second = project.index();
    assert_eq!(project.embedder.calls(), calls);
    assert_eq!((second.files_changed, second.chunks_new, second.embedded), (0, 0, 0));
    assert_eq!((second.files, second.chunks), (first.files, first.chunks));
}

#[test]
fn incremental_sync() {
    let project =
        Indexed::new(&[("a.rs", &about("apples")), ("b.rs", &about("bears")), ("c.rs", &about("cars"))]);
    project.index();
    project.files.write("b.rs", about("boats"));
    project.files.write("d.rs", about("doors"));
    project.files.remove("c.rs");
    let report = project.index();
    assert_eq!((report.files, report.files_changed, report.files_removed), (3, 2, 1));
    assert_eq!(report.files_added, 1, "d.rs is new, b.rs is not");
    assert!(project.finds("boats", "b.rs"));
    assert!(project.finds("doors", "d.rs"));
    assert!(!project.finds("cars", "c.rs"));
    let unchanged = project.embedder.documents().iter().filter(|text| text.contains("apples")).count();
    assert_eq!(unchanged, 1, "an unchanged file is embedded once");
}

#[test]
fn a_change_at_the_top_does_not_embed_the_rest_again() {
    let functions: Vec<String> = ["kites", "lamps", "maps"].iter().map(|topic| about(topic)).collect();
    let project = Indexed::new(&[("lib.rs", &functions.join("\n"))]);
    project.index();
    let before = project.embedder.documents().len();
    project.files.write("lib.rs", format!("{}\n{}", about("new_things"), functions.join("\n")));
    let report = project.index();
    assert_eq!(project.embedder.documents().len() - before, report.chunks_new as usize);
    assert_eq!(report.chunks_new, 1, "{report:?}");
}

#[test]
fn a_touched_file_is_not_read_into_the_index_again() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    project.files.write("a.rs", about("apples"));
    let report = project.index();
    assert_eq!((report.files_changed, report.chunks_new), (0, 0));
    assert!(project.engine.status().unwrap().pending.is_empty());
}

#[test]
fn a_renamed_file_leaves_no_rows_behind() {
    let project = Indexed::new(&[("old.rs", &about("apples"))]);
    project.index();
    project.files.rename("old.rs", "new.rs");
    let report = project.index();
    assert_eq!((report.files, report.files_removed), (1, 1));
    assert!(project.search("apples").iter().all(|hit| hit.path == "new.rs"));
}

#[test]
fn switching_branches_there_and_back_embeds_nothing_twice() {
    let project = Indexed::new(&[("a.rs", &about("apples")), ("b.rs", &about("bears"))]);
    project.index();
    project.files.write("a.rs", about("oranges"));
    project.files.remove("b.rs");
    project.index();
    let embedded = project.embedder.documents().len();
    project.files.write("a.rs", about("apples"));
    project.files.write("b.rs", about("bears"));
    let report = project.index();
    assert_eq!(project.embedder.documents().len(), embedded);
    assert_eq!((report.embedded, report.reused), (0, 2));
}

#[test]
fn a_file_that_becomes_ignored_leaves_the_index() {
    let project = Indexed::new(&[("a.rs", &about("apples")), ("secret.rs", &about("bears"))]);
    project.index();
    project.files.write(".gitignore", "secret.rs\n");
    project.index();
    assert!(!project.finds("bears", "secret.rs"));
}

#[test]
fn gitignore_respect() {
    let project = Indexed::new(&[
        (".gitignore", "generated/\n*.log\n"),
        ("src/a.rs", &about("apples")),
        ("generated/b.rs", &about("bears")),
        ("node_modules/c/index.js", "export function cars() { return 'a longer body than nothing' }"),
    ]);
    let report = project.index();
    assert!(skipped(&report, SkipReason::Ignored) >= 2, "{:?}", report.skipped);
    assert!(project.finds("apples", "src/a.rs"));
    assert!(!project.finds("bears", "generated/b.rs"));
}

#[test]
fn large_file_handling() {
    let mut config = Config::default();
    config.indexing.max_file_size = 4096;
    let big = about("elephants").repeat(100);
    let project = Indexed::of(TempProject::new(&[("small.rs", &about("ants")), ("big.rs", &big)]), config);
    let report = project.index();
    assert_eq!(report.files, 1);
    assert_eq!(skipped(&report, SkipReason::TooLarge), 1);
}

#[test]
fn provider_switch() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    let other = project.reopened(FakeEmbedder::new(64).with_model("other").into());
    let report = index(&other).unwrap();
    assert_eq!(report.reused, report.chunks, "all vectors are recomputed, into the cache, without --full");
    assert!(report.notes.iter().any(|note| note.contains("The provider is now")), "{:?}", report.notes);
    assert_eq!(other.status().unwrap().space.dimensions, 64);
    assert!(index(&other).unwrap().notes.is_empty(), "reported once");
}

#[test]
fn a_new_provider_that_does_not_work_leaves_the_vectors_of_the_old_one() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    let embedded = project.index().embedded;
    let broken = FakeEmbedder::new(64).with_model("other");
    broken.set_behaviour(Behaviour::Fail);
    let other = project.reopened(broken.into());
    project.files.write("b.rs", about("bears"));
    let report = index(&other).unwrap();
    assert!(!report.notes.is_empty() && report.embedded == 0, "{report:?}");
    assert_eq!(report.pending, report.chunks, "none has a vector of the new provider");
    let status = other.status().unwrap();
    assert_eq!((status.space.dimensions, status.coverage.embedded), (32, embedded));
}

#[test]
fn single_files_and_directories_can_be_indexed_alone() {
    let project = Indexed::new(&[
        ("a.rs", &about("apples")),
        ("sub/b.rs", &about("bears")),
        ("sub/c.rs", &about("cars")),
    ]);
    let only = |path: &str| IndexRequest { paths: vec![PathBuf::from(path)], ..IndexRequest::default() };
    assert_eq!(index_with(&project.engine, &only("a.rs")).unwrap().files, 1);
    assert_eq!(index_with(&project.engine, &only("sub")).unwrap().files, 3);
    project.files.remove("sub/b.rs");
    assert_eq!(index_with(&project.engine, &only("sub")).unwrap().files, 2);
    let error = index_with(&project.engine, &only("../elsewhere.rs")).unwrap_err();
    assert!(matches!(error, EngineError::OutsideProject { .. }));
}

#[test]
fn a_project_without_code_is_fine() {
    let project = Indexed::new(&[("picture.png", "\u{0}\u{1}\u{2}")]);
    let report = project.index();
    assert_eq!((report.files, report.chunks, report.pending), (0, 0, 0));
    assert!(project.search("anything").is_empty());
}
