//! Dart: resolves relative paths, and `package:` for packages whose `pubspec.yaml` is in the project.

use rustc_hash::FxHashMap;
use vectorcode_core::Import as Statement;

use super::Resolver;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Dart<'a> {
    project: &'a Project<'a>,
    /// The folder of each package, by name.
    packages: FxHashMap<String, &'a str>,
}

impl<'a> Dart<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let name_of = |text: &str| {
            let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
            Some(name.split('#').next()?.trim().trim_matches(['"', '\'']).to_owned())
        };
        let pubspecs = project.manifests("pubspec.yaml");
        let packages = pubspecs.filter_map(|(folder, text)| Some((name_of(&text)?, folder))).collect();
        Self { project, packages }
    }
}

impl Resolver for Dart<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        let uri = statement.specifier.as_str();
        let found = match uri.split_once(':') {
            Some(("package", path)) => path.split_once('/').and_then(|(package, file)| {
                self.project.below(self.packages.get(package)?, &format!("lib/{file}"))
            }),
            Some(_) => None,
            None => self.project.below(self.project.folder_of(from), uri),
        };
        found.into_iter().collect()
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        let uri = statement.specifier.as_str();
        let package = uri.strip_prefix("package:").and_then(|path| path.split('/').next());
        Some(package.unwrap_or(uri).to_owned())
    }
}
