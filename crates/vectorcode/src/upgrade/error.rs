//! Why an upgrade did not happen. In every case the running binary is still in its place.

use std::io;
use std::path::PathBuf;

use semver::Version;
use vectorcode_core::{Diagnose, ErrorKind};

#[derive(Debug, thiserror::Error)]
pub enum UpgradeError {
    #[error("cannot find the running binary")]
    UnknownBinary { source: io::Error },

    #[error("{binary} belongs to a package manager")]
    Managed { binary: PathBuf, command: &'static str },

    #[error("there are no releases for {os} on {arch}")]
    UnknownPlatform { os: &'static str, arch: &'static str },

    #[error("{wanted} is older than the running version {running}")]
    Downgrade { wanted: Version, running: Version },

    #[error("no permission to replace {binary}")]
    NoPermission { binary: PathBuf },

    #[error("{url} does not exist")]
    NotFound { url: String },

    #[error("cannot download {url}")]
    Download { url: String, source: Box<ureq::Error> },

    #[error("{url} is not a release index: {message}")]
    BadIndex { url: String, message: String },

    #[error("SHA256SUMS does not list {file}")]
    NoChecksum { file: String },

    #[error("the checksum of {file} is {found}, but {expected} was published")]
    WrongChecksum { file: String, expected: String, found: String },

    #[error("{file} holds no binary `{binary}`")]
    NoBinary { file: String, binary: &'static str },

    #[error("{file} cannot be unpacked: {message}")]
    BadArchive { file: String, message: String },

    #[error("the new binary does not run ({reason}); the old one was kept")]
    Trial { reason: String },

    #[error("cannot {action} {path}")]
    Io { action: &'static str, path: PathBuf, source: io::Error },
}

impl Diagnose for UpgradeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Downgrade { .. } | Self::Managed { .. } => ErrorKind::User,
            _ => ErrorKind::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Managed { command, .. } => format!("run `{command}`"),
            Self::Downgrade { wanted, .. } => {
                format!("run `vectorcode upgrade --version {wanted} --force` if you mean it")
            }
            Self::NoPermission { .. } if cfg!(windows) => {
                "run `vectorcode upgrade` in a terminal opened as administrator".to_owned()
            }
            Self::NoPermission { .. } => {
                "run `sudo vectorcode upgrade`, or install to a directory of your own".to_owned()
            }
            Self::NotFound { .. } | Self::UnknownPlatform { .. } => {
                "build it with `cargo install --git https://github.com/alejandro-technology/vectorcode vectorcode`"
                    .to_owned()
            }
            Self::Download { .. } => {
                "check the connection, or set VECTORCODE_RELEASES_URL to a mirror".to_owned()
            }
            Self::WrongChecksum { .. } | Self::BadArchive { .. } | Self::NoBinary { .. } => {
                "run `vectorcode upgrade` again; if it stays, report the release".to_owned()
            }
            _ => return None,
        })
    }
}
