//! Finds the sources of the grammar packages on this machine.
//!
//! A build script is not told where the sources of its dependencies are. There are two cases:
//!
//! - This crate was published. It is then next to the grammars, in the registry's directory or among vendored crates.
//!   Cargo is not used here, because the lock file inside a published crate can name versions that were never
//!   downloaded, and cargo would need network access.
//! - This crate is built in its workspace. `cargo metadata` then gives the location of each package in the lock file.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use crate::variable;

/// Package folders by name. The grammar versions are pinned, so there is one version of each.
pub struct Packages {
    manifest: String,
    /// The directory that contains this crate, and also its dependencies if the crate was published.
    neighbourhood: PathBuf,
    listed: OnceLock<HashMap<String, PathBuf>>,
}

impl Packages {
    pub fn locate() -> Self {
        let here = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
        let manifest = fs::read_to_string(here.join("Cargo.toml")).expect("a package has a manifest");
        let neighbourhood = here.parent().expect("a package is in a directory").to_owned();
        Self { manifest, neighbourhood, listed: OnceLock::new() }
    }

    pub fn folder(&self, package: &str) -> PathBuf {
        self.neighbour(package)
            .or_else(|| self.listed.get_or_init(list).get(package).cloned())
            .unwrap_or_else(|| panic!("the sources of {package} were not found"))
    }

    /// Looks for `name-version` in a registry, `name` or `name-version` among vendored crates.
    fn neighbour(&self, package: &str) -> Option<PathBuf> {
        let version = pinned_version(&self.manifest, package)?;
        let names = [format!("{package}-{version}"), package.to_owned()];
        names
            .iter()
            .map(|name| self.neighbourhood.join(name))
            .find(|folder| folder.join("Cargo.toml").is_file())
    }
}

/// The version in a published manifest, in which each dependency is a separate table. The manifest in the workspace
/// has `workspace = true` instead.
fn pinned_version<'m>(manifest: &'m str, package: &str) -> Option<&'m str> {
    let (_, table) = manifest.split_once(&format!("[build-dependencies.{package}]\n"))?;
    let line = table.lines().take_while(|line| !line.is_empty()).find(|line| line.starts_with("version"))?;
    Some(line.split_once("\"=")?.1.trim_end_matches('"'))
}

/// All packages of the lock file.
fn list() -> HashMap<String, PathBuf> {
    let output = Command::new(variable("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &variable("TARGET")])
        .current_dir(variable("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "cargo metadata failed: {}", output.status);
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("cargo metadata lists packages");
    packages.iter().filter_map(name_and_folder).collect()
}

fn name_and_folder(package: &Value) -> Option<(String, PathBuf)> {
    let manifest = Path::new(package["manifest_path"].as_str()?);
    Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
}
