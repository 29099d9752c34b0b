//! Where cargo keeps the sources of the packages in the lock file.
//!
//! A build script is not told where its dependencies lie, so it asks cargo the way any tool would.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::variable;

/// Folders of packages by name. Grammars are pinned, so there is one of each.
pub struct Packages(HashMap<String, PathBuf>);

impl Packages {
    pub fn locate() -> Self {
        let metadata = metadata();
        let packages = metadata["packages"].as_array().expect("cargo metadata lists packages");
        Self(packages.iter().filter_map(name_and_folder).collect())
    }

    pub fn folder(&self, package: &str) -> &Path {
        self.0.get(package).unwrap_or_else(|| panic!("cargo metadata lists {package}"))
    }
}

fn metadata() -> Value {
    let output = Command::new(variable("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &variable("TARGET")])
        .current_dir(variable("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "cargo metadata failed: {}", output.status);
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

fn name_and_folder(package: &Value) -> Option<(String, PathBuf)> {
    let manifest = Path::new(package["manifest_path"].as_str()?);
    Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
}
