//! A home directory for a child process, so that a test never sees or touches the user's own.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use vectorcode_core::config::{REGISTRY_VARIABLE, keys, variables_of};

/// The variables that tell programs where per-user directories are, on all platforms.
const HOME_VARIABLES: [(&str, &str); 7] = [
    ("HOME", ""),
    ("USERPROFILE", ""),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_DATA_HOME", ".local/share"),
    ("APPDATA", "AppData/Roaming"),
    ("LOCALAPPDATA", "AppData/Local"),
];

/// Variables that the user may have set and that a test must not inherit.
const FOREIGN_VARIABLES: [&str; 3] = [REGISTRY_VARIABLE, "NO_COLOR", "RUST_LOG"];

/// A database for the indexes of all children, so that the tests of the whole product can be run with it.
const STORE_VARIABLE: &str = "VECTORCODE_TEST_STORE_URL";

/// An empty home directory, removed on drop.
#[derive(Debug)]
pub struct ScratchHome(TempDir);

impl ScratchHome {
    #[expect(clippy::new_without_default, reason = "making a directory is no default value")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory can be made"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The variables that make a process use this home.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        HOME_VARIABLES.into_iter().map(|(name, below)| (name, self.path().join(below)))
    }

    /// Makes `command` run in this home, without any of the user's keys and settings.
    pub fn apply<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let settings = keys().iter().flat_map(|key| variables_of(&key.name));
        for name in FOREIGN_VARIABLES.map(str::to_owned).into_iter().chain(settings) {
            command.env_remove(name);
        }
        if let Some(url) = std::env::var_os(STORE_VARIABLE) {
            command.env("VECTORCODE_STORE_URL", url);
        }
        command.envs(self.variables())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_finds_the_scratch_home_and_no_key() {
        let home = ScratchHome::new();
        let mut command = Command::new("any");
        command.env("OPENAI_API_KEY", "secret");
        home.apply(&mut command);
        let value = |name: &str| {
            command.get_envs().find(|(key, _)| *key == name).and_then(|(_, value)| value.map(PathBuf::from))
        };
        assert_eq!(value("HOME"), Some(home.path().join("")));
        assert_eq!(value("OPENAI_API_KEY"), None);
    }
}
