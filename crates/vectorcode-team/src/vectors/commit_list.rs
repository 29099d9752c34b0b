//! The commits that have a manifest, one per line, last pushed first. A pull needs only this small file, neither a listing,
//! which web servers do not offer, nor the permission to list.

use std::collections::HashSet;

use vectorcode_core::CommitId;
use vectorcode_history::{HistoryError, Repository};

/// Older ones are left out: somebody that far behind updates the checkout once and then finds a bundle.
const MAX_COMMITS: usize = 5_000;
/// How many ancestors to search for a commit with a bundle.
const MAX_ANCESTORS: usize = 20_000;
pub(crate) const MAX_BYTES: u64 = 1 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommitList {
    commits: Vec<CommitId>,
}

impl CommitList {
    pub(crate) fn new(commits: impl IntoIterator<Item = CommitId>) -> Self {
        let mut seen = HashSet::new();
        let commits = commits.into_iter().filter(|commit| seen.insert(*commit)).take(MAX_COMMITS);
        Self { commits: commits.collect() }
    }

    /// Lines that are not commits are skipped.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        Self::new(lines.filter_map(|line| CommitId::from_hex(line.trim())))
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.commits.iter().flat_map(|commit| format!("{commit}\n").into_bytes()).collect()
    }

    pub(crate) fn newest(&self) -> Option<CommitId> {
        self.commits.first().copied()
    }

    /// The newest listed commit that is `head` or one of its ancestors.
    pub(crate) fn newest_ancestor(
        &self,
        repository: &Repository,
        head: CommitId,
    ) -> Result<Option<CommitId>, HistoryError> {
        let known: HashSet<CommitId> = self.commits.iter().copied().collect();
        repository.newest_ancestor(head, MAX_ANCESTORS, |commit| known.contains(commit))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written_and_rubbish_is_skipped() {
        let ids = [1_u8, 2].map(|byte| CommitId::from_bytes(&[byte; 20]).unwrap());
        let list = CommitList::new([ids[1], ids[0], ids[1]]);
        assert_eq!(list.newest(), Some(ids[1]));
        assert_eq!(CommitList::parse(&list.to_bytes()), list);
        let mut dirty = b"<html>\r\n\xff\xfe\n\n".to_vec();
        dirty.extend(list.to_bytes());
        assert_eq!(CommitList::parse(&dirty), list);
        assert!(CommitList::parse(b"").is_empty());
    }
}
