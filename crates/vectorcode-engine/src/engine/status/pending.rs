//! Changed files that a response could not take into account yet.

use super::Engine;
use crate::activity::Changes;

/// Number of pending files that a note names.
const MAX_NAMED: usize = 5;
/// Number of pending paths that are compared with the index for a note. The rest of a burst is only counted: each
/// comparison reads file metadata, and every search would do a thousand of them while a branch is being switched.
const MAX_COMPARED: usize = 64;

/// Used after many changes at once, and when the rules for what is indexed have changed.
const ALL_PENDING: &str = "All files are being compared with the index, so results may be outdated. Ask \
                           again in a few seconds.";

impl Engine {
    /// Names the changed files that are not in the index yet, as far as the watcher knows them.
    pub fn note_on_pending(&self) -> Option<String> {
        let (pending, rest) = match self.watch_state.pending_changes() {
            Changes::Paths(mut paths) => {
                let rest = paths.iter().nth(MAX_COMPARED).cloned().map(|from| paths.split_off(&from));
                (Changes::Paths(paths), rest)
            }
            Changes::Everything if self.watch_state.has_feed() => return Some(ALL_PENDING.to_owned()),
            // Nobody receives events, and the changes could not be indexed before this response.
            Changes::Everything if self.watch_state.has_missed_edits() => (Changes::Everything, None),
            // Without a change feed, nothing is known about changes.
            Changes::None | Changes::Everything => return None,
        };
        let mut changed = self.reader().and_then(|reader| self.files_changed_by(pending, &*reader)).ok()?;
        changed.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let named: Vec<&str> = changed.iter().take(MAX_NAMED).map(|file| file.path.as_str()).collect();
        let more = changed.len() - named.len() + rest.map_or(0, |rest| rest.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!named.is_empty()).then(|| {
            format!(
                "Changed a moment ago and not indexed yet: {}{more}. Read these files directly.",
                named.join(", ")
            )
        })
    }
}
