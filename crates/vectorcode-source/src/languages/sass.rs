//! Style sheet languages of the Sass family. They have no grammar here, so only their imports are found.

use vectorcode_core::{ContentClass, Import, LanguageTraits, ModuleSystem};

use super::language::Language;

pub static SCSS: Language = Language { extensions: &["scss", "sass"], ..sheet("scss", "SCSS") };

pub static LESS: Language =
    Language { extensions: &["less"], has_distinct_extensions: false, ..sheet("less", "Less") };

pub static STYLUS: Language =
    Language { extensions: &["styl"], has_distinct_extensions: false, ..sheet("stylus", "Stylus") };

const fn sheet(name: &'static str, title: &'static str) -> Language {
    Language {
        name,
        title,
        class: ContentClass::Code,
        traits: LanguageTraits { module_system: Some(ModuleSystem::Sass), ..LanguageTraits::PERMISSIVE },
        text_importer: Some(imports),
        ..Language::PLAIN
    }
}

/// `@use "a"`, `@forward "a"` and `@import "a", "b"`, each with the kind of its statement.
const STATEMENTS: [(&str, &str); 4] = [
    ("@use", "sass_use"),
    ("@forward", "sass_forward"),
    ("@import", "sass_import"),
    // Only in Stylus.
    ("@require", "sass_import"),
];

fn imports(text: &str, first_line: u32) -> Vec<Import> {
    let mut found = Vec::new();
    let mut in_comment = false;
    for (line, number) in text.lines().zip(first_line..) {
        let line = line.trim_start();
        let was_in_comment = in_comment;
        in_comment = comment_continues(line, in_comment);
        let statement = STATEMENTS.iter().find_map(|(word, kind)| Some((line.strip_prefix(word)?, *kind)));
        if let Some((rest, kind)) = statement.filter(|_| !was_in_comment) {
            let paths = quoted(rest.split([';', '{']).next().unwrap_or(rest), kind);
            found.extend(paths.map(|path| Import {
                specifier: path.to_owned(),
                names: Vec::new(),
                line: number,
                kind: kind.to_owned(),
            }));
        }
    }
    found
}

/// Whether the next line is inside a block comment.
fn comment_continues(line: &str, in_comment: bool) -> bool {
    match (line.rfind("/*"), line.rfind("*/")) {
        (Some(open), Some(close)) => open > close,
        (Some(open), None) => in_comment || !line[..open].contains("//"),
        (None, Some(_)) => false,
        (None, None) => in_comment,
    }
}

/// The quoted paths of a statement. Only `@import` takes several; in the others, later strings belong to a configuration.
fn quoted<'t>(rest: &'t str, kind: &str) -> impl Iterator<Item = &'t str> {
    let most = if kind == "sass_import" { usize::MAX } else { 1 };
    without_comment(rest).split(['"', '\'']).skip(1).step_by(2).filter(|path| !path.is_empty()).take(most)
}

/// The text before a `//` comment. A `//` inside quotes, as in a URL, does not count.
fn without_comment(rest: &str) -> &str {
    let is_outside = |before: &str| ['"', '\''].iter().all(|quote| before.matches(*quote).count() % 2 == 0);
    let comment = rest.match_indices("//").map(|(at, _)| at).find(|at| is_outside(&rest[..*at]));
    &rest[..comment.unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_import_is_found() {
        let text = "@use 'sass:math';\n  @use \"../vars\" as v with ($a: \"b\");\n@forward 'src/list' hide x;\n\
                    /* @use 'no';\n@use 'no'; */\n@import 'a', \"b\"; // 'c'\n.use { color: red }\n\
                    @import (reference) \"theme.less\";\n@import url(\"https://example.org/a.css\");\n";
        let found: Vec<_> = imports(text, 10)
            .into_iter()
            .map(|import| (import.line, import.kind, import.specifier))
            .collect();
        let expected = [
            (10, "sass_use", "sass:math"),
            (11, "sass_use", "../vars"),
            (12, "sass_forward", "src/list"),
            (15, "sass_import", "a"),
            (15, "sass_import", "b"),
            (17, "sass_import", "theme.less"),
            (18, "sass_import", "https://example.org/a.css"),
        ];
        assert_eq!(found, expected.map(|(line, kind, path)| (line, kind.to_owned(), path.to_owned())));
    }
}
