//! Remembers which code the searches of a conversation have shown. A later search only names it and spends its tokens on other
//! code.
//!
//! The agent names the conversation, because the server cannot know when a model has forgotten what it was shown.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Mutex;

use vectorcode_core::api::Hit;
use vectorcode_core::lock;

use crate::access::CallerId;

/// Maximum number of remembered conversations; the least recently used one is forgotten first.
const MAX_CONVERSATIONS: usize = 100;
/// Maximum number of lines of one conversation, far more than fit into a model's context. Beyond it, the record starts anew.
const MAX_LINES: usize = 100_000;

/// A conversation, identified by caller and name, so that callers do not share names.
type Conversation = (CallerId, String);

/// The lines of code that one conversation has seen, as hashes of file and text, so that edits above them do not matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownLines(HashSet<u64>);

impl ShownLines {
    /// Whether all of these lines of a result have been shown.
    pub(crate) fn contain(&self, hit: &Hit, lines: &Range<usize>) -> bool {
        hashes(hit, lines).all(|line| self.0.contains(&line))
    }

    pub(crate) fn add(&mut self, hit: &Hit, lines: &Range<usize>) {
        self.0.extend(hashes(hit, lines));
    }
}

fn hashes<'h>(hit: &'h Hit, lines: &Range<usize>) -> impl Iterator<Item = u64> + 'h {
    let lines = hit.content.lines().skip(lines.start).take(lines.len());
    lines.map(|line| {
        let mut hasher = DefaultHasher::new();
        (&hit.project, &hit.path, line).hash(&mut hasher);
        hasher.finish()
    })
}

/// The code shown in all conversations of a server, least recently used first.
#[derive(Debug, Default)]
pub(crate) struct ShownCode(Mutex<Vec<(Conversation, ShownLines)>>);

impl ShownCode {
    pub(crate) fn of(&self, conversation: &Conversation) -> ShownLines {
        let all = lock(&self.0);
        let known = all.iter().find(|(known, _)| known == conversation);
        known.map(|(_, lines)| lines.clone()).unwrap_or_default()
    }

    pub(crate) fn keep(&self, conversation: Conversation, mut shown: ShownLines) {
        let mut all = lock(&self.0);
        // A concurrent call of the conversation may have stored its lines in the meantime.
        for (_, earlier) in all.extract_if(.., |(known, _)| *known == conversation) {
            shown.0.extend(earlier.0);
        }
        if shown.0.len() > MAX_LINES {
            shown.0.clear();
        }
        all.push((conversation, shown));
        if all.len() > MAX_CONVERSATIONS {
            all.remove(0);
        }
    }
}
