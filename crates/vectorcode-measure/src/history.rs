//! Makes questions from the history: the message of a commit is the question, the files that it changed are the answers.
//!
//! Only commits that changed one to three source files are used. Tests and documents do not count, and all of the source
//! files must still be in the index.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use vectorcode_core::{Commit, CommitChanges, ContentClass};
use vectorcode_engine::SourceFile;
use vectorcode_history::{Repository, Step};

use crate::{MeasureError, Question, message};

/// How many commits are read. Older messages describe code that has changed too much since.
const MAX_COMMITS: usize = 3000;
const MAX_ANSWERS: usize = 3;
/// Length of the abbreviated commit id, enough to find the commit again.
const SHORT_ID: usize = 10;

/// The questions made from a history, newest first.
#[derive(Clone, Debug)]
pub struct FromHistory {
    /// How many commits were read.
    pub commits: usize,
    pub questions: Vec<Question>,
    /// Whether the clone contains only the latest part of the history.
    pub shallow: bool,
}

pub fn from_history(root: &Path, files: &[SourceFile]) -> Result<FromHistory, MeasureError> {
    let Some(repository) = Repository::open(root)? else {
        return Err(MeasureError::NoRepository { root: root.to_path_buf() });
    };
    let shallow = repository.is_shallow();
    let commits = commits(&repository)?;
    let sources = Sources::new(files);
    let questions: Vec<Question> = commits.iter().filter_map(|commit| question(commit, &sources)).collect();
    if questions.is_empty() {
        return Err(MeasureError::NoQuestions { commits: commits.len(), shallow });
    }
    Ok(FromHistory { commits: commits.len(), questions, shallow })
}

/// The latest commits that changed the project, without merges.
fn commits(repository: &Repository) -> Result<Vec<Commit>, MeasureError> {
    let Some(head) = repository.head()? else { return Ok(Vec::new()) };
    let mut commits = Vec::new();
    for step in repository.walk(head, |_| None).take(MAX_COMMITS) {
        if let Step::New(commit) = step?
            && commit.parents.len() < 2
            && commit.changes != CommitChanges::Files(Vec::new())
        {
            commits.push(commit);
        }
    }
    Ok(commits)
}

fn question(commit: &Commit, sources: &Sources<'_>) -> Option<Question> {
    let answers = sources.answers(commit.changes.files())?;
    let from = commit.id.to_string()[..SHORT_ID].to_owned();
    Some(Question { query: message::question(&commit.message)?, answers, from: Some(from) })
}

/// The files of the index, as far as they matter for questions.
struct Sources<'f> {
    /// Whether each file is source: code, and not a test.
    by_path: HashMap<&'f str, bool>,
    /// The extensions of source files.
    endings: HashSet<&'f str>,
}

impl<'f> Sources<'f> {
    fn new(files: &'f [SourceFile]) -> Self {
        let is_source = |file: &SourceFile| file.class == ContentClass::Code && !file.is_test;
        let endings = files.iter().filter(|file| is_source(file)).filter_map(|file| ending(&file.path));
        Self {
            endings: endings.collect(),
            by_path: files.iter().map(|file| (file.path.as_str(), is_source(file))).collect(),
        }
    }

    /// The source files of a commit, if there are few and all still exist.
    fn answers(&self, changed: &[String]) -> Option<Vec<String>> {
        let mut answers = Vec::new();
        for path in changed {
            match self.by_path.get(path.as_str()) {
                Some(true) => answers.push(path.clone()),
                // The file no longer exists. If it was source, an answer of the question is missing.
                None if ending(path).is_some_and(|ending| self.endings.contains(ending)) => return None,
                Some(false) | None => {}
            }
        }
        (1..=MAX_ANSWERS).contains(&answers.len()).then_some(answers)
    }
}

fn ending(path: &str) -> Option<&str> {
    path.rsplit('/').next()?.rsplit_once('.').map(|(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(changed: &[&str]) -> Option<Vec<String>> {
        let changed: Vec<String> = changed.iter().map(ToString::to_string).collect();
        let file = |path: &str, class, is_test| SourceFile {
            path: path.into(),
            language: "rust".into(),
            class,
            is_test,
        };
        let files = [
            file("src/a.rs", ContentClass::Code, false),
            file("tests/a.rs", ContentClass::Code, true),
            file("README.md", ContentClass::Docs, false),
        ];
        Sources::new(&files).answers(&changed)
    }

    #[test]
    fn the_source_files_of_a_commit_answer() {
        let found = answers(&["src/a.rs", "tests/a.rs", "README.md", "Cargo.lock"]);
        assert_eq!(found, Some(vec!["src/a.rs".to_owned()]));
    }

    #[test]
    fn a_commit_with_a_source_file_that_is_gone_does_not_serve() {
        assert_eq!(answers(&["src/a.rs", "src/gone.rs"]), None);
        assert_eq!(answers(&["README.md"]), None);
    }
}
