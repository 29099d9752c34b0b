//! The queries that an index answers: filters, words, names and vectors.

use vectorcode_core::{ContentClass, PathFilter};

use super::ChunkRow;

/// Whether a search includes test code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestCode {
    #[default]
    Any,
    Exclude,
    Only,
}

/// Restricts a search. Applied before the best `k` are taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkFilter {
    /// Empty: all.
    pub languages: Vec<String>,
    /// Only paths that pass this filter.
    pub paths: PathFilter,
    /// Only files at or below these paths; empty: all.
    pub within: Vec<String>,
    /// No file at or below these paths.
    pub outside: Vec<String>,
    /// Only chunks with one of these syntax kinds, or which define a symbol of one of these kinds; empty: all.
    pub kinds: Vec<String>,
    pub class: Option<ContentClass>,
    pub tests: TestCode,
}

/// A term of a full-text query: a single lower-case word.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTerm {
    pub word: String,
    /// Also match words that start with it.
    pub prefix: bool,
}

/// A full-text query: chunks that contain any of the terms, ranked by BM25 with weighted columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextQuery {
    pub terms: Vec<TextTerm>,
}

/// How to look up definitions by name. All but `Fuzzy` ignore case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameMatch {
    /// The complete bare or qualified name.
    Exact(String),
    Prefix(String),
    /// All words of the name are in this list, or the whole list is in the name (`create user` finds `createUser`).
    Words(Vec<String>),
    /// Names within a small edit distance, or which contain the text.
    Fuzzy(String),
}

/// Everything that one search needs from the index. It is a single query so that a backend across a network can answer it in few
/// round trips. Empty parts add no list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateQuery {
    /// Chunks by BM25.
    pub text: TextQuery,
    /// Chunks whose vectors are closest to these.
    pub static_vector: Option<Vec<f32>>,
    pub provider_vector: Option<Vec<f32>>,
    /// Parts of the question that are scored separately. Their lists propose chunks too.
    pub parts: Vec<PartQuery>,
    /// Chunks that define these names.
    pub names: Vec<NameQuery>,
    /// The best chunks of each of these files, by the first vector of the query.
    pub files: Vec<String>,
    /// The number of chunks from each of `files`.
    pub per_file: usize,
    /// Chunks that are always included if they pass the filter.
    pub rows: Vec<ChunkRow>,
    pub filter: ChunkFilter,
    /// The maximum length of the lists by text and by each vector.
    pub depth: usize,
    /// Chunks that cannot be answers because the question refers to them.
    pub exclude: Vec<ChunkRow>,
}

/// A part of a long question, such as its title, that every candidate is scored against separately.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartQuery {
    pub text: TextQuery,
    pub static_vector: Option<Vec<f32>>,
    pub provider_vector: Option<Vec<f32>>,
}

/// A name to look up, and the maximum number of its definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameQuery {
    pub name: NameMatch,
    pub limit: usize,
}
