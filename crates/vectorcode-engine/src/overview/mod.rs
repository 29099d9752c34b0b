//! Describes a project or one of its folders to somebody who sees it for the first time.

mod entry_points;
mod hot_files;
mod parts;
mod readme;

use std::cmp::Reverse;

use vectorcode_core::api::{FileDegree, OverviewRequest, OverviewResponse, ReadmeSummary};
use vectorcode_graph::FileId;

use self::parts::Sizes;
use crate::error::EngineError;
use crate::graph::{Folder, GraphContext};
use crate::history::HistoryIndex;

/// A file that only one other file imports says nothing about the project.
const MIN_IMPORTERS: u64 = 2;

/// `read` returns the beginning of a file, if it may be shown.
pub(crate) fn overview(
    context: &GraphContext<'_>,
    history: &HistoryIndex,
    request: &OverviewRequest,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<OverviewResponse, EngineError> {
    let folder = Folder::find(context, request.folder.as_deref())?;
    let sizes = Sizes::read(context)?;
    let mut parts = sizes.parts(&folder);
    let parts_total = parts.len() as u64;
    parts.truncate(request.limit);
    let mut languages = sizes.languages(&folder.files);
    languages.truncate(request.limit);
    let tree = context.snapshot.files.tree();
    Ok(OverviewResponse {
        project: context.project.name(),
        readme: readme_of(context, &folder, read),
        files: folder.files.len() as u64,
        tests: folder.files.iter().filter(|file| tree.file(**file).is_test).count() as u64,
        bytes: folder.files.iter().map(|file| sizes.of(*file)).sum(),
        languages,
        parts,
        parts_total,
        entry_points: entry_points::find(context, &folder, request.limit)?,
        most_imported: most_imported(context, &folder, request.limit),
        hot_files: hot_files::find(context, history, &folder, request.limit),
        folder: folder.path,
    })
}

fn readme_of(
    context: &GraphContext<'_>,
    folder: &Folder<'_>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<ReadmeSummary> {
    let tree = context.snapshot.files.tree();
    let start = if folder.path.is_empty() { 0 } else { folder.path.len() + 1 };
    let names = folder.files.iter().map(|file| tree.path(*file)).map(|path| (&path[start..], path));
    // Several files may be a README. The shortest name has no language or date in it: `README.md` before
    // `README.de.md`.
    let readmes = names.filter(|(name, _)| readme::is_readme(name));
    let (_, path) = readmes.min_by_key(|(name, _)| (name.len(), *name))?;
    let (title, summary) = readme::first_words(&read(path)?, &context.project.name());
    Some(ReadmeSummary { path: path.to_owned(), title, summary })
}

fn most_imported(context: &GraphContext<'_>, folder: &Folder<'_>, limit: usize) -> Vec<FileDegree> {
    let graph = &context.snapshot.files;
    let degree = |file: &FileId| FileDegree {
        path: graph.tree().path(*file).to_owned(),
        imports: graph.imports(*file).len() as u64,
        importers: graph.importers(*file).len() as u64,
    };
    let code = folder.files.iter().filter(|file| !graph.tree().file(**file).is_test);
    let mut degrees: Vec<FileDegree> =
        code.map(degree).filter(|degree| degree.importers >= MIN_IMPORTERS).collect();
    degrees.sort_by_key(|degree| Reverse(degree.importers));
    degrees.truncate(limit);
    degrees
}
