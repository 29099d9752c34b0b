//! A branch that is checked out, and the one before again: the vectors of known texts come from the user's cache.

use vectorcode_core::api::{Hit, IndexRequest, SearchRequest};
use vectorcode_core::config::Config;
use vectorcode_testkit::TempProject;

use crate::project::{Indexed, about, index_with};

const TOPICS: [&str; 6] = ["apples", "pears", "quinces", "plums", "cherries", "figs"];

fn write_copies(files: &TempProject, copies: std::ops::Range<usize>) {
    for copy in copies {
        for topic in TOPICS {
            files.write(&format!("{topic}/{copy}.rs"), about(&format!("{topic}{copy}")));
        }
    }
}

/// As a search does before it answers.
fn sync(project: &Indexed) {
    let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
    index_with(&project.engine, &request).unwrap();
}

fn hits(project: &Indexed) -> Vec<Hit> {
    let request =
        SearchRequest { threshold: Some(0.0), limit: 100, ..SearchRequest::query("everything about apples") };
    project.engine.search(&request).unwrap().hits
}

#[test]
fn a_checkout_there_and_back_costs_no_vector() {
    let files = TempProject::empty();
    write_copies(&files, 0..4);
    let project = Indexed::of(files, Config::default());
    project.index();
    let (embedded, before) = (project.embedder.documents().len(), hits(&project));
    for topic in TOPICS {
        project.files.write(&format!("{topic}/0.rs"), about("bears"));
        project.files.remove(&format!("{topic}/1.rs"));
    }
    sync(&project);
    write_copies(&project.files, 0..2);
    sync(&project);
    let coverage = project.engine.status().unwrap().coverage;
    assert_eq!(coverage.embedded, coverage.total, "all vectors are back");
    assert_eq!(project.embedder.documents().len(), embedded, "no provider was asked");
    assert_eq!(hits(&project), before);
}
