//! The traits that a storage backend implements: exactly what the engine needs. [`crate::SqliteStore`] and
//! [`crate::PostgresStore`] implement them, and every backend has to pass the same tests (`tests/it/suite`).

mod commits;
mod query;
mod records;

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use vectorcode_core::api::Coverage;
use vectorcode_core::{CancelToken, CommitId, Import, Reference, SkipReason, VectorSpace, is_within};

use crate::StoreError;

pub use self::commits::{CommitText, CommitUpdate, StoredCommit, StoredHistory, WordCount};
pub use self::query::{
    CandidateQuery, ChunkFilter, NameMatch, NameQuery, PartQuery, TestCode, TextQuery, TextTerm,
};
pub use self::records::{
    Candidate, ChunkFacts, ChunkRow, ContentParts, ContentVersion, DefinitionMatch, FileRow, FileState,
    FileUpdate, IndexSize, IndexSpaces, IndexStats, NameHit, PartScores, PendingChunk, Preparation,
    PreparedFile, SourceFile, StoredChunk, StoredContent, StoredDefinition, StoredReference, TreeKey,
    WordFrequencies, WriteOutcome,
};

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// The index of one project: opens readers and writers, and takes locks.
pub trait Store: Send + Sync + Debug {
    /// Whether an index exists, even a damaged one.
    fn exists(&self) -> bool;

    /// The database server that holds the index, as shown to the user; `None` if the index is a file in a directory.
    fn database(&self) -> Option<String> {
        None
    }

    /// Opens the index for reading. Any number of processes may read while one writes.
    fn reader(&self) -> Result<Arc<dyn IndexReader>>;

    /// Opens the index for reading as of a commit ([`IndexWriter::write_tree`]); `None` if that commit is not indexed.
    fn tree_reader(&self, key: &TreeKey) -> Result<Option<Arc<dyn IndexReader>>>;

    /// Opens the index for adding a commit. Its reader lists the file versions that the commit may share. The caller holds
    /// [`LockRole::Write`].
    fn tree_writer(&self, _key: &TreeKey) -> Result<Box<dyn IndexWriter>> {
        self.writer()
    }

    /// Opens the index for writing, and migrates an older schema. The caller holds [`LockRole::Write`].
    fn writer(&self) -> Result<Box<dyn IndexWriter>>;

    /// Creates an empty index where there is none. The index appears complete or not at all.
    fn create(&self, spaces: &IndexSpaces) -> Result<Box<dyn IndexWriter>>;

    /// Starts building a new index next to the one in use. The caller holds [`LockRole::Embed`], which admits one rebuild at a
    /// time, and additionally [`LockRole::Write`] when it commits the rebuild.
    fn rebuild(&self, spaces: &IndexSpaces) -> Result<Box<dyn Rebuild>>;

    /// Moves a damaged index out of the way and returns where it is kept, as shown to the user.
    fn set_aside(&self) -> Result<String>;

    /// Deletes the index, if there is one, and everything else that the store created: leftovers of interrupted runs, damaged
    /// indexes that were set aside, and lock files. The caller has made sure that nobody writes, and holds no lock except
    /// [`LockRole::Remove`].
    fn remove(&self) -> Result<()>;

    /// Takes a lock. It is released when the guard is dropped or the process ends, however it ends.
    fn lock(&self, role: LockRole, when_held: WhenHeld<'_>) -> Result<Box<dyn LockGuard>>;

    /// Whether any process holds the lock right now.
    fn is_locked(&self, role: LockRole) -> bool;

    /// The process that holds the lock right now, in the form of [`crate::process_label`], if the system can tell.
    fn holder(&self, role: LockRole) -> Option<String>;
}

/// What a lock protects. Roles are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockRole {
    /// Writing to the index. Held for one pass over the files, and for each batch of vectors.
    Write,
    /// Embedding or rebuilding. Held for the whole run, so that two processes do not do the same work.
    Embed,
    /// Watching the file tree for changes. Held by one server.
    Watch,
    /// Deleting the index. Long-term holders of the other locks release them meanwhile.
    Remove,
}

impl LockRole {
    pub const ALL: [Self; 4] = [Self::Write, Self::Embed, Self::Watch, Self::Remove];
}

/// What to do while another process holds the lock.
#[derive(Clone, Copy, Debug)]
pub enum WhenHeld<'a> {
    /// Return an error that names the holder.
    Fail,
    /// Wait until the lock is free. If the token is cancelled first, return the same error as `Fail`.
    Wait(&'a CancelToken),
}

/// A held lock.
pub trait LockGuard: Send + Sync + Debug {
    /// Whether the lock is still held. A database server releases a lock when the connection is lost.
    fn is_held(&self) -> bool {
        true
    }
}

/// A new index under construction. The index in use is not touched until [`Self::commit`]; if this is dropped before, nothing
/// remains of it.
pub trait Rebuild: Send {
    fn writer(&mut self) -> &mut dyn IndexWriter;

