//! The state of each artifact: on disk, in the index, and what keeps it from being indexed.

use std::collections::HashMap;
use std::path::Path;

use vectorcode_core::api::{ArtifactState, ArtifactStatus, ContextResponse};
use vectorcode_core::{CancelToken, SkipReason};
use vectorcode_source::{Discovery, FoundFile, Scope};
use vectorcode_store::{ChunkFilter, FileState, IndexReader};

use super::definitions::{Artifact, ArtifactDefinitions};
use crate::error::EngineError;
use crate::project::Project;

/// Reasons that are reported for files inside a directory. Images and ignored files are expected there.
const REPORTED: [SkipReason; 5] = [
    SkipReason::TooLarge,
    SkipReason::Binary,
    SkipReason::Secret,
    SkipReason::Unreadable,
    SkipReason::OutsideRoot,
];

/// The state of every artifact. `reader` is `None` if there is no index yet.
pub(crate) fn report(
    project: &Project,
    scope: &Scope,
    reader: Option<&dyn IndexReader>,
    definitions: &ArtifactDefinitions,
) -> Result<ContextResponse, EngineError> {
    let files = reader.map(IndexReader::files).transpose()?;
    let known = files.as_ref().zip(reader).map(|(files, reader)| IndexedFiles { files, reader });
    let one = |artifact| status(project, scope, known.as_ref(), artifact);
    let artifacts = definitions.artifacts.iter().map(one).collect::<Result<_, _>>()?;
    Ok(ContextResponse { artifacts, notes: definitions.notes.clone() })
}

/// What the index holds.
struct IndexedFiles<'k> {
    files: &'k HashMap<String, FileState>,
    reader: &'k dyn IndexReader,
}

fn status(
    project: &Project,
    scope: &Scope,
    known: Option<&IndexedFiles<'_>>,
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
        problem: artifact.problem(project),
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

/// Counts the files that are in the index, and those that are missing from it or have changed. A file that turns out
/// to be unsuitable when it is read is added to the skipped ones.
fn compare(scope: &Scope, found: &mut Discovery, known: Option<&IndexedFiles<'_>>) -> (u64, u64) {
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

/// Lists what was skipped, with an example for each reason.
fn left_out(found: &Discovery, state: ArtifactState) -> Option<String> {
    let counts = found.skipped.counts();
    let reported =
        counts.iter().filter(|skip| state == ArtifactState::Unusable || REPORTED.contains(&skip.reason));
    let reported: Vec<String> = reported
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
    match (reported.is_empty(), state) {
        (true, ArtifactState::Unusable) => Some("there is no file in it".into()),
        (true, _) => None,
        (false, _) => Some(reported.join("; ")),
    }
}
