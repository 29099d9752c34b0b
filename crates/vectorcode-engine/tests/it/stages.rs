//! Stage two: resumable, cancellable, and never a reason for stage one to fail.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use vectorcode_core::api::{IndexRequest, SearchMode, SearchRequest};
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, Phase, Progress, SilentProgress, VectorSpace};
use vectorcode_embed::{EmbedError, Embedder, Embedding, Limits, TextKind};
use vectorcode_engine::{Embedders, Engine, EngineError, EngineOptions, Project, WhenLocked};
use vectorcode_testkit::{Behaviour, FakeEmbedder};

use crate::project::{Indexed, about, eventually, index};

fn many(count: usize) -> Vec<(String, String)> {
    (0..count).map(|number| (format!("f{number:03}.rs"), about(&format!("topic{number:03}")))).collect()
}

fn project_of(files: &[(String, String)]) -> Indexed {
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Indexed::new(&borrowed)
}

fn small_batches() -> FakeEmbedder {
    FakeEmbedder::new(32).with_limits(Limits { batch_size: 4, concurrency: 1, max_tokens: 256 })
}

#[test]
fn search_works_after_stage_one_alone() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
    let report =
        project.engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default()).unwrap();
    assert_eq!((report.embedded, report.pending), (0, report.chunks));
    assert!(project.finds("apples", "a.rs"));
}

/// Requests cancellation in the middle of the work.
struct CancelsAfter {
    calls: usize,
    inner: Arc<FakeEmbedder>,
    cancel: CancelToken,
}

impl Embedder for CancelsAfter {
    fn space(&self) -> &VectorSpace {
        self.inner.space()
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn check_ready(&self) -> Result<(), EmbedError> {
        self.inner.check_ready()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let embeddings = self.inner.embed(kind, texts);
        if self.inner.calls() >= self.calls {
            self.cancel.cancel();
        }
        embeddings
    }
}

#[test]
fn a_cancelled_run_keeps_its_batches_and_the_next_goes_on() {
    let project = project_of(&many(40));
    let inner = Arc::new(small_batches());
    let cancel = CancelToken::default();
    let stopping = Arc::new(CancelsAfter { calls: 3, inner: inner.clone(), cancel: cancel.clone() });
    let root = Project::at(project.files.root()).unwrap();
    let options = EngineOptions { embedders: Embedders::fixed(stopping), ..EngineOptions::default() };
    let engine = Engine::new(root, Config::default(), options);
    let report = engine.index(&IndexRequest::default(), WhenLocked::Wait, &SilentProgress, &cancel).unwrap();
    assert!(report.cancelled);
    assert_eq!((report.embedded, report.pending), (12, report.chunks - 12));
    let resumed = index(&project.reopened(inner.clone())).unwrap();
    assert_eq!((resumed.embedded, resumed.pending), (report.pending, 0));
    assert_eq!(inner.documents().len() as u64, report.chunks, "nothing was embedded twice");
}

/// Fails for texts with a certain word while other calls succeed.
struct FailsAmongOthers {
    word: &'static str,
    inner: FakeEmbedder,
    down: FakeEmbedder,
    together: Barrier,
}

impl Embedder for FailsAmongOthers {
    fn space(&self) -> &VectorSpace {
        self.inner.space()
    }

    fn limits(&self) -> Limits {
        Limits { batch_size: 1, concurrency: 12, max_tokens: 256 }
    }

    fn check_ready(&self) -> Result<(), EmbedError> {
        Ok(())
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let fails = texts.iter().any(|text| text.contains(self.word));
        self.together.wait();
        if fails { self.down.embed(kind, texts) } else { self.inner.embed(kind, texts) }
    }
}

#[test]
fn vectors_are_kept_when_another_call_fails() {
    let project = project_of(&many(12));
    let (inner, down) = (FakeEmbedder::new(32), FakeEmbedder::new(32));
    down.set_behaviour(Behaviour::Fail);
    let embedder = Arc::new(FailsAmongOthers { word: "topic005", inner, down, together: Barrier::new(12) });
    let root = Project::at(project.files.root()).unwrap();
    let options = EngineOptions { embedders: Embedders::fixed(embedder), ..EngineOptions::default() };
    let engine = Engine::new(root, Config::default(), options);
    assert!(matches!(index(&engine), Err(EngineError::Embed(_))));
    assert_eq!(engine.status().unwrap().coverage.embedded, 11);
}

#[test]
fn a_search_that_is_taken_back_stops_between_its_steps() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    let (inner, cancel) = (Arc::new(small_batches()), CancelToken::default());
    let stopping = Arc::new(CancelsAfter { calls: 1, inner: inner.clone(), cancel: cancel.clone() });
    let root = Project::at(project.files.root()).unwrap();
    let options = EngineOptions { embedders: Embedders::fixed(stopping), ..EngineOptions::default() };
    let engine = Engine::new(root, Config::default(), options);
    let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
    engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default()).unwrap();
    // Embedding the query cancels the request; the candidates, which have no vectors, are then not embedded.
    let answer = engine.search_until(&SearchRequest::query("apples"), &cancel);
    assert!(matches!(answer, Err(EngineError::Cancelled)), "{answer:?}");
    assert_eq!((inner.queries().len(), inner.documents().len()), (1, 0));
    assert_eq!(engine.search(&SearchRequest::query("apples")).unwrap().hits.len(), 1);
}

