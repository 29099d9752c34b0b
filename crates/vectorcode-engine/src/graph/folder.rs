//! The indexed files of one folder, and its direct children.

use std::collections::BTreeMap;
use std::path::Path;

use vectorcode_core::api::{
    EntryKind, FolderEntry, FolderRequest, FolderResponse, GraphResponse, MapRequest,
};
use vectorcode_core::is_within;
use vectorcode_graph::queries::folder_map;
use vectorcode_graph::{FileId, Tree};

use super::GraphContext;
use crate::error::EngineError;
use crate::project::Project;

pub(crate) struct Folder<'a> {
    tree: &'a Tree,
    /// Relative to the root; empty for the root itself.
    pub path: String,
    /// All files in it and below, sorted by path.
    pub files: Vec<FileId>,
}

/// A file, or a folder with all files below it.
#[derive(Debug)]
pub(crate) struct FolderChild {
    pub path: String,
    pub kind: EntryKind,
    pub files: Vec<FileId>,
}

impl<'a> Folder<'a> {
    /// The root if no folder is named. A folder without indexed files is an error; an empty project is not.
    pub fn find(context: &GraphContext<'a>, wanted: Option<&str>) -> Result<Self, EngineError> {
        let tree = context.snapshot.files.tree();
        let path = folder_path(context.project, wanted)?;
        let is_inside = |file: &str| is_within(file, &path) && file != path;
        let files: Vec<FileId> =
            tree.iter().filter(|(_, file)| is_inside(&file.path)).map(|(file, _)| file).collect();
        if files.is_empty() && !path.is_empty() {
            return Err(EngineError::NotIndexed { path });
        }
        Ok(Self { tree, path, files })
    }

    /// Its direct children, sorted by name. A folder that contains only one folder is skipped in favour of that
    /// folder.
    pub fn children(&self) -> Vec<FolderChild> {
        let start = if self.path.is_empty() { 0 } else { self.path.len() + 1 };
        let mut children: BTreeMap<(EntryKind, &str), Vec<FileId>> = BTreeMap::new();
        for file in &self.files {
            let path = self.tree.path(*file);
            let key = match path[start..].find('/') {
                Some(at) => (EntryKind::Folder, &path[..start + at]),
                None => (EntryKind::File, path),
            };
            children.entry(key).or_default().push(*file);
        }
        let child = |((kind, path), files): ((EntryKind, &str), Vec<FileId>)| FolderChild {
            path: if kind == EntryKind::Folder { self.common_folder(&files) } else { path.to_owned() },
            kind,
            files,
        };
        children.into_iter().map(child).collect()
    }

    /// A child that is a folder, as a [`Folder`].
    pub fn opened(&self, child: &FolderChild) -> Self {
        Self { tree: self.tree, path: child.path.clone(), files: child.files.clone() }
    }

    /// The path of a child relative to this folder.
    pub fn name_of<'c>(&self, child: &'c FolderChild) -> &'c str {
        child.path[self.path.len()..].trim_start_matches('/')
    }

    /// Whether most files of a child are tests. Data and pages for tests are not tests themselves, so the majority
    /// decides.
    pub fn is_test(&self, child: &FolderChild) -> bool {
        let tests = child.files.iter().filter(|file| self.tree.file(**file).is_test).count();
        2 * tests > child.files.len()
    }

    /// The deepest folder that contains all these files. They are sorted by path, so what the first and the last have
    /// in common is common to all.
    fn common_folder(&self, files: &[FileId]) -> String {
        let (Some(first), Some(last)) = (files.first(), files.last()) else { return String::new() };
        let (first, last) = (self.tree.path(*first), self.tree.path(*last));
        let parts = first.split_inclusive('/').zip(last.split_inclusive('/'));
        let shared = parts.take_while(|(here, there)| here == there && here.ends_with('/'));
        let length: usize = shared.map(|(part, _)| part.len()).sum();
        first[..length].trim_end_matches('/').to_owned()
    }
}

pub(crate) fn list_folder(
    context: &GraphContext<'_>,
    request: &FolderRequest,
) -> Result<FolderResponse, EngineError> {
    let folder = Folder::find(context, request.folder.as_deref())?;
    let children = folder.children();
    let total = children.len();
    let entry = |child: FolderChild| {
        let only = folder.tree.file(child.files[0]);
        FolderEntry {
            name: folder.name_of(&child).to_owned(),
            kind: child.kind,
            files: child.files.len() as u64,
            language: (child.kind == EntryKind::File).then(|| only.language.clone()),
            is_test: folder.is_test(&child),
            path: child.path,
        }
    };
    let end = request.offset.saturating_add(request.limit);
    let entries = children.into_iter().skip(request.offset).take(request.limit).map(entry).collect();
    Ok(FolderResponse { folder: folder.path, entries, total, next: (end < total).then_some(end) })
}

/// The imports within a folder, as a map.
pub(crate) fn map(context: &GraphContext<'_>, request: &MapRequest) -> Result<GraphResponse, EngineError> {
    let folder = Folder::find(context, request.folder.as_deref())?;
    Ok(folder_map(&context.snapshot.files, &folder.path, request.limit))
}

fn folder_path(project: &Project, wanted: Option<&str>) -> Result<String, EngineError> {
    match wanted.map(|wanted| wanted.trim_end_matches('/')) {
        None | Some("" | ".") => Ok(String::new()),
        Some(wanted) => project.relative(Path::new(wanted)),
    }
}
