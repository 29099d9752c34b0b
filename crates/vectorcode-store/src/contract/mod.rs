//! What the engine needs of a store, and nothing more. SQLite is the first backend; a server database would be another
//! implementation of [`Store`], and has to pass the same tests (`tests/it/suite`).

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

/// The index of one project: where readers, writers and locks come from.
pub trait Store: Send + Sync + Debug {
    /// Whether there is an index, sound or not.
    fn exists(&self) -> bool;

    /// The server's database that keeps the index, in words for the user; `None` where files of a directory keep it.
    fn database(&self) -> Option<String> {
        None
    }

    /// Opens the index for reading. Any number of processes may read while one writes.
    fn reader(&self) -> Result<Arc<dyn IndexReader>>;

    /// Opens the index for reading as it is of a commit ([`IndexWriter::write_tree`]); `None` where it does not have that.
    fn tree_reader(&self, key: &TreeKey) -> Result<Option<Arc<dyn IndexReader>>>;

    /// Opens the index for adding a commit: the contents of its reader are those that the commit may share. The caller holds
    /// [`LockRole::Write`].
    fn tree_writer(&self, _key: &TreeKey) -> Result<Box<dyn IndexWriter>> {
        self.writer()
    }

    /// Opens the index for writing, and brings an older schema up to date. The caller holds [`LockRole::Write`].
    fn writer(&self) -> Result<Box<dyn IndexWriter>>;

    /// Makes an empty index where there is none. It appears whole or not at all.
    fn create(&self, spaces: &IndexSpaces) -> Result<Box<dyn IndexWriter>>;

    /// Begins a new index beside the one in use. The caller holds [`LockRole::Embed`], which admits one rebuild at a
    /// time, and also [`LockRole::Write`] when the rebuild is committed.
    fn rebuild(&self, spaces: &IndexSpaces) -> Result<Box<dyn Rebuild>>;

    /// Moves a damaged index out of the way and returns where it was kept, in words for the user.
    fn set_aside(&self) -> Result<String>;

    /// Deletes the index, if there is one, and everything else that the store made: what unfinished runs left, damaged
    /// indexes that were set aside, and locks. The caller has made sure that nobody writes, and holds no lock but
    /// [`LockRole::Remove`].
    fn remove(&self) -> Result<()>;

    /// Takes a lock, which is released when the guard is dropped or its process ends, however it ends.
    fn lock(&self, role: LockRole, when_held: WhenHeld<'_>) -> Result<Box<dyn LockGuard>>;

    /// Whether some process holds a lock right now.
    fn is_locked(&self, role: LockRole) -> bool;

    /// The process that holds a lock right now, as [`crate::process_label`] writes it, where the system tells.
    fn holder(&self, role: LockRole) -> Option<String>;
}

/// What a lock protects. The roles are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockRole {
    /// Writing to the index: held for one pass over the files, and for each batch of vectors.
    Write,
    /// Embedding or rebuilding: held for as long as that takes, so that nobody does it twice.
    Embed,
    /// Following the changes of the tree: held by one server.
    Watch,
    /// Held to delete the index; long-term holders of the other locks release them meanwhile.
    Remove,
}

impl LockRole {
    pub const ALL: [Self; 4] = [Self::Write, Self::Embed, Self::Watch, Self::Remove];
}

/// What to do while another process holds a lock.
#[derive(Clone, Copy, Debug)]
pub enum WhenHeld<'a> {
    /// Return an error that names the holder.
    Fail,
    /// Wait until it is free or the token is cancelled; then the error is the same.
    Wait(&'a CancelToken),
}

/// A lock that is held.
pub trait LockGuard: Send + Sync + Debug {
    /// Whether it is still held: a server releases the locks of a connection that is lost.
    fn is_held(&self) -> bool {
        true
    }
}

/// A new index that is being built. Until it is committed the one in use is not touched; dropped before that, nothing
/// is left behind.
pub trait Rebuild: Send {
    fn writer(&mut self) -> &mut dyn IndexWriter;

