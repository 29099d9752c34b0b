//! Reading the text of an indexed file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::Freshness;
use crate::chunk::ContentClass;
use crate::parsed::DefinitionKind;

/// A range of lines of an indexed file. Lines count from 1; a number beyond the end means the last line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRequest {
    /// Relative to the project root, with `/`.
    pub path: String,
    /// `None`: the first line.
    pub start_line: Option<u32>,
    /// `None`: the last line.
    pub end_line: Option<u32>,
}

/// A file as it is on disk now, or a range of its lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileResponse {
    pub path: String,
    pub language: String,
    pub class: ContentClass,
    /// Number of lines in the whole file.
    pub lines: u32,
    pub start_line: u32,
    pub end_line: u32,
    /// The text of the requested lines.
    pub content: String,
    /// All definitions in the file, in file order.
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
    /// The line of the name itself, below comments and attributes.
    pub name_line: u32,
}

/// The names in a file that link to definitions in the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileLinks {
    pub targets: Vec<LinkTarget>,
    pub names: Vec<LinkedName>,
}

/// The target of a link: a definition, or the start of an imported file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct LinkTarget {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The qualified name; absent if the target is a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signature: Option<String>,
}

/// A name, and the lines of the file on which it has the same meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct LinkedName {
    pub name: String,
    /// The first and last of these lines.
    pub start_line: u32,
    pub end_line: u32,
    /// Indices into [`FileLinks::targets`]; more than one if the name is ambiguous.
    pub targets: Vec<usize>,
}
