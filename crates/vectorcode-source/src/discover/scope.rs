//! Decides whether a file belongs to the index. The same code is used for a walk and for a single path.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use vectorcode_core::config::IndexingConfig;
use vectorcode_core::{SkipReason, canonical, file_name, parent_folder, with_slashes};

use super::content::{self, FileContent, SizeLimit};
use super::extensions::Extensions;
use super::git::GITIGNORE;
use super::names;
use super::rules::{DirectoryRules, Rules, Ruling};
use super::tree::{CommittedFiles, FileKind, FileMetadata, Tree};
use super::vectorcodeignore::{SOCRATICODEIGNORE, VECTORCODEIGNORE};
use super::{shebang, unknown};
use crate::SourceError;
use crate::languages::{self, Language};

/// A file that belongs to the index.
#[derive(Clone, Debug)]
pub struct FoundFile {
    /// Relative to the project root, with `/` on every platform.
    pub path: String,
    /// Nanoseconds since 1970. Negative for earlier times.
    pub mtime_ns: i64,
    /// When the content or metadata of the file last changed, which no program can set back. Equal to `mtime_ns` on systems
    /// that do not record it.
    pub changed_ns: i64,
    pub size: u64,
    pub language: &'static Language,
}

/// The rules of one project, read once. Create a new scope when [`Scope::is_rule_file`] is true for a changed file.
#[derive(Debug)]
pub struct Scope {
    root: PathBuf,
    tree: Tree,
    rules: Rules,
    extensions: Extensions,
    size_limit: SizeLimit,
    /// Directories that contain files of unknown type, and whether there are too many of them to index.
    crowded: RwLock<HashMap<String, bool>>,
}

impl Scope {
    pub fn new(root: &Path, config: &IndexingConfig) -> Result<Self, SourceError> {
        Self::with_artifacts(root, config, &[])
    }

    /// `artifacts` are files and directories below the root that are indexed even if ignore files exclude them.
    /// Inside such a directory the ignore files apply again, but text files of every type are indexed.
    pub fn with_artifacts(
        root: &Path,
        config: &IndexingConfig,
        artifacts: &[String],
    ) -> Result<Self, SourceError> {
        Self::build(root, config, artifacts, Tree::on_disk)
    }

    /// The files that a checkout of a commit would contain, read from the commit. Rules outside of the project apply as they
    /// do on disk.
    pub fn of_commit(
        root: &Path,
        config: &IndexingConfig,
        artifacts: &[String],
        files: Arc<dyn CommittedFiles>,
    ) -> Result<Self, SourceError> {
        Self::build(root, config, artifacts, |_| Tree::Commit(files))
    }

    fn build(
        root: &Path,
        config: &IndexingConfig,
        artifacts: &[String],
        tree: impl FnOnce(&Path) -> Tree,
    ) -> Result<Self, SourceError> {
        let root = canonical(root).map_err(|cause| SourceError::Root { path: root.to_path_buf(), cause })?;
        if !root.is_dir() {
            return Err(SourceError::NotADirectory { path: root });
        }
        let tree = tree(&root);
        let rules = Rules::new(&root, tree.clone(), config, artifacts)
            .map_err(|cause| SourceError::IgnorePattern { cause })?;
        let size_limit = SizeLimit::new(config.max_file_size);
        let extensions = Extensions::new(config)?;
        Ok(Self { root, tree, rules, extensions, size_limit, crowded: RwLock::default() })
    }

    /// The canonical path of the project root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// True for files that define rules: a change to one may change which files are indexed.
    pub fn is_rule_file(path: &Path) -> bool {
        let rule_files = [GITIGNORE, VECTORCODEIGNORE, SOCRATICODEIGNORE];
        path.file_name().is_some_and(|name| rule_files.iter().any(|known| name == *known))
    }

    /// Whether discovery would include this file. The path is absolute or relative to the root. A path through a
    /// linked directory is resolved first. A path that does not exist or is not a file is reported as unreadable.
    pub fn classify(&self, path: &Path) -> Result<FoundFile, SkipReason> {
        if matches!(self.tree, Tree::Commit(_)) {
            let path = self.relative(&self.root.join(path))?;
            return self
                .classify_file(&self.directory(parent_folder(&path)), &path, || self.tree.metadata(&path));
        }
        let absolute = self.root.join(path);
        let (Some(directory), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Err(SkipReason::Unreadable);
        };
        let directory = canonical(directory).map_err(|_| SkipReason::Unreadable)?;
        let place = directory.join(name);
        let path = self.relative(&place)?;
        let rules = self.directory(parent_folder(&path));
        self.classify_file(&rules, &path, || fs::symlink_metadata(place).map(FileMetadata::from))
    }

    /// Whether something exists at this path, regardless of the rules.
    pub fn is_there(&self, path: &Path) -> bool {
        self.relative(&self.root.join(path)).is_ok_and(|path| self.tree.has(&path))
    }

    /// Whether discovery would enter this directory. A directory that it does not enter need not be watched.
    pub fn enters(&self, directory: &Path) -> bool {
        let Ok(directory) = canonical(&self.root.join(directory)) else { return false };
        directory == self.root || self.relative(&directory).is_ok_and(|path| self.directory(&path).is_open())
    }

