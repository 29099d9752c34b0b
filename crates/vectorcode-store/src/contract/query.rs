//! What an index is asked: filters, words, names, vectors.

use vectorcode_core::{ContentClass, PathFilter};

use super::ChunkRow;

/// Test code in or out of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestCode {
    #[default]
    Any,
    Exclude,
    Only,
}

/// Restricts a search before its top k is taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkFilter {
    /// Empty: all.
    pub languages: Vec<String>,
    /// Only paths that pass this filter.
    pub paths: PathFilter,
    /// Only files that are one of these paths or lie below one; empty: all.
    pub within: Vec<String>,
    /// No file that is one of these paths or lies below one.
    pub outside: Vec<String>,
    /// Only chunks of one of these syntax kinds, or that define a symbol of one of these common kinds; empty: all.
    pub kinds: Vec<String>,
    pub class: Option<ContentClass>,
    pub tests: TestCode,
}

/// A term of a full-text query, already a single lower-case word.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTerm {
    pub word: String,
    /// Also match words that begin so.
    pub prefix: bool,
}

/// A full-text query: chunks that hold any of the terms, ranked by BM25 with weighted columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextQuery {
    pub terms: Vec<TextTerm>,
}

/// How a name is looked up among definitions. All but `Fuzzy` ignore case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameMatch {
    /// The bare or the qualified name, whole.
    Exact(String),
    Prefix(String),
    /// Every word of the split name is among these, or they all are in it (`create user` finds `createUser`).
    Words(Vec<String>),
    /// Names within a small edit distance, or that hold the text.
    Fuzzy(String),
}

/// What a search asks of the index, all at once: a backend across a network answers it in one round trip. A part that is
/// empty adds no list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateQuery {
    /// Chunks by BM25.
    pub text: TextQuery,
    /// Chunks whose vectors are nearest to these.
    pub static_vector: Option<Vec<f32>>,
    pub provider_vector: Option<Vec<f32>>,
    /// Parts of the question that are asked for themselves. Their lists propose chunks too.
    pub parts: Vec<PartQuery>,
    /// Chunks that define these names.
    pub names: Vec<NameQuery>,
    /// The best chunks of each of these files, by the first of the vectors.
    pub files: Vec<String>,
    /// How many chunks of each of them.
    pub per_file: usize,
    /// These chunks, whatever the lists say.
    pub rows: Vec<ChunkRow>,
    pub filter: ChunkFilter,
    /// How many chunks the lists by text and by each vector have at most.
    pub depth: usize,
    /// Chunks that cannot be answers: those that the question points at.
    pub exclude: Vec<ChunkRow>,
}

/// A part of a long question, such as its title, that is compared with every candidate for itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartQuery {
    pub text: TextQuery,
    pub static_vector: Option<Vec<f32>>,
    pub provider_vector: Option<Vec<f32>>,
}

/// A name to look up, and how many of its definitions are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameQuery {
    pub name: NameMatch,
    pub limit: usize,
}
