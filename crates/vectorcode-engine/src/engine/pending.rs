//! Which changed files an answer could not take into account.

use super::Engine;
use crate::change_feed::Changes;

/// Pending files that a note names.
const MAX_NAMED: usize = 5;

impl Engine {
    /// Names the files that changed and are not in the index, as far as the watcher knows them.
    pub(super) fn note_on_pending(&self) -> Option<String> {
        if !matches!(self.watch_state.pending_changes(), Changes::Paths(_)) {
            return None;
        }
        let changed = self.reader().and_then(|reader| self.changed_files(&*reader)).ok()?;
        let named: Vec<&str> = changed.iter().take(MAX_NAMED).map(|file| file.path.as_str()).collect();
        let more = changed.len().saturating_sub(named.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!named.is_empty()).then(|| {
            format!(
                "Changed a moment ago and not indexed yet: {}{more}. Read these files directly.",
                named.join(", ")
            )
        })
    }
}
