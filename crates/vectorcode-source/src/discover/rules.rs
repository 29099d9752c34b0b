//! Decides which paths are excluded by ignore files and `exclude_dirs`.
//!
//! The rules are checked in order of precedence, and the first that matches decides:
//! 1. a path that the settings list as a context artifact is included;
//! 2. `.vectorcodeignore`, the nearest file first;
//! 3. everything in an excluded directory is excluded;
//! 4. `.gitignore`, the nearest file first, up to the top of the repository, then git's files outside the tree;
//! 5. the defaults: `exclude_dirs` and `ignore` of the settings, lock files, hidden directories, nested repositories,
//!    generated documentation. These apply even where `.gitignore` includes a path.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use vectorcode_core::config::IndexingConfig;
use vectorcode_core::{SkipReason, file_name, is_within, parent_folder};

use super::documentation::is_generated_documentation;
use super::git::{
    GITIGNORE, IgnoreBudget, MAX_IGNORE_FILE_BYTES, OuterRules, excluded, ignore_text, parse_rules,
};
use super::names;
use super::resource_exhaustion::ResourceExhaustion;
use super::tree::Tree;
use super::vectorcodeignore::VectorcodeIgnore;

/// The result of the rules for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    Included,
    /// Included by a `!` pattern of `.vectorcodeignore` or as an artifact. This also overrides the defaults for
    /// names.
    Reincluded,
    Excluded,
}

/// The state of a directory, as it applies to its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DirectoryState {
    Included,
    /// Excluded, but a `!` pattern or an artifact may include something below it.
    MayContainIncluded,
    /// Excluded, and nothing below it can be included.
    Closed,
}

/// The ignore files of one directory, linked to those of its parent directories.
#[derive(Debug)]
pub struct DirectoryRules {
    above: Option<Arc<DirectoryRules>>,
    state: DirectoryState,
    /// Length of the directory's path including its `/`: the prefix to remove to make a path relative to the
    /// directory.
    cut: usize,
    git: Option<Gitignore>,
    own: Option<VectorcodeIgnore>,
}

impl DirectoryRules {
    /// False when nothing in this directory can be part of the project.
    pub fn is_open(&self) -> bool {
        self.state != DirectoryState::Closed
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |rules| rules.above.as_deref())
    }

    fn own_excludes(&self, path: &str, is_dir: bool) -> Option<bool> {
        let inside_excluded = self.state == DirectoryState::MayContainIncluded;
        self.chain().find_map(|rules| {
            let own = rules.own.as_ref()?;
            let path = &path[rules.cut..];
            if inside_excluded {
                own.excludes_inside_excluded(path, is_dir)
            } else {
                own.excludes(path, is_dir)
            }
        })
    }

    fn git_excludes(&self, path: &str, is_dir: bool) -> Option<bool> {
        self.chain().find_map(|rules| excluded(rules.git.as_ref()?, &path[rules.cut..], is_dir))
    }

    fn reaches_into(&self, directory: &str) -> bool {
        self.chain()
            .any(|rules| rules.own.as_ref().is_some_and(|own| own.reaches_into(&directory[rules.cut..])))
    }
}

/// All rules of one project. The ignore files of a directory are read on first use and cached.
#[derive(Debug)]
pub struct Rules {
    tree: Tree,
    outer: OuterRules,
    budget: IgnoreBudget,
    defaults: Gitignore,
    artifacts: Vec<String>,
    /// Whether the root itself is a repository, and not just a folder that contains repositories.
    is_repository: bool,
    directories: RwLock<HashMap<String, Arc<DirectoryRules>>>,
}

impl Rules {
    /// `artifacts` are paths below the root that are included even if ignore files exclude them.
    pub fn new(
        root: &Path,
        tree: Tree,
        config: &IndexingConfig,
        artifacts: &[String],
    ) -> Result<Self, ignore::Error> {
        let budget = IgnoreBudget::default();
        Ok(Self {
            tree,
            outer: OuterRules::read(root, &budget),
            budget,
            defaults: default_rules(config)?,
            artifacts: artifacts.to_vec(),
            is_repository: root.join(".git").symlink_metadata().is_ok(),
            directories: RwLock::default(),
        })
    }

