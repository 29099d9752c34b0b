//! What the path of a file or an import says about its role: its module name, and whether it is a header.

use crate::tree::{FileId, Tree};

/// Stems that say nothing about the module in any language. Those of individual languages are in
/// [`vectorcode_core::LanguageTraits::folder_stems`].
const GENERIC_STEMS: [&str; 3] = ["index", "lib", "main"];

/// The name by which code refers to a file as a module: `retry` for `src/net/retry.rs`, `net` for `src/net/mod.rs`.
pub(super) fn module_name(tree: &Tree, file: FileId) -> &str {
    let path = tree.path(file);
    let (folder, file_name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file_name.split('.').next().unwrap_or(file_name);
    if GENERIC_STEMS.contains(&stem) || tree.traits(file).folder_stems.contains(&stem) {
        folder.rsplit('/').next().unwrap_or(folder)
    } else {
        stem
    }
}

/// The name of a module that is imported without an alias: `gateway` for `example.com/shop/gateway`.
pub(super) fn module_of(specifier: &str) -> &str {
    let mut parts = specifier.trim_end_matches('/').rsplit(['/', '.', ':', '\\']);
    let last = parts.next().unwrap_or(specifier);
    // Skips versions: `example.com/yaml/v3`, `gopkg.in/yaml.v3`.
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    if is_version(last) { parts.next().unwrap_or(last) } else { last }
}

/// Whether a file is a header, which declares what another file defines.
pub(super) fn is_header(tree: &Tree, file: FileId) -> bool {
    let extension = tree.path(file).rsplit('.').next().unwrap_or_default();
    tree.traits(file).header_extensions.contains(&extension)
}

/// Whether a file implements a header, by its name: `src/linker.c` and `src/linker.h`. Not every such file includes the header.
pub(super) fn is_of_header(tree: &Tree, file: FileId, header: FileId) -> bool {
    let stem = |file| tree.path(file).rsplit_once('.').map(|(stem, _)| stem);
    stem(file).is_some() && stem(file) == stem(header)
}

#[cfg(test)]
mod tests {
    use vectorcode_core::LanguageTraits;

    use super::*;
    use crate::tree::TreeFile;

    fn tree(path: &str, traits: LanguageTraits) -> Tree {
        Tree::new(vec![TreeFile { path: path.into(), language: "any".into(), traits, is_test: false }])
    }

    #[test]
    fn a_file_that_stands_for_its_folder_has_the_name_of_the_folder() {
        let traits = LanguageTraits { folder_stems: &["mod"], ..LanguageTraits::PERMISSIVE };
        let name = |path| module_name(&tree(path, traits), FileId(0)).to_owned();
        assert_eq!(name("src/net/mod.rs"), "net");
        assert_eq!(name("src/net/retry.rs"), "retry");
        assert_eq!(name("src/net/__init__.py"), "__init__");
        assert_eq!(name("index.ts"), "");
    }

    #[test]
    fn only_languages_with_headers_have_them() {
        let traits = LanguageTraits { header_extensions: &["h"], ..LanguageTraits::PERMISSIVE };
        assert!(is_header(&tree("src/zip.h", traits), FileId(0)));
        assert!(!is_header(&tree("src/zip.c", traits), FileId(0)));
        assert!(!is_header(&tree("src/zip.h", LanguageTraits::PERMISSIVE), FileId(0)));
    }
}
