//! What filters ask about each chunk, in memory: twelve bytes a chunk and one entry a file.

use std::collections::HashMap;

use rusqlite::{Connection, Row};
use vectorcode_core::{ContentClass, DefinitionKind, is_within};

use crate::contract::{ChunkFilter, Result, TestCode};
use crate::path_matcher::PathMatcher;
use crate::sqlite::enum_codes::{self, TraitBits};
use crate::sqlite::row_bitmap::{RowBitmap, checked_row};

#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkAttributes {
    /// By row id; a row that does not exist belongs to file 0, which does not exist either.
    chunks: Vec<ChunkEntry>,
    files: HashMap<u32, FileEntry>,
    labels: HashMap<String, u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ChunkEntry {
    file: u32,
    /// Of all kinds of nodes in it.
    kinds: u32,
    traits: TraitBits,
}

#[derive(Clone, Debug)]
struct FileEntry {
    path: String,
    language: u32,
    class: ContentClass,
}

/// A filter whose patterns have been checked.
#[derive(Debug)]
pub(crate) struct CompiledFilter {
    filter: ChunkFilter,
    paths: PathMatcher,
}

impl CompiledFilter {
    /// `None` when everything passes the filter.
    pub fn new(filter: &ChunkFilter) -> Result<Option<Self>> {
        if *filter == ChunkFilter::default() {
            return Ok(None);
        }
        Ok(Some(Self { filter: filter.clone(), paths: PathMatcher::new(&filter.paths)? }))
    }
}

impl ChunkAttributes {
    /// The memory that they take, about.
    pub fn bytes(&self) -> usize {
        /// With its path.
        const FILE_BYTES: usize = 128;
        self.chunks.len() * size_of::<ChunkEntry>() + self.files.len() * FILE_BYTES
    }

    pub fn load(conn: &Connection) -> rusqlite::Result<Self> {
        let mut attributes = Self::default();
        attributes.load_labels(conn)?;
        let mut files = conn.prepare("SELECT id, path, language, class FROM source_files")?;
        let mut rows = files.query([])?;
        while let Some(row) = rows.next()? {
            attributes.files.insert(row.get(0)?, file_entry(row)?);
        }
        let mut chunks = conn.prepare("SELECT id, file_id, coalesce(kinds, kind), traits FROM chunk_rows")?;
        let mut rows = chunks.query([])?;
        while let Some(row) = rows.next()? {
            attributes.set(row.get(0)?, chunk_entry(row)?)?;
        }
        Ok(attributes)
    }

