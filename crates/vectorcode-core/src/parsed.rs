//! What reading one file yields: its chunks, and the facts of its syntax tree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chunk::{Chunk, ContentClass, Span};

/// Everything that one file contributes to the index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParsedFile {
    pub path: String,
    pub language: String,
    pub class: ContentClass,
    pub flags: FileFlags,
    /// In file order; together they cover every non-blank line.
    pub chunks: Vec<Chunk>,
    /// In file order; a nested definition follows the one that holds it.
    pub definitions: Vec<Definition>,
    pub references: Vec<Reference>,
    pub imports: Vec<Import>,
}

/// Properties of a file that ranking and reports care about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFlags {
    /// Carries a "generated, do not edit" mark.
    pub generated: bool,
    /// Average line longer than 500 bytes.
    pub minified: bool,
    /// Its job is to test other code.
    pub test: bool,
    /// Was not UTF-8; undecodable bytes were replaced.
    pub lossy: bool,
}

/// The common vocabulary of definitions across languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DefinitionKind {
    Function,
    Method,
    Class,
    Struct,
    Enum,
    Interface,
    Trait,
    Type,
    Module,
    Constant,
    Variable,
    Field,
    Macro,
    /// A heading, a key, a rule: a named place in a document or configuration.
    Section,
}

impl DefinitionKind {
    pub const ALL: [Self; 14] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Interface,
        Self::Trait,
        Self::Type,
        Self::Module,
        Self::Constant,
        Self::Variable,
        Self::Field,
        Self::Macro,
        Self::Section,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Module => "module",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Macro => "macro",
            Self::Section => "section",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A named thing that a file defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The bare name: `authenticate`.
    pub name: String,
    /// With its scopes: `UserService.authenticate`.
    pub qualified: String,
    pub kind: DefinitionKind,
    /// The first line(s) up to the body, on one line.
    pub signature: String,
    pub span: Span,
    /// Where the name itself stands, for editors.
    pub name_line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceKind {
    Call,
    Type,
}

impl ReferenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Type => "type",
        }
    }
}

/// A use of a name that some file may define.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reference {
    /// The bare name: `send` in `mailer.send(x)`.
    pub name: String,
    /// What stands before it, as written: `mailer`, `self`, `std::fs`.
    pub receiver: Option<String>,
    pub kind: ReferenceKind,
    pub line: u32,
    /// Index into [`ParsedFile::definitions`] of the innermost definition around it.
    pub enclosing: Option<u32>,
}

/// One import, require, use, include, mod or source statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written, without quotes: `./retry`, `crate::auth`, `stdio.h`.
    pub specifier: String,
    /// Names that it brings in; empty when it brings the module itself, `*` for all. One that is called otherwise in
    /// this file says both, as `here=there`; see [`Import::bindings`].
    pub names: Vec<String>,
    pub line: u32,
    /// What the statement is, where the language has more than one: `mod`, `use`, `include`, `include_system`,
    /// `require`, `require_relative`, `from`, `export`; otherwise `import`. A `package` brings in nothing: it says to which
    /// package, namespace or module the file itself belongs, and under which names others may import from it.
    pub kind: String,
}

impl Import {
    /// The names it brings in, each as it is called in this file and as it is called where it comes from.
    pub fn bindings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().map(|name| match name.split_once('=') {
            // An operator, such as Scala's `===`, is no renaming.
            Some((here, there)) if here.starts_with(|c: char| c.is_alphanumeric() || "_$".contains(c)) => {
                (here, there)
            }
            _ => (name.as_str(), name.as_str()),
        })
    }
}

/// Why a file is not in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    TooLarge,
    Binary,
    ExcludedExtension,
    UnknownType,
    Secret,
    Unreadable,
    OutsideRoot,
    /// By `.gitignore`, `.vectorcodeignore` or `exclude_dirs`; an ignored directory counts once.
    Ignored,
    Hidden,
    /// A symbolic link to a place inside the project, which is read at that place.
    Link,
}

impl SkipReason {
    /// As a person reads it after a count: "12 too large".
    pub fn describe(self) -> &'static str {
        match self {
            Self::TooLarge => "too large",
            Self::Binary => "binary",
            Self::ExcludedExtension => "excluded extension",
            Self::UnknownType => "unknown type",
            Self::Secret => "may hold secrets",
            Self::Unreadable => "unreadable",
            Self::OutsideRoot => "link out of the project",
            Self::Ignored => "ignored",
            Self::Hidden => "hidden",
            Self::Link => "link within the project",
        }
    }
}
