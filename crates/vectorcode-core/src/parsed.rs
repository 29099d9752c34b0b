//! The result of parsing one file: its chunks, definitions, references and imports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::choices;
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
    /// In file order; a nested definition follows the one that contains it.
    pub definitions: Vec<Definition>,
    pub references: Vec<Reference>,
    pub imports: Vec<Import>,
}

/// Properties of a file that affect ranking and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFlags {
    /// Has a "generated, do not edit" marker.
    pub generated: bool,
    /// Most of its text is in very long lines.
    pub minified: bool,
    /// Contains tests.
    pub test: bool,
    /// Is not valid UTF-8 or UTF-16 and was decoded as Windows-1252.
    pub lossy: bool,
    /// Crashed its parser, took too much time or memory, or is not what its name says: split by lines, without symbols.
    pub unparsed: bool,
    /// Contains keys or tokens, which are masked in the index.
    pub masked: bool,
}

choices! {
    /// The kind of a definition, in terms that all languages share.
    ///
    /// The position in `ALL` is part of the database format: append new ones, never reorder.
    pub enum DefinitionKind: "kind of definition" {
        Function = "function" | "func" | "fn" | "def", "A function outside of a type";
        Method = "method", "A function of a type";
        Class = "class", "A class";
        Struct = "struct", "A struct or record";
        Enum = "enum", "An enumeration";
        Interface = "interface" | "protocol", "An interface or protocol";
        Trait = "trait", "A trait or mixin";
        Type = "type" | "typedef", "A type alias";
        Module = "module" | "mod" | "namespace" | "package", "A module, namespace or package";
        Constant = "constant" | "const", "A constant";
        Variable = "variable" | "var", "A variable outside of functions";
        Field = "field" | "property", "A field or property of a type";
        Macro = "macro", "A macro";
        Section = "section" | "heading", "A heading, key or rule of a document or configuration file";
    }
}

impl DefinitionKind {
    /// Whether it is a function or a method.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }
}

/// A definition in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The bare name: `authenticate`.
    pub name: String,
    /// The name with its scopes: `UserService.authenticate`.
    pub qualified: String,
    pub kind: DefinitionKind,
    /// The text up to the body, joined into one line.
    pub signature: String,
    pub span: Span,
    /// The line of the name itself, for editors.
    pub name_line: u32,
}

/// How code uses a name. The index stores calls, types and bases. The other kinds are found by parsing the files that contain
/// the name when somebody asks for its uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceKind {
    Call,
    /// A struct literal: `Retry { limit: 3 }`.
    Construction,
    /// A supertype in the head of a type: `class A extends B`, `impl B for A`.
    Base,
    Decorator,
    Type,
    /// A function or class that is passed on, assigned or compared.
    Value,
    /// A read of a variable or field.
    Read,
    Write,
    Import,
}

impl ReferenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Construction => "construction",
            Self::Base => "base",
            Self::Decorator => "decorator",
            Self::Type => "type",
            Self::Value => "value",
            Self::Read => "read",
            Self::Write => "write",
            Self::Import => "import",
        }
    }
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reference {
    /// The bare name: `send` in `mailer.send(x)`.
    pub name: String,
    /// The expression before the name, as written: `mailer`, `self`, `std::fs`. For a base that is declared apart from the
    /// type's definition, as in `impl io::Read for Log`, it also contains that type: `io for Log`. See
    /// [`Reference::applied_to`].
    pub receiver: Option<String>,
    pub kind: ReferenceKind,
    pub line: u32,
    /// Index into [`ParsedFile::definitions`] of the innermost definition that contains it.
    pub enclosing: Option<u32>,
}

impl Reference {
    /// Separates the path and the type in the receiver of a base.
    const FOR: &str = "for ";

    /// The receiver of a base that is declared for the type `to` apart from its definition; `path` is what precedes the name.
    pub fn applied(path: Option<&str>, to: &str) -> String {
        let path = path.map_or_else(String::new, |path| format!("{path} "));
        format!("{path}{}{to}", Self::FOR)
    }

    /// The type that a separately declared base applies to: `Log` in `impl io::Read for Log`.
    pub fn applied_to(&self) -> Option<&str> {
        Some(self.split_receiver()?.1)
    }

    /// The expression before the name in the source text.
    pub fn path(&self) -> Option<&str> {
        match self.split_receiver() {
            Some((path, _)) => Some(path).filter(|path| !path.is_empty()),
            None => self.receiver.as_deref(),
        }
    }

    fn split_receiver(&self) -> Option<(&str, &str)> {
        let receiver = self.receiver.as_deref().filter(|_| self.kind == ReferenceKind::Base)?;
        let (path, to) = receiver.split_once(Self::FOR)?;
        Some((path.trim_end(), to))
    }
}

/// One import, require, use, include, mod or source statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written, without quotes: `./retry`, `crate::auth`, `stdio.h`.
    pub specifier: String,
    /// Imported names; empty if the module itself is imported, `*` for all. A renamed one is written as `local=original`; see
    /// [`Import::bindings`].
    pub names: Vec<String>,
    pub line: u32,
    /// The kind of statement, for languages with more than one: `mod`, `use`, `include`, `include_system`, `require`,
    /// `require_relative`, `from`, `export`, `dynamic`, `sass_use`, `sass_forward`, `sass_import`; otherwise `import`. A
    /// `package` statement imports nothing: it names the package, namespace or module of the file itself, which other files
    /// import from.
    pub kind: String,
}

impl Import {
    /// The imported names: each as it is called in this file, and as the module that defines it calls it.
    pub fn bindings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().map(|name| match name.split_once('=') {
            // An operator such as Scala's `===` is not a renaming.
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
    /// Excluded by `.gitignore`, `.vectorcodeignore` or the settings; an ignored directory counts once.
    Ignored,
    /// Output of javadoc, Doxygen, Sphinx and the like; a directory of it counts once.
    GeneratedDocumentation,
    Hidden,
    /// A symbolic link to a path inside the project; the target is indexed under its own path.
    Link,
    /// Vectorcode crashed while reading it.
    Crashed,
}

impl SkipReason {
    /// A description that follows a count: "12 too large".
    pub fn describe(self) -> &'static str {
        match self {
            Self::TooLarge => "too large",
            Self::Binary => "binary",
            Self::ExcludedExtension => "excluded extension",
            Self::UnknownType => "unknown type",
            Self::Secret => "may contain secrets",
            Self::Unreadable => "unreadable",
            Self::OutsideRoot => "link outside the project",
            Self::Ignored => "ignored",
            Self::GeneratedDocumentation => "generated documentation",
            Self::Hidden => "hidden",
            Self::Link => "link inside the project",
            Self::Crashed => "caused a fault of vectorcode",
        }
    }
}

/// The last part of a qualified name: `run` of `Shop.Retrier.run`.
pub fn bare_name(qualified: &str) -> &str {
    qualified.rsplit('.').next().unwrap_or(qualified)
}
