//! PHP: `use` is resolved by the PSR-4 folders of `composer.json` and by declared namespaces, `require` by path.

use serde_json::Value;
use vectorcode_core::{Import as Statement, ModuleSystem};

use super::Resolver;
use super::declared_packages::DeclaredPackages;
use super::paths::join;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Php<'a> {
    project: &'a Project<'a>,
    declared: DeclaredPackages<'a>,
    /// Namespace prefixes and their folders, longest prefix first.
    psr4: Vec<(String, String)>,
}

impl<'a> Php<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let mut psr4 = Vec::new();
        for (folder, text) in project.manifests("composer.json") {
            psr4.extend(autoload_folders(folder, &text));
        }
        psr4.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        Self { project, declared: DeclaredPackages::new(project, ModuleSystem::Php), psr4 }
    }

    fn by_autoload(&self, class: &str) -> Option<FileId> {
        self.psr4.iter().find_map(|(prefix, folder)| {
            let rest = class.strip_prefix(prefix.as_str())?;
            self.project.below(folder, &format!("{}.php", rest.replace('\\', "/")))
        })
    }

    fn used(&self, from: FileId, class: &str) -> Vec<FileId> {
        match self.by_autoload(class) {
            Some(file) => vec![file],
            None => self.project.nearest(from, self.declared.path(class, "\\").to_vec()),
        }
    }

    fn required(&self, from: FileId, path: &str) -> Option<FileId> {
        let beside = self.project.below(self.project.folder_of(from), path);
        beside.or_else(|| if path.starts_with('.') { None } else { self.project.below("", path) })
    }
}

impl Resolver for Php<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        match statement.kind.as_str() {
            "use" => self.used(from, statement.specifier.trim_start_matches('\\')),
            _ => self.required(from, &statement.specifier).into_iter().collect(),
        }
    }

    /// The namespace of the class.
    fn external(&self, statement: &Statement) -> Option<String> {
        let class = statement.specifier.trim_start_matches('\\');
        Some(class.rsplit_once('\\').map_or(class, |(namespace, _)| namespace).to_owned())
    }
}

fn autoload_folders(folder: &str, text: &str) -> Vec<(String, String)> {
    let Ok(composer) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut found = Vec::new();
    for section in ["autoload", "autoload-dev"] {
        let prefixes = composer[section]["psr-4"].as_object();
        for (prefix, folders) in prefixes.into_iter().flatten() {
            let folders = folders.as_array().map_or(std::slice::from_ref(folders), Vec::as_slice);
            let folders = folders.iter().filter_map(Value::as_str).filter_map(|below| join(folder, below));
            found.extend(folders.map(|folder| (prefix.clone(), folder)));
        }
    }
    found
}