    /// The rules for a directory. `path` is relative to the root; the root itself is the empty string.
    pub fn directory(&self, path: &str) -> Arc<DirectoryRules> {
        let known = self.directories.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let rules = Arc::new(self.read_directory(path));
            let mut directories = self.directories.write().unwrap_or_else(PoisonError::into_inner);
            directories.insert(path.to_owned(), Arc::clone(&rules));
            rules
        })
    }

    /// Records errors that mean the system ran out of resources, so that files could not be read.
    pub fn exhaustion(&self) -> &ResourceExhaustion {
        &self.budget.exhaustion
    }

    /// Whether the path is an artifact, or is inside one.
    pub fn is_of_artifact(&self, path: &str) -> bool {
        self.artifacts.iter().any(|artifact| is_within(path, artifact))
    }

    /// The result for a path in the directory of `rules`.
    pub fn rule(&self, rules: &DirectoryRules, path: &str, is_dir: bool) -> Ruling {
        if !rules.is_open() {
            return Ruling::Excluded;
        }
        if self.artifacts.iter().any(|artifact| artifact == path) {
            return Ruling::Reincluded;
        }
        match rules.own_excludes(path, is_dir) {
            Some(true) => return Ruling::Excluded,
            Some(false) => return Ruling::Reincluded,
            None if rules.state == DirectoryState::MayContainIncluded => return Ruling::Excluded,
            None => {}
        }
        let by_git = rules.git_excludes(path, is_dir).or_else(|| self.outer.excludes(path, is_dir));
        if by_git == Some(true) || self.is_excluded_by_default(path, is_dir) {
            return Ruling::Excluded;
        }
        Ruling::Included
    }

    fn is_excluded_by_default(&self, path: &str, is_dir: bool) -> bool {
        (is_dir && (names::is_hidden_directory(file_name(path)) || self.is_inner_repository(path)))
            || excluded(&self.defaults, path, is_dir) == Some(true)
            || (is_dir && self.is_generated_documentation(path))
    }

    /// The reason to report for a directory that is not entered.
    pub fn why_closed(&self, path: &str) -> SkipReason {
        if self.is_generated_documentation(path) {
            SkipReason::GeneratedDocumentation
        } else {
            SkipReason::Ignored
        }
    }

    /// Worktrees, submodules and clones inside a repository have their own `.git`: they are separate projects. A worktree
    /// duplicates most files, and the duplicates would displace other results in every search.
    fn is_inner_repository(&self, path: &str) -> bool {
        self.is_repository && self.tree.has(&format!("{path}/.git"))
    }

    fn is_generated_documentation(&self, path: &str) -> bool {
        is_generated_documentation(|name| self.tree.has(&format!("{path}/{name}")))
    }

    fn read_directory(&self, path: &str) -> DirectoryRules {
        let above = (!path.is_empty()).then(|| self.directory(parent_folder(path)));
        let state = above.as_ref().map_or(DirectoryState::Included, |above| self.state(above, path));
        let is_open = state != DirectoryState::Closed;
        let read = |name: &str| {
            let file = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            ignore_text(&file, self.tree.read_rules(&file, MAX_IGNORE_FILE_BYTES), &self.budget)
        };
        DirectoryRules {
            above,
            state,
            cut: if path.is_empty() { 0 } else { path.len() + 1 },
            git: is_open.then(|| Some(parse_rules(GITIGNORE, &read(GITIGNORE)?))).flatten().flatten(),
            own: is_open.then(|| VectorcodeIgnore::of(read)).flatten(),
        }
    }

    /// Whether something below this excluded directory may still be included.
    fn leads_below(&self, above: &DirectoryRules, directory: &str) -> bool {
        above.reaches_into(directory) || self.artifacts.iter().any(|artifact| is_within(artifact, directory))
    }

    fn state(&self, above: &DirectoryRules, path: &str) -> DirectoryState {
        if names::is_forbidden_directory(file_name(path)) {
            return DirectoryState::Closed;
        }
        match self.rule(above, path, true) {
            Ruling::Included | Ruling::Reincluded => DirectoryState::Included,
            Ruling::Excluded if above.is_open() && self.leads_below(above, path) => {
                DirectoryState::MayContainIncluded
            }
            Ruling::Excluded => DirectoryState::Closed,
        }
    }
}

/// `exclude_dirs` and `ignore` from the settings, and the lock files, as one set of patterns.
fn default_rules(config: &IndexingConfig) -> Result<Gitignore, ignore::Error> {
    let mut builder = GitignoreBuilder::new(".");
    for directory in &config.exclude_dirs {
        builder.add_line(None, &format!("{}/", directory.trim_end_matches('/')))?;
    }
    for pattern in names::LOCK_FILES.into_iter().chain(config.ignore.iter().map(String::as_str)) {
        builder.add_line(None, pattern)?;
    }
    builder.build()
}
