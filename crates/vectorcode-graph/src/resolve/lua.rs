//! Lua: dots separate folders, below the root, `lua/`, `src/`, `lib/` or the folder of the file.

use vectorcode_core::Import as Statement;

use super::Resolver;
use super::paths::{ancestors, file_name};
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Lua<'a> {
    project: &'a Project<'a>,
}

const ROOTS: &[&str] = &["lua", "src", "lib"];

impl<'a> Lua<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project }
    }

    /// Looks around the file, innermost folder first, then for a single match below any folder with a root's name.
    fn find(&self, from: FileId, file: &str) -> Option<FileId> {
        let around = ancestors(self.project.folder_of(from)).find_map(|folder| {
            let inside = |root: &&str| self.project.below(folder, &format!("{root}/{file}"));
            self.project.below(folder, file).or_else(|| ROOTS.iter().find_map(inside))
        });
        around.or_else(|| {
            let is_below_root = |id: &FileId| {
                let folder = self.project.path(*id).strip_suffix(file).unwrap_or_default();
                ROOTS.contains(&file_name(folder.trim_end_matches('/')))
            };
            self.project.only_nearest(from, self.project.ending(file).filter(is_below_root).collect())
        })
    }
}

impl Resolver for Lua<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let module = statement.specifier.replace('.', "/");
        let file = self.find(from, &format!("{module}.lua"));
        file.or_else(|| self.find(from, &format!("{module}/init.lua"))).into_iter().collect()
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(statement.specifier.split('.').next().unwrap_or_default().to_owned())
    }
}
