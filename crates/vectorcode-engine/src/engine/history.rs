//! The repository's history: finding commits by message and by changed files.

use std::path::Path;

use vectorcode_core::api::{BranchesResponse, CommitHit, HistoryRequest, HistoryResponse};
use vectorcode_core::{CommitChanges, is_within};
use vectorcode_history::{Branches, Repository};
use vectorcode_store::{CommitText, StoredCommit};

use super::Engine;
use crate::error::EngineError;
use crate::history::{ActiveHistory, HistoryIndex, HistoryQuestion};
use crate::project::written_path::by_ending;
use crate::time::iso8601;

/// A message less similar to the query than this, by words and by meaning, is not a result.
const MIN_SCORE: f32 = 0.12;

impl Engine {
    /// Commits by message, by file, or the newest.
    pub fn history(&self, request: &HistoryRequest) -> Result<HistoryResponse, EngineError> {
        let mut response = self.with_repair(|| self.find_commits(request))?;
        response.notes.extend(self.take_repair_note());
        Ok(response)
    }

    /// The branches and tags of the repository.
    pub fn branches(&self) -> Result<BranchesResponse, EngineError> {
        let Some(repository) = Repository::open(self.project.root())? else {
            return Ok(BranchesResponse::default());
        };
        let Branches { current, local, remote, tags } = repository.branches()?;
        Ok(BranchesResponse { current, local, remote, tags })
    }

    fn find_commits(&self, request: &HistoryRequest) -> Result<HistoryResponse, EngineError> {
        let reader = self.reader()?;
        let history = self.history.current(&*reader)?;
        let path = request.path.as_deref().map(|path| self.path_with_history(&history, path)).transpose()?;
        let found = matching(&history, request.query.as_deref(), path.filter(|path| !path.is_empty()))?;
        let listed: Vec<(usize, Option<f32>)> = found.iter().take(request.limit).copied().collect();
        let commits: Vec<&StoredCommit> =
            listed.iter().map(|(place, _)| &history.commits()[*place]).collect();
        let ids: Vec<_> = commits.iter().map(|commit| commit.id).collect();
        let texts = reader.commit_texts(&ids)?;
        let hits = commits.iter().zip(texts).zip(&listed);
        let hits = hits.filter_map(|((commit, text), (_, score))| Some(hit(commit, text?, *score)));
        let mut notes = Vec::new();
        if let Some(commits) = ActiveHistory::missing(&*reader)?.filter(|commits| *commits > 0) {
            notes.push(format!(
                "Only the newest {commits} commits were read; `vectorcode index` reads the rest."
            ));
        }
        if history.is_empty() {
            notes.push(self.why_no_history());
        }
        Ok(HistoryResponse { commits: hits.collect(), total: found.len(), notes })
    }

    fn why_no_history(&self) -> String {
        match Repository::open(self.project.root()) {
            Err(error) => format!("The index has no commits. {error}."),
            Ok(_) => {
                "The index has no commits: this is no git repository, or its history has not been read yet."
                    .into()
            }
        }
    }

    /// A file or folder by its path, or a file by a unique path suffix; deleted files have a history too.
    fn path_with_history(&self, history: &HistoryIndex, written: &str) -> Result<String, EngineError> {
        let path = self.project.relative(Path::new(written))?;
        if history.paths().any(|known| is_within(known, &path)) {
            return Ok(path);
        }
        let files = self.files()?;
        let found = match by_ending(files.iter().map(|file| file.path.as_str()), &path)? {
            Some(present) => Some(present),
            None => by_ending(history.paths(), &path)?,
        };
        Ok(found.map_or_else(|| path.clone(), str::to_owned))
    }
}

/// The matching commits, best first, with scores if there is a query.
fn matching(
    history: &HistoryIndex,
    query: Option<&str>,
    path: Option<String>,
) -> Result<Vec<(usize, Option<f32>)>, EngineError> {
    let usable = history.usable_commits(None);
    let touches = |place: usize| {
        let commit = &history.commits()[place];
        path.as_deref()
            .is_none_or(|path| commit.files.iter().any(|file| is_within(history.path(*file), path)))
    };
    // A message without content cannot match a query, but it is listed among the newest.
    let may_answer = |place: &usize| usable[*place] && (query.is_none() || history.has_words(*place));
    // In the order of the history, newest first.
    let found: Vec<usize> = (0..usable.len()).filter(may_answer).filter(|place| touches(*place)).collect();
    if let Some(path) = path.filter(|_| found.is_empty()) {
        return Err(EngineError::NoHistoryOf { path });
    }
    let Some(query) = query else {
        return Ok(found.into_iter().map(|place| (place, None)).collect());
    };
    if query.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let mut admitted = vec![false; usable.len()];
    for place in &found {
        admitted[*place] = true;
    }
    let compared = history.compare(&HistoryQuestion::new(query), &admitted);
    // A message that shares no word with the query is not a result, however near its vector is.
    let sharing = compared.into_iter().filter(|similarity| similarity.words > 0.0);
    let scored = sharing.map(|similarity| {
        let score = 0.5 * (similarity.words.min(1.0) + similarity.meaning.clamp(0.0, 1.0));
        (similarity.commit, Some(score))
    });
    let mut scored: Vec<(usize, Option<f32>)> =
        scored.filter(|(_, score)| *score >= Some(MIN_SCORE)).collect();
    scored.sort_by(|one, other| {
        other.1.unwrap_or(0.0).total_cmp(&one.1.unwrap_or(0.0)).then(one.0.cmp(&other.0))
    });
    Ok(scored)
}

fn hit(commit: &StoredCommit, text: CommitText, score: Option<f32>) -> CommitHit {
    let (subject, body) = text.message.split_once('\n').unwrap_or((&text.message, ""));
    CommitHit {
        id: commit.id.to_string(),
        time: iso8601(commit.time_secs),
        author: text.author,
        subject: subject.trim().to_owned(),
        body: body.trim().to_owned(),
        too_many_files: text.changes == CommitChanges::TooMany,
        files: match text.changes {
            CommitChanges::Files(files) => files,
            CommitChanges::TooMany | CommitChanges::Unknown => Vec::new(),
        },
        score,
    }
}
