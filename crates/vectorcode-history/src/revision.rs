//! Resolves a revision to a commit: `main`, `v1.2`, `HEAD~3`, `1a2b3c4`.
//!
//! Supports names, ids, steps to parents, `stash@{0}`, and `pr/12` for a fetched pull request. Other forms of git's syntax, which
//! search messages or read the reflog or the index, are not supported: they are not needed here, and each would read more of an
//! untrusted repository.

use gix_hash::ObjectId;
use gix_object::{Kind, TagRef};
use vectorcode_core::CommitId;

use crate::commit_object::CommitObject;
use crate::references::Target;
use crate::{HistoryError, Repository};

/// The prefixes that git tries for a name, in order; then the branches of the remote, like `git switch`.
const PLACES: [&str; 6] = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/", "refs/remotes/origin/"];
/// Where the pull request `pr/N` is, with the settings that hosting services recommend.
const PULL_REQUESTS: [[&str; 2]; 5] = [
    ["refs/pull/", "/head"],
    ["refs/remotes/origin/pr/", ""],
    ["refs/remotes/origin/pull/", "/head"],
    ["refs/merge-requests/", "/head"],
    ["refs/remotes/origin/merge-requests/", ""],
];
/// The maximum nesting of tags.
const MAX_TAGS: usize = 5;
/// The maximum number of steps to parents in total.
const MAX_STEPS: usize = 100_000;
/// As in git, shorter abbreviations are not accepted.
const MIN_HEX: usize = 4;
const FULL_HEX: usize = 40;

impl Repository {
    /// The commit that a branch, a tag or an abbreviated id names, or an ancestor of it: `~N` and `^N` as in git.
    pub fn resolve(&self, revision: &str) -> Result<CommitId, HistoryError> {
        let unknown = || HistoryError::UnknownRevision { revision: revision.to_owned() };
        self.catching_panics(|| {
            let end = revision.find(['~', '^']).unwrap_or(revision.len());
            let (name, path) = revision.split_at(end);
            let steps = steps(path).ok_or_else(unknown)?;
            let start = self.named(name).and_then(|id| self.commit_behind(id));
            let found =
                start.and_then(|start| steps.iter().try_fold(start, |commit, step| self.step(commit, *step)));
            found.ok_or_else(unknown)
        })
    }

    fn named(&self, name: &str) -> Option<ObjectId> {
        let name = match name {
            "@" => "HEAD",
            "stash@{0}" => "refs/stash",
            name => name,
        };
        let is_hex = name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex && name.len() == FULL_HEX {
            return ObjectId::from_hex(name.as_bytes()).ok();
        }
        let places = PLACES.map(|place| format!("{place}{name}")).into_iter();
        // The default branch of a remote.
        let of_remote = [format!("refs/remotes/{name}/HEAD")].into_iter();
        let pull_request =
            name.strip_prefix("pr/").filter(|number| number.bytes().all(|it| it.is_ascii_digit()));
        let fetched = pull_request
            .into_iter()
            .flat_map(|number| PULL_REQUESTS.map(|[before, after]| format!("{before}{number}{after}")));
        for full in places.chain(of_remote).chain(fetched) {
            if let Ok(Target::Object(id)) = self.dirs.follow(&full) {
                return Some(id);
            }
        }
        let is_prefix = is_hex && (MIN_HEX..FULL_HEX).contains(&name.len());
        is_prefix.then(|| self.objects.by_prefix(name)).flatten()
    }

    fn commit_behind(&self, mut id: ObjectId) -> Option<CommitId> {
        for _ in 0..MAX_TAGS {
            match self.objects.kind(id)? {
                Kind::Commit => return CommitId::from_bytes(id.as_slice()),
                Kind::Tag => {
                    let data = self.objects.read(id, Kind::Tag)?;
                    id = TagRef::from_bytes(&data, gix_hash::Kind::Sha1).ok()?.target();
                }
                Kind::Tree | Kind::Blob => return None,
            }
        }
        None
    }

    fn step(&self, commit: CommitId, step: Step) -> Option<CommitId> {
        match step {
            Step::Parent(0) => Some(commit),
            Step::Parent(number) => CommitObject::read(self, commit)?.parents.get(number - 1).copied(),
            Step::Ancestor(generations) => (0..generations)
                .try_fold(commit, |commit, _| CommitObject::read(self, commit)?.parents.first().copied()),
        }
    }
}

/// A step from a commit to an ancestor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// `^2`: the second parent.
    Parent(usize),
    /// `~3`: the third ancestor, always following the first parent.
    Ancestor(usize),
}

fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let (mut rest, mut total) = (path, 0_usize);
    while let Some(sign) = rest.chars().next().filter(|sign| "~^".contains(*sign)) {
        rest = &rest[1..];
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let number = if digits == 0 { 1 } else { rest[..digits].parse().ok()? };
        let (step, count) = match sign {
            '~' => (Step::Ancestor(number), number),
            _ => (Step::Parent(number), 1),
        };
        steps.push(step);
        total = total.saturating_add(count);
        if total > MAX_STEPS {
            return None;
        }
        rest = &rest[digits..];
    }
    rest.is_empty().then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_to_ancestors_are_read_as_git_reads_them() {
        assert_eq!(steps(""), Some(vec![]));
        assert_eq!(steps("~"), Some(vec![Step::Ancestor(1)]));
        assert_eq!(steps("^^2~10"), Some(vec![Step::Parent(1), Step::Parent(2), Step::Ancestor(10)]));
        for other in ["^{tree}", "~99999999999999999999", "~1000000", "^é", "~1:a", "^@"] {
            assert_eq!(steps(other), None, "{other}");
        }
    }
}
