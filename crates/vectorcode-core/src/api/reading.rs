//! Reading one definition together with its callers and tests, and the outline of a file or folder.

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

/// Part of a file as it is on disk now, and the code that depends on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadResponse {
    pub path: String,
    pub language: String,
    /// Number of lines in the whole file.
    pub file_lines: u32,
    pub start_line: u32,
    pub end_line: u32,
    /// The text of these lines; for a definition, including the comment above it.
    pub content: String,
    /// The qualified name of the definition that was read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<DefinitionKind>,
    /// Uses of the definition, most certain first, without guesses and without tests.
    pub callers: Vec<Neighbour>,
    pub callers_total: u64,
    /// Tests that reach the definition, nearest first.
    pub tests: Vec<Neighbour>,
    pub tests_total: u64,
    /// Other definitions of the same name, as targets (`path#name` or `path:10-20`); the most used first.
    pub others: Vec<String>,
    #[serde(default)]
    pub others_total: u64,
    /// Other lines that contain the name, if no use of the definition is known.
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
    /// For a file: list only the definitions that a search for this text finds; the others are counted.
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
        /// In file order; a nested definition follows the one that contains it.
        definitions: Vec<FileDefinition>,
        /// How many definitions of each kind do not match the query.
        #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
        others: BTreeMap<DefinitionKind, u64>,
        freshness: Freshness,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        notes: Vec<String>,
    },
    Folder {
        path: String,
        /// Number of files in the folder and below it.
        files: u64,
        /// Files and folders directly inside, most used first.
        entries: Vec<OutlineEntry>,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        notes: Vec<String>,
    },
}

impl OutlineResponse {
    /// Notes for the reader, as sentences.
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
    /// How many files outside of it import it.
    pub importers: u64,
    /// The main definitions: those at the top level of the most imported files.
    pub symbols: Vec<String>,
}
