//! Release archives: their name for this platform, and extracting the binary.

use std::env::consts::{ARCH, OS};
use std::io::{Cursor, Read};

use flate2::read::GzDecoder;
use vectorcode_core::read_bounded;

use super::error::UpgradeError;

/// The name of the binary, in the archive and on disk.
const BINARY: &str = if cfg!(windows) { "vectorcode.exe" } else { "vectorcode" };

/// Ten times the size of a binary: decompressing a small archive must not exhaust the memory.
const MAX_BINARY_BYTES: u64 = 512 << 20;
/// The archive has a few small files before the binary.
const MAX_UNPACKED_BYTES: u64 = 2 * MAX_BINARY_BYTES;

#[derive(Debug)]
pub struct Archive {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    TarGz,
    Zip,
}

impl Archive {
    /// `vectorcode-<os>-<arch>.tar.gz`, or `.zip` on Windows. `install.sh` expects the same names.
    pub fn for_this_platform() -> Result<Self, UpgradeError> {
        let (os, kind, suffix) = match OS {
            "linux" => ("linux", Kind::TarGz, "tar.gz"),
            "macos" => ("darwin", Kind::TarGz, "tar.gz"),
            "windows" => ("windows", Kind::Zip, "zip"),
            _ => return Err(UpgradeError::UnknownPlatform { os: OS, arch: ARCH }),
        };
        match ARCH {
            "x86_64" | "aarch64" => Ok(Self { name: format!("vectorcode-{os}-{ARCH}.{suffix}"), kind }),
            _ => Err(UpgradeError::UnknownPlatform { os: OS, arch: ARCH }),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Extracts the binary. Nothing is unpacked to disk and paths in the archive are ignored, so it cannot write elsewhere.
    pub fn binary(&self, bytes: &[u8]) -> Result<Vec<u8>, UpgradeError> {
        let found = match self.kind {
            Kind::TarGz => from_tar(bytes),
            Kind::Zip => from_zip(bytes),
        };
        found
            .map_err(|message| UpgradeError::BadArchive { file: self.name.clone(), message })?
            .ok_or_else(|| UpgradeError::NoBinary { file: self.name.clone(), binary: BINARY })
    }
}

fn from_tar(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut archive = tar::Archive::new(GzDecoder::new(bytes).take(MAX_UNPACKED_BYTES));
    for entry in archive.entries().map_err(text)? {
        let entry = entry.map_err(text)?;
        let is_binary = entry.path().map_err(text)?.file_name().is_some_and(|name| name == BINARY);
        if is_binary && entry.header().entry_type().is_file() {
            return read_bounded(entry, MAX_BINARY_BYTES).map(Some).map_err(text);
        }
    }
    Ok(None)
}

fn from_zip(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let names = archive.file_names().flatten().map(std::borrow::Cow::into_owned);
    let mut binaries = names.filter(|name| name.rsplit('/').next() == Some(BINARY));
    let Some(name) = binaries.next() else { return Ok(None) };
    drop(binaries);
    let file = archive.by_name(&name).map_err(|error| error.to_string())?;
    read_bounded(file, MAX_BINARY_BYTES).map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn zip_with(name: &str) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(b"program").unwrap();
        writer.finish().unwrap().into_inner()
    }

    fn zip_archive() -> Archive {
        Archive { name: "vectorcode-windows-x86_64.zip".to_owned(), kind: Kind::Zip }
    }

    #[test]
    fn the_binary_comes_out_of_a_zip_file() {
        let bytes = zip_with(&format!("vectorcode-0.2.0/{BINARY}"));
        assert_eq!(zip_archive().binary(&bytes).unwrap(), b"program");
    }

    #[test]
    fn an_archive_without_the_binary_is_named() {
        let error = zip_archive().binary(&zip_with("README.md")).unwrap_err();
        assert!(matches!(error, UpgradeError::NoBinary { .. }), "{error}");
    }

    #[test]
    fn garbage_is_not_an_archive() {
        let tar = Archive { name: "vectorcode-linux-x86_64.tar.gz".to_owned(), kind: Kind::TarGz };
        assert!(matches!(tar.binary(b"garbage"), Err(UpgradeError::BadArchive { .. })));
        assert!(matches!(zip_archive().binary(b"garbage"), Err(UpgradeError::BadArchive { .. })));
    }
}
