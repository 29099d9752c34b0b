//! Zig: a path relative to the file, or a module that a `build.zig` names.

use rustc_hash::FxHashMap;
use vectorcode_core::Import as Statement;

use super::Family;
use super::paths::join;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Zig<'a> {
    project: &'a Project<'a>,
    /// The root file of each named module.
    modules: FxHashMap<String, String>,
}

/// How far behind its name a module's root file may stand.
const MODULE_LENGTH: usize = 300;

impl<'a> Zig<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let mut modules = FxHashMap::default();
        for (folder, text) in project.manifests("build.zig") {
            for (name, path) in named_modules(&text) {
                modules.extend(join(folder, path).map(|path| (name.to_owned(), path)));
            }
        }
        Self { project, modules }
    }
}

/// The modules of `b.addModule("name", .{ .root_source_file = b.path("src/root.zig") })`.
fn named_modules(text: &str) -> Vec<(&str, &str)> {
    let calls = text.split("addModule(\"").skip(1);
    calls
        .filter_map(|call| {
            let (name, rest) = call.split_once('"')?;
            let (before, rest) = rest.split_once("path(\"").or_else(|| rest.split_once(".path = \""))?;
            Some((name, rest.split('"').next()?)).filter(|_| before.len() < MODULE_LENGTH)
        })
        .collect()
}

impl Family for Zig<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let name = statement.specifier.as_str();
        let found = match self.modules.get(name) {
            Some(path) => self.project.at(path),
            None => self.project.below(self.project.folder_of(from), name).filter(|_| name.contains('.')),
        };
        found.into_iter().collect()
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(statement.specifier.clone())
    }
}
