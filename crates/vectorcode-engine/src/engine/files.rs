//! The files of the index: the list, the current text of one file, and an overview of all of them.

use std::path::{Path, PathBuf};

use vectorcode_core::api::{
    FileLinks, FileRequest, FileResponse, FolderRequest, FolderResponse, Freshness, IndexPreview,
    OverviewRequest, OverviewResponse, PreviewFile, PreviewSkip,
};
use vectorcode_core::{CancelToken, SkipReason};
use vectorcode_source::Listing;
use vectorcode_store::SourceFile;

use super::Engine;
use crate::error::EngineError;
use crate::project::file;
use crate::{graph, overview};

/// The start of a README says what the project is.
const README_LINES: u32 = 200;

impl Engine {
    /// Every file of the index, sorted by path.
    pub fn files(&self) -> Result<Vec<SourceFile>, EngineError> {
        Ok(self.reader()?.source_files()?)
    }

    /// Which files an index run would read, and which it would skip and why.
    pub fn preview(&self, paths: &[PathBuf], cancel: &CancelToken) -> Result<IndexPreview, EngineError> {
        self.project.check_root()?;
        let scope = self.scope()?;
        let everything = [self.project.root().to_path_buf()];
        let mut preview = IndexPreview::default();
        for path in if paths.is_empty() { &everything } else { paths } {
            let start = self.project.relative(path)?;
            let found = scope.discover_listing(Path::new(&start), Listing::All, cancel)?;
            let skips = found.skipped.paths().map(|(path, reason)| PreviewSkip { path: path.into(), reason });
            preview.skipped.extend(skips);
            for file in found.files {
                if scope.is_binary(&file) {
                    preview.skipped.push(PreviewSkip { path: file.path, reason: SkipReason::Binary });
                } else {
                    let language = file.language.name.to_owned();
                    preview.files.push(PreviewFile { path: file.path, language, bytes: file.size });
                }
            }
        }
        preview.files.sort_unstable();
        preview.skipped.sort_unstable();
        Ok(preview)
    }

    /// The text of an indexed file, as it is on disk now.
    pub fn file(&self, request: &FileRequest) -> Result<FileResponse, EngineError> {
        let scope = self.scope()?;
        self.with_repair(|| file::read(&scope, &*self.reader()?, request))
    }

    /// The names in a file that link to definitions in the project. A file that changed since it was indexed has no
    /// links, because they would point to the wrong lines.
    pub fn links(&self, path: &str) -> Result<FileLinks, EngineError> {
        let scope = self.scope()?;
        let find = || {
            self.with_graph(|context| {
                let opened = file::open(&scope, context.reader, path)?;
                match opened.freshness {
                    Freshness::Fresh => graph::links(context, &opened.parsed, &opened.text),
                    Freshness::Moved | Freshness::Stale { .. } => Ok(FileLinks::default()),
                }
            })
        };
        self.with_structure(find)
    }

    /// The direct children of a folder, page by page.
    pub fn folder(&self, request: &FolderRequest) -> Result<FolderResponse, EngineError> {
        self.with_repair(|| self.with_graph(|context| graph::list_folder(context, request)))
    }

    /// An overview of the project or a folder: its README, languages, parts, entry points, central files and hot
    /// files.
    pub fn overview(&self, request: &OverviewRequest) -> Result<OverviewResponse, EngineError> {
        let scope = self.scope()?;
        let describe = || {
            self.with_graph(|context| {
                let read = |path: &str| {
                    let start =
                        FileRequest { path: path.into(), start_line: None, end_line: Some(README_LINES) };
                    file::read(&scope, context.reader, &start).ok().map(|file| file.content)
                };
                let history = self.history.current(context.reader)?;
                overview::overview(context, &history, request, &read)
            })
        };
        self.with_structure(describe)
    }
}
