//! The list of registered repositories.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::url::RepositoryUrl;
use crate::TeamError;
use crate::private_list::PrivateList;

/// A registered repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// Unique in the list. The folder of the clone, and thus the project, has the same name.
    pub name: String,
    pub url: String,
    /// The branch or tag that is indexed; the server's default branch if absent.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// A repository to register.
#[derive(Clone, Debug)]
pub struct NewRepository {
    pub url: RepositoryUrl,
    pub reference: Option<String>,
    /// The last part of the URL if absent.
    pub name: Option<String>,
}

/// The list in a file, which need not exist yet.
#[derive(Clone, Debug)]
pub struct RepositoryList {
    list: PrivateList<Repository>,
}

impl RepositoryList {
    pub fn new(path: PathBuf) -> Self {
        Self { list: PrivateList::new(path) }
    }

    /// All repositories, sorted by name.
    pub fn all(&self) -> Result<Vec<Repository>, TeamError> {
        Ok(self.list.read()?.unwrap_or_default())
    }

    pub fn add(&self, wanted: NewRepository) -> Result<Repository, TeamError> {
        let NewRepository { url, reference, name } = wanted;
        let name = name.unwrap_or_else(|| url.name());
        if !is_folder_name(&name) {
            return Err(TeamError::RepositoryName { name, problem: "is not a plain folder name" });
        }
        if let Some(reference) = reference.as_deref().filter(|reference| !is_reference(reference)) {
            return Err(TeamError::RepositoryRef { reference: reference.to_owned() });
        }
        let added = Repository { name, url: url.as_str().to_owned(), reference };
        self.list.change(|known| {
            if known.iter().any(|known| known.name.eq_ignore_ascii_case(&added.name)) {
                return Err(TeamError::RepositoryName { name: added.name.clone(), problem: "is taken" });
            }
            known.push(added.clone());
            known.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(())
        })?;
        Ok(added)
    }

    /// Removes a repository from the list. `None` if there is none with that name.
    pub(super) fn remove(&self, name: &str) -> Result<Option<Repository>, TeamError> {
        self.list.change(|known| {
            let place = known.iter().position(|known| known.name == name);
            Ok(place.map(|place| known.remove(place)))
        })
    }
}

/// Whether a name can be a folder directly in the directory of the clones, is not hidden, and does not look like an option.
fn is_folder_name(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && !name.starts_with(['.', '-'])
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Stricter than git: no patterns, no ranges, no options.
fn is_reference(reference: &str) -> bool {
    (1..=200).contains(&reference.len())
        && !reference.starts_with(['-', '/', '.'])
        && !reference.ends_with(['/', '.'])
        && !reference.contains("..")
        && !reference.contains("//")
        && reference.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./+".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repositories::Protocols;

    #[test]
    fn names_are_folders_and_unique() {
        let dir = tempfile::tempdir().unwrap();
        let list = RepositoryList::new(dir.path().join("repositories.json"));
        let wanted = |url: &str, name: Option<&str>, reference: Option<&str>| NewRepository {
            url: RepositoryUrl::parse(url, Protocols::Remote).unwrap(),
            reference: reference.map(str::to_owned),
            name: name.map(str::to_owned),
        };
        assert_eq!(list.add(wanted("https://a.example/x/api.git", None, None)).unwrap().name, "api");
        assert!(list.add(wanted("https://a.example/y/api", None, None)).is_err());
        list.add(wanted("https://a.example/y/api", Some("api-2"), Some("release/1.0"))).unwrap();
        for name in ["..", ".git", "a/b", "-x", "", "a b", "a\n"] {
            assert!(list.add(wanted("https://a.example/z", Some(name), None)).is_err(), "{name}");
        }
        for reference in ["-f", "a..b", "main:evil", "a b", "refs/heads/*", "@{-1}", "a^"] {
            assert!(list.add(wanted("https://a.example/z", None, Some(reference))).is_err(), "{reference}");
        }
        assert_eq!(list.all().unwrap().len(), 2);
        assert_eq!(list.remove("api-2").unwrap().unwrap().name, "api-2");
        assert!(list.remove("api-2").unwrap().is_none());
    }
}
