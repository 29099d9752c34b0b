//! The entry point of the crate: turns the text of a file into everything that the index stores for it.

use tree_sitter::Node;
use vectorcode_core::{FileFlags, ParsedFile};

use crate::chunk::{self, FileFacts};
use crate::extract::{Extracted, extract, headings};
use crate::languages::{Language, Structure, Syntax};
use crate::lines::Lines;
use crate::parse::with_tree;

/// Version of the chunker. Increase it when the same text produces different chunks. The next sync then reads
/// all files again that were indexed with another version.
pub const CHUNKER_VERSION: u16 = 1;

/// Version of the extractor. Increase it when the same text produces different definitions, references or imports.
pub const EXTRACTOR_VERSION: u16 = 1;

/// Parses one file. Never fails: a file without a structure, or one that is too slow to parse, is chunked by lines.
pub fn parse_source(path: &str, language: &'static Language, text: &str, flags: FileFlags) -> ParsedFile {
    let flags = FileFlags { test: flags.test || language.is_test_path(path), ..flags };
    let facts = FileFacts { path, language: language.name, class: language.class, flags };
    let lines = Lines::new(text);
    match &language.structure {
        _ if flags.minified => assemble(&chunk::by_characters(&lines), &lines, Extracted::default(), &facts),
        Structure::Tree(syntax) => from_tree(&lines, syntax, &facts),
        Structure::Headings => {
            let found = headings(&lines);
            assemble(&chunk::along_outline(&lines, &found.outline), &lines, found, &facts)
        }
        Structure::Lines => from_windows(&lines, &facts),
    }
}

fn from_tree(lines: &Lines<'_>, syntax: &Syntax, facts: &FileFacts<'_>) -> ParsedFile {
    let Some(table) = syntax.table() else { return from_windows(lines, facts) };
    let read = |root: Node<'_>| {
        let mut found = extract(root, lines, syntax, table);
        if let Some(importer) = syntax.file_importer {
            found.imports.extend(importer(root, lines.text, &found.definitions));
        }
        assemble(&chunk::along_outline(lines, &found.outline), lines, found, facts)
    };
    with_tree(lines.text, table.language, read).unwrap_or_else(|reason| {
        tracing::warn!(path = facts.path, ?reason, "not parsed; the file is indexed by its lines");
        let flags = FileFlags { unparsed: true, ..facts.flags };
        from_windows(lines, &FileFacts { flags, ..*facts })
    })
}

fn from_windows(lines: &Lines<'_>, facts: &FileFacts<'_>) -> ParsedFile {
    assemble(&chunk::windows(lines), lines, Extracted::default(), facts)
}

fn assemble(
    pieces: &[chunk::Piece],
    lines: &Lines<'_>,
    found: Extracted<'_>,
    facts: &FileFacts<'_>,
) -> ParsedFile {
    let finisher = chunk::Finisher { lines, outline: &found.outline, definitions: &found.definitions, facts };
    let chunks = pieces.iter().map(|piece| finisher.chunk(piece)).collect();
    ParsedFile {
        path: facts.path.to_owned(),
        language: facts.language.to_owned(),
        class: facts.class,
        flags: facts.flags,
        chunks,
        definitions: found.definitions,
        references: found.references,
        imports: found.imports,
    }
}
