//! Haskell: a module is imported by the name in its header, which is also its path below a source folder.

use vectorcode_core::{Import as Statement, ModuleSystem};

use super::Resolver;
use super::declared_packages::DeclaredPackages;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Haskell<'a> {
    project: &'a Project<'a>,
    declared: DeclaredPackages<'a>,
}

impl<'a> Haskell<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project, declared: DeclaredPackages::new(project, ModuleSystem::Haskell) }
    }
}

impl Resolver for Haskell<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let declared = self.declared.package(&statement.specifier);
        if !declared.is_empty() {
            return self.project.nearest(from, declared.to_vec());
        }
        let path = statement.specifier.replace('.', "/");
        let by_path = self.project.ending(&format!("{path}.hs")).collect();
        self.project.only_nearest(from, by_path).into_iter().collect()
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(statement.specifier.clone())
    }
}