    /// Replaces the old index with the new one. Readers see the old one until then and the new one afterwards.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// The read half of an index.
pub trait IndexReader: Send + Sync {
    fn files(&self) -> Result<HashMap<String, FileState>>;
    fn file(&self, path: &str) -> Result<Option<FileState>>;
    /// The files at these paths and below them. Backends should override this: an edit queries one path, not all files.
    fn files_within(&self, places: &[String]) -> Result<HashMap<String, FileState>> {
        let mut files = self.files()?;
        files.retain(|path, _| places.iter().any(|place| is_within(path, place)));
        Ok(files)
    }
    /// All statistics of the status report. This counts rows, which takes a tenth of a second at 250,000 chunks.
    fn stats(&self) -> Result<IndexStats>;
    /// The two figures that every run over changed files needs.
    fn size(&self) -> Result<IndexSize> {
        let IndexStats { files, chunks, .. } = self.stats()?;
        Ok(IndexSize { files, chunks })
    }
    /// The number of chunks that have no provider vector and may get one.
    fn pending_count(&self) -> Result<u64> {
        let IndexStats { chunks, embedded, refused, .. } = self.stats()?;
        Ok(chunks.saturating_sub(embedded + refused))
    }
    /// How many chunks have a provider vector. Cheaper than [`Self::stats`].
    fn coverage(&self) -> Result<Coverage>;
    /// The number of chunks that pass the filter.
    fn count(&self, filter: &ChunkFilter) -> Result<u64>;
    fn skipped(&self) -> Result<Vec<(SkipReason, u64)>>;
    fn meta(&self, key: &str) -> Result<Option<String>>;
    /// The vector spaces, fixed when the index is created or its provider changes.
    fn spaces(&self) -> Result<IndexSpaces>;
    /// A number that changes whenever the index does, in whatever process.
    fn version(&self) -> Result<i64>;
    /// A number that changes whenever a file is written or removed, but not when vectors are written.
    fn files_version(&self) -> Result<i64>;
    /// Reads the whole index and checks its integrity. Slow on a large index.
    fn verify(&self) -> Result<()>;
    /// Roughly how much memory the reader keeps between queries. Never blocks.
    fn memory_bytes(&self) -> usize;
    /// Drops what is cached from earlier queries, except for what every query needs. Never blocks on a query.
    fn shrink(&self);

    /// The chunks that any list of the query proposes, ordered by path and position. Not by row: rows depend on the order of
    /// edits. Ranking is left to the caller.
    fn candidates(&self, query: &CandidateQuery) -> Result<Vec<Candidate>>;
    /// Chunks with their texts, in the order of `rows`. Deleted chunks are left out.
    fn chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Arc<StoredChunk>>>;
    /// For each of these lower-case words, the number of chunks that contain it as an identifier or as a word of one.
    fn word_frequencies(&self, words: &[&str]) -> Result<WordFrequencies>;
    /// The paths of all files with one of these names, in any folder, ignoring case. Sorted.
    fn paths_named(&self, file_names: &[&str]) -> Result<Vec<String>>;
    /// The chunks of one file, in file order.
    fn chunks_of(&self, path: &str) -> Result<Vec<StoredChunk>>;
    fn definitions(&self, name: &NameMatch, filter: &ChunkFilter, k: usize) -> Result<Vec<DefinitionMatch>>;
    /// For each word that occurs nowhere in the index, the closest word that does: a spelling suggestion.
    fn spellings_of(&self, words: &[&str]) -> Result<Vec<Option<String>>>;
    /// The definitions of one file, in file order.
    fn definitions_of(&self, path: &str) -> Result<Vec<StoredDefinition>>;
    /// For each of these bare names, its definitions, ordered by path.
    fn definitions_named(&self, names: &[&str]) -> Result<Vec<Vec<StoredDefinition>>>;
    /// For each of these names, its references, ordered by path. Repeated references within one definition are listed once.
    fn references_named(&self, names: &[&str]) -> Result<Vec<Vec<StoredReference>>>;
    fn references_of(&self, path: &str) -> Result<Vec<Reference>>;
    /// Every import statement with the path of its file, ordered by path and line.
    fn imports(&self) -> Result<Vec<(String, Import)>>;
    /// All files, ordered by path.
    fn source_files(&self) -> Result<Vec<SourceFile>>;
    /// For each path, the file versions that a commit can share: that of the working tree first, then those of indexed commits.
    fn contents(&self) -> Result<HashMap<String, Vec<StoredContent>>>;
    /// The file versions at these paths that [`IndexWriter::link_files`] accepts.
    fn contents_at(&self, _paths: &[&str]) -> Result<HashMap<String, Vec<StoredContent>>> {
        Ok(HashMap::new())
    }
    /// The linked worktrees that share the index with the main one, by git's names for them.
    fn checkouts(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    /// The number of files of this commit that could not be read. Always 0 for the working tree.
    fn missing_files(&self) -> u64 {
        0
    }
    /// The indexed commits ([`IndexWriter::write_tree`]), and the commits that other worktrees have checked out.
    fn tree_commits(&self) -> Result<Vec<CommitId>> {
        Ok(Vec::new())
    }
    /// The commit history, without texts.
    fn history(&self) -> Result<StoredHistory>;
    /// A number that changes whenever the history does.
    fn history_version(&self) -> Result<i64>;
    /// The texts of these commits, in order; `None` for a commit that is gone, or that changed nothing in the project.
    fn commit_texts(&self, ids: &[CommitId]) -> Result<Vec<Option<CommitText>>>;
    /// Chunks without a provider vector: those of recently modified files first, generated and minified code last. If the tree
    /// being read has none, those of the other trees.
    fn pending(&self, k: usize) -> Result<Vec<PendingChunk>>;
    /// The provider vectors of these chunks, in order and normalised to length 1; `None` where there is none.
    fn provider_vectors(&self, rows: &[ChunkRow]) -> Result<Vec<Option<Vec<f32>>>>;
}

/// The write half of an index. Each call is one transaction.
pub trait IndexWriter: Send {
    /// Reads everything that is committed, including this writer's own transactions.
    fn reader(&self) -> &dyn IndexReader;