    /// Puts the new index in the place of the old one. Readers see the old one until then, and the new one afterwards.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// The reading half.
pub trait IndexReader: Send + Sync {
    fn files(&self) -> Result<HashMap<String, FileState>>;
    fn file(&self, path: &str) -> Result<Option<FileState>>;
    /// The files at these places, and those below them. An edit asks for one path, so a backend should not read them all.
    fn files_within(&self, places: &[String]) -> Result<HashMap<String, FileState>> {
        let mut files = self.files()?;
        files.retain(|path, _| places.iter().any(|place| is_within(path, place)));
        Ok(files)
    }
    /// Everything that a status shows. It counts rows, which takes a tenth of a second at 250,000 chunks.
    fn stats(&self) -> Result<IndexStats>;
    /// The two figures that each run over changed files needs.
    fn size(&self) -> Result<IndexSize> {
        let IndexStats { files, chunks, .. } = self.stats()?;
        Ok(IndexSize { files, chunks })
    }
    /// How many chunks have no provider vector, and may get one.
    fn pending_count(&self) -> Result<u64> {
        let IndexStats { chunks, embedded, refused, .. } = self.stats()?;
        Ok(chunks.saturating_sub(embedded + refused))
    }
    /// How many chunks have a provider vector. Cheaper than all of [`Self::stats`].
    fn coverage(&self) -> Result<Coverage>;
    /// How many chunks pass the filter.
    fn count(&self, filter: &ChunkFilter) -> Result<u64>;
    fn skipped(&self) -> Result<Vec<(SkipReason, u64)>>;
    fn meta(&self, key: &str) -> Result<Option<String>>;
    /// The spaces of the vectors, fixed when the index was made, or when its provider changed.
    fn spaces(&self) -> Result<IndexSpaces>;
    /// A number that changes whenever the index does, in whatever process.
    fn version(&self) -> Result<i64>;
    /// A number that changes whenever a file was written or removed, but not with vectors.
    fn files_version(&self) -> Result<i64>;
    /// Reads the whole index and checks that it is sound. Slow on a large one.
    fn verify(&self) -> Result<()>;
    /// About how much memory it keeps between queries. Never waits.
    fn memory_bytes(&self) -> usize;
    /// Drops what it keeps of earlier queries, but not what every query reads. Never waits for a query.
    fn shrink(&self);

    /// The chunks that any list of the query proposes, ordered by path and position: not by row, which depends on the order
    /// of edits. Ranking them is the caller's.
    fn candidates(&self, query: &CandidateQuery) -> Result<Vec<Candidate>>;
    /// Chunks with their texts, in this order; those that are gone are left out.
    fn chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Arc<StoredChunk>>>;
    /// How many chunks hold each of these lower-case words, as a whole identifier or as a word of one.
    fn word_frequencies(&self, words: &[&str]) -> Result<WordFrequencies>;
    /// The paths of files that are called so, in whatever folder; case is ignored. In order.
    fn paths_named(&self, file_names: &[&str]) -> Result<Vec<String>>;
    /// The chunks of one file in file order.
    fn chunks_of(&self, path: &str) -> Result<Vec<StoredChunk>>;
    fn definitions(&self, name: &NameMatch, filter: &ChunkFilter, k: usize) -> Result<Vec<DefinitionMatch>>;
    /// For each of these words that occurs nowhere, a word of the names in the index that is nearly it: a spelling to suggest.
    fn spellings_of(&self, words: &[&str]) -> Result<Vec<Option<String>>>;
    /// The definitions of one file in file order.
    fn definitions_of(&self, path: &str) -> Result<Vec<StoredDefinition>>;
    /// For each of these bare names, its definitions, ordered by path.
    fn definitions_named(&self, names: &[&str]) -> Result<Vec<Vec<StoredDefinition>>>;
    /// For each of these names, the references to it, ordered by path. One that repeats within a definition is listed
    /// once.
    fn references_named(&self, names: &[&str]) -> Result<Vec<Vec<StoredReference>>>;
    fn references_of(&self, path: &str) -> Result<Vec<Reference>>;
    /// Every import statement with the path of its file, ordered by path and line.
    fn imports(&self) -> Result<Vec<(String, Import)>>;
    /// All files, ordered by path.
    fn source_files(&self) -> Result<Vec<SourceFile>>;
    /// For each path its contents that a commit can share: of the working tree first, then of commits that were asked about.
    fn contents(&self) -> Result<HashMap<String, Vec<StoredContent>>>;
    /// The contents that the index has at these paths and [`IndexWriter::link_files`] takes.
    fn contents_at(&self, _paths: &[&str]) -> Result<HashMap<String, Vec<StoredContent>>> {
        Ok(HashMap::new())
    }
    /// The linked work trees that share the index with the main one, by the names that git gives them.
    fn checkouts(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    /// How many files of the commit that is read could not be read themselves; none of the working tree.
    fn missing_files(&self) -> u64 {
        0
    }
    /// The commits that were asked about ([`IndexWriter::write_tree`]), and those that other work trees have checked out.
    fn tree_commits(&self) -> Result<Vec<CommitId>> {
        Ok(Vec::new())
    }
    /// The repository's history, without its texts.
    fn history(&self) -> Result<StoredHistory>;
    /// A number that changes whenever the history does.
    fn history_version(&self) -> Result<i64>;
    /// The texts of these commits, in their order; `None` for one that is gone or says nothing about the project.
    fn commit_texts(&self, ids: &[CommitId]) -> Result<Vec<Option<CommitText>>>;
    /// Chunks without a provider vector, those of recently modified files first; generated and minified code last.
    /// When the tree that is read has none, those of the other trees.
    fn pending(&self, k: usize) -> Result<Vec<PendingChunk>>;
    /// The provider vectors of these chunks, in their order and of length 1; `None` where there is none.
    fn provider_vectors(&self, rows: &[ChunkRow]) -> Result<Vec<Option<Vec<f32>>>>;
}

/// The writing half: each call is one transaction.
pub trait IndexWriter: Send {
    /// Reads what has been committed, this writer's own transactions included.
    fn reader(&self) -> &dyn IndexReader;

