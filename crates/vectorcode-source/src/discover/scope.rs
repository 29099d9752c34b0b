//! The one answer to "is this file part of the project's index?", for a walk as for a single path.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use vectorcode_core::config::IndexingConfig;
use vectorcode_core::{SkipReason, canonical, with_slashes};

use super::content::{self, FileContent};
use super::extensions::Extensions;
use super::git::GITIGNORE;
use super::names;
use super::own_rules::VECTORCODEIGNORE;
use super::rules::{self, DirectoryRules, Rules, Ruling};
use crate::SourceError;
use crate::languages::{self, Language};

/// A file that belongs to the index.
#[derive(Clone, Debug)]
pub struct FoundFile {
    /// Relative to the project root, with `/` on every platform.
    pub path: String,
    /// Nanoseconds since 1970; negative before.
    pub mtime_ns: i64,
    pub size: u64,
    pub language: &'static Language,
}

/// The rules of one project, read once. Make a new one when [`Scope::is_rule_file`] says that a rule changed.
#[derive(Debug)]
pub struct Scope {
    root: PathBuf,
    rules: Rules,
    extensions: Extensions,
    max_file_size: u64,
}

impl Scope {
    pub fn new(root: &Path, config: &IndexingConfig) -> Result<Self, SourceError> {
        Self::with_artifacts(root, config, &[])
    }

    /// `artifacts` are files and directories below the root that belong to the index whatever the ignore files say
    /// of them. Inside such a directory the ignore files hold again, but every text counts, of whatever type.
    pub fn with_artifacts(
        root: &Path,
        config: &IndexingConfig,
        artifacts: &[String],
    ) -> Result<Self, SourceError> {
        let root = canonical(root).map_err(|cause| SourceError::Root { path: root.to_path_buf(), cause })?;
        if !root.is_dir() {
            return Err(SourceError::NotADirectory { path: root });
        }
        let rules = Rules::new(&root, &config.exclude_dirs, artifacts)
            .map_err(|cause| SourceError::ExcludeDirs { cause })?;
        Ok(Self { root, rules, extensions: Extensions::new(config)?, max_file_size: config.max_file_size })
    }

    /// The canonical path of the project root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// True for files whose change may change what the index holds.
    pub fn is_rule_file(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == GITIGNORE || name == VECTORCODEIGNORE)
    }

    /// Whether discovery would take this file, given by its absolute path or relative to the root. A path through a
    /// linked directory is answered for the place it leads to. What is gone, or no file, is unreadable.
    pub fn judge(&self, path: &Path) -> Result<FoundFile, SkipReason> {
        let absolute = self.root.join(path);
        let (Some(directory), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Err(SkipReason::Unreadable);
        };
        let directory = canonical(directory).map_err(|_| SkipReason::Unreadable)?;
        let place = directory.join(name);
        let path = self.relative(&place)?;
        let rules = self.directory(rules::parent(&path));
        self.judge_file(&rules, &path, || fs::symlink_metadata(place))
    }

    /// Whether discovery would look into this directory: what it would not enter need not be watched.
    pub fn enters(&self, directory: &Path) -> bool {
        let Ok(directory) = canonical(&self.root.join(directory)) else { return false };
        directory == self.root || self.relative(&directory).is_ok_and(|path| self.directory(&path).is_open())
    }

    /// Reads a file that was found. It may have changed since: the answer is about the file as it is now.
    pub fn read(&self, file: &FoundFile) -> Result<FileContent, SkipReason> {
        FileContent::read(&self.root.join(&file.path), self.max_file_size)
    }

    /// Whether [`Scope::read`] would refuse the file as binary. Looks at its beginning only.
    pub fn is_binary(&self, file: &FoundFile) -> bool {
        content::is_binary(&self.root.join(&file.path))
    }

    pub(super) fn directory(&self, path: &str) -> Arc<DirectoryRules> {
        self.rules.directory(path)
    }

    /// A path below the root as the index names it.
    pub(super) fn relative(&self, absolute: &Path) -> Result<String, SkipReason> {
        let below = absolute.strip_prefix(&self.root).map_err(|_| SkipReason::OutsideRoot)?;
        let path = below.to_str().ok_or(SkipReason::Unreadable)?;
        Ok(with_slashes(path).into_owned())
    }

    /// Judges by rules and name first, and asks the disk only for files that pass.
    pub(super) fn judge_file(
        &self,
        rules: &DirectoryRules,
        path: &str,
        metadata: impl FnOnce() -> io::Result<Metadata>,
    ) -> Result<FoundFile, SkipReason> {
        let language = self.judge_name(rules, path)?;
        let metadata = metadata().map_err(|_| SkipReason::Unreadable)?;
        if metadata.is_symlink() {
            return Err(self.judge_link(path));
        }
        if !metadata.is_file() {
            return Err(SkipReason::Unreadable);
        }
        if metadata.len() > self.max_file_size {
            return Err(SkipReason::TooLarge);
        }
        Ok(FoundFile { path: path.to_owned(), mtime_ns: mtime_ns(&metadata), size: metadata.len(), language })
    }

    fn judge_name(&self, rules: &DirectoryRules, path: &str) -> Result<&'static Language, SkipReason> {
        let name = rules::file_name(path);
        let ruling = self.rules.rule(rules, path, false);
        if ruling == Ruling::Excluded {
            return Err(SkipReason::Ignored);
        }
        if names::is_secret(path) {
            return Err(SkipReason::Secret);
        }
        let is_of_artifact = self.rules.is_of_artifact(path);
        let language =
            self.extensions.language(name).or_else(|| languages::plain_text().filter(|_| is_of_artifact));
        if ruling == Ruling::Included {
            if names::is_hidden_file(name) && !language.is_some_and(|known| known.file_names.contains(&name))
            {
                return Err(SkipReason::Hidden);
            }
            if self.extensions.excludes(name) {
                return Err(SkipReason::ExcludedExtension);
            }
        }
        language.ok_or(SkipReason::UnknownType)
    }

    /// Links are never followed: inside the project they are a second way to a file that is read at its place.
    fn judge_link(&self, path: &str) -> SkipReason {
        match canonical(&self.root.join(path)) {
            Ok(target) if target.starts_with(&self.root) => SkipReason::Link,
            Ok(_) => SkipReason::OutsideRoot,
            Err(_) => SkipReason::Unreadable,
        }
    }
}

fn mtime_ns(metadata: &Metadata) -> i64 {
    let Ok(modified) = metadata.modified() else { return 0 };
    match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i64,
        Err(before) => -(before.duration().as_nanos() as i64),
    }
}
