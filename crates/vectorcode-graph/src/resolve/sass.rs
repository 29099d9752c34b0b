//! Sass, Less and Stylus: resolves paths that omit extensions and the underscore of partials.

use vectorcode_core::Import as Statement;

use super::Resolver;
use super::paths::{ancestors, file_name, join, parent};
use super::project::Project;
use crate::tree::FileId;

/// The prefix of the kinds of all statements in these languages.
pub(super) const KIND_PREFIX: &str = "sass_";

/// The extensions that a path may omit, in the order in which they are tried.
const EXTENSIONS: &[&str] = &["", ".scss", ".sass", ".css", ".less", ".styl"];

pub(super) struct Sass<'a> {
    project: &'a Project<'a>,
}

impl<'a> Sass<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project }
    }

    /// The style sheet at a path: the file, the partial, or the index of the folder.
    fn at(&self, path: &str) -> Option<FileId> {
        let (folder, name) = (parent(path), file_name(path));
        let within = |folder: &str, name: &str| {
            EXTENSIONS.iter().find_map(|extension| self.project.below(folder, &format!("{name}{extension}")))
        };
        within(folder, name)
            .or_else(|| within(folder, &format!("_{name}")))
            .or_else(|| within(path, "_index"))
            .or_else(|| within(path, "index"))
    }

    /// Looks in the folders around the file and in their `src`: compilers are often given such folders as load paths, and `@/`
    /// and `~/` refer to one of them.
    fn in_load_path(&self, folder: &str, path: &str) -> Option<FileId> {
        ancestors(folder)
            .flat_map(|around| [Some(around.to_owned()), join(around, "src")])
            .flatten()
            .find_map(|around| self.at(&join(&around, path)?))
    }
}

impl Resolver for Sass<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let path = statement.specifier.as_str();
        // `sass:math` is built in, and URLs are not part of the project.
        if path.contains(':') || path.starts_with("//") {
            return Vec::new();
        }
        let folder = self.project.folder_of(from);
        let inside = ["@/", "~/", "~@/", "~", "/"].iter().find_map(|prefix| path.strip_prefix(prefix));
        let found = match inside {
            Some(inside) => self.in_load_path(folder, inside),
            None => join(folder, path)
                .and_then(|path| self.at(&path))
                .or_else(|| self.in_load_path(folder, path).filter(|_| !path.starts_with('.'))),
        };
        found.into_iter().collect()
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(statement.specifier.trim_start_matches('~').to_owned())
    }
}
