//! C and C++: looks next to the including file, then in the usual include folders, then for a single file whose path ends with
//! the header's.

use vectorcode_core::Import as Statement;

use super::Resolver;
use super::paths::{ancestors, file_name, parent};
use super::project::Project;
use crate::tree::FileId;

pub(super) struct CFamily<'a> {
    project: &'a Project<'a>,
}

/// The usual names of include folders.
const INCLUDE_FOLDERS: &[&str] = &["include", "includes", "inc", "src", "lib"];

impl<'a> CFamily<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project }
    }

    /// Looks in the include folders of the enclosing folders, innermost first.
    fn in_include_folders(&self, folder: &str, header: &str) -> Option<FileId> {
        ancestors(folder).find_map(|around| {
            let inside = |name: &&str| self.project.below(around, &format!("{name}/{header}"));
            INCLUDE_FOLDERS.iter().find_map(inside).or_else(|| self.project.below(around, header))
        })
    }

    /// The single file whose path ends with the header's: a compiler with the right include path would find it.
    fn anywhere(&self, from: FileId, header: &str, system: bool) -> Option<FileId> {
        let ends = self.project.ending(header);
        let fits = |id: &FileId| !system || self.is_in_include_folder(*id, header);
        self.project.only_nearest(from, ends.filter(fits).collect())
    }

    /// A system header may have the same name as a file of the project, so only files in include folders count.
    fn is_in_include_folder(&self, file: FileId, header: &str) -> bool {
        let path = self.project.path(file);
        let folder = path.strip_suffix(header).unwrap_or_default().trim_end_matches('/');
        let inside = if header.contains('/') { INCLUDE_FOLDERS } else { &INCLUDE_FOLDERS[..1] };
        inside.contains(&file_name(folder))
    }
}

impl Resolver for CFamily<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let header = statement.specifier.as_str();
        let folder = self.project.folder_of(from);
        let found = match statement.kind.as_str() {
            "include" => self
                .project
                .below(folder, header)
                .or_else(|| self.in_include_folders(folder, header))
                .or_else(|| self.anywhere(from, header, false)),
            "include_system" => {
                let has_folder = !parent(header).is_empty();
                let near = if has_folder { self.in_include_folders(folder, header) } else { None };
                near.or_else(|| self.anywhere(from, header, true))
            }
            _ => None,
        };
        found.into_iter().collect()
    }

    /// `using` imports a name, not a file.
    fn external(&self, statement: &Statement) -> Option<String> {
        statement.kind.starts_with("include").then(|| statement.specifier.clone())
    }
}
