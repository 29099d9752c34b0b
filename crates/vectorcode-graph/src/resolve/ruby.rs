//! Ruby: resolves paths relative to the file, or below a folder of the load path (`lib`, `app`, and `test` or `spec` for tests).

use vectorcode_core::Import as Statement;

use super::Resolver;
use super::paths::ancestors;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Ruby<'a> {
    project: &'a Project<'a>,
}

const LOAD_PATH: &[&str] = &["lib", "test", "spec", "app"];

impl<'a> Ruby<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project }
    }

    fn on_load_path(&self, from: FileId, file: &str) -> Option<FileId> {
        let gems = self.project.ending(&format!("lib/{file}")).collect();
        self.project.only_nearest(from, gems).or_else(|| self.around(from, file))
    }

    /// Looks in the load path of the file's own gem.
    fn around(&self, from: FileId, file: &str) -> Option<FileId> {
        ancestors(self.project.folder_of(from)).find_map(|around| {
            let inside = |name: &&str| self.project.below(around, &format!("{name}/{file}"));
            let beside = || self.project.below(around, file).filter(|_| file.contains('/'));
            LOAD_PATH.iter().find_map(inside).or_else(beside)
        })
    }
}

impl Resolver for Ruby<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let path = statement.specifier.trim_start_matches("#{__dir__}/");
        let file = if path.ends_with(".rb") { path.to_owned() } else { format!("{path}.rb") };
        let folder = self.project.folder_of(from);
        let is_relative = statement.kind == "require_relative" || path.len() < statement.specifier.len();
        let found = match () {
            () if is_relative => self.project.below(folder, &file),
            () if path.starts_with('.') => {
                self.project.below("", &file).or_else(|| self.project.below(folder, &file))
            }
            () => self.on_load_path(from, &file).or_else(|| self.project.at(&file)),
        };
        found.into_iter().collect()
    }

    /// The name of the gem, which is also the first folder of its files.
    fn external(&self, statement: &Statement) -> Option<String> {
        let path = statement.specifier.as_str();
        let is_relative = statement.kind == "require_relative" || path.starts_with(['.', '#', '/']);
        let name = if is_relative { path } else { path.split('/').next().unwrap_or(path) };
        Some(name.to_owned())
    }
}
