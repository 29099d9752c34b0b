//! Elixir: a module is imported by its name, from whichever file defines it.

use rustc_hash::FxHashMap;
use vectorcode_core::{Import as Statement, ModuleSystem};

use super::declared_packages::DeclaredPackages;
use super::project::Project;
use super::{PACKAGE, Resolver};
use crate::tree::FileId;

pub(super) struct Elixir<'a> {
    project: &'a Project<'a>,
    declared: DeclaredPackages<'a>,
    /// The first module of each file, which is what `__MODULE__` means.
    own: FxHashMap<FileId, &'a str>,
}

impl<'a> Elixir<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let packages = project.imports.iter().filter(|import| import.statement.kind == PACKAGE);
        let own = packages.filter_map(|import| Some((import.from, import.statement.names.first()?.as_str())));
        Self { project, declared: DeclaredPackages::new(project, ModuleSystem::Elixir), own: own.collect() }
    }
}

impl Resolver for Elixir<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let module = statement.specifier.as_str();
        let own = module.strip_prefix("__MODULE__").zip(self.own.get(&from));
        let whole = own.map(|(rest, own)| [own, rest].concat());
        let files = self.declared.name("", whole.as_deref().unwrap_or(module));
        self.project.nearest(from, files.to_vec())
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(statement.specifier.split('.').next().unwrap_or_default().to_owned())
    }
}
