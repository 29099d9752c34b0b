//! The attributes of every chunk that filters need, in memory: twelve bytes per chunk and one entry per file.

use std::collections::HashMap;

use vectorcode_core::{ContentClass, DefinitionKind, is_within};

use crate::contract::{ChunkFilter, Result, TestCode};
use crate::index::corrupt::DecodeResult;
use crate::index::enum_codes::TraitBits;
use crate::index::row_bitmap::{RowBitmap, checked_row};
use crate::path_matcher::PathMatcher;

#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkAttributes {
    /// Indexed by row id. A row that does not exist has file 0, which does not exist either.
    chunks: Vec<ChunkEntry>,
    files: HashMap<u32, FileEntry>,
    labels: HashMap<String, u32>,
}

/// The attributes of one chunk. Kinds and languages are labels: interned strings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChunkEntry {
    /// 0 if the chunk was deleted.
    pub file: u32,
    /// The label of the list of all syntax kinds in it.
    pub kinds: u32,
    pub traits: TraitBits,
}

#[derive(Clone, Debug)]
pub(crate) struct FileEntry {
    pub path: String,
    pub language: u32,
    pub class: ContentClass,
}

/// A filter whose patterns are compiled.
#[derive(Debug)]
pub(crate) struct CompiledFilter {
    filter: ChunkFilter,
    paths: PathMatcher,
}

impl CompiledFilter {
    /// `None` if the filter lets everything pass.
    pub fn new(filter: &ChunkFilter) -> Result<Option<Self>> {
        if *filter == ChunkFilter::default() {
            return Ok(None);
        }
        Ok(Some(Self { filter: filter.clone(), paths: PathMatcher::new(&filter.paths)? }))
    }
}

impl ChunkAttributes {
    /// Approximate memory use.
    pub fn bytes(&self) -> usize {
        /// Including its path.
        const FILE_BYTES: usize = 128;
        self.chunks.len() * size_of::<ChunkEntry>() + self.files.len() * FILE_BYTES
    }

    /// Replaces all labels.
    pub fn set_labels(&mut self, labels: HashMap<String, u32>) {
        self.labels = labels;
    }

    pub fn set_file(&mut self, id: u32, file: FileEntry) {
        self.files.insert(id, file);
    }

    /// Afterwards no chunk of this file passes a filter.
    pub fn remove_file(&mut self, id: u32) {
        self.files.remove(&id);
    }

    pub fn set_chunk(&mut self, row: i64, chunk: ChunkEntry) -> DecodeResult<()> {
        let place = checked_row(row)? as usize;
        if place >= self.chunks.len() {
            self.chunks.resize(place + 1, ChunkEntry::default());
        }
        self.chunks[place] = chunk;
        Ok(())
    }

    /// Like [`Self::set_file`], for a backend that stores names instead of labels.
    pub fn put_file(&mut self, id: u32, path: String, language: &str, class: ContentClass) {
        let language = self.label_or_new(language);
        self.set_file(id, FileEntry { path, language, class });
    }

    /// Like [`Self::set_chunk`], for a backend that stores names instead of labels. `file` is 0 for a deleted chunk.
    pub fn put_chunk(&mut self, row: i64, file: u32, kinds: &str, traits: TraitBits) -> DecodeResult<()> {
        let kinds = self.label_or_new(kinds);
        self.set_chunk(row, ChunkEntry { file, kinds, traits })
    }

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

/// Whether the path is one of `places` or below one.
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

/// Matches a kind: the name of a syntax node or of a kind of definition.
struct KindFilter {
    /// The labels of all lists that contain the syntax node.
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
