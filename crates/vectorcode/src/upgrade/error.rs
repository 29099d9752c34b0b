//! Errors of an upgrade. After any of them, the old binary is still installed.

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

    #[error("this build has no release key, so a download cannot be verified")]
    NoReleaseKey,

    #[error("the release key is not a minisign public key: {message}")]
    BadReleaseKey { message: String },

    #[error("{file} has no signature")]
    NotSigned { file: String },

    #[error("the signature of {file} is not valid: {message}")]
    BadSignature { file: String, message: String },

    #[error("the signature is for `{found}`, not for `{expected}`")]
    OtherSignature { expected: String, found: String },

    #[error("{file} contains no binary `{binary}`")]
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
            Self::NotFound { .. } | Self::UnknownPlatform { .. } | Self::NoReleaseKey => {
                "build it with `cargo install --git https://github.com/alejandro-technology/vectorcode vectorcode`"
                    .to_owned()
            }
            Self::Download { .. } => {
                "check the connection, or set VECTORCODE_RELEASES_URL to a mirror".to_owned()
            }
            Self::BadReleaseKey { .. } => {
                "VECTORCODE_RELEASES_KEY is the second line of a minisign.pub".to_owned()
            }
            Self::NotSigned { .. } | Self::BadSignature { .. } | Self::OtherSignature { .. } => {
                "nothing was installed; run `vectorcode upgrade` again, and report it if the error stays".to_owned()
            }
            Self::BadArchive { .. } | Self::NoBinary { .. } => {
                "run `vectorcode upgrade` again, and report the release if the error stays".to_owned()
            }
            _ => return None,
        })
    }
}
