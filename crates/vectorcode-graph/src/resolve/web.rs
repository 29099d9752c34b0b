//! HTML and style sheets: resolves paths relative to the file, or to the served folder.

use vectorcode_core::Import as Statement;

use super::Resolver;
use super::paths::ancestors;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Web<'a> {
    project: &'a Project<'a>,
}

/// Folders that servers usually serve as `/`.
const SERVED: &[&str] = &[".", "public", "static", "www", "dist"];

impl<'a> Web<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project }
    }

    fn served(&self, folder: &str, path: &str) -> Option<FileId> {
        ancestors(folder).find_map(|around| {
            SERVED.iter().find_map(|served| self.project.below(around, &format!("{served}/{path}")))
        })
    }
}

impl Resolver for Web<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let path = statement.specifier.split(['?', '#']).next().unwrap_or_default();
        if path.is_empty() || path.contains("//") || path.contains(':') {
            return Vec::new();
        }
        let folder = self.project.folder_of(from);
        let found = match path.strip_prefix('/') {
            Some(path) => self.served(folder, path),
            None => self.project.below(folder, path),
        };
        found.into_iter().collect()
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(statement.specifier.clone())
    }
}
