//! Turns a selection into registered projects. A project that is not registered is never opened.

use std::path::Path;

use vectorcode_core::api::ProjectSelection;
use vectorcode_core::canonical;

use super::Projects;
use crate::EngineError;
use crate::registry::ProjectEntry;

/// How similar a name must be to be suggested, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.4;
const MAX_SUGGESTIONS: usize = 3;

impl Projects {
    /// The projects meant, each once, in the order of their names, and what the selection lacks.
    pub(super) fn select(
        &self,
        selection: &ProjectSelection,
    ) -> Result<(Vec<ProjectEntry>, Vec<String>), EngineError> {
        let entries = self.entries()?;
        let (mut chosen, notes) = match selection {
            ProjectSelection::All => (entries, Vec::new()),
            ProjectSelection::Linked => self.linked(&entries),
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
        let mut chosen = vec![registered(home.root()).unwrap_or_else(own)];
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

    /// By name first; else the innermost registered root around the path.
    fn named<'e>(&self, text: &str, entries: &'e [ProjectEntry]) -> Result<&'e ProjectEntry, EngineError> {
        if let Some(entry) = entries.iter().find(|entry| entry.name == text) {
            return Ok(entry);
        }
        let path = canonical(&self.home.project().root().join(text)).ok();
        let around =
            entries.iter().filter(|entry| path.as_ref().is_some_and(|path| path.starts_with(&entry.root)));
        // A bare word is a name, even if the current project has a folder of that name.
        let is_path = text.contains(['/', '\\']) || text.starts_with('.');
        let found = around.filter(|_| is_path).max_by_key(|entry| entry.root.as_os_str().len());
        found
            .ok_or_else(|| EngineError::UnknownProject { name: text.into(), nearest: nearest(text, entries) })
    }
}

/// Registered names that the text may have meant, best first.
fn nearest(text: &str, entries: &[ProjectEntry]) -> Vec<String> {
    let mut alike: Vec<(f64, &str)> = entries
        .iter()
        .map(|entry| (strsim::normalized_damerau_levenshtein(text, &entry.name), entry.name.as_str()))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    alike.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}
