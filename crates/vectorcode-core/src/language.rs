//! What the code graph needs to know about a language, as plain values.
//!
//! Only the language registry (`vectorcode-source`) fills these in. The graph receives them with each file, so it needs no
//! table of languages of its own.

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

/// How import statements are resolved to files. Languages with the same rules share a variant; `vectorcode-graph` has one
/// resolver for each variant.
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
    /// `None`: imports are stored under the name they are written with, and are not resolved to files.
    pub module_system: Option<ModuleSystem>,
    /// Code can use definitions of other languages with the same module system, as Kotlin uses Java's.
    pub shares_definitions: bool,
    /// An import may be relative to any package that encloses the file, as in Scala.
    pub imports_from_outer_packages: bool,
    /// A bare `run()` may call a method of the enclosing class.
    pub implicit_self: bool,
    /// A type implements an interface simply by having its methods.
    pub implicit_interfaces: bool,
    /// A type may have the same name as a function or variable: `struct stat` and `stat()`.
    pub types_are_apart: bool,
    /// A class can be defined in several parts.
    pub reopens_types: bool,
    /// Code in the body of a class, outside of its methods, sees the names of the methods: `@name.setter`.
    pub class_body_is_scope: bool,
    /// Files of one folder see each other's names.
    pub shares_folder: bool,
    /// An import without names brings in everything that the file defines: `#include`, `require`.
    pub imports_all: bool,
    /// A name can be used without an import.
    pub needs_no_import: bool,
    pub type_annotation: TypeAnnotation,
    /// Keywords that refer to the base class.
    pub base_class_names: &'static [&'static str],
    /// Methods that return the value they are called on, a part of it, or what it contains: `unwrap`, `iter`. Separated by
    /// spaces.
    pub element_methods: &'static str,
    /// Methods that built-in values of the language have. Such a call on a value of unknown type is probably not a call of a
    /// method of the project. Separated by spaces.
    pub builtin_methods: &'static str,
    /// Types that give access to the members of the value inside: `unique_ptr`. Separated by spaces.
    pub wrapper_types: &'static str,
    /// File names, without extension, that represent their folder: `mod` of `net/mod.rs`.
    pub folder_stems: &'static [&'static str],
    /// Extensions of files that declare what other files define.
    pub header_extensions: &'static [&'static str],
}

impl LanguageTraits {
    /// For languages without known rules: a name may refer to every definition of the same language.
    pub const PERMISSIVE: Self = Self { imports_all: true, needs_no_import: true, ..Self::EXPLICIT_IMPORTS };

    /// Names come from the same file, or from an import that lists them.
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

    /// Methods call each other without a receiver, and the files of a folder form one package.
    pub const CLASS_BASED: Self = Self { implicit_self: true, shares_folder: true, ..Self::EXPLICIT_IMPORTS };
}
