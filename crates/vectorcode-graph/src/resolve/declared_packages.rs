//! The packages that files declare, and the names that they define in them.

use rustc_hash::FxHashMap;
use vectorcode_core::ModuleSystem;

use super::PACKAGE;
use super::project::Project;
use crate::tree::FileId;

/// The declared packages of all languages with a given module system.
#[derive(Default)]
pub(super) struct DeclaredPackages<'a> {
    files: FxHashMap<&'a str, Vec<FileId>>,
    /// By package, then by name.
    names: FxHashMap<&'a str, FxHashMap<&'a str, Vec<FileId>>>,
    packages: FxHashMap<FileId, &'a str>,
}

impl<'a> DeclaredPackages<'a> {
    pub fn new(project: &'a Project<'a>, modules: ModuleSystem) -> Self {
        let mut declared = Self::default();
        for import in project.imports.iter().filter(|import| import.statement.kind == PACKAGE) {
            if !project.tree.file(import.from).uses(modules) {
                continue;
            }
            let package = import.statement.specifier.as_str();
            declared.files.entry(package).or_default().push(import.from);
            declared.packages.insert(import.from, package);
            for name in &import.statement.names {
                let names = declared.names.entry(package).or_default();
                names.entry(name).or_default().push(import.from);
            }
        }
        declared
    }

    /// The files of a package.
    pub fn package(&self, package: &str) -> &[FileId] {
        self.files.get(package).map_or(&[], Vec::as_slice)
    }

    /// The files that define `name` in a package.
    pub fn name(&self, package: &str, name: &str) -> &[FileId] {
        let names = self.names.get(package);
        names.and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
    }

    /// The files that define the last part of `path` in the package named by the rest.
    pub fn path(&self, path: &str, separator: &str) -> &[FileId] {
        let (package, name) = path.rsplit_once(separator).unwrap_or(("", path));
        self.name(package, name)
    }

    /// The innermost package that a file declares to belong to.
    pub fn package_of(&self, file: FileId) -> &'a str {
        self.packages.get(&file).copied().unwrap_or_default()
    }
}
