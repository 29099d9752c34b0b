//! What each language says about names: who sees whom without an import, and where a type is written.

/// Where the type of a parameter or field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Annotation {
    /// `name: Type`
    AfterColon,
    /// `name Type`
    After,
    /// `Type name`
    Before,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scoping {
    /// Languages that can use each other's definitions.
    pub family: &'static str,
    /// A bare `run()` may be a method of the class around it.
    pub implicit_self: bool,
    /// Files of one folder see each other's names.
    pub shares_folder: bool,
    /// An import without names brings in all that the file has: `#include`, `require`.
    pub imports_all: bool,
    /// A name can be used without any import that leads to it.
    pub is_loose: bool,
    pub annotation: Annotation,
    /// What the base class is called.
    pub parent: &'static [&'static str],
}

const STRICT: Scoping = Scoping {
    family: "",
    implicit_self: false,
    shares_folder: false,
    imports_all: false,
    is_loose: false,
    annotation: Annotation::AfterColon,
    parent: &["super", "super()"],
};

impl Scoping {
    pub fn of(language: &str) -> Self {
        use Annotation::{After, AfterColon, Before};
        let class_based = Self { implicit_self: true, shares_folder: true, ..STRICT };
        match language {
            "typescript" | "tsx" | "javascript" => Self { family: "ecmascript", ..STRICT },
            "python" => Self { family: "python", ..STRICT },
            "rust" => Self { family: "rust", parent: &[], ..STRICT },
            "zig" => Self { family: "zig", ..STRICT },
            "haskell" => Self { family: "haskell", imports_all: true, ..STRICT },
            "go" => Self { family: "go", shares_folder: true, annotation: After, parent: &[], ..STRICT },
            "java" => Self { family: "jvm", annotation: Before, ..class_based },
            "kotlin" | "scala" => Self { family: "jvm", is_loose: true, ..class_based },
            "csharp" | "c#" => Self {
                family: "csharp",
                parent: &["base"],
                imports_all: true,
                is_loose: true,
                annotation: Before,
                ..class_based
            },
            "swift" => Self { family: "swift", imports_all: true, is_loose: true, ..class_based },
            "dart" => {
                Self { family: "dart", implicit_self: true, imports_all: true, annotation: Before, ..STRICT }
            }
            "c" | "cpp" | "c++" => Self {
                family: "c",
                parent: &[],
                implicit_self: true,
                imports_all: true,
                is_loose: true,
                annotation: Before,
                ..STRICT
            },
            "php" => Self {
                family: "php",
                parent: &["parent"],
                shares_folder: true,
                imports_all: true,
                is_loose: true,
                annotation: Before,
                ..STRICT
            },
            "ruby" => {
                Self { family: "ruby", implicit_self: true, imports_all: true, is_loose: true, ..STRICT }
            }
            _ => Self { imports_all: true, is_loose: true, annotation: AfterColon, ..STRICT },
        }
    }

    /// Whether code in `language` can use what is defined in `other`.
    pub fn fits(self, language: &str, other: &str) -> bool {
        language == other || (!self.family.is_empty() && self.family == Self::of(other).family)
    }
}

/// Which parts of a path lead to the same parent as the file itself: `pkg/__init__.py` is `pkg`.
pub(super) fn module_name(path: &str) -> &str {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or(file);
    match stem {
        "mod" | "index" | "__init__" | "lib" | "main" => folder.rsplit('/').next().unwrap_or(folder),
        stem => stem,
    }
}

pub(super) fn is_header(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    matches!(extension, "h" | "hh" | "hpp" | "hxx" | "h++" | "inc" | "ipp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_a_family_fit_and_others_do_not() {
        assert!(Scoping::of("tsx").fits("tsx", "javascript"));
        assert!(Scoping::of("cpp").fits("cpp", "c"));
        assert!(!Scoping::of("python").fits("python", "rust"));
        assert!(
            Scoping::of("elixir").fits("elixir", "elixir") && !Scoping::of("elixir").fits("elixir", "lua")
        );
    }

    #[test]
    fn an_index_file_is_called_like_its_folder() {
        assert_eq!(module_name("src/net/mod.rs"), "net");
        assert_eq!(module_name("src/net/retry.rs"), "retry");
        assert_eq!(module_name("pkg/__init__.py"), "pkg");
        assert_eq!(module_name("index.ts"), "");
    }
}
