//! Java, Kotlin and Scala: a name is imported from a package, which files declare.

use vectorcode_core::{Import as Statement, ModuleSystem};

use super::Resolver;
use super::declared_packages::DeclaredPackages;
use super::paths::stem;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Jvm<'a> {
    project: &'a Project<'a>,
    declared: DeclaredPackages<'a>,
}

impl<'a> Jvm<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project, declared: DeclaredPackages::new(project, ModuleSystem::Jvm) }
    }

    /// The files of an import whose path is absolute.
    fn absolute(&self, from: FileId, path: &str, statement: &Statement) -> Vec<FileId> {
        let mut files = Vec::new();
        for (_, name) in statement.bindings() {
            match name {
                "*" => files.extend(self.everything(from, path)),
                name if path.rsplit('.').next() == Some(name) => files.extend(self.type_of(from, path)),
                name => files.extend(self.type_of(from, &format!("{path}.{name}"))),
            }
        }
        files
    }

    /// The file of a type, or of the type that contains a member: `a.b.Type.member`.
    fn type_of(&self, from: FileId, path: &str) -> Vec<FileId> {
        let mut path = path;
        loop {
            let found = self.named(path);
            if !found.is_empty() {
                return self.project.nearest(from, found);
            }
            match path.rsplit_once('.') {
                Some((outer, _)) => path = outer,
                None => return Vec::new(),
            }
        }
    }

    /// The files that define a name. If the grammar could not parse a file, its file name decides.
    fn named(&self, path: &str) -> Vec<FileId> {
        let declared = self.declared.path(path, ".");
        if !declared.is_empty() {
            return declared.to_vec();
        }
        let (package, name) = path.rsplit_once('.').unwrap_or(("", path));
        let files = self.declared.package(package).iter().copied();
        files.filter(|file| stem(self.project.path(*file)) == name).collect()
    }

    /// All files of a package that are visible from `from`, or the file of a type whose members are all imported.
    fn everything(&self, from: FileId, path: &str) -> Vec<FileId> {
        let package = self.declared.package(path).iter().copied();
        let visible: Vec<_> = package.filter(|file| self.project.is_visible(from, *file)).collect();
        if visible.is_empty() { self.type_of(from, path) } else { visible }
    }
}

impl Resolver for Jvm<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let path = statement.specifier.trim_start_matches("_root_.");
        let found = self.absolute(from, path, statement);
        if !found.is_empty() || !self.project.tree.traits(from).imports_from_outer_packages {
            return found;
        }
        let mut around = self.declared.package_of(from);
        while !around.is_empty() {
            let found = self.absolute(from, &format!("{around}.{path}"), statement);
            if !found.is_empty() {
                return found;
            }
            around = around.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        Vec::new()
    }

    /// The package: everything before the first capitalised part.
    fn external(&self, statement: &Statement) -> Option<String> {
        let path = statement.specifier.as_str();
        let is_type = |part: &&str| part.starts_with(char::is_uppercase);
        let package: Vec<_> = path.split('.').take_while(|part| !is_type(part)).collect();
        let is_member = package.len() > 1
            && package.join(".") == path
            && statement.bindings().any(|(_, name)| package.last() == Some(&name));
        let end = if is_member { package.len() - 1 } else { package.len() };
        Some(if end == 0 { path.to_owned() } else { package[..end].join(".") })
    }
}
