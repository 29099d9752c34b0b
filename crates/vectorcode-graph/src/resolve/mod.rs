//! From import statements to files.
//!
//! One module per family of languages, because each finds modules in its own way; what they share stands in
//! [`project`] (the files, by path, folder and name), [`declared`] (what files say about themselves) and [`paths`].

mod c_family;
mod csharp;
mod dart;
mod declared;
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
mod shell;
mod swift;
mod web;
mod zig;

use std::cell::OnceCell;

use vectorcode_core::Import as Statement;

use self::project::Project;
use crate::tree::{FileId, Tree};

/// An import statement and the file that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    pub from: FileId,
    pub statement: Statement,
}

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    File(FileId),
    /// A module that is no part of the project, by its name.
    External(String),
}

/// The kind of a statement that brings in nothing and says to which package a file belongs.
const PACKAGE: &str = "package";

/// How a family of languages finds modules.
trait Family {
    /// The files that a statement leads to; none when they are no part of the project.
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId>;

    /// What the module is called when no file is found; `None` when the statement leads nowhere by design.
    fn external(&self, statement: &Statement) -> Option<String>;
}

type Founder = for<'a> fn(&'a Project<'a>) -> Box<dyn Family + 'a>;

/// Which languages each family reads.
const FAMILIES: &[(&[&str], Founder)] = &[
    (&["typescript", "tsx", "javascript"], |project| Box::new(ecmascript::Ecmascript::new(project))),
    (&["python"], |project| Box::new(python::Python::new(project))),
    (&["rust"], |project| Box::new(rust::Rust::new(project))),
    (&["go"], |project| Box::new(go::Go::new(project))),
    (&["java", "kotlin", "scala"], |project| Box::new(jvm::Jvm::new(project))),
    (&["csharp"], |project| Box::new(csharp::Csharp::new(project))),
    (&["c", "cpp"], |project| Box::new(c_family::CFamily::new(project))),
    (&["ruby"], |project| Box::new(ruby::Ruby::new(project))),
    (&["php"], |project| Box::new(php::Php::new(project))),
    (&["swift"], |project| Box::new(swift::Swift::new(project))),
    (&["bash", "r"], |project| Box::new(shell::Shell::new(project))),
    (&["lua"], |project| Box::new(lua::Lua::new(project))),
    (&["dart"], |project| Box::new(dart::Dart::new(project))),
    (&["elixir"], |project| Box::new(elixir::Elixir::new(project))),
    (&["haskell"], |project| Box::new(haskell::Haskell::new(project))),
    (&["zig"], |project| Box::new(zig::Zig::new(project))),
    (&["css", "html"], |project| Box::new(web::Web::new(project))),
];

/// The targets of each import, in the order of `imports`; one statement may lead to several files, and one that leads
/// to its own file leads nowhere. `manifest` reads a file of the project that tells how modules are found
/// (`package.json`, `go.mod`).
pub fn resolve(
    tree: &Tree,
    imports: &[Import],
    manifest: &dyn Fn(&str) -> Option<String>,
) -> Vec<Vec<Target>> {
    let project = Project::new(tree, imports, manifest);
    let families: Vec<OnceCell<Box<dyn Family + '_>>> = FAMILIES.iter().map(|_| OnceCell::new()).collect();
    imports
        .iter()
        .map(|import| {
            let language = tree.file(import.from).language.as_str();
            let place = FAMILIES.iter().position(|(languages, _)| languages.contains(&language));
            match place {
                Some(place) => {
                    let family = families[place].get_or_init(|| FAMILIES[place].1(&project));
                    targets(family.as_ref(), import)
                }
                None => vec![Target::External(import.statement.specifier.clone())],
            }
        })
        .collect()
}

fn targets(family: &dyn Family, import: &Import) -> Vec<Target> {
    let Import { from, statement } = import;
    if statement.kind == PACKAGE {
        return Vec::new();
    }
    let mut files = family.files(*from, statement);
    if files.is_empty() {
        return family.external(statement).map(Target::External).into_iter().collect();
    }
    files.sort_unstable();
    files.dedup();
    files.into_iter().filter(|file| file != from).map(Target::File).collect()
}
