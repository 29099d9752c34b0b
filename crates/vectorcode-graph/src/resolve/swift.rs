//! Swift: an import names a module, and all files in its folder form the module.

use rustc_hash::FxHashMap;
use vectorcode_core::{Import as Statement, ModuleSystem};

use super::Resolver;
use super::paths::{ancestors, file_name, join, parent};
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Swift {
    modules: FxHashMap<String, Vec<FileId>>,
}

impl Swift {
    pub fn new<'a>(project: &'a Project<'a>) -> Self {
        let mut folders = FxHashMap::default();
        for (folder, text) in project.manifests("Package.swift") {
            for (module, path) in targets_with_paths(&text) {
                folders.extend(join(folder, path).map(|path| (path, module.to_owned())));
            }
        }
        let mut modules: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (id, file) in project.tree.iter().filter(|(_, file)| file.uses(ModuleSystem::Swift)) {
            if let Some(module) = module_of(&file.path, &folders) {
                modules.entry(module.to_owned()).or_default().push(id);
            }
        }
        Self { modules }
    }
}

/// The module whose folder contains a file: a target with its own `path`, otherwise `Sources/Name` or `Tests/Name`.
fn module_of<'p>(path: &'p str, folders: &'p FxHashMap<String, String>) -> Option<&'p str> {
    ancestors(parent(path)).find_map(|folder| {
        let is_conventional = matches!(file_name(parent(folder)), "Sources" | "Tests");
        folders.get(folder).map(String::as_str).or_else(|| is_conventional.then(|| file_name(folder)))
    })
}

/// The targets of a package manifest that specify their path.
fn targets_with_paths(text: &str) -> Vec<(&str, &str)> {
    let quoted_after = |text: &'_ str, label: &str| -> Option<std::ops::Range<usize>> {
        let start = text.find(label)? + label.len();
        let start = start + text[start..].find('"')? + 1;
        Some(start..start + text[start..].find('"')?)
    };
    let targets = text.split("arget(").skip(1);
    targets
        .filter_map(|target| {
            Some((&target[quoted_after(target, "name:")?], &target[quoted_after(target, "path:")?]))
        })
        .collect()
}

impl Resolver for Swift {
    fn files(&self, _: FileId, statement: &Statement) -> Vec<FileId> {
        self.modules.get(module_name(&statement.specifier)).cloned().unwrap_or_default()
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(module_name(&statement.specifier).to_owned())
    }
}

/// `import struct Module.Type` imports a type of a module.
fn module_name(specifier: &str) -> &str {
    specifier.split('.').next().unwrap_or(specifier)
}
