//! Rust: builds the module tree from `mod` statements, and follows the paths of `use` in it.

use rustc_hash::{FxHashMap, FxHashSet};
use toml::{Table, Value};
use vectorcode_core::Import as Statement;

use super::Resolver;
use super::paths::{ancestors, file_name, join, parent};
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Rust<'a> {
    project: &'a Project<'a>,
    packages: FxHashMap<&'a str, Package>,
    /// The root files of libraries, by library name.
    libraries: FxHashMap<String, Vec<FileId>>,
    /// Crate roots that only a manifest declares.
    declared_roots: FxHashSet<FileId>,
    /// The file of each child module, by the declaring file and the path in it.
    children: FxHashMap<FileId, FxHashMap<&'a str, FileId>>,
    parents: FxHashMap<FileId, FileId>,
}

struct Package {
    /// Before edition 2018, `use` paths started at the root of the crate.
    is_edition_2015: bool,
    /// Dependencies that have another name in the code.
    renamed: FxHashMap<String, String>,
}

impl<'a> Rust<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let mut rust = Self {
            project,
            packages: FxHashMap::default(),
            libraries: FxHashMap::default(),
            declared_roots: FxHashSet::default(),
            children: FxHashMap::default(),
            parents: FxHashMap::default(),
        };
        for (folder, text) in project.manifests("Cargo.toml") {
            if let Ok(manifest) = text.parse::<Table>() {
                rust.add_manifest(folder, &manifest);
            }
        }
        rust.add_modules();
        rust
    }

    fn add_manifest(&mut self, folder: &'a str, manifest: &Table) {
        let Some(package) = manifest.get("package").and_then(Value::as_table) else { return };
        let Some(name) = package.get("name").and_then(Value::as_str) else { return };
        let library = manifest.get("lib").and_then(Value::as_table);
        let text_of = |key: &str| library.and_then(|library| library.get(key)).and_then(Value::as_str);
        let path = text_of("path").unwrap_or("src/lib.rs");
        if let Some(root) = self.project.below(folder, path) {
            let name = text_of("name").unwrap_or(name).replace('-', "_");
            self.libraries.entry(name).or_default().push(root);
            self.declared_roots.insert(root);
        }
        for target in ["bin", "test", "example", "bench"].iter().filter_map(|kind| manifest.get(*kind)) {
            let paths = target.as_array().into_iter().flatten().filter_map(|target| target.get("path"));
            let roots = paths.filter_map(Value::as_str).filter_map(|path| self.project.below(folder, path));
            self.declared_roots.extend(roots);
        }
        let is_edition_2015 = package.get("edition").is_none_or(|edition| edition.as_str() == Some("2015"));
        self.packages.insert(folder, Package { is_edition_2015, renamed: renamed_dependencies(manifest) });
    }

    fn add_modules(&mut self) {
        let statements = self.project.imports.iter().filter(|import| import.statement.kind == "mod");
        for import in statements {
            let (from, statement) = (import.from, &import.statement);
            // `#[path]` statements carry the module's name separately.
            let name = statement.names.first().unwrap_or(&statement.specifier);
            if let Some(child) = self.module_file(from, statement) {
                self.children.entry(from).or_default().entry(name).or_insert(child);
                if child != from {
                    self.parents.entry(child).or_insert(from);
                }
            }
        }
    }

    /// The file that a `mod` statement declares.
    fn module_file(&self, from: FileId, statement: &Statement) -> Option<FileId> {
        if statement.names.is_empty() {
            return self.conventional_child(from, &statement.specifier.replace("::", "/"));
        }
        let folder = self.project.folder_of(from);
        let around = statement.names[0].rsplit_once("::").map(|(around, _)| around.replace("::", "/"));
        let inside = around.and_then(|around| join(&self.module_folder(from), &around));
        self.project.below(inside.as_deref().unwrap_or(folder), &statement.specifier)
    }

    /// The file of a child module, where the language looks for it by default.
    fn conventional_child(&self, from: FileId, module: &str) -> Option<FileId> {
        let own = self.module_folder(from);
        let inside = |folder: &str| {
            let file = self.project.below(folder, &format!("{module}.rs"));
            file.or_else(|| self.project.below(folder, &format!("{module}/mod.rs")))
        };
        // A file declared by a macro or by `#[path]` has its child modules next to it.
        inside(&own).or_else(|| inside(self.project.folder_of(from)).filter(|child| *child != from))
    }

    /// The folder that contains the children of a module.
    fn module_folder(&self, file: FileId) -> String {
        let path = self.project.path(file);
        if file_name(path) == "mod.rs" || self.is_root(file) {
            return parent(path).to_owned();
        }
        path.trim_end_matches(".rs").to_owned()
    }

    /// Whether a file is a crate root.
    fn is_root(&self, file: FileId) -> bool {
        let path = self.project.path(file);
        let folder = parent(path);
        let package = match file_name(folder) {
            "tests" | "examples" | "benches" => Some(parent(folder)),
            "bin" => Some(parent(parent(folder))),
            _ if file_name(path) == "build.rs" => Some(folder),
            _ => None,
        };
        matches!(file_name(path), "lib.rs" | "main.rs")
            || self.declared_roots.contains(&file)
            || package.is_some_and(|package| self.packages.contains_key(package))
    }

    /// The file of the parent module: the one that declares this file, otherwise the one that should.
    fn parent(&self, file: FileId) -> Option<FileId> {
        if let Some(parent) = self.parents.get(&file) {
            return Some(*parent);
        }
        if self.is_root(file) {
            return None;
        }
        let path = self.project.path(file);
        let folder = if file_name(path) == "mod.rs" { parent(parent(path)) } else { parent(path) };
        let beside = ["mod.rs", "lib.rs", "main.rs"].iter().find_map(|name| self.project.below(folder, name));
        beside.or_else(|| self.project.at(&format!("{folder}.rs"))).filter(|parent| *parent != file)
    }

    /// The root of the crate that a file belongs to.
    fn root(&self, file: FileId) -> FileId {
        let mut root = file;
        // Bounded, because modules that declare each other would loop forever.
        for _ in 0..64 {
            match self.parent(root) {
                Some(parent) => root = parent,
                None => break,
            }
        }
        root
    }

    fn package_of(&self, file: FileId) -> Option<&Package> {
        ancestors(self.project.folder_of(file)).find_map(|folder| self.packages.get(folder))
    }

    /// The root of a library of the project, by its name in `from`.
    fn library(&self, from: FileId, name: &str) -> Option<FileId> {
        let renamed = self.package_of(from).and_then(|package| package.renamed.get(name));
        let libraries = self.libraries.get(renamed.map_or(name, String::as_str))?;
        self.project.only_nearest(from, libraries.clone())
    }

    /// The module at which a path starts, and the rest of the path.
    fn start<'p>(&self, from: FileId, path: &'p str) -> Option<(FileId, &'p str)> {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        match first {
            "crate" => Some((self.root(from), rest)),
            "self" => Some((from, rest)),
            "super" => {
                let mut module = self.parent(from)?;
                let mut rest = rest;
                while rest == "super" || rest.starts_with("super::") {
                    module = self.parent(module)?;
                    rest = rest["super".len()..].trim_start_matches("::");
                }
                Some((module, rest))
            }
            "" => self.start(from, rest),
            name => self.named(from, name, path, rest),
        }
    }

    /// Resolves a path that starts with a name: a module of this file, a library, or before edition 2018 a module of the crate.
    fn named<'p>(&self, from: FileId, name: &str, path: &'p str, rest: &'p str) -> Option<(FileId, &'p str)> {
        if self.declared_child(from, name).is_some() {
            return Some((from, path));
        }
        if let Some(library) = self.library(from, name) {
            return Some((library, rest));
        }
        let root = self.root(from);
        let is_2015 = self.package_of(from).is_some_and(|package| package.is_edition_2015);
        (is_2015 && self.declared_child(root, name).is_some()).then_some((root, path))
    }

    fn declared_child(&self, module: FileId, name: &str) -> Option<FileId> {
        self.children.get(&module)?.get(name).copied()
    }

    /// The deepest module along a path that has its own file.
    fn follow(&self, start: FileId, path: &str) -> FileId {
        let mut module = start;
        let mut inline = String::new();
        for part in path.split("::").filter(|part| !part.is_empty()) {
            inline.push_str(part);
            let child = self.declared_child(module, &inline);
            match child.or_else(|| self.undeclared_child(module, &inline)) {
                Some(child) => {
                    module = child;
                    inline.clear();
                }
                None => inline.push_str("::"),
            }
        }
        module
    }

    /// A child module declared by a macro, which can only be recognised by its location.
    fn undeclared_child(&self, module: FileId, name: &str) -> Option<FileId> {
        let is_module = !name.contains("::") && name.starts_with(|c: char| c.is_lowercase() || c == '_');
        let child = self.conventional_child(module, name).filter(|_| is_module)?;
        (!self.parents.contains_key(&child) && !self.is_root(child)).then_some(child)
    }
}

