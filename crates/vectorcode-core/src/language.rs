//! What the code graph must know about a language, as plain values.
//!
//! Only the language registry (`vectorcode-source`) fills these in. The graph gets them with each file, so that it
//! needs no table of languages of its own.

/// Where the type of a parameter or field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeAnnotation {
    /// `name: Type`
    AfterColon,
    /// `name Type`
    After,
    /// `Type name`
    Before,
}

/// How an import statement leads to files. Languages with the same rules share a variant; `vectorcode-graph` has one
/// resolver for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModuleSystem {
    CFamily,
    Csharp,
    Dart,
    Ecmascript,
    Elixir,
    Go,
    Haskell,
    Jvm,
    Lua,
    Php,
    Python,
    Ruby,
    Rust,
    Sass,
    Shell,
    Swift,
    Web,
    Zig,
}

/// How code of one language refers to definitions and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageTraits {
    /// `None`: imports are kept under the name that they are written with, and lead to no file.
    pub module_system: Option<ModuleSystem>,
    /// Code can use definitions of the other languages of its module system, as Kotlin uses Java's.
    pub shares_definitions: bool,
    /// An import may be relative to any package around the file, as in Scala.
    pub imports_from_outer_packages: bool,
    /// A bare `run()` may be a method of the class around it.
    pub implicit_self: bool,
    /// A type implements an interface by having its methods.
    pub implicit_interfaces: bool,
    /// A type and a function or variable may have one name: `struct stat` and `stat()`.
    pub types_are_apart: bool,
    /// Several definitions of a class are parts of it.
    pub reopens_types: bool,
    /// Code in the body of a class, outside of its methods, sees their names: `@name.setter`.
    pub class_body_is_scope: bool,
    /// Files of one folder see each other's names.
    pub shares_folder: bool,
    /// An import without names brings in everything that the file defines: `#include`, `require`.
    pub imports_all: bool,
    /// A name can be used without any import that leads to it.
    pub needs_no_import: bool,
    pub type_annotation: TypeAnnotation,
    /// What the base class is called.
    pub base_class_names: &'static [&'static str],
    /// Methods that give back the value that they are called on, a part of it, or what is inside: `unwrap`, `iter`.
    /// Words with spaces between them.
    pub element_methods: &'static str,
    /// Names of methods that values of the language itself have, so that such a call on an unknown value is probably none of the
    /// project's. Words with spaces between them.
    pub builtin_methods: &'static str,
    /// Types whose values give their members to what is inside: `unique_ptr`. Words with spaces between them.
    pub wrapper_types: &'static str,
    /// Names of files, without extension, that stand for their folder: `mod` of `net/mod.rs`.
    pub folder_stems: &'static [&'static str],
    /// Extensions of files that declare what other files define.
    pub header_extensions: &'static [&'static str],
}

impl LanguageTraits {
    /// For a language of which nothing is known: every definition of the same language may be meant.
    pub const PERMISSIVE: Self = Self { imports_all: true, needs_no_import: true, ..Self::EXPLICIT_IMPORTS };

    /// Names come from the same file or from an import that names them.
    pub const EXPLICIT_IMPORTS: Self = Self {
        module_system: None,
        shares_definitions: false,
        imports_from_outer_packages: false,
        implicit_self: false,
        implicit_interfaces: false,
        types_are_apart: false,
        reopens_types: false,
        class_body_is_scope: false,
        shares_folder: false,
        imports_all: false,
        needs_no_import: false,
        type_annotation: TypeAnnotation::AfterColon,
        base_class_names: &["super", "super()"],
        element_methods: "",
        builtin_methods: "",
        wrapper_types: "",
        folder_stems: &[],
        header_extensions: &[],
    };

    /// Methods call each other without a receiver, and the files of a folder are one package.
    pub const CLASS_BASED: Self = Self { implicit_self: true, shares_folder: true, ..Self::EXPLICIT_IMPORTS };
}
