//! The references that a worker fetches in addition to the one that it checks out (`worker.refs`).

use super::git::Git;

/// A reference or pattern on the server such as `release/*`, and where the clone stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Followed {
    /// The full name on the server.
    theirs: String,
    ours: String,
}

impl Followed {
    /// Parses a branch, a pattern of branches, or a full name such as `refs/pull/*/head`.
    pub fn parse(written: &str) -> Result<Self, String> {
        let is_plain = |letter: char| letter.is_alphanumeric() || "/._-*#@+".contains(letter);
        let is_sound = !written.is_empty()
            && written.chars().all(is_plain)
            && !written.starts_with(['-', '+', '/'])
            && !written.contains("..")
            && written.matches('*').count() <= 1;
        if !is_sound {
            return Err(format!(
                "worker.refs: {written:?} is not a branch, a pattern of branches or a reference"
            ));
        }
        let branch = written.strip_prefix("refs/heads/");
        Ok(match branch.or((!written.starts_with("refs/")).then_some(written)) {
            Some(branch) => {
                Self { theirs: format!("refs/heads/{branch}"), ours: format!("refs/remotes/origin/{branch}") }
            }
            None => Self { theirs: written.to_owned(), ours: written.to_owned() },
        })
    }

    pub fn refspec(&self) -> String {
        format!("+{}:{}", self.theirs, self.ours)
    }
}

/// A value that changes whenever one of the references does; empty if none is followed. Fetches nothing.
/// Covers the `Debug` output of [`Followed`]: renaming it or its fields changes every stored value.
pub(super) fn fingerprint(git: &Git<'_>, followed: &[Followed]) -> Result<String, String> {
    if followed.is_empty() {
        return Ok(String::new());
    }
    let mut args = vec!["ls-remote", "--", git.url.as_str()];
    args.extend(followed.iter().map(|reference| reference.theirs.as_str()));
    let listed = git.run(&args)?;
    Ok(blake3::hash(format!("{followed:?}\n{listed}").as_bytes()).to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_kept_where_git_keeps_those_of_a_remote() {
        let refspec = |written| Followed::parse(written).map(|followed| followed.refspec());
        assert_eq!(refspec("release/*").unwrap(), "+refs/heads/release/*:refs/remotes/origin/release/*");
        assert_eq!(refspec("refs/heads/main").unwrap(), "+refs/heads/main:refs/remotes/origin/main");
        assert_eq!(refspec("refs/pull/*/head").unwrap(), "+refs/pull/*/head:refs/pull/*/head");
        for hostile in ["", "--upload-pack=x", "a:b", "a b", "+x", "*/*", "../x", "^main", "/x"] {
            refspec(hostile).unwrap_err();
        }
    }
}
