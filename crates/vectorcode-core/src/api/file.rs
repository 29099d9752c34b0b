//! Reading the text of an indexed file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::Freshness;
use crate::chunk::ContentClass;
use crate::parsed::DefinitionKind;

/// A range of lines of an indexed file. Lines count from 1; numbers beyond the end mean the last line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRequest {
    /// Relative to the project root, with `/`.
    pub path: String,
    /// The first line when absent.
    pub start_line: Option<u32>,
    /// The last line when absent.
    pub end_line: Option<u32>,
}

/// A file as it is on disk now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileResponse {
    pub path: String,
    pub language: String,
    pub class: ContentClass,
    /// Of the whole file.
    pub lines: u32,
    pub start_line: u32,
    pub end_line: u32,
    /// The text of these lines.
    pub content: String,
    /// Of the whole file, in file order.
    pub definitions: Vec<FileDefinition>,
    /// Whether the index is up to date with the file.
    pub freshness: Freshness,
}

/// A definition in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDefinition {
    pub name: String,
    pub qualified: String,
    pub kind: DefinitionKind,
    pub signature: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The line of its name, after comments and attributes.
    pub name_line: u32,
}

/// The names in a file that are defined in the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileLinks {
    pub targets: Vec<LinkTarget>,
    pub names: Vec<LinkedName>,
}

/// Where a link leads: a definition, or the start of an imported file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct LinkTarget {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The qualified name; absent for a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signature: Option<String>,
}

/// A name as it is written on some lines of the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct LinkedName {
    pub name: String,
    /// It means the same on all of these lines.
    pub start_line: u32,
    pub end_line: u32,
    /// Indices into [`FileLinks::targets`]; several where it cannot be told which one is meant.
    pub targets: Vec<usize>,
}
