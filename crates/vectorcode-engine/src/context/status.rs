//! How each artifact is: on disk, in the index, and what keeps it out.

use std::collections::HashMap;
use std::path::Path;

use vectorcode_core::api::{ArtifactState, ArtifactStatus, ContextResponse};
use vectorcode_core::{CancelToken, SkipReason};
use vectorcode_source::{Discovery, FoundFile, Scope};
use vectorcode_store::{ChunkFilter, FileState, IndexReader, StoreError};

use super::definitions::{Artifact, Definitions};
use crate::{Engine, EngineError, Project};

/// What is worth a word inside a directory; images and ignored files there are nobody's concern.
const WORTH_TELLING: [SkipReason; 5] = [
    SkipReason::TooLarge,
    SkipReason::Binary,
    SkipReason::Secret,
    SkipReason::Unreadable,
    SkipReason::OutsideRoot,
];

pub(super) fn report(engine: &Engine, definitions: &Definitions) -> Result<ContextResponse, EngineError> {
    if definitions.artifacts.is_empty() {
        return Ok(ContextResponse { artifacts: Vec::new(), notes: definitions.notes.clone() });
    }
    let scope = engine.scope()?;
    let indexed = match engine.reader() {
        Ok(reader) => Some((reader.files()?, reader)),
        Err(EngineError::Store(StoreError::NotInitialized)) => None,
        Err(error) => return Err(error),
    };
    let known = indexed.as_ref().map(|(files, reader)| Known { files, reader: &**reader });
    let one = |artifact| status(engine.project(), &scope, known.as_ref(), artifact);
    let artifacts = definitions.artifacts.iter().map(one).collect::<Result<_, _>>()?;
    Ok(ContextResponse { artifacts, notes: definitions.notes.clone() })
}

/// What the index holds.
struct Known<'k> {
    files: &'k HashMap<String, FileState>,
    reader: &'k dyn IndexReader,
}

/// What keeps an artifact from being searched at all, seen without a walk.
pub(super) fn trouble(project: &Project, artifact: &Artifact) -> Option<String> {
    match &artifact.place {
        Err(problem) => Some(problem.clone()),
        Ok(place) if project.absolute(place).symlink_metadata().is_err() => {
            Some(format!("there is nothing at {}", artifact.path.display()))
        }
        Ok(_) => None,
    }
}

fn status(
    project: &Project,
    scope: &Scope,
    known: Option<&Known<'_>>,
    artifact: &Artifact,
) -> Result<ArtifactStatus, EngineError> {
    let mut status = ArtifactStatus {
        name: artifact.name.clone(),
        path: artifact.path.display().to_string(),
        description: artifact.description.clone(),
        defined_in: artifact.defined_in.into(),
        state: ArtifactState::Unusable,
        files: 0,
        chunks: 0,
        problem: trouble(project, artifact),
    };
    let Ok(place) = &artifact.place else { return Ok(status) };
    if let Some(known) = known {
        let filter = ChunkFilter { within: vec![place.clone()], ..ChunkFilter::default() };
        status.chunks = known.reader.count(&filter)?;
    }
    if status.problem.is_some() {
        status.state = ArtifactState::Missing;
        return Ok(status);
    }
    let mut found = scope.discover_under(Path::new(place), &CancelToken::default())?;
    let (indexed, waiting) = compare(scope, &mut found, known);
    status.files = indexed;
    status.state = match (indexed, waiting) {
        (0, 0) => ArtifactState::Unusable,
        (_, 0) => ArtifactState::Indexed,
        _ => ArtifactState::Pending,
    };
    status.problem = left_out(&found, status.state);
    Ok(status)
}

/// Counts files that the index holds, and those that it does not hold as they are. What only reading shows to be
/// unfit joins the skipped.
fn compare(scope: &Scope, found: &mut Discovery, known: Option<&Known<'_>>) -> (u64, u64) {
    let (mut indexed, mut waiting) = (0, 0);
    for file in &found.files {
        match known.and_then(|known| known.files.get(&file.path)) {
            Some(state) => {
                indexed += 1;
                waiting += u64::from(is_changed(file, state));
            }
            None => match scope.read(file) {
                Ok(_) => waiting += 1,
                Err(reason) => found.skipped.add(reason, &file.path),
            },
        }
    }
    (indexed, waiting)
}

fn is_changed(file: &FoundFile, state: &FileState) -> bool {
    (state.mtime_ns, state.size) != (file.mtime_ns, file.size)
}

/// Names what was left out, with an example of each reason.
fn left_out(found: &Discovery, state: ArtifactState) -> Option<String> {
    let counts = found.skipped.counts();
    let told =
        counts.iter().filter(|skip| state == ArtifactState::Unusable || WORTH_TELLING.contains(&skip.reason));
    let told: Vec<String> = told
        .map(|skip| {
            let example = found.skipped.examples(skip.reason).first().map_or("", String::as_str);
            match skip.count {
                1 => format!("{example} is left out ({})", skip.reason.describe()),
                count => {
                    format!("{count} files are left out ({}), such as {example}", skip.reason.describe())
                }
            }
        })
        .collect();
    match (told.is_empty(), state) {
        (true, ArtifactState::Unusable) => Some("there is no file in it".into()),
        (true, _) => None,
        (false, _) => Some(told.join("; ")),
    }
}
