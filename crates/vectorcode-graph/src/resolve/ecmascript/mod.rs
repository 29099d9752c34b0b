//! TypeScript and JavaScript: resolves paths, aliases of `tsconfig.json`, and packages of the workspace.

mod packages;
mod tsconfig;

use rustc_hash::FxHashMap;
use vectorcode_core::Import as Statement;

use self::packages::Packages;
use self::tsconfig::Config;
use super::Resolver;
use super::paths::{ancestors, join};
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Ecmascript<'a> {
    files: Modules<'a>,
    packages: Packages<'a>,
    /// The `tsconfig.json` or `jsconfig.json` of each folder.
    configs: FxHashMap<&'a str, Config>,
}

impl<'a> Ecmascript<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let files = Modules { project };
        let packages = Packages::new(project);
        let mut configs = FxHashMap::default();
        for name in ["jsconfig.json", "tsconfig.json"] {
            for id in project.named(name) {
                let config = Config::read(project, &packages, project.path(*id));
                configs.insert(project.folder_of(*id), config);
            }
        }
        Self { files, packages, configs }
    }

    /// Resolves a specifier with the aliases of the nearest configuration.
    fn aliased(&self, folder: &str, specifier: &str) -> Option<FileId> {
        let config = ancestors(folder).find_map(|folder| self.configs.get(folder))?;
        config.candidates(specifier).find_map(|path| self.files.at(&path))
    }

    fn bare(&self, folder: &str, specifier: &str) -> Option<FileId> {
        self.aliased(folder, specifier).or_else(|| match specifier.split_at_checked(1) {
            Some(("#", _)) => self.packages.internal(&self.files, folder, specifier),
            _ => self.packages.module(&self.files, specifier),
        })
    }

    /// `@/x` and `~/x` cannot be packages; by convention they are relative to the package's source folder.
    fn at_sources(&self, folder: &str, specifier: &str) -> Option<FileId> {
        let inside = specifier.strip_prefix("@/").or_else(|| specifier.strip_prefix("~/"))?;
        let package = self.packages.folder_around(folder).unwrap_or_default();
        ["src", "."].iter().find_map(|sources| self.files.at(&join(package, &format!("{sources}/{inside}"))?))
    }
}

impl Resolver for Ecmascript<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        // Bundlers allow a suffix after the path: `./icon.svg?raw`.
        let specifier = statement.specifier.split('?').next().unwrap_or_default();
        let folder = self.files.project.folder_of(from);
        let found = match specifier {
            "" => None,
            path if is_relative(path) => join(folder, path).and_then(|path| self.files.at(&path)),
            path if path.starts_with('/') => {
                let roots =
                    ancestors(folder).flat_map(|folder| [folder.to_owned(), format!("{folder}/public")]);
                roots.into_iter().find_map(|root| self.files.at(&join(&root, path)?))
            }
            name => self.bare(folder, name).or_else(|| self.at_sources(folder, name)),
        };
        found.into_iter().collect()
    }

    /// The name of the package: `react`, `@scope/name`.
    fn external(&self, statement: &Statement) -> Option<String> {
        let specifier = statement.specifier.as_str();
        let is_path =
            is_relative(specifier) || specifier.starts_with(['/', '#', '~']) || specifier.starts_with("@/");
        Some(if is_path { specifier } else { package_name(specifier).0 }.to_owned())
    }
}

fn is_relative(specifier: &str) -> bool {
    matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../")
}

/// The package of a bare specifier, and the path within it.
fn package_name(specifier: &str) -> (&str, &str) {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier.match_indices('/').nth(parts - 1).map_or(specifier.len(), |(at, _)| at);
    (&specifier[..end], specifier[end..].trim_start_matches('/'))
}

/// The files of a project as modules, whose paths may omit the extension and `index`.
struct Modules<'a> {
    project: &'a Project<'a>,
}

/// The extensions that a path may omit, in the order in which they are tried.
const EXTENSIONS: &[&str] = &[
    ".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".d.ts", ".json", ".vue", ".svelte",
    ".astro",
];

/// The sources of a compiled file: TypeScript imports name the file that the compiler will write.
const COMPILED: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".jsx", ".d.ts"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts", ".ts", ".d.mts"]),
    (".cjs", &[".cts", ".ts", ".d.cts"]),
];

impl Modules<'_> {
    /// The module at a path: the file itself, its source, the path with an extension, or the folder's index.
    fn at(&self, path: &str) -> Option<FileId> {
        self.file(path).or_else(|| self.index(path))
    }

    fn file(&self, path: &str) -> Option<FileId> {
        let with = |stem: &str, extension: &str| self.project.at(&[stem, extension].concat());
        let compiled = || {
            let (stem, sources) =
                COMPILED.iter().find_map(|(ending, sources)| Some((path.strip_suffix(ending)?, sources)))?;
            sources.iter().find_map(|source| with(stem, source))
        };
        let extended = || EXTENSIONS.iter().find_map(|extension| with(path, extension));
        self.project.at(path).or_else(compiled).or_else(extended)
    }

    fn index(&self, folder: &str) -> Option<FileId> {
        let stem = if folder.is_empty() { "index".to_owned() } else { format!("{folder}/index") };
        EXTENSIONS.iter().find_map(|extension| self.project.at(&[&stem, *extension].concat()))
    }

    /// The source of a published file: `src/index.ts` for `dist/esm/index.d.ts`.
    fn source(&self, package: &str, published: &str) -> Option<FileId> {
        let path = join(package, published)?;
        self.file(&path).or_else(|| {
            let mut rest = published.trim_start_matches("./");
            while let Some((_, inside)) = rest.split_once('/') {
                rest = inside;
                let stem = without_extension(rest);
                let places = [join(package, &format!("src/{stem}")), join(package, stem)];
                if let Some(found) = places.iter().flatten().find_map(|path| self.at(path)) {
                    return Some(found);
                }
            }
            None
        })
    }
}

fn without_extension(path: &str) -> &str {
    let endings = [".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".ts"];
    endings.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_one_part_or_two() {
        assert_eq!(package_name("react"), ("react", ""));
        assert_eq!(package_name("react/jsx-runtime"), ("react", "jsx-runtime"));
        assert_eq!(package_name("@scope/name/a/b"), ("@scope/name", "a/b"));
        assert_eq!(package_name("@scope/name"), ("@scope/name", ""));
    }
}
