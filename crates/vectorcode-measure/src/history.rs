//! Questions from the history: the message of a commit is the question, the files that it changed are the answers.
//!
//! Taken are commits that changed one to three source files, tests and documents not counted, all of which the index
//! still holds. `git` itself is asked, so whatever it can read is read.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use vectorcode_core::ContentClass;
use vectorcode_engine::SourceFile;

use crate::{MeasureError, Question, message};

/// How far back the history is read. Older messages speak of code that has changed too much since.
const MAX_COMMITS: usize = 3000;
const MAX_ANSWERS: usize = 3;
/// Characters of a commit hash that are kept, enough to find it again.
const SHORT_HASH: usize = 10;

/// What the log is printed with: bytes that no message holds.
const COMMIT: char = '\x01';
const PART: char = '\x02';

/// The questions of a history, newest first.
#[derive(Clone, Debug)]
pub struct FromHistory {
    /// How many commits were read.
    pub commits: usize,
    pub questions: Vec<Question>,
    /// The clone holds only the latest part of the history.
    pub shallow: bool,
}

pub fn from_history(root: &Path, files: &[SourceFile]) -> Result<FromHistory, MeasureError> {
    let shallow = git(root, &["rev-parse", "--is-shallow-repository"])?.trim() == "true";
    let log = log(root)?;
    let sources = Sources::new(files);
    let commits: Vec<&str> = log.split(COMMIT).skip(1).collect();
    let questions: Vec<Question> = commits.iter().filter_map(|commit| question(commit, &sources)).collect();
    if questions.is_empty() {
        return Err(MeasureError::NoQuestions { commits: commits.len(), shallow });
    }
    Ok(FromHistory { commits: commits.len(), questions, shallow })
}

/// The latest commits that touched the project: name, message and files of each, relative to its root. The user's own
/// settings of git that would change the output are overruled.
fn log(root: &Path) -> Result<String, MeasureError> {
    let (format, most) = (format!("--format={COMMIT}%H{PART}%B{PART}"), format!("--max-count={MAX_COMMITS}"));
    let arguments = [
        "-c",
        "log.showSignature=false",
        "log",
        "--no-merges",
        "--no-renames",
        "--name-only",
        "-z",
        "--relative",
        "--encoding=UTF-8",
        "--no-color",
        &format,
        &most,
        "HEAD",
        "--",
        ".",
    ];
    git(root, &arguments)
}

fn question(commit: &str, sources: &Sources<'_>) -> Option<Question> {
    let mut parts = commit.splitn(3, PART);
    let (name, text, files) = (parts.next()?, parts.next()?, parts.next()?);
    let answers = sources.answers(files)?;
    let from = name.get(..SHORT_HASH).unwrap_or(name).to_owned();
    Some(Question { query: message::question(text)?, answers, from: Some(from) })
}

/// What the index knows of the files of the project.
struct Sources<'f> {
    /// Whether each is source: code, and no test.
    by_path: HashMap<&'f str, bool>,
    /// How the names of source files end.
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

    /// The source files of a commit, if they are few and all still there.
    fn answers(&self, changed: &str) -> Option<Vec<String>> {
        let mut answers = Vec::new();
        for path in changed.split('\0').map(str::trim).filter(|path| !path.is_empty()) {
            match self.by_path.get(path) {
                Some(true) => answers.push(path.to_owned()),
                // The file is gone. If it was source, the question has lost an answer.
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

fn git(root: &Path, arguments: &[&str]) -> Result<String, MeasureError> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        // Messages that are looked at below, and no download of what a partial clone left out.
        .envs([("LC_ALL", "C"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_OPTIONAL_LOCKS", "0")])
        .output()
        .map_err(|source| MeasureError::NoGit { source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failure(root, said.trim()))
}

fn failure(root: &Path, said: &str) -> MeasureError {
    let root = root.to_path_buf();
    let lower = said.to_lowercase();
    if lower.contains("not a git repository") {
        return MeasureError::NoRepository { root };
    }
    if lower.contains("does not have any commits") || lower.contains("bad revision 'head'") {
        return MeasureError::NoQuestions { commits: 0, shallow: false };
    }
    let first = said.lines().next().unwrap_or("it failed without a message");
    MeasureError::Git { root, message: first.trim_start_matches("fatal: ").to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(changed: &str) -> Option<Vec<String>> {
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
        Sources::new(&files).answers(changed)
    }

    #[test]
    fn the_source_files_of_a_commit_answer() {
        let found = answers("\nsrc/a.rs\0tests/a.rs\0README.md\0Cargo.lock\0");
        assert_eq!(found, Some(vec!["src/a.rs".to_owned()]));
    }

    #[test]
    fn a_commit_with_a_source_file_that_is_gone_does_not_serve() {
        assert_eq!(answers("src/a.rs\0src/gone.rs\0"), None);
        assert_eq!(answers("README.md\0"), None);
    }

    #[test]
    fn what_git_complains_about_becomes_an_error_with_a_remedy() {
        let root = Path::new("/p");
        assert!(matches!(
            failure(root, "fatal: not a git repository (or any of the parent directories): .git"),
            MeasureError::NoRepository { .. }
        ));
        assert!(matches!(
            failure(root, "fatal: your current branch 'main' does not have any commits yet"),
            MeasureError::NoQuestions { commits: 0, .. }
        ));
        let other =
            failure(root, "fatal: detected dubious ownership in repository at '/p'\nTo add an exception");
        assert!(other.to_string().ends_with("detected dubious ownership in repository at '/p'"));
    }
}