    /// Reads a file that was found earlier. The result describes the file as it is now, since it may have changed.
    pub fn read(&self, file: &FoundFile) -> Result<FileContent, SkipReason> {
        FileContent::read(&self.tree, &file.path, file.language, self.size_limit, self.rules.exhaustion())
    }

    /// Fails if the system was ever out of file descriptors or memory: a file that could not be found or read may then still
    /// exist.
    pub fn check_exhaustion(&self) -> Result<(), SourceError> {
        self.rules.exhaustion().check()
    }

    pub(super) fn note_exhaustion(&self, error: &io::Error) {
        self.rules.exhaustion().note(error);
    }

    /// Whether [`Scope::read`] would reject the file as binary. Reads only the start of the file.
    pub fn is_binary(&self, file: &FoundFile) -> bool {
        content::is_binary(&self.tree, &file.path)
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Whether the rules admit a file, by its path alone.
    pub(super) fn admits(&self, path: &str) -> bool {
        let rules = self.directory(parent_folder(path));
        rules.is_open() && self.judge_name(&rules, path).is_ok()
    }

    pub(super) fn directory(&self, path: &str) -> Arc<DirectoryRules> {
        self.rules.directory(path)
    }

    /// The reason why discovery does not enter a directory.
    pub(super) fn why_closed(&self, path: &str) -> SkipReason {
        self.rules.why_closed(path)
    }

    /// The path as it is stored in the index, relative to the root.
    pub(super) fn relative(&self, absolute: &Path) -> Result<String, SkipReason> {
        let below = absolute.strip_prefix(&self.root).map_err(|_| SkipReason::OutsideRoot)?;
        let path = below.to_str().ok_or(SkipReason::Unreadable)?;
        Ok(with_slashes(path).into_owned())
    }

    /// Checks the rules and the name first, and accesses the disk only for files that pass.
    pub(super) fn classify_file(
        &self,
        rules: &DirectoryRules,
        path: &str,
        metadata: impl FnOnce() -> io::Result<FileMetadata>,
    ) -> Result<FoundFile, SkipReason> {
        let language = self.judge_name(rules, path)?;
        let unreadable = |error| {
            self.note_exhaustion(&error);
            SkipReason::Unreadable
        };
        let metadata = metadata().map_err(unreadable)?;
        match metadata.kind {
            FileKind::Regular => {}
            FileKind::Link => return Err(self.judge_link(path)),
            FileKind::Other => return Err(SkipReason::Unreadable),
        }
        let language = match language {
            Some(language) => language,
            None => self.judge_start(path, &metadata)?,
        };
        let FileMetadata { size, mtime_ns, changed_ns, .. } = metadata;
        if size > self.size_limit.of(language) {
            return Err(SkipReason::TooLarge);
        }
        Ok(FoundFile { path: path.to_owned(), mtime_ns, changed_ns, size, language })
    }

    /// `None` if the name does not determine the language.
    fn judge_name(
        &self,
        rules: &DirectoryRules,
        path: &str,
    ) -> Result<Option<&'static Language>, SkipReason> {
        let name = file_name(path);
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
        Ok(language)
    }

    /// Decides by the first bytes of a file whose name does not tell: a script, hand-written text, or neither.
    fn judge_start(&self, path: &str, metadata: &FileMetadata) -> Result<&'static Language, SkipReason> {
        let may_be_text = metadata.size <= unknown::MAX_BYTES && !self.is_crowded(parent_folder(path));
        let is_data = unknown::is_data_name(file_name(path));
        // Most files of unknown type are data. Only those that may be something else are opened.
        if metadata.size == 0 || is_data || !(may_be_text || metadata.is_executable) {
            return Err(SkipReason::UnknownType);
        }
        let bytes = if may_be_text { unknown::PEEKED_BYTES } else { shebang::SHEBANG_BYTES };
        let head = self.tree.read(path, bytes as u64).map_err(|error| {
            self.note_exhaustion(&error);
            SkipReason::Unreadable
        })?;
        let as_text = || languages::other_text().filter(|_| may_be_text && unknown::is_written_text(&head));
        shebang::language(&head).or_else(as_text).ok_or(SkipReason::UnknownType)
    }

    /// Whether a directory has too many files of unknown type. Counted once, when the first of them is found.
    fn is_crowded(&self, directory: &str) -> bool {
        let known = self.crowded.read().unwrap_or_else(PoisonError::into_inner).get(directory).copied();
        known.unwrap_or_else(|| {
            let is_crowded = self.unknown_files(directory) > unknown::MAX_PER_DIRECTORY;
            let mut crowded = self.crowded.write().unwrap_or_else(PoisonError::into_inner);
            crowded.insert(directory.to_owned(), is_crowded);
            is_crowded
        })
    }

    fn unknown_files(&self, directory: &str) -> usize {
        let is_unknown =
            |name: &String| self.extensions.language(name).is_none() && !unknown::is_data_name(name);
        self.tree.file_names(directory).iter().filter(|name| is_unknown(name)).count()
    }

    /// Links are never followed. Inside the project, a link is only a second path to a file that is indexed at its
    /// own path.
    fn judge_link(&self, path: &str) -> SkipReason {
        match canonical(&self.root.join(path)) {
            Ok(target) if target.starts_with(&self.root) => SkipReason::Link,
            Ok(_) => SkipReason::OutsideRoot,
            Err(_) => SkipReason::Unreadable,
        }
    }
}