    fn write_files(&mut self, updates: &[FileUpdate]) -> Result<WriteOutcome>;
    /// The part of writing a file that needs no transaction. A backend has one if that part is worth another thread.
    fn preparation(&self) -> Preparation {
        |_| PreparedFile::default()
    }
    /// [`Self::write_files`] of files with what [`Self::preparation`] made of each.
    fn write_prepared(
        &mut self,
        updates: &[FileUpdate],
        _prepared: Vec<PreparedFile>,
    ) -> Result<WriteOutcome> {
        self.write_files(updates)
    }
    /// The content is the same, only the modification time changed.
    fn touch_files(&mut self, files: &[(String, FileState)]) -> Result<()>;
    fn remove_files(&mut self, paths: &[String]) -> Result<()>;
    /// Makes contents that the index has ([`IndexReader::contents_at`]) files of the work tree, each with its time there.
    fn link_files(&mut self, _files: &[(FileRow, i64)]) -> Result<()> {
        Ok(())
    }
    /// Forgets linked work trees, and deletes the contents that nothing else has. Returns how many these were.
    fn forget_checkouts(&mut self, _names: &[String]) -> Result<u64> {
        Ok(0)
    }
    /// Adds contents that the working tree does not have, for [`Self::write_tree`], with what [`Self::preparation`] made of each. This and
    /// [`Self::write_tree`] belong to a writer from [`Store::tree_writer`].
    fn write_contents(&mut self, updates: &[FileUpdate], prepared: Vec<PreparedFile>) -> Result<()>;
    /// Notes which contents a commit has, and how many files cannot be read. They stay until the tree is forgotten, even if the
    /// working tree no longer has them.
    fn write_tree(&mut self, key: &TreeKey, files: &[FileRow], missing: u64) -> Result<()>;
    /// Deletes the trees that were written longer ago than `age`, and those beyond the newest `most`; and the contents that
    /// nothing has any more. Returns how many contents were deleted.
    fn forget_trees(&mut self, age: Duration, most: usize) -> Result<u64>;
    fn write_vectors(&mut self, vectors: &[(ChunkRow, Vec<f32>)]) -> Result<()>;
    /// Makes room for vectors of another space: those of the old one are deleted, and every chunk becomes pending.
    fn change_provider(&mut self, space: &VectorSpace) -> Result<()>;
    /// The provider refuses this text: do not offer it again.
    fn refuse(&mut self, row: ChunkRow, reason: &str) -> Result<()>;
    /// Adds commits to the history, which is that of `head` from now on.
    fn write_commits(&mut self, head: &CommitId, commits: &[CommitUpdate]) -> Result<()>;
    /// Deletes the commits that are not among these, and returns how many of these there are. With none left there is no
    /// history.
    fn keep_commits(&mut self, kept: &HashSet<CommitId>) -> Result<usize>;
    fn set_skipped(&mut self, counts: &[(SkipReason, u64)]) -> Result<()>;
    fn set_meta(&mut self, key: &str, value: &str) -> Result<()>;
    /// Deletes the rows of a sound index that contradict others, and the history: what a run after it writes again. Vectors of
    /// all other chunks are kept.
    fn repair(&mut self) -> Result<()>;
    /// Brings what was written bit by bit together, and gives the space that deleted rows left free back to the disk. Worth its
    /// time at the end of a long run.
    fn compact(&mut self) -> Result<()>;
}
