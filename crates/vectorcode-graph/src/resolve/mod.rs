//! Resolves import statements to files.
//!
//! There is one resolver per module system, because each finds modules differently. They share [`project`] (the files by path,
//! folder and name), [`declared_packages`] (the packages that files declare) and [`paths`]. The language registry defines which
//! language has which module system; it comes with each file ([`crate::TreeFile::traits`]).

mod c_family;
mod csharp;
mod dart;
mod declared_packages;
mod ecmascript;
mod elixir;
mod go;
mod haskell;
mod jvm;
mod lua;
mod paths;
mod php;
mod project;
mod python;
mod ruby;
mod rust;
mod sass;
mod shell;
mod swift;
mod web;
mod zig;

use rustc_hash::FxHashMap;
use vectorcode_core::{Import as Statement, ModuleSystem};

use self::project::Project;
use crate::tree::{FileId, Tree};

/// An import statement with the file that contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    pub from: FileId,
    pub statement: Statement,
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    File(FileId),
    /// A module outside the project, by name.
    External(String),
}

/// The kind of a statement that imports nothing and declares the package of its file.
pub(crate) const PACKAGE: &str = "package";

/// Finds the files of a module system.
trait Resolver {
    /// The files that a statement imports; empty if they are not in the project.
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId>;

    /// The name of the module if no file is found; `None` if the statement does not refer to a module at all.
    fn external(&self, statement: &Statement) -> Option<String>;
}

/// The resolver of a module system. Some read all manifests of the project, so each is created only once.
fn resolver<'a>(modules: ModuleSystem, project: &'a Project<'a>) -> Box<dyn Resolver + 'a> {
    match modules {
        ModuleSystem::CFamily => Box::new(c_family::CFamily::new(project)),
        ModuleSystem::Csharp => Box::new(csharp::Csharp::new(project)),
        ModuleSystem::Dart => Box::new(dart::Dart::new(project)),
        ModuleSystem::Ecmascript => Box::new(ecmascript::Ecmascript::new(project)),
        ModuleSystem::Elixir => Box::new(elixir::Elixir::new(project)),
        ModuleSystem::Go => Box::new(go::Go::new(project)),
        ModuleSystem::Haskell => Box::new(haskell::Haskell::new(project)),
        ModuleSystem::Jvm => Box::new(jvm::Jvm::new(project)),
        ModuleSystem::Lua => Box::new(lua::Lua::new(project)),
        ModuleSystem::Php => Box::new(php::Php::new(project)),
        ModuleSystem::Python => Box::new(python::Python::new(project)),
        ModuleSystem::Ruby => Box::new(ruby::Ruby::new(project)),
        ModuleSystem::Rust => Box::new(rust::Rust::new(project)),
        ModuleSystem::Sass => Box::new(sass::Sass::new(project)),
        ModuleSystem::Shell => Box::new(shell::Shell::new(project)),
        ModuleSystem::Swift => Box::new(swift::Swift::new(project)),
        ModuleSystem::Web => Box::new(web::Web::new(project)),
        ModuleSystem::Zig => Box::new(zig::Zig::new(project)),
    }
}

/// The targets of each import, in the order of `imports`. One statement may import several files, and a file's import of itself
/// has no target. `manifest` reads a file of the project that configures module resolution (`package.json`, `go.mod`).
pub fn resolve(
    tree: &Tree,
    imports: &[Import],
    manifest: &dyn Fn(&str) -> Option<String>,
) -> Vec<Vec<Target>> {
    let project = Project::new(tree, imports, manifest);
    let mut resolvers = FxHashMap::default();
    imports
        .iter()
        .map(|import| match module_system(tree, import) {
            Some(modules) => {
                let resolver = resolvers.entry(modules).or_insert_with(|| resolver(modules, &project));
                targets(resolver.as_ref(), import)
            }
            None => vec![Target::External(import.statement.specifier.clone())],
        })
        .collect()
}

/// Components of web pages import style sheets as well as modules.
fn module_system(tree: &Tree, import: &Import) -> Option<ModuleSystem> {
    if import.statement.kind.starts_with(sass::KIND_PREFIX) {
        return Some(ModuleSystem::Sass);
    }
    tree.traits(import.from).module_system
}

fn targets(resolver: &dyn Resolver, import: &Import) -> Vec<Target> {
    let Import { from, statement } = import;
    if statement.kind == PACKAGE {
        return Vec::new();
    }
    let mut files = resolver.files(*from, statement);
    if files.is_empty() {
        return resolver.external(statement).map(Target::External).into_iter().collect();
    }
    files.sort_unstable();
    files.dedup();
    files.into_iter().filter(|file| file != from).map(Target::File).collect()
}
