//! How complete the index is, for responses that may change as it grows.

use vectorcode_core::api::SearchMode;
use vectorcode_store::{IndexReader, LockRole};

use super::Engine;
use crate::error::EngineError;
use crate::history::ActiveHistory;
use crate::index::Detail;

impl Engine {
    /// Says how complete the index is, if the result may change without an edit. `None` if no process is working on
    /// it: then the same request keeps returning the same result, however much is missing.
    pub(crate) fn progress_note(&self, mode: SearchMode) -> Option<String> {
        if !self.is_complete() {
            // `unfinished_note` covers this case.
            return None;
        }
        let parts = self.reader().and_then(|reader| self.missing_parts(&*reader, mode));
        let parts = parts.inspect_err(|error| tracing::debug!(%error, "no progress")).ok()?;
        (!parts.is_empty()).then(|| {
            format!("The index is still growing, and this answer may change: so far {}.", parts.join(", "))
        })
    }

    fn missing_parts(&self, reader: &dyn IndexReader, mode: SearchMode) -> Result<Vec<String>, EngineError> {
        let mut parts = Vec::new();
        if self.lacks_structure() {
            let files = reader.files()?;
            let read = files.iter().filter(|(_, state)| Detail::Structure.is_in(state)).count();
            parts.push(format!("the structure of {read} of {} files", files.len()));
        }
        let is_worked_on = self.is_watched() || self.store().is_locked(LockRole::Embed);
        if !is_worked_on || self.is_paused() {
            return Ok(parts);
        }
        let coverage = reader.coverage()?;
        if mode != SearchMode::Fast && self.embedder().is_ok() && reader.pending_count()? > 0 {
            parts.push(format!("{:.0} % of the vectors", (coverage.fraction() * 100.0).floor()));
        }
        match ActiveHistory::missing(reader)? {
            None => {}
            Some(0) => parts.push("nothing of the history".into()),
            Some(commits) => parts.push(format!("the newest {commits} commits")),
        }
        Ok(parts)
    }
}
