//! The order of the steps makes it safe: find the release, check that the directory is writable, download, verify the
//! signature, unpack next to the old binary, run the new one once, and only then replace the old one. A failed replacement is
//! undone.

mod archive;
mod download;
mod error;
mod release;
mod signature;
mod swap;

pub use error::UpgradeError;
pub use release::Releases;

use std::path::{Path, PathBuf};

use semver::Version;
use vectorcode_core::canonical;

use archive::Archive;
use swap::Staged;

/// The version of the running binary.
pub fn running_version() -> Version {
    Version::parse(vectorcode_core::VERSION).expect("cargo only builds crates with a valid version")
}

/// The file that an upgrade replaces: the binary itself, not a link to it.
pub fn running_binary() -> Result<PathBuf, UpgradeError> {
    let here = std::env::current_exe().and_then(|path| canonical(&path));
    here.map_err(|source| UpgradeError::UnknownBinary { source })
}

/// Refuses binaries that a package manager owns, and names the command that upgrades them.
pub fn check_unmanaged(binary: &Path) -> Result<(), UpgradeError> {
    let is_below = |name: &str| binary.iter().any(|part| part == name);
    let command = if is_below("Cellar") {
        "brew upgrade vectorcode"
    } else if binary.starts_with("/nix/store") {
        "nix profile upgrade vectorcode"
    } else if is_below("node_modules") {
        "npm install -g vectorcode@latest"
    } else {
        return Ok(());
    };
    Err(UpgradeError::Managed { binary: binary.to_owned(), command })
}

/// Downloads a release and replaces `binary` with it.
pub fn replace(binary: &Path, releases: &Releases, version: &Version) -> Result<(), UpgradeError> {
    let staged = Staged::beside(binary)?;
    let archive = Archive::for_this_platform()?;
    let bytes = releases.signed_file(version, archive.name())?;
    staged.fill(&archive.binary(&bytes)?)?;
    staged.swap(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_manager_keeps_its_binary() {
        let refused = check_unmanaged(Path::new("/opt/homebrew/Cellar/vectorcode/0.1.0/bin/vectorcode"));
        assert!(matches!(refused, Err(UpgradeError::Managed { command: "brew upgrade vectorcode", .. })));
        let refused =
            check_unmanaged(Path::new("/usr/lib/node_modules/@vectorcode/linux-x64/bin/vectorcode"));
        assert!(matches!(
            refused,
            Err(UpgradeError::Managed { command: "npm install -g vectorcode@latest", .. })
        ));
        assert!(check_unmanaged(Path::new("/usr/local/bin/vectorcode")).is_ok());
    }
}