    fn write_files(&mut self, updates: &[FileUpdate]) -> Result<WriteOutcome>;
    /// The part of writing a file that needs no transaction. A backend provides one if that part is worth doing on other threads.
    fn preparation(&self) -> Preparation {
        |_| PreparedFile::default()
    }
    /// Like [`Self::write_files`], with the result of [`Self::preparation`] for each file.
    fn write_prepared(
        &mut self,
        updates: &[FileUpdate],
        _prepared: Vec<PreparedFile>,
    ) -> Result<WriteOutcome> {
        self.write_files(updates)
    }
    /// Updates the modification time of files whose content is unchanged.
    fn touch_files(&mut self, files: &[(String, FileState)]) -> Result<()>;
    fn remove_files(&mut self, paths: &[String]) -> Result<()>;
    /// Adds stored file versions ([`IndexReader::contents_at`]) to the files of this worktree, each with its modification time
    /// there.
    fn link_files(&mut self, _files: &[(FileRow, i64)]) -> Result<()> {
        Ok(())
    }
    /// Forgets linked worktrees and deletes the file versions that nothing else uses. Returns the number of deleted file
    /// versions.
    fn forget_checkouts(&mut self, _names: &[String]) -> Result<u64> {
        Ok(0)
    }
    /// Adds file versions that the working tree does not have, for [`Self::write_tree`], with the result of [`Self::preparation`]
    /// for each. Only for writers from [`Store::tree_writer`], as is [`Self::write_tree`].
    fn write_contents(&mut self, updates: &[FileUpdate], prepared: Vec<PreparedFile>) -> Result<()>;
    /// Records which file versions a commit has, and how many of its files cannot be read. They stay until the commit is
    /// forgotten, even if the working tree no longer has them.
    fn write_tree(&mut self, key: &TreeKey, files: &[FileRow], missing: u64) -> Result<()>;
    /// Deletes the trees that were written longer than `age` ago and all but the `most` newest, then the file versions that
    /// nothing uses. Returns the number of deleted file versions.
    fn forget_trees(&mut self, age: Duration, most: usize) -> Result<u64>;
    fn write_vectors(&mut self, vectors: &[(ChunkRow, Vec<f32>)]) -> Result<()>;
    /// Prepares the index for vectors of another space: deletes those of the old one, and every chunk becomes pending.
    fn change_provider(&mut self, space: &VectorSpace) -> Result<()>;
    /// Marks a chunk whose text the provider refused, so that [`IndexReader::pending`] does not return it again.
    fn refuse(&mut self, row: ChunkRow, reason: &str) -> Result<()>;
    /// Adds commits to the history and sets its head.
    fn write_commits(&mut self, head: &CommitId, commits: &[CommitUpdate]) -> Result<()>;
    /// Deletes all commits except `kept`, and returns how many of `kept` exist. If none is left, there is no history.
    fn keep_commits(&mut self, kept: &HashSet<CommitId>) -> Result<usize>;
    fn set_skipped(&mut self, counts: &[(SkipReason, u64)]) -> Result<()>;
    fn set_meta(&mut self, key: &str, value: &str) -> Result<()>;
    /// Deletes the rows of an intact index that contradict others, and the history; the next run writes both again. The vectors
    /// of all other chunks are kept.
    fn repair(&mut self) -> Result<()>;
    /// Merges what many small transactions wrote, and returns the space of deleted rows to the file system. Worth its time at the
    /// end of a long run.
    fn compact(&mut self) -> Result<()>;
}
