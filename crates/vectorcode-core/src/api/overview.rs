//! The overview of a project or a folder: what it is, what it consists of, and where to start reading.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::graph::FileDegree;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverviewRequest {
    /// Relative to the project root; the whole project when absent.
    pub folder: Option<String>,
    /// Maximum length of each list in the answer.
    pub limit: usize,
}

impl OverviewRequest {
    pub const DEFAULT_LIMIT: usize = 10;
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverviewResponse {
    /// The name of the project's folder.
    pub project: String,
    /// The folder that was asked about; empty for the whole project.
    pub folder: String,
    /// What its README says.
    pub readme: Option<ReadmeSummary>,
    /// Files of the index in it, tests included.
    pub files: u64,
    pub tests: u64,
    pub bytes: u64,
    /// Languages of its code by size, largest first; of all its files where it has no code.
    pub languages: Vec<LanguageSize>,
    /// Its folders and files, largest first, tests last. A folder that holds most of the code and consists of folders is
    /// replaced by these.
    pub parts: Vec<ProjectPart>,
    /// Number of parts in the whole answer.
    pub parts_total: u64,
    /// Where its code starts to run or is imported from, most likely first.
    pub entry_points: Vec<EntryPoint>,
    /// Its files that most others import, tests left out.
    pub most_imported: Vec<FileDegree>,
    /// Its code that the latest commits changed most often; empty without a git history.
    pub hot_files: Vec<HotFile>,
}

/// What a README says first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadmeSummary {
    pub path: String,
    /// Its first heading, as plain text.
    pub title: Option<String>,
    /// Its first paragraph, as plain text.
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

/// A folder or a file of the folder that was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectPart {
    /// Folders that hold nothing but one other folder are passed over: `src/main/java`.
    pub path: String,
    pub kind: EntryKind,
    /// Files of the index in it; 1 for a file.
    pub files: u64,
    /// Of its code, or of all its files where it has no code.
    pub bytes: u64,
    /// The language of most of it.
    pub language: String,
    /// Most of it is tests.
    pub is_test: bool,
}

/// Why a file is taken as a place to start reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryReason {
    /// It defines `main`.
    DefinesMain,
    /// Its name or folder is that of a program, such as `cli` or `bin/`.
    ProgramName,
    /// It stands for its folder or package, and others import from there.
    Package,
    /// It imports files of the project, and none imports it.
    NotImported,
}

/// A file that is worked on.
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
    /// Number of files that it imports, directly or not.
    pub reaches: u64,
}

/// A page of the content of one folder.
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
    /// Folders first, each kind by name.
    pub entries: Vec<FolderEntry>,
    /// Number of entries on all pages.
    pub total: usize,
    /// The offset of the next page.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderEntry {
    /// As shown: `src/main/java` for a folder whose parents hold nothing else.
    pub name: String,
    pub path: String,
    pub kind: EntryKind,
    /// Files of the index in it; 1 for a file.
    pub files: u64,
    /// Of a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<String>,
    pub is_test: bool,
}