impl Resolver for Rust<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        if statement.kind == "mod" {
            return self.module_file(from, statement).into_iter().collect();
        }
        let Some((start, path)) = self.start(from, &statement.specifier) else { return Vec::new() };
        if statement.names.is_empty() {
            return vec![self.follow(start, path)];
        }
        let names = statement.bindings().map(|(_, name)| name);
        names.map(|name| self.follow(start, &format!("{path}::{name}"))).collect()
    }

    /// The crate. A path that starts with a type, or that leaves the known modules, refers to no other file.
    fn external(&self, statement: &Statement) -> Option<String> {
        let path = statement.specifier.trim_start_matches("::");
        let first = path.split("::").next().unwrap_or(path);
        let is_local = matches!(first, "crate" | "self" | "super") || first.starts_with(char::is_uppercase);
        (!is_local).then(|| first.to_owned())
    }
}

/// Dependencies with a `package` key: the name in the code and the library's own name.
fn renamed_dependencies(manifest: &Table) -> FxHashMap<String, String> {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let dependencies = tables.iter().filter_map(|name| manifest.get(*name)?.as_table()).flatten();
    dependencies
        .filter_map(|(name, dependency)| Some((name, dependency.get("package")?.as_str()?)))
        .map(|(name, package)| (name.replace('-', "_"), package.replace('-', "_")))
        .collect()
}
