//! What the names of types mean in the file in which they are written: types of the project, or of others.
//!
//! Types are compared by their names. `os.FileInfo` and the `FileInfo` of a package of the project are two, and only the imports of
//! the file tell.

use vectorcode_core::ReferenceKind;

use super::names::{is_type, last};
use super::path_names::module_of;
use super::resolver::{LookupResult, Resolver};
use crate::facts::Facts;
use crate::files::ResolvedImport;
use crate::resolve::PACKAGE;
use crate::tree::FileId;

/// Before the name of a type from outside the project, so that it is the name of no type inside.
const OUTSIDE: char = '.';
/// The standard library, which no import needs to name.
const STANDARD: [&str; 3] = ["std", "core", "alloc"];

fn outside(name: &str) -> String {
    format!("{OUTSIDE}{name}")
}

pub(super) fn is_outside(name: &str) -> bool {
    name.starts_with(OUTSIDE)
}

/// Whether a type is known, and none of its names is one of the project.
pub(super) fn are_outside(types: &[String]) -> bool {
    !types.is_empty() && types.iter().all(|name| is_outside(name))
}

impl<F: Facts> Resolver<'_, F> {
    /// The types that are written in a file, each by its last name, those from outside marked.
    pub fn written_in(&self, file: FileId, written: Vec<String>) -> LookupResult<F, Vec<String>> {
        let mut types = Vec::with_capacity(written.len());
        for path in written {
            let name = last(&path);
            types.push(match path.split_once('.') {
                Some((head, _)) if STANDARD.contains(&head) => outside(name),
                // What a type parameter has may be anything.
                Some((head, _)) if head.len() == 1 || head == "Self" => head.to_owned(),
                Some((head, _)) if self.is_imported_from_outside(file, head)? => outside(name),
                Some(_) => name.to_owned(),
                None if self.is_imported_from_outside(file, name)? || self.is_global(file, name)? => {
                    outside(name)
                }
                None => path,
            });
        }
        Ok(types)
    }

    /// Whether imports of a file bring in a name, and none of them leads into the project. The tests of a file import from it.
    pub fn is_imported_from_outside(&self, file: FileId, name: &str) -> LookupResult<F, bool> {
        let mut named = self.files.statements(file).iter().filter(|resolved| {
            let statement = &resolved.statement;
            // The clause of a package names what its file defines.
            if statement.kind == PACKAGE {
                return false;
            }
            let is_module = statement.names.is_empty() && module_of(&statement.specifier) == name;
            is_module || statement.bindings().any(|(here, _)| here == name)
        });
        let leads_nowhere = |resolved: &ResolvedImport| resolved.files().next().is_none();
        let is_imported = named.next().is_some_and(leads_nowhere) && named.all(leads_nowhere);
        Ok(is_imported && self.facts.definitions_named(name)?.iter().all(|defined| defined.id.file != file))
    }

    /// Whether a type is one of the language's own although the project has one of this name, because the file neither defines nor
    /// imports it. A file without imports may define types for all files, as declaration files of TypeScript do. Only where types are
    /// part of the syntax: those in comments are often not imported.
    fn is_global(&self, file: FileId, name: &str) -> LookupResult<F, bool> {
        let traits = self.files.tree().traits(file);
        if traits.needs_no_import || traits.shares_folder || traits.imports_all {
            return Ok(false);
        }
        let named = self.facts.definitions_named(name)?;
        let mut types = named.iter().filter(|defined| is_type(defined.definition.kind)).peekable();
        let is_imported = |resolved: &ResolvedImport| {
            resolved.is_glob() || resolved.statement.bindings().any(|(here, _)| here == name)
        };
        if types.peek().is_none()
            || types
                .any(|defined| defined.id.file == file || self.files.statements(defined.id.file).is_empty())
            || self.files.statements(file).iter().any(is_imported)
        {
            return Ok(false);
        }
        let references = self.facts.references_of(file)?;
        Ok(references.iter().any(|reference| reference.kind == ReferenceKind::Type))
    }
}
