//! Determines what type names mean in the file that contains them: types of the project or external ones.
//!
//! Types are compared by name. `os.FileInfo` and a `FileInfo` of the project are different types, and only the file's imports
//! show which one is meant.

use vectorcode_core::{ReferenceKind, bare_name};

use super::names::is_type;
use super::path_names::module_of;
use super::resolver::{LookupResult, Resolver};
use crate::facts::Facts;
use crate::files::ResolvedImport;
use crate::resolve::PACKAGE;
use crate::tree::FileId;

/// A prefix for names of external types, which no type of the project has.
const OUTSIDE: char = '.';
/// The standard library, which is used without imports.
const STANDARD: [&str; 3] = ["std", "core", "alloc"];

fn outside(name: &str) -> String {
    format!("{OUTSIDE}{name}")
}

pub(super) fn is_outside(name: &str) -> bool {
    name.starts_with(OUTSIDE)
}

/// Whether a type is known, and all of its names are external.
pub(super) fn are_outside(types: &[String]) -> bool {
    !types.is_empty() && types.iter().all(|name| is_outside(name))
}

impl<F: Facts> Resolver<'_, F> {
    /// The types that occur in a file, each by its last name. External types are marked with a prefix.
    pub fn written_in(&self, file: FileId, written: Vec<String>) -> LookupResult<F, Vec<String>> {
        let mut types = Vec::with_capacity(written.len());
        for path in written {
            let name = bare_name(&path);
            types.push(match path.split_once('.') {
                Some((head, _)) if STANDARD.contains(&head) => outside(name),
                // The members of a type parameter are unknown.
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

    /// Whether a file's imports bind a name, and none of them resolves to a file of the project. A file that defines the name
    /// itself is excluded, because its own tests import from it.
    pub fn is_imported_from_outside(&self, file: FileId, name: &str) -> LookupResult<F, bool> {
        let mut named = self.files.statements(file).iter().filter(|resolved| {
            let statement = &resolved.statement;
            // A package clause lists the names that its file defines.
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

    /// Whether a type is built into the language although the project has one with this name: the file neither defines nor
    /// imports it. A file without imports may define types for all files, like TypeScript's declaration files. This only applies
    /// if types are part of the syntax: types in comments are often not imported.
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