#[test]
fn recently_modified_files_are_embedded_first() {
    let project = project_of(&many(12));
    let path = project.files.path("f007.rs");
    let late = std::time::SystemTime::now() + std::time::Duration::from_mins(1);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(late).unwrap();
    let embedder = Arc::new(small_batches());
    index(&project.reopened(embedder.clone())).unwrap();
    assert!(embedder.documents()[..4].iter().any(|text| text.contains("topic007")));
}

#[test]
fn a_provider_that_is_down_costs_a_note_and_not_the_index() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.embedder.set_behaviour(Behaviour::Fail);
    let report = project.index();
    assert_eq!((report.files, report.embedded, report.notes.len()), (1, 0, 1), "{report:?}");
    assert!(project.finds("apples", "a.rs"));
    project.embedder.set_behaviour(Behaviour::Work);
    assert_eq!(project.index().pending, 0);
}

#[test]
fn one_refused_chunk_does_not_end_the_run() {
    let project = Indexed::new(&[("a.rs", &about("apples")), ("b.rs", &about("poison"))]);
    project.embedder.set_behaviour(Behaviour::Refuse("poison".into()));
    let report = project.index();
    assert_eq!((report.failed.len(), report.pending), (1, 0), "{report:?}");
    assert_eq!(report.failed[0].path, "b.rs");
    let calls = project.embedder.calls();
    project.index();
    assert_eq!(project.embedder.calls(), calls, "a refused text is not offered again");
    assert!(project.finds("poison", "b.rs"), "full text still finds it");
}

#[test]
fn progress_goes_through_the_phases_and_reaches_the_total() {
    let project = project_of(&many(10));
    let seen: Mutex<Vec<Progress>> = Mutex::default();
    let reports = AtomicUsize::new(0);
    let sink = |progress: &Progress| {
        reports.fetch_add(1, Ordering::Relaxed);
        seen.lock().unwrap().push(progress.clone());
    };
    project.engine.index(&IndexRequest::default(), WhenLocked::Wait, &sink, &CancelToken::default()).unwrap();
    let seen = seen.into_inner().unwrap();
    let phases: Vec<Phase> = seen.iter().map(|progress| progress.phase).collect();
    assert!(phases.windows(2).all(|pair| pair[0] as u8 <= pair[1] as u8), "{phases:?}");
    let last = seen.last().unwrap();
    assert_eq!((last.phase, last.done), (Phase::Embed, last.total));
}

#[test]
fn clones_of_a_project_share_the_cache() {
    let project = project_of(&many(5));
    project.index();
    let clone = project_of(&many(5));
    let embedder = Arc::new(FakeEmbedder::new(32));
    let options = EngineOptions {
        embedders: Embedders::fixed(embedder.clone()),
        cache_dir: Some(project.cache.path().to_path_buf()),
        ..EngineOptions::default()
    };
    let root = Project::at(clone.files.root()).unwrap();
    let engine = Engine::new(root, Config::default(), options);
    assert_eq!(index(&engine).unwrap().reused, 5);
    assert_eq!(embedder.calls(), 0);
}

#[test]
fn a_provider_that_cannot_be_made_does_not_stop_the_sync() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    project.files.write("b.rs", about("boats"));
    let mut config = Config::default();
    config.provider.onnx.model_path = Some(project.files.path("gone.onnx"));
    config.provider.onnx.tokenizer_path = Some(project.files.path("gone.json"));
    let root = Project::at(project.files.root()).unwrap();
    let engine = Engine::new(root, config, EngineOptions::default());
    let report = index(&engine).unwrap();
    assert_eq!((report.files, report.embedded), (2, 0));
    assert!(report.notes[0].contains("gone.onnx"), "{:?}", report.notes);
}

#[test]
fn a_model_that_cannot_be_read_is_reported_though_every_chunk_has_a_vector() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    project.files.write("model.onnx", "no model");
    project.files.write("tokenizer.json", "{}");
    let mut config = Config::default();
    config.provider.onnx.model_path = Some(project.files.path("model.onnx"));
    config.provider.onnx.tokenizer_path = Some(project.files.path("tokenizer.json"));
    let root = Project::at(project.files.root()).unwrap();
    let report = index(&Engine::new(root, config, EngineOptions::default())).unwrap();
    assert!(report.pending > 0 && report.pending == report.chunks, "{report:?}");
    assert!(report.notes.iter().any(|note| note.contains("tokenizer.json")), "{:?}", report.notes);
}

