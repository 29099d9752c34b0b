//! The overview of a project or folder: what it is for, what it consists of, and where to start reading.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graph::FileDegree;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverviewRequest {
    /// Relative to the project root; the whole project when absent.
    pub folder: Option<String>,
    /// Maximum length of each list in the response.
    pub limit: usize,
}

impl OverviewRequest {
    pub const DEFAULT_LIMIT: usize = 10;
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverviewResponse {
    /// The name of the project's folder.
    pub project: String,
    /// The requested folder; empty for the whole project.
    pub folder: String,
    /// The beginning of its README.
    pub readme: Option<ReadmeSummary>,
    /// Number of indexed files, including tests.
    pub files: u64,
    pub tests: u64,
    pub bytes: u64,
    /// Languages of its code by size, largest first. If there is no code, languages of all its files.
    pub languages: Vec<LanguageSize>,
    /// Folders and files, largest first, tests last. A folder that holds most of the code and consists of subfolders is
    /// replaced by those subfolders.
    pub parts: Vec<ProjectPart>,
    /// Number of parts in the whole answer.
    pub parts_total: u64,
    /// Where the code starts to run or is imported from, most likely first.
    pub entry_points: Vec<EntryPoint>,
    /// The files that most other files import, without tests.
    pub most_imported: Vec<FileDegree>,
    /// The code files that the latest commits changed most often; empty if there is no git history.
    pub hot_files: Vec<HotFile>,
}

/// The beginning of a README.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadmeSummary {
    pub path: String,
    /// The first heading, as plain text.
    pub title: Option<String>,
    /// The first paragraph, as plain text.
    pub summary: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageSize {
    pub name: String,
    pub files: u64,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    Folder,
    File,
}

/// A folder or file inside the requested folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectPart {
    /// Folders that hold nothing but one other folder are joined with it: `src/main/java`.
    pub path: String,
    pub kind: EntryKind,
    /// Number of indexed files; 1 for a file.
    pub files: u64,
    /// Size of the code; if there is no code, of all files.
    pub bytes: u64,
    /// The language that most of the bytes are in.
    pub language: String,
    /// Whether most of it is test code.
    pub is_test: bool,
}

/// Why a file is suggested as a place to start reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryReason {
    /// It defines `main`.
    DefinesMain,
    /// Its name or folder is that of a program, such as `cli` or `bin/`.
    ProgramName,
    /// It represents its folder or package, and other files import from it.
    Package,
    /// It imports files of the project, and none of them imports it.
    NotImported,
}

/// A file that changes often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HotFile {
    pub path: String,
    /// How many of the latest commits changed it.
    pub commits: u64,
    /// ISO 8601.
    pub last_changed_at: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryPoint {
    pub path: String,
    /// The first line to read.
    pub line: u32,
    pub reason: EntryReason,
    /// Number of files that it imports, directly or through other files.
    pub reaches: u64,
}

/// One page of the entries of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderRequest {
    /// Relative to the project root; the root when absent.
    pub folder: Option<String>,
    /// Number of entries to skip.
    pub offset: usize,
    pub limit: usize,
}

impl FolderRequest {
    pub const DEFAULT_LIMIT: usize = 200;
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderResponse {
    /// Empty for the root.
    pub folder: String,
    /// Folders first, then files, each sorted by name.
    pub entries: Vec<FolderEntry>,
    /// Number of entries over all pages.
    pub total: usize,
    /// The offset of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderEntry {
    /// The displayed name: `src/main/java` for a folder whose parents hold nothing else.
    pub name: String,
    pub path: String,
    pub kind: EntryKind,
    /// Number of indexed files; 1 for a file.
    pub files: u64,
    /// Set for files only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<String>,
    pub is_test: bool,
}