    fn load_labels(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let mut labels = conn.prepare_cached("SELECT name, id FROM labels")?;
        self.labels =
            labels.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Reads again what is known of these rows and of their files.
    pub fn refresh(&mut self, conn: &Connection, rows: &[i64]) -> rusqlite::Result<()> {
        self.load_labels(conn)?;
        let mut chunk = conn.prepare_cached(
            "SELECT id, file_id, coalesce(kinds, kind), traits FROM chunk_rows WHERE id = ?",
        )?;
        let mut file =
            conn.prepare_cached("SELECT id, path, language, class FROM source_files WHERE id = ?")?;
        let mut fresh_file = 0;
        for id in rows {
            let facts = chunk.query_row([id], chunk_entry).or_else(or_absent)?;
            self.set(*id, facts)?;
            if facts.file != 0 && facts.file != fresh_file {
                self.files.insert(facts.file, file.query_row([facts.file], file_entry)?);
                fresh_file = facts.file;
            }
        }
        Ok(())
    }

    fn set(&mut self, id: i64, facts: ChunkEntry) -> rusqlite::Result<()> {
        let place = checked_row(id)? as usize;
        if place >= self.chunks.len() {
            self.chunks.resize(place + 1, ChunkEntry::default());
        }
        self.chunks[place] = facts;
        Ok(())
    }

    /// Notes a file, for a backend that keeps names and not labels.
    #[cfg(feature = "postgres")]
    pub fn put_file(&mut self, id: u32, path: String, language: &str, class: ContentClass) {
        let language = self.label_or_new(language);
        self.files.insert(id, FileEntry { path, language, class });
    }

    /// Notes a chunk; `file` 0 is that of one that is gone.
    #[cfg(feature = "postgres")]
    pub fn put_chunk(&mut self, row: i64, file: u32, kinds: &str, traits: TraitBits) -> rusqlite::Result<()> {
        let kinds = self.label_or_new(kinds);
        self.set(row, ChunkEntry { file, kinds, traits })
    }

    #[cfg(feature = "postgres")]
    fn label_or_new(&mut self, name: &str) -> u32 {
        if let Some(known) = self.labels.get(name) {
            return *known;
        }
        let label = self.labels.len() as u32 + 1;
        self.labels.insert(name.to_owned(), label);
        label
    }

    /// The rows that pass the filter.
    pub fn select(&self, compiled: &CompiledFilter) -> RowBitmap {
        let filter = &compiled.filter;
        let languages: Vec<u32> = filter.languages.iter().filter_map(|name| self.label(name)).collect();
        let allows_file = |file: &FileEntry| {
            (filter.languages.is_empty() || languages.contains(&file.language))
                && filter.class.is_none_or(|class| class == file.class)
                && compiled.paths.admits(&file.path)
                && (filter.within.is_empty() || is_in_any(&file.path, &filter.within))
                && !is_in_any(&file.path, &filter.outside)
        };
        let files: HashMap<u32, bool> =
            self.files.iter().map(|(id, file)| (*id, allows_file(file))).collect();
        let kinds: Vec<KindFilter> =
            filter.kinds.iter().map(|name| KindFilter::new(name, &self.labels)).collect();
        let allows_kind = |chunk: ChunkEntry| kinds.is_empty() || kinds.iter().any(|kind| kind.allows(chunk));
        let mut set = RowBitmap::default();
        let mut last = (0, false);
        for (row, chunk) in self.chunks.iter().enumerate() {
            if chunk.file != last.0 {
                last = (chunk.file, files.get(&chunk.file).copied().unwrap_or_default());
            }
            if last.1 && allows_tests(filter.tests, *chunk) && allows_kind(*chunk) {
                set.insert(row as i64);
            }
        }
        set
    }

    fn label(&self, name: &str) -> Option<u32> {
        self.labels.get(name).copied()
    }
}

/// Whether the path is one of `places`, or lies below one.
fn is_in_any(path: &str, places: &[String]) -> bool {
    places.iter().any(|place| is_within(path, place))
}

fn allows_tests(tests: TestCode, chunk: ChunkEntry) -> bool {
    match tests {
        TestCode::Any => true,
        TestCode::Exclude => !chunk.traits.is_test(),
        TestCode::Only => chunk.traits.is_test(),
    }
}

/// A kind is the name of a syntax node or of a kind of definition.
struct KindFilter {
    /// The labels that list the syntax node, alone or with others.
    syntax: Vec<u32>,
    definition: Option<DefinitionKind>,
}

impl KindFilter {
    fn new(name: &str, labels: &HashMap<String, u32>) -> Self {
        let lists = |label: &str| label.split(' ').any(|kind| kind == name);
        let syntax = labels.iter().filter(|(label, _)| lists(label)).map(|(_, id)| *id).collect();
        Self { syntax, definition: DefinitionKind::parse(name) }
    }

    fn allows(&self, chunk: ChunkEntry) -> bool {
        self.syntax.contains(&chunk.kinds) || self.definition.is_some_and(|kind| chunk.traits.defines(kind))
    }
}

fn chunk_entry(row: &Row<'_>) -> rusqlite::Result<ChunkEntry> {
    Ok(ChunkEntry { file: row.get(1)?, kinds: row.get(2)?, traits: TraitBits(row.get(3)?) })
}

fn file_entry(row: &Row<'_>) -> rusqlite::Result<FileEntry> {
    Ok(FileEntry { path: row.get(1)?, language: row.get(2)?, class: enum_codes::class_of(row.get(3)?) })
}

fn or_absent(error: rusqlite::Error) -> rusqlite::Result<ChunkEntry> {
    match error {
        rusqlite::Error::QueryReturnedNoRows => Ok(ChunkEntry::default()),
        error => Err(error),
    }
}
