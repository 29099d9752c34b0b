//! Reading one definition with what belongs to it, and the outline of a file or folder.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::FileDefinition;
use super::graph::OtherLines;
use super::search::{Freshness, Neighbour};
use crate::parsed::DefinitionKind;

/// What to read: a symbol (`Type.method`, `path#name`), lines (`path:10-60`), the definition around a line (`path:10`), or a
/// file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadRequest {
    pub target: String,
}

/// A piece of a file as it is on disk now, and who depends on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadResponse {
    pub path: String,
    pub language: String,
    /// Of the whole file.
    pub file_lines: u32,
    pub start_line: u32,
    pub end_line: u32,
    /// The text of these lines, a definition with the comment above it.
    pub content: String,
    /// The definition that was read, qualified.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<DefinitionKind>,
    /// Uses of the definition, surest first, without guesses; tests are not among them.
    pub callers: Vec<Neighbour>,
    pub callers_total: u64,
    /// Tests that reach it, nearest first.
    pub tests: Vec<Neighbour>,
    pub tests_total: u64,
    /// Other definitions of the same name as targets, `path#name` or `path:10-20`; those that are most used first.
    pub others: Vec<String>,
    #[serde(default)]
    pub others_total: u64,
    /// The lines that have its name, where no use of it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub other_lines: Option<OtherLines>,
    /// Whether the index is up to date with the file.
    pub freshness: Freshness,
    pub notes: Vec<String>,
}

/// Which file or folder to outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineRequest {
    /// Relative to the project root or absolute; empty or `.` for the whole project.
    pub path: String,
    /// Of a file, only the definitions that a search for this finds; the others are counted.
    #[serde(default)]
    pub query: Option<String>,
}

/// What a file or folder contains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum OutlineResponse {
    File {
        path: String,
        language: String,
        lines: u32,
        /// In file order; nested ones follow the one that holds them.
        definitions: Vec<FileDefinition>,
        /// How many definitions of each kind the query does not match.
        #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
        others: BTreeMap<DefinitionKind, u64>,
        freshness: Freshness,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        notes: Vec<String>,
    },
    Folder {
        path: String,
        /// Of the folder and everything below it.
        files: u64,
        /// Files and folders directly inside, the most used first.
        entries: Vec<OutlineEntry>,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        notes: Vec<String>,
    },
}

impl OutlineResponse {
    /// What the reader should know beside it, as sentences.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::File { notes, .. } | Self::Folder { notes, .. } => notes,
        }
    }

    pub fn add_notes(&mut self, more: impl IntoIterator<Item = String>) {
        match self {
            Self::File { notes, .. } | Self::Folder { notes, .. } => notes.extend(more),
        }
    }
}

/// A file or a folder inside a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutlineEntry {
    /// Relative to the project root; a folder ends with `/`.
    pub path: String,
    /// How many files a folder holds; 1 for a file.
    pub files: u64,
    /// How many files elsewhere import it.
    pub importers: u64,
    /// Its main definitions: those at the top level of the most imported files.
    pub symbols: Vec<String>,
}
