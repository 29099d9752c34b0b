//! The identity of a project that all its clones share: the URL of the git remote, normalised, and the folder inside the
//! repository. Never a path on this machine.

use std::path::Path;

use vectorcode_core::config::ShareConfig;
use vectorcode_history::{Repository, normalised_remote, remote_name};

use crate::TeamError;

/// The remote that gives a push its name.
const OWN_REMOTE: &str = "origin";
/// By convention, the repository that a fork was made from.
const FORKED_REMOTE: &str = "upstream";

/// The name of a project within its team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectIdentity {
    /// `github.com/team/shop`.
    name: String,
    /// Path inside the repository, with `/`; empty for the whole repository.
    folder: String,
}

impl ProjectIdentity {
    /// From a name that a person wrote: `github.com/team/shop`, or a URL of the repository.
    pub fn named(name: &str, folder: &str) -> Result<Self, TeamError> {
        let plain = || {
            let (host, path) = name.trim().split_once('/')?;
            remote_name(host, path)
        };
        let name = normalised_remote(name)
            .or_else(plain)
            .ok_or_else(|| TeamError::BadIdentity { name: name.to_owned() })?;
        Ok(Self { name, folder: folder.to_owned() })
    }

    /// The identity that the project in a folder is pushed under.
    pub fn of_folder(root: &Path, settings: &ShareConfig) -> Result<Self, TeamError> {
        let repository = Repository::open(root)?.ok_or(TeamError::NoCommit)?;
        Self::of(&repository, settings)
    }

    pub(crate) fn of(repository: &Repository, settings: &ShareConfig) -> Result<Self, TeamError> {
        Self::candidates(repository, settings)?
            .into_iter()
            .next()
            .ok_or(TeamError::NoIdentity { remote: OWN_REMOTE })
    }

    /// The identities to pull from, best first. A fork pulls from the repository it was forked from if it has nothing itself.
    pub(crate) fn candidates(
        repository: &Repository,
        settings: &ShareConfig,
    ) -> Result<Vec<Self>, TeamError> {
        let folder = repository.folder();
        if !settings.project.is_empty() {
            return Ok(vec![Self::named(&settings.project, &folder)?]);
        }
        let urls = [OWN_REMOTE, FORKED_REMOTE].into_iter().filter_map(|remote| repository.remote_url(remote));
        let names = urls.filter_map(|url| normalised_remote(&url));
        let mut identities: Vec<Self> = names.map(|name| Self { name, folder: folder.clone() }).collect();
        identities.dedup();
        if identities.is_empty() {
            return Err(TeamError::NoIdentity { remote: OWN_REMOTE });
        }
        Ok(identities)
    }

    /// A hash that identifies the project in URLs without revealing its name.
    pub fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("vectorcode 2026-11 shared project");
        hasher.update(self.name.as_bytes()).update(b"\0").update(self.folder.as_bytes());
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

impl std::fmt::Display for ProjectIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        if !self.folder.is_empty() {
            write!(f, ":{}", self.folder)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_the_addresses_of_a_repository_are_one() {
        assert_eq!(
            ProjectIdentity::named("GitHub.com/Team/shop", "").unwrap(),
            ProjectIdentity::named("git@github.com:Team/shop.git", "").unwrap()
        );
    }

    #[test]
    fn a_path_of_this_machine_is_no_name() {
        for url in [
            "/srv/git/shop.git",
            "../shop",
            "file:///srv/shop",
            "C:\\code\\shop",
            "C:/code/shop",
            "",
            "https://",
            "https://host/",
            "https://host",
            "git@host:",
            "./a:b",
            "https://host/../../etc",
            "https://host/a\u{1b}[31m",
        ] {
            assert!(ProjectIdentity::named(url, "").is_err(), "{url:?}");
        }
    }

    #[test]
    fn folders_of_a_repository_are_projects_of_their_own() {
        let whole = ProjectIdentity::named("github.com/team/shop", "").unwrap();
        let part = ProjectIdentity::named("github.com/team/shop", "api").unwrap();
        assert_ne!(whole.key(), part.key());
        assert_eq!(part.to_string(), "github.com/team/shop:api");
        assert_eq!(whole.key().len(), 32);
    }
}
