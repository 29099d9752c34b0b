//! C#: `using` names a namespace, which any number of files may declare, or a type in one.

use vectorcode_core::{Import as Statement, ModuleSystem};

use super::Resolver;
use super::declared_packages::DeclaredPackages;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Csharp<'a> {
    project: &'a Project<'a>,
    declared: DeclaredPackages<'a>,
}

impl<'a> Csharp<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project, declared: DeclaredPackages::new(project, ModuleSystem::Csharp) }
    }
}

impl Resolver for Csharp<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let path = statement.specifier.trim_start_matches("global::");
        let namespace = self.declared.package(path).iter().copied();
        let visible: Vec<_> = namespace.filter(|file| self.project.is_visible(from, *file)).collect();
        if visible.is_empty() {
            return self.project.nearest(from, self.declared.path(path, ".").to_vec());
        }
        visible
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(statement.specifier.trim_start_matches("global::").to_owned())
    }
}
