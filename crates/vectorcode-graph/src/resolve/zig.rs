//! Zig: resolves paths relative to the file, and modules named in a `build.zig`.

use rustc_hash::FxHashMap;
use vectorcode_core::Import as Statement;

use super::Resolver;
use super::paths::join;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Zig<'a> {
    project: &'a Project<'a>,
    /// The root file of each named module.
    modules: FxHashMap<String, String>,
}

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

/// The modules of a build script with their root files: `b.addModule("name", .{ .root_source_file = ... })`, and
/// `.{ .name = "name", .module = variable }` where the variable holds a module with a root file.
fn named_modules(text: &str) -> Vec<(&str, &str)> {
    let mut modules: Vec<_> = text
        .split("addModule(\"")
        .skip(1)
        .filter_map(|call| Some((call.split('"').next()?, root_file(call)?)))
        .collect();
    let variables: FxHashMap<_, _> = text.split("const ").skip(1).filter_map(variable).collect();
    modules.extend(text.split(".name = \"").skip(1).filter_map(|import| {
        let (name, rest) = import.split_once("\", .module = ")?;
        let variable = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        Some((name, *variables.get(variable)?)).filter(|_| !name.contains('"'))
    }));
    modules
}

/// The variable and the root file of `name = b.createModule(.{ .root_source_file = b.path("src/root.zig") })`.
fn variable(declaration: &str) -> Option<(&str, &str)> {
    let (name, value) = declaration.split_once(" = ")?;
    let makes_module = value.starts_with("b.createModule(") || value.starts_with("b.addModule(");
    makes_module.then(|| Some((name, root_file(value)?)))?
}

/// The path after the next `.root_source_file` in the first statement.
fn root_file(text: &str) -> Option<&str> {
    let statement = text.split(';').next()?;
    let (_, value) = statement.split_once(".root_source_file = ")?;
    value.strip_prefix("b.path(\"").or_else(|| value.strip_prefix(".{ .path = \""))?.split('"').next()
}

impl Resolver for Zig<'_> {
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
