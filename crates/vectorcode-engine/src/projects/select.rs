//! Resolves what a caller names to projects: a selection of registered ones, or one directory.

use std::path::{Path, PathBuf};

use vectorcode_core::api::ProjectSelection;
use vectorcode_core::canonical;

use super::Projects;
use crate::error::EngineError;
use crate::project::registry::ProjectEntry;
use crate::project::{Project, root};

/// How similar a name must be to be suggested, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.4;
const MAX_SUGGESTIONS: usize = 3;

impl Projects {
    /// The selected projects, without duplicates, sorted by name, and notes about what could not be selected.
    pub(super) fn select(
        &self,
        selection: &ProjectSelection,
    ) -> Result<(Vec<ProjectEntry>, Vec<String>), EngineError> {
        let entries = self.entries()?;
        let (mut chosen, notes) = match selection {
            ProjectSelection::All => (entries, Vec::new()),
            ProjectSelection::Linked => self.linked(&self.known_entries()?),
            ProjectSelection::Named(names) => {
                let chosen = names.iter().map(|name| self.named(name, &entries).cloned());
                (chosen.collect::<Result<_, _>>()?, Vec::new())
            }
        };
        chosen.sort_by(|a, b| a.name.cmp(&b.name));
        chosen.dedup();
        if chosen.is_empty() { Err(EngineError::NoProjects) } else { Ok((chosen, notes)) }
    }

    /// The current project takes part even before it is registered.
    fn linked(&self, entries: &[ProjectEntry]) -> (Vec<ProjectEntry>, Vec<String>) {
        let registered = |root: &Path| entries.iter().find(|entry| entry.root == root).cloned();
        let home = self.home.project();
        let own = || ProjectEntry { name: home.name(), root: home.root().to_path_buf() };
        let current = registered(home.root()).or_else(|| self.visible.is_all().then(own));
        let mut chosen: Vec<ProjectEntry> = current.into_iter().collect();
        let mut notes = Vec::new();
        for (written, root) in self.linked_roots() {
            match registered(&root) {
                Some(entry) => chosen.push(entry),
                None => notes.push(format!(
                    "The linked project {} is not registered; run `vectorcode index` in it once.",
                    written.display()
                )),
            }
        }
        (chosen, notes)
    }

    /// The project that a name or a path refers to. A directory that is not registered can become a project if
    /// `reach` allows it and it is neither too wide nor another user's.
    pub fn locate(&self, text: &str, reach: Reach) -> Result<Project, EngineError> {
        let entries = self.known_entries()?;
        if let Some(entry) = by_name(text, &entries) {
            return at(entry);
        }
        let unknown = || unknown(text, &entries);
        let directory = self.directory(text).ok_or_else(unknown)?;
        let registered = around(&directory, &entries);
        let marked = root::marked(&directory);
        // The innermost of both wins: a repository inside a registered tree is its own project.
        let registered =
            registered.filter(|entry| marked.as_ref().is_none_or(|marked| entry.root.starts_with(marked)));
        match registered {
            Some(entry) => at(entry),
            // A caller who may see only some projects must not learn which directories exist.
            None if !self.visible.is_all() => Err(unknown()),
            None => self.unregistered(&marked.unwrap_or(directory), reach),
        }
    }

    /// A directory that is not registered.
    fn unregistered(&self, root: &Path, reach: Reach) -> Result<Project, EngineError> {
        match (root::refusal(root, self.home.project().root()), reach) {
            (Some(what), _) => Err(EngineError::RefusedRoot { root: root.to_path_buf(), what }),
            (None, Reach::AnyDirectory) => Project::at(root),
            (None, Reach::Registered) => Err(EngineError::UnregisteredRoot { root: root.to_path_buf() }),
        }
    }

    /// The directory that a path refers to, relative to the current project; for a file, its folder. `None` for a
    /// bare word, which is a name even if the current project has a folder with that name.
    fn directory(&self, text: &str) -> Option<PathBuf> {
        let written = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
                std::env::home_dir()?.join(rest.trim_start_matches(['/', '\\']))
            }
            _ if text.contains(['/', '\\']) || text.starts_with('.') => self.home.project().root().join(text),
            _ => return None,
        };
        let path = canonical(&written).ok()?;
        if path.is_dir() { Some(path) } else { path.parent().map(Path::to_path_buf) }
    }

    /// The registered projects and the current one, which is registered only once it is indexed.
    pub(super) fn known_entries(&self) -> Result<Vec<ProjectEntry>, EngineError> {
        let mut entries = self.all_entries()?;
        let home = self.home.project();
        if entries.iter().all(|entry| entry.root != home.root())
            && entries.iter().all(|entry| entry.name != home.name())
        {
            entries.push(ProjectEntry { name: home.name(), root: home.root().to_path_buf() });
        }
        entries.retain(|entry| self.visible.admits(&entry.name));
        Ok(entries)
    }

    /// Looks up by name first, then by the innermost registered root that contains the path.
    fn named<'e>(&self, text: &str, entries: &'e [ProjectEntry]) -> Result<&'e ProjectEntry, EngineError> {
        let by_path = || around(&self.directory(text)?, entries);
        by_name(text, entries).or_else(by_path).ok_or_else(|| unknown(text, entries))
    }
}

/// Which directories a caller may name as a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only those that the user has indexed.
    Registered,
    /// Any directory that the rules for roots admit.
    AnyDirectory,
}

fn by_name<'e>(text: &str, entries: &'e [ProjectEntry]) -> Option<&'e ProjectEntry> {
    entries.iter().find(|entry| entry.name == text)
}

/// The innermost registered root that contains a directory.
fn around<'e>(directory: &Path, entries: &'e [ProjectEntry]) -> Option<&'e ProjectEntry> {
    let around = entries.iter().filter(|entry| directory.starts_with(&entry.root));
    around.max_by_key(|entry| entry.root.as_os_str().len())
}

fn at(entry: &ProjectEntry) -> Result<Project, EngineError> {
    if !entry.root.is_dir() {
        return Err(EngineError::ProjectGone { name: entry.name.clone(), root: entry.root.clone() });
    }
    Project::at(&entry.root)
}

fn unknown(text: &str, entries: &[ProjectEntry]) -> EngineError {
    EngineError::UnknownProject {
        name: text.to_owned(),
        nearest: nearest(text, entries),
        known: entries.iter().map(|entry| entry.name.clone()).collect(),
    }
}

/// Registered names that may have been meant, best first.
fn nearest(text: &str, entries: &[ProjectEntry]) -> Vec<String> {
    let mut alike: Vec<(f64, &str)> = entries
        .iter()
        .map(|entry| (strsim::normalized_damerau_levenshtein(text, &entry.name), entry.name.as_str()))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    alike.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}
