//! Go: an import names a folder below a module, and all files in that folder form the package.

use rustc_hash::FxHashMap;
use vectorcode_core::{Import as Statement, ModuleSystem};

use super::Resolver;
use super::declared_packages::DeclaredPackages;
use super::paths::{ancestors, below, join};
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Go<'a> {
    project: &'a Project<'a>,
    declared: DeclaredPackages<'a>,
    /// The folder of each module path, from `module` directives and from `replace` directives with a local path.
    modules: FxHashMap<String, String>,
}

impl<'a> Go<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let mut modules = FxHashMap::default();
        for (folder, text) in project.manifests("go.mod") {
            read_module(folder, &text, &mut modules);
        }
        Self { project, declared: DeclaredPackages::new(project, ModuleSystem::Go), modules }
    }

    /// The folder of a package: below the module with the longest matching path, otherwise vendored.
    fn folder(&self, package: &str) -> Option<String> {
        let own = ancestors(package).find_map(|module| Some((module, self.modules.get(module)?)));
        match own {
            Some((module, folder)) if module == package => Some(folder.clone()),
            Some((module, folder)) => join(folder, below(package, module)?),
            None => Some(format!("vendor/{package}")),
        }
    }

    /// Other packages cannot import tests, nor a program in the same folder.
    fn is_importable(&self, file: FileId) -> bool {
        let path = self.project.path(file);
        path.ends_with(".go") && !path.ends_with("_test.go") && self.declared.package_of(file) != "main"
    }
}

impl Resolver for Go<'_> {
    fn files(&self, _: FileId, statement: &Statement) -> Vec<FileId> {
        let Some(folder) = self.folder(&statement.specifier) else { return Vec::new() };
        let files = self.project.in_folder(&folder).iter().copied();
        files.filter(|file| self.is_importable(*file)).collect()
    }

    /// The module, as far as the path shows it: the host and two more parts. Packages of the standard library have no host.
    fn external(&self, statement: &Statement) -> Option<String> {
        let path = statement.specifier.as_str();
        let (host, _) = path.split_once('/').unwrap_or((path, ""));
        let parts = if host.contains('.') { 3 } else { usize::MAX };
        Some(path.split('/').take(parts).collect::<Vec<_>>().join("/"))
    }
}

fn read_module(folder: &str, text: &str, modules: &mut FxHashMap<String, String>) {
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if let Some(path) = line.strip_prefix("module ") {
            modules.insert(path.trim().trim_matches('"').to_owned(), folder.to_owned());
        } else if let Some((replaced, by)) = line.split_once("=>") {
            let replaced = replaced.trim().trim_start_matches("replace ");
            let module = replaced.split_whitespace().next().unwrap_or_default();
            let local = Some(by.trim()).filter(|by| by.starts_with('.')).and_then(|by| join(folder, by));
            if let Some(local) = local {
                modules.entry(module.to_owned()).or_insert(local);
            }
        }
    }
}
