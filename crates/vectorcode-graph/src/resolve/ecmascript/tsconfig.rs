//! The module settings of `tsconfig.json` and `jsconfig.json`: `baseUrl` and `paths`, following `extends`.

use serde_json::Value;

use super::super::paths::{join, parent};
use super::super::project::Project;
use super::packages::Packages;

/// Enough for every reasonable chain of `extends`, and ends one that is circular.
const MAX_DEPTH: usize = 8;

#[derive(Clone, Default)]
pub(super) struct Config {
    base: Option<String>,
    aliases: Vec<Alias>,
}

/// An alias such as `"@app/*": ["src/*"]`. Targets are relative to the root of the tree.
#[derive(Clone)]
struct Alias {
    before: String,
    /// `None` for an alias without a `*`.
    after: Option<String>,
    targets: Vec<String>,
}

impl Config {
    pub fn read(project: &Project<'_>, packages: &Packages<'_>, path: &str) -> Self {
        Reader { project, packages }.config(path, 0)
    }

    /// The paths that a specifier may resolve to, in the order in which they are tried.
    pub fn candidates<'s>(&'s self, specifier: &'s str) -> impl Iterator<Item = String> + 's {
        let best = self.aliases.iter().filter_map(|alias| Some((alias, alias.captured(specifier)?)));
        let best = best.max_by_key(|(alias, _)| (alias.after.is_none(), alias.before.len()));
        let aliased = best
            .into_iter()
            .flat_map(|(alias, star)| alias.targets.iter().map(move |target| target.replacen('*', star, 1)));
        aliased.chain(self.base.as_ref().and_then(|base| join(base, specifier)))
    }
}

impl Alias {
    /// The part of a matching specifier that `*` stands for.
    fn captured<'s>(&self, specifier: &'s str) -> Option<&'s str> {
        match &self.after {
            Some(after) => specifier.strip_prefix(self.before.as_str())?.strip_suffix(after.as_str()),
            None => (specifier == self.before).then_some(""),
        }
    }
}

struct Reader<'r> {
    project: &'r Project<'r>,
    packages: &'r Packages<'r>,
}

impl Reader<'_> {
    fn config(&self, path: &str, depth: usize) -> Config {
        let text = self.project.read(path).filter(|_| depth < MAX_DEPTH);
        let Some(value) = text.and_then(|text| parse(&text)) else { return Config::default() };
        let folder = parent(path);
        let mut config = Config::default();
        for extended in texts(&value["extends"]) {
            if let Some(extended) = self.extended(folder, extended) {
                config.inherit(self.config(&extended, depth + 1));
            }
        }
        config.apply(folder, &value["compilerOptions"]);
        if config.aliases.is_empty() && config.base.is_none() {
            self.add_references(&mut config, folder, &value["references"], depth);
        }
        config
    }

    /// The file that `extends` names: a path without extension, or a file of a workspace package.
    fn extended(&self, folder: &str, name: &str) -> Option<String> {
        let path = if name.starts_with('.') {
            join(folder, name)?
        } else {
            let (package, inside) = super::package_name(name);
            join(self.packages.folder(package)?, if inside.is_empty() { "tsconfig.json" } else { inside })?
        };
        [path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")]
            .into_iter()
            .find(|path| self.project.at(path).is_some())
    }

    /// A configuration that only has `references`, as project templates create it, uses the aliases of those.
    fn add_references(&self, config: &mut Config, folder: &str, references: &Value, depth: usize) {
        let paths = references.as_array().into_iter().flatten().filter_map(|one| one["path"].as_str());
        for path in paths.filter_map(|path| join(folder, path)) {
            // Configurations in other folders only apply there.
            if parent(&path) == folder && path.ends_with(".json") {
                let referred = self.config(&path, depth + 1);
                config.aliases.extend(referred.aliases);
                config.base = config.base.take().or(referred.base);
            }
        }
    }
}

impl Config {
    fn inherit(&mut self, other: Self) {
        self.base = other.base.or(self.base.take());
        if !other.aliases.is_empty() {
            self.aliases = other.aliases;
        }
    }

    fn apply(&mut self, folder: &str, options: &Value) {
        if let Some(base) = options["baseUrl"].as_str() {
            self.base = join(folder, in_folder(base));
        }
        if let Some(paths) = options["paths"].as_object() {
            let base = self.base.as_deref().unwrap_or(folder);
            self.aliases = paths.iter().map(|(pattern, targets)| alias(base, pattern, targets)).collect();
        }
    }
}

fn alias(base: &str, pattern: &str, targets: &Value) -> Alias {
    let (before, after) = match pattern.split_once('*') {
        Some((before, after)) => (before.to_owned(), Some(after.to_owned())),
        None => (pattern.to_owned(), None),
    };
    let targets = texts(targets).filter_map(|target| join(base, in_folder(target))).collect();
    Alias { before, after, targets }
}

/// `${configDir}` is the folder of the configuration.
fn in_folder(path: &str) -> &str {
    path.strip_prefix("${configDir}").map_or(path, |rest| rest.trim_start_matches('/'))
}

/// The value itself if it is a string, or the strings of a list.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}

/// Parses JSON with comments and trailing commas.
fn parse(text: &str) -> Option<Value> {
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok()
}
