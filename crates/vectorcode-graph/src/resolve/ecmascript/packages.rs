//! The packages of a workspace: the `exports` and the internal `imports` of their `package.json`.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::super::paths::{ancestors, join};
use super::super::project::Project;
use super::{Modules, package_name};
use crate::tree::FileId;

pub(super) struct Packages<'a> {
    by_folder: FxHashMap<&'a str, Package>,
    /// The folder of a package by its name. If examples repeat a name, the first package wins.
    by_name: FxHashMap<String, &'a str>,
}

struct Package {
    exports: Value,
    imports: Value,
    /// The entry points of a package without `exports`.
    entries: Vec<String>,
}

impl<'a> Packages<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let mut packages = Self { by_folder: FxHashMap::default(), by_name: FxHashMap::default() };
        for (folder, text) in project.manifests("package.json") {
            let Ok(mut manifest) = serde_json::from_str::<Value>(&text) else { continue };
            let entry = |key: &str| manifest[key].as_str().map(str::to_owned);
            let entries =
                ["source", "module", "main", "types", "typings"].into_iter().filter_map(entry).collect();
            if let Some(name) = entry("name") {
                packages.by_name.entry(name).or_insert(folder);
            }
            let mut part = |key: &str| manifest.get_mut(key).map(Value::take).unwrap_or_default();
            let (exports, imports) = (part("exports"), part("imports"));
            packages.by_folder.insert(folder, Package { exports, imports, entries });
        }
        packages
    }

    /// The folder of the package with this name.
    pub fn folder(&self, name: &str) -> Option<&'a str> {
        self.by_name.get(name).copied()
    }

    /// The folder of the package that contains a folder.
    pub fn folder_around(&self, folder: &str) -> Option<&'a str> {
        ancestors(folder).find_map(|folder| self.by_folder.get_key_value(folder)).map(|(folder, _)| *folder)
    }

    /// The file of `package` or `package/path`, if the package is in this workspace.
    pub fn module(&self, files: &Modules<'_>, specifier: &str) -> Option<FileId> {
        let (name, inside) = package_name(specifier);
        let folder = self.folder(name)?;
        let package = self.by_folder.get(folder)?;
        let key = if inside.is_empty() { ".".to_owned() } else { format!("./{inside}") };
        let exported = exported(&package.exports, &key);
        let entries = package.entries.iter().filter(|_| inside.is_empty()).cloned();
        let published = exported.into_iter().chain(entries);
        published.into_iter().find_map(|path| files.source(folder, &path)).or_else(|| {
            let sources = [format!("src/{inside}"), inside.to_owned()];
            sources.iter().find_map(|path| files.at(&join(folder, path)?))
        })
    }

    /// The file of `#name`, from the `imports` of the package that contains a folder.
    pub fn internal(&self, files: &Modules<'_>, folder: &str, specifier: &str) -> Option<FileId> {
        let folder = self.folder_around(folder)?;
        let targets = by_key(&self.by_folder.get(folder)?.imports, specifier);
        targets.iter().find_map(|path| files.source(folder, path))
    }
}

/// The paths that a package exports under a key: `.` or `./path`.
fn exported(exports: &Value, key: &str) -> Vec<String> {
    let has_paths = exports.as_object().is_some_and(|map| map.keys().any(|key| key.starts_with('.')));
    if has_paths {
        return by_key(exports, key);
    }
    let mut paths = Vec::new();
    if key == "." {
        collect_paths(exports, "", &mut paths);
    }
    paths
}

/// The paths under a key. A pattern with `*` may match the key; the one with the longest prefix wins.
fn by_key(map: &Value, key: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let Some(map) = map.as_object() else { return paths };
    if let Some(value) = map.get(key) {
        collect_paths(value, "", &mut paths);
        return paths;
    }
    let patterns = map.iter().filter_map(|(pattern, value)| {
        let (before, after) = pattern.split_once('*')?;
        let star = key.strip_prefix(before)?.strip_suffix(after)?;
        Some((before.len(), star, value))
    });
    if let Some((_, star, value)) = patterns.max_by_key(|(length, ..)| *length) {
        collect_paths(value, star, &mut paths);
    }
    paths
}

/// Collects all paths below a value, under any condition.
fn collect_paths(value: &Value, star: &str, paths: &mut Vec<String>) {
    match value {
        Value::String(path) => paths.push(path.replace('*', star)),
        Value::Array(values) => values.iter().for_each(|value| collect_paths(value, star, paths)),
        Value::Object(map) => map.values().for_each(|value| collect_paths(value, star, paths)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn exports_are_found_by_path_condition_and_pattern() {
        let exports = json!({
            ".": { "import": "./dist/index.mjs", "require": "./dist/index.cjs" },
            "./features/*": "./dist/features/*.js",
        });
        assert_eq!(exported(&exports, "."), ["./dist/index.mjs", "./dist/index.cjs"]);
        assert_eq!(exported(&exports, "./features/a"), ["./dist/features/a.js"]);
        assert!(exported(&exports, "./hidden").is_empty());
        assert_eq!(exported(&json!("./main.js"), "."), ["./main.js"]);
    }
}
