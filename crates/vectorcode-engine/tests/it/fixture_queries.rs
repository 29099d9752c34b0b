//! Runs the questions about the sample projects with the bundled models, as a floor for search quality.

use vectorcode_core::api::{IndexRequest, SearchMode, SearchRequest};
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::{Engine, EngineOptions, Project, WhenLocked};
use vectorcode_testkit::{FixtureQuery, TempProject, fixture_queries};

/// A right file among this many results counts as found.
const PLACES: usize = 3;

/// The share of questions that must be answered within [`PLACES`]: sample, both stages, stage one alone.
const FLOORS: [(&str, f32, f32); 3] =
    [("sample_ts", 0.75, 0.6), ("sample_py", 0.85, 0.8), ("sample_rs", 0.8, 0.75)];

fn indexed(project: &TempProject, mode: SearchMode) -> Engine {
    let engine =
        Engine::new(Project::at(project.root()).unwrap(), Config::default(), EngineOptions::default());
    let request = IndexRequest { stage_one_only: mode == SearchMode::Fast, ..IndexRequest::default() };
    engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default()).unwrap();
    engine
}

fn is_found(engine: &Engine, question: &FixtureQuery, mode: SearchMode) -> bool {
    let request = SearchRequest { mode, limit: PLACES, ..SearchRequest::query(&question.query) };
    let hits = engine.search(&request).unwrap().hits;
    hits.iter().any(|hit| question.expected_files.contains(&hit.path))
}

fn missed(name: &str, mode: SearchMode) -> (Vec<String>, usize) {
    let project = TempProject::from_fixture(name);
    let engine = indexed(&project, mode);
    let questions = fixture_queries(name);
    let missed = questions.iter().filter(|question| !is_found(&engine, question, mode));
    (missed.map(|question| question.query.clone()).collect(), questions.len())
}

#[test]
fn both_stages_answer_the_questions_about_the_samples() {
    for (name, floor, _) in FLOORS {
        let (missed, asked) = missed(name, SearchMode::Auto);
        assert!(missed.len() as f32 <= (1.0 - floor) * asked as f32, "{name} missed {missed:#?} of {asked}");
    }
}

#[test]
fn stage_one_alone_answers_most_of_them() {
    for (name, _, floor) in FLOORS {
        let (missed, asked) = missed(name, SearchMode::Fast);
        assert!(missed.len() as f32 <= (1.0 - floor) * asked as f32, "{name} missed {missed:#?} of {asked}");
    }
}
