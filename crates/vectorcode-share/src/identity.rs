//! Which project it is, for everybody who has it: the address of its git remote without what differs between clones, and the
//! folder inside the repository. Never a path of this machine.

use std::path::Path;

use vectorcode_core::config::ShareConfig;
use vectorcode_history::Repository;

use crate::ShareError;

/// Longer addresses are no addresses of repositories.
const MAX_NAME_BYTES: usize = 1_000;
/// The remote that a push is named after.
const OWN_REMOTE: &str = "origin";
/// By convention, the repository that a fork was made from.
const FORKED_REMOTE: &str = "upstream";
/// Schemes under which servers offer one and the same repository.
const SCHEMES: [&str; 6] = ["https", "http", "ssh", "git", "git+ssh", "ssh+git"];

/// A project, as its team calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectIdentity {
    /// `github.com/team/shop`.
    name: String,
    /// Inside the repository, with `/`; empty for the whole of it.
    folder: String,
}

impl ProjectIdentity {
    /// Of a name that a person wrote: `github.com/team/shop`, or an address of the repository.
    pub fn named(name: &str, folder: &str) -> Result<Self, ShareError> {
        let plain = || {
            let (host, path) = name.trim().split_once('/')?;
            joined(host, path)
        };
        let name = normalised_remote(name)
            .or_else(plain)
            .ok_or_else(|| ShareError::BadIdentity { name: name.to_owned() })?;
        Ok(Self { name, folder: folder.to_owned() })
    }

    /// What the project in a folder is pushed as.
    pub fn of_folder(root: &Path, settings: &ShareConfig) -> Result<Self, ShareError> {
        let repository = Repository::open(root)?.ok_or(ShareError::NoCommit)?;
        Self::of(&repository, settings)
    }

    pub(crate) fn of(repository: &Repository, settings: &ShareConfig) -> Result<Self, ShareError> {
        Self::candidates(repository, settings)?
            .into_iter()
            .next()
            .ok_or(ShareError::NoIdentity { remote: OWN_REMOTE })
    }

    /// The identities to pull from, the best first. A fork takes from what it was forked from where it has nothing itself.
    pub(crate) fn candidates(
        repository: &Repository,
        settings: &ShareConfig,
    ) -> Result<Vec<Self>, ShareError> {
        let folder = repository.folder();
        if !settings.project.is_empty() {
            return Ok(vec![Self::named(&settings.project, &folder)?]);
        }
        let urls = [OWN_REMOTE, FORKED_REMOTE].into_iter().filter_map(|remote| repository.remote_url(remote));
        let names = urls.filter_map(|url| normalised_remote(&url));
        let mut identities: Vec<Self> = names.map(|name| Self { name, folder: folder.clone() }).collect();
        identities.dedup();
        if identities.is_empty() {
            return Err(ShareError::NoIdentity { remote: OWN_REMOTE });
        }
        Ok(identities)
    }

    /// Stands for the project in addresses, which do not tell its name.
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

/// Host and path of a remote. Scheme, user, password, port, `.git` and the case of the host differ between clones of one
/// repository. `None` for a path of this machine, which says nothing to others.
fn normalised_remote(url: &str) -> Option<String> {
    let url = url.trim();
    if let Some((scheme, rest)) = url.split_once("://") {
        let is_known = SCHEMES.contains(&scheme.to_ascii_lowercase().as_str());
        let (authority, path) = rest.split_once('/').filter(|_| is_known)?;
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        return joined(without_port(host), path);
    }
    // `git@host:team/shop.git`; a single letter is a drive of Windows.
    let (host, path) =
        url.split_once(':').filter(|(host, _)| host.len() > 1 && !host.contains(['/', '\\']))?;
    joined(host.rsplit_once('@').map_or(host, |(_, host)| host), path)
}

/// `[::1]:22` and `host:22` without the number.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    }
}

fn joined(host: &str, path: &str) -> Option<String> {
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let name = format!("{}/{path}", host.to_ascii_lowercase());
    let is_name = is_host(host)
        && !path.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.contains(char::is_control)
        && !name.split('/').any(|part| part == "..");
    is_name.then_some(name)
}

/// A name or an address, also one of IPv6.
fn is_host(host: &str) -> bool {
    let is_part_of_one = |byte: u8| byte.is_ascii_alphanumeric() || b"-._[]".contains(&byte);
    let is_address = host.starts_with('[') && host.ends_with(']');
    !host.is_empty()
        && !host.starts_with('.')
        && host.bytes().all(|byte| is_part_of_one(byte) || (is_address && byte == b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_one_repository_have_one_name() {
        for url in [
            "https://github.com/Team/shop.git",
            "https://GitHub.com/Team/shop/",
            "https://me:secret@github.com:443/Team/shop",
            "ssh://git@github.com:22/Team/shop.git",
            "git@github.com:Team/shop.git",
            "github.com:/Team/shop",
            "git+ssh://git@github.com/Team/shop.git/",
            " git@GITHUB.COM:Team/shop\n",
        ] {
            assert_eq!(normalised_remote(url).as_deref(), Some("github.com/Team/shop"), "{url}");
        }
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
            assert_eq!(normalised_remote(url), None, "{url:?}");
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