#[test]
fn a_semantic_search_without_vectors_of_the_provider_says_so_and_is_answered_by_the_rest() {
    let project = Indexed::new(&[("a.rs", &about("apples")), ("b.rs", &about("boats"))]);
    project.index();
    let other = project.reopened(FakeEmbedder::new(64).with_model("other").into());
    let semantic = SearchRequest { mode: SearchMode::Semantic, ..SearchRequest::query("handle apples") };
    let answer = other.search(&semantic).unwrap();
    assert_eq!(answer.hits[0].path, "a.rs");
    assert_eq!(answer.semantic_coverage, Some(0.0), "vectors of another provider do not count");
    assert!(answer.notes[0].starts_with("The index has no vectors of "), "{:?}", answer.notes);
    let whole = SearchRequest { mode: SearchMode::Auto, ..semantic };
    assert!(!other.search(&whole).unwrap().notes[0].starts_with("The index has no vectors"));
}

#[test]
fn vectors_of_the_provider_before_answer_until_the_new_ones_are_complete() {
    let project = project_of(&many(5));
    project.index();
    let new = Arc::new(FakeEmbedder::new(64).with_model("other"));
    let options = EngineOptions {
        embedders: Embedders::fixed_after(new.clone(), [project.embedder.clone() as Arc<dyn Embedder>]),
        cache_dir: Some(project.cache.path().to_path_buf()),
        ..EngineOptions::default()
    };
    let engine = Engine::new(Project::at(project.files.root()).unwrap(), Config::default(), options);
    let ask = || engine.search(&SearchRequest::query("handle apples")).unwrap();
    let is_former = |note: &String| note.starts_with("Vectors of ") && note.contains("vectorcode index");
    new.set_behaviour(Behaviour::Hang);
    std::thread::scope(|scope| {
        let run = scope.spawn(|| index(&engine).unwrap());
        eventually("the new provider embeds", || new.calls() > 0);
        let answer = ask();
        assert_eq!(answer.semantic_coverage, Some(1.0));
        assert!(answer.notes.iter().any(is_former), "{:?}", answer.notes);
        new.set_behaviour(Behaviour::Work);
        run.join().unwrap();
    });
    let answer = ask();
    assert_eq!(answer.semantic_coverage, Some(1.0));
    assert!(!answer.notes.iter().any(is_former), "{:?}", answer.notes);
    assert_eq!(engine.status().unwrap().space.dimensions, 64);
}

#[test]
fn a_first_index_without_a_provider_is_a_later_one_with_it() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    let mut config = Config::default();
    config.provider.onnx.model_path = Some(project.files.path("gone.onnx"));
    config.provider.onnx.tokenizer_path = Some(project.files.path("gone.json"));
    let root = Project::at(project.files.root()).unwrap();
    let engine = Engine::new(root, config, EngineOptions::default());
    let report = index(&engine).unwrap();
    assert_eq!((report.files, report.embedded, report.pending), (1, 0, report.chunks));
    assert!(report.notes[0].contains("gone.onnx") && report.notes[0].contains("model_path"), "{report:?}");
    assert!(project.finds_fast("apples", "a.rs"));
    assert_eq!(engine.status().unwrap().space, VectorSpace::unknown("onnx"));
    let report = project.index();
    assert_eq!((report.embedded, report.pending), (report.chunks, 0));
    assert_eq!(project.engine.status().unwrap().space, *project.embedder.space());
}

#[test]
fn an_index_of_another_provider_still_learns_of_edits() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    project.files.write("a.rs", about("oranges"));
    project.reopened(FakeEmbedder::new(64).with_model("other").into()).freshen(
        &IndexRequest::before_search(),
        &SilentProgress,
        &CancelToken::default(),
    );
    assert!(project.finds_fast("oranges", "a.rs"));
}

#[test]
fn edits_get_in_while_stage_two_of_another_run_waits_for_the_provider() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.embedder.set_behaviour(Behaviour::Hang);
    std::thread::scope(|scope| {
        let run = scope.spawn(|| project.index());
        eventually("stage two", || project.embedder.calls() > 0);
        project.files.write("b.rs", about("boats"));
        project.engine.freshen(&IndexRequest::before_search(), &SilentProgress, &CancelToken::default());
        assert!(project.finds_fast("boats", "b.rs"));
        assert!(!run.is_finished());
        project.embedder.set_behaviour(Behaviour::Work);
        let report = run.join().unwrap();
        assert_eq!((report.chunks, report.embedded, report.pending), (2, 2, 0), "{report:?}");
    });
}
