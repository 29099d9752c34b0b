//! The user's record of approved project settings: one small file, readable only by its owner and replaced atomically.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::trust::SensitiveSettings;
use crate::private_files::{self, Links};

const VERSION: u32 = 1;
const MAX_BYTES: u64 = 16 << 20;
/// How many approvals of one root are kept, the latest last. Branches of a project may have different settings.
const MAX_PER_ROOT: usize = 16;

/// A root and the versions of its settings that the user approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedRoot {
    pub root: PathBuf,
    pub approvals: Vec<Approval>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// See [`SensitiveSettings::fingerprint`].
    pub fingerprint: String,
    /// The approved settings, for display: without keys and passwords.
    pub settings: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    version: u32,
    roots: Vec<TrustedRoot>,
}

/// The record, stored in a file that need not exist yet.
#[derive(Clone, Debug)]
pub struct Approvals {
    file: PathBuf,
}

impl Approvals {
    pub fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// All roots, sorted by path.
    pub fn roots(&self) -> Result<Vec<TrustedRoot>, ConfigError> {
        let text = match private_files::read_text(&self.file, MAX_BYTES, Links::Follow) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.failed(error.to_string())),
        };
        if !private_files::is_changed_by_owner_only(&self.file) {
            return Err(self.failed("other users may change it".into()));
        }
        let contents: Contents =
            serde_json::from_str(&text).map_err(|error| self.failed(error.to_string()))?;
        Ok(contents.roots)
    }

    /// Whether the user approved exactly these settings of this root.
    pub fn holds(&self, settings: &SensitiveSettings) -> Result<bool, ConfigError> {
        let fingerprint = settings.fingerprint();
        let is_meant = |root: &TrustedRoot| {
            root.root == settings.root
                && root.approvals.iter().any(|approval| approval.fingerprint == fingerprint)
        };
        Ok(self.roots()?.iter().any(is_meant))
    }

    /// Records that the user approved these settings.
    pub fn add(&self, settings: &SensitiveSettings) -> Result<(), ConfigError> {
        let approval = Approval {
            fingerprint: settings.fingerprint(),
            settings: settings.settings.iter().map(ToString::to_string).collect(),
        };
        self.change(|roots| {
            let place = roots.iter().position(|root| root.root == settings.root).unwrap_or_else(|| {
                roots.push(TrustedRoot { root: settings.root.clone(), approvals: Vec::new() });
                roots.len() - 1
            });
            let approvals = &mut roots[place].approvals;
            approvals.retain(|known| known.fingerprint != approval.fingerprint);
            approvals.push(approval);
            let surplus = approvals.len().saturating_sub(MAX_PER_ROOT);
            approvals.drain(..surplus);
        })
    }

    /// Revokes every approval of a root. Returns false if there was none.
    pub fn revoke(&self, root: &Path) -> Result<bool, ConfigError> {
        self.change(|roots| {
            let before = roots.len();
            roots.retain(|known| known.root != root);
            roots.len() < before
        })
    }

    /// Reads, changes and replaces the record under a lock that other processes respect.
    fn change<T>(&self, change: impl FnOnce(&mut Vec<TrustedRoot>) -> T) -> Result<T, ConfigError> {
        let failed = |error: std::io::Error| self.failed(error.to_string());
        let directory = self.file.parent().unwrap_or(Path::new(""));
        private_files::create_directory(directory, Links::Follow).map_err(failed)?;
        let lock = private_files::open_or_create(&self.file.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut roots = self.roots()?;
        let outcome = change(&mut roots);
        roots.sort_by(|a, b| a.root.cmp(&b.root));
        let text = serde_json::to_vec_pretty(&Contents { version: VERSION, roots })
            .map_err(|error| self.failed(error.to_string()))?;
        private_files::replace(&self.file, &text).map_err(failed)?;
        Ok(outcome)
    }

    fn failed(&self, message: String) -> ConfigError {
        ConfigError::Approvals { path: self.file.clone(), message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::trust::classify;

    fn settings(root: &Path, url: &str) -> SensitiveSettings {
        let leaf = ("provider.openai.base_url".to_owned(), toml::Value::from(url));
        classify(&root.join(".vectorcode/config.toml"), &[leaf]).sensitive
    }

    #[test]
    fn an_approval_holds_for_its_root_and_content_until_it_is_revoked() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let approvals = Approvals::new(dir.path().join("data/trust.json"));
        let asked = settings(dir.path(), "http://a");
        assert!(!approvals.holds(&asked).unwrap());
        approvals.add(&asked).unwrap();
        assert!(approvals.holds(&asked).unwrap());
        assert!(!approvals.holds(&settings(dir.path(), "http://b")).unwrap());
        assert!(!approvals.holds(&settings(other.path(), "http://a")).unwrap());
        approvals.add(&settings(dir.path(), "http://b")).unwrap();
        assert!(approvals.holds(&asked).unwrap(), "another branch's settings do not undo it");
        assert!(approvals.revoke(&asked.root).unwrap());
        assert!(!approvals.holds(&asked).unwrap() && !approvals.revoke(&asked.root).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn a_record_that_others_may_change_approves_nothing() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let approvals = Approvals::new(dir.path().join("trust.json"));
        let asked = settings(dir.path(), "http://a");
        approvals.add(&asked).unwrap();
        let mode =
            |mode| std::fs::set_permissions(&approvals.file, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o666);
        assert!(approvals.holds(&asked).unwrap_err().to_string().contains("other users may change it"));
        mode(0o600);
        assert!(approvals.holds(&asked).unwrap());
        std::fs::write(&approvals.file, "{ half").unwrap();
        assert!(approvals.holds(&asked).is_err());
    }
}
