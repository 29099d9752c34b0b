//! Python: looks for modules below the folders on the module path (those around the file and those of the project's packages),
//! and relative to the package of the file.

use rustc_hash::{FxHashMap, FxHashSet};
use vectorcode_core::{Import as Statement, ModuleSystem};

use super::Resolver;
use super::paths::{ancestors, below, file_name, join, parent, stem};
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Python<'a> {
    project: &'a Project<'a>,
    /// Folders with an `__init__.py`.
    packages: FxHashSet<&'a str>,
    /// For each top-level package or module name, the folders from which it can be imported.
    roots: FxHashMap<&'a str, Vec<String>>,
}

/// Files that make their folder a project with its own modules.
const MANIFESTS: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg"];
const SOURCE_FOLDERS: &[&str] = &["", "src", "lib", "python"];

/// Modules of the standard library whose names projects also use for folders. An import of these means the standard library,
/// unless a folder around the file matches.
const STANDARD: &str = "\
    abc array ast asyncio base64 calendar cmd code codecs collections compression concurrent contextlib \
    copy csv ctypes dataclasses datetime decimal difflib dis email enum errno functools gc glob graphlib \
    hashlib html http imaplib importlib inspect io ipaddress itertools json locale logging mailbox math \
    multiprocessing numbers operator os parser pathlib pickle platform profile queue random re sched \
    secrets select shelve shutil signal site socket sqlite3 ssl statistics string struct subprocess \
    symbol sys tempfile test threading time timeit token tokenize trace traceback types typing unittest \
    urllib uuid warnings wsgiref xml zipfile zlib zoneinfo";

impl<'a> Python<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let initials = ["__init__.py", "__init__.pyi"].into_iter().flat_map(|name| project.named(name));
        let packages: FxHashSet<_> = initials.map(|id| project.folder_of(*id)).collect();
        let mut python = Self { project, packages, roots: FxHashMap::default() };
        python.roots = python.find_roots();
        python
    }

    fn find_roots(&self) -> FxHashMap<&'a str, Vec<String>> {
        let declared = self.declared_roots();
        let mut roots: FxHashMap<_, Vec<String>> = FxHashMap::default();
        let mut add = |name: &'a str, root: &str| {
            let known = roots.entry(name).or_default();
            if !known.iter().any(|known| known == root) {
                known.push(root.to_owned());
            }
        };
        for folder in self.packages.iter().filter(|folder| !self.packages.contains(parent(folder))) {
            if !folder.is_empty() {
                add(file_name(folder), parent(folder));
            }
        }
        for (_, file) in self.project.tree.iter().filter(|(_, file)| file.uses(ModuleSystem::Python)) {
            let root = ancestors(parent(&file.path)).find(|folder| declared.contains(*folder));
            let inside = root.and_then(|root| Some((root, below(&file.path, root)?)));
            if let Some((root, inside)) = inside.filter(|(root, _)| !self.packages.contains(root)) {
                let name = inside.split_once('/').map_or_else(|| stem(inside), |(folder, _)| folder);
                add(name, root);
            }
        }
        roots
    }

    /// The folders that the manifests of projects put on the module path.
    fn declared_roots(&self) -> FxHashSet<String> {
        let manifests = MANIFESTS.iter().flat_map(|name| self.project.named(name));
        let folders = manifests.map(|id| self.project.folder_of(*id)).chain([""]);
        folders
            .flat_map(|folder| SOURCE_FOLDERS.iter().filter_map(move |inside| join(folder, inside)))
            .collect()
    }

    /// The folders from which `from` may import a module, in the order in which they are tried.
    fn roots_for<'s>(&'s self, from: FileId, module: &str) -> impl Iterator<Item = &'s str> {
        let top = module.split('.').next().unwrap_or(module);
        let around = ancestors(self.project.folder_of(from)).filter(|folder| !self.packages.contains(folder));
        let elsewhere = self.roots.get(top).filter(|_| !STANDARD.split(' ').any(|name| name == top));
        around.chain(elsewhere.into_iter().flatten().map(String::as_str))
    }

    /// The file of a module at this path: a source file, a package, or a stub.
    fn module_at(&self, path: &str) -> Option<FileId> {
        [".py", "/__init__.py", ".pyi", "/__init__.pyi"]
            .iter()
            .find_map(|end| self.project.at(&[path, end].concat()))
    }

    /// The files of the names imported from the module at `path`: its submodules, otherwise the module itself.
    fn members(&self, path: &str, statement: &Statement) -> Vec<FileId> {
        let own = if path.is_empty() { self.module_at("__init__") } else { self.module_at(path) };
        // `c` in `import a.b as c` is not a member of `a.b` but the module itself.
        if statement.kind != "from" {
            return own.into_iter().collect();
        }
        let submodule = |name: &str| self.module_at(join(path, name)?.as_str());
        statement.bindings().filter_map(|(_, name)| submodule(name).or(own)).collect()
    }

    fn relative(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let module = statement.specifier.trim_start_matches('.');
        let dots = statement.specifier.len() - module.len();
        let package = ancestors(self.project.folder_of(from)).nth(dots - 1);
        let path = package.and_then(|package| join(package, &module.replace('.', "/")));
        path.map(|path| self.members(&path, statement)).unwrap_or_default()
    }

    fn absolute(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let inside = statement.specifier.replace('.', "/");
        let found = self.roots_for(from, &statement.specifier).find_map(|root| {
            let files = self.members(&join(root, &inside)?, statement);
            (!files.is_empty()).then_some(files)
        });
        found.unwrap_or_default()
    }
}

impl Resolver for Python<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        if statement.specifier.starts_with('.') {
            self.relative(from, statement)
        } else {
            self.absolute(from, statement)
        }
    }

    /// The top-level package, or the whole path of a module that is missing from the project itself.
    fn external(&self, statement: &Statement) -> Option<String> {
        let module = statement.specifier.as_str();
        let top = module.split('.').next().unwrap_or(module);
        let is_own = top.is_empty() || self.roots.contains_key(top);
        Some(if is_own { module } else { top }.to_owned())
    }
}
