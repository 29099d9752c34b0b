//! From import statements to files.

use vectorcode_core::Import as Statement;

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

/// The targets of each import, in the order of `imports`; one statement may lead to several files. `manifest` reads a
/// file of the project that tells how modules are found (`package.json`, `go.mod`).
pub fn resolve(
    _tree: &Tree,
    imports: &[Import],
    _manifest: &dyn Fn(&str) -> Option<String>,
) -> Vec<Vec<Target>> {
    imports.iter().map(|import| vec![Target::External(import.statement.specifier.clone())]).collect()
}
