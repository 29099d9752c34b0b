//! The entry point of the crate: turns the text of a file into everything that the index stores for it.

use serde::{Deserialize, Serialize};
use tree_sitter::Node;
use vectorcode_core::{Definition, FileFlags, ParsedFile, Reference};

use crate::chunk::{self, FileFacts};
use crate::extract::{Extracted, ExtractedParts, extract, extract_parts, headings, imports_of_text};
use crate::languages::{Language, Structure, Syntax};
use crate::lines::Lines;
use crate::minified::is_minified_name;
use crate::parse::with_tree;
use crate::parts::Part;
use crate::source_text::SourceText;

/// Version of the chunker. Increase it when the same file produces different chunks. The next sync then reads
/// all files again that were indexed with another version.
pub const CHUNKER_VERSION: u16 = 4;

/// Version of the extractor. Increase it when the same file produces different definitions, references or imports.
pub const EXTRACTOR_VERSION: u16 = 7;

/// Parses one file. Never fails: a file without a structure, or one that is too slow to parse, is chunked by lines.
pub fn parse_source(path: &str, language: &'static Language, source: &SourceText) -> ParsedFile {
    let facts = facts(path, language, source);
    let lines = Lines::new(&source.text);
    match &language.structure {
        _ if facts.flags.minified => from_characters(&lines, &facts),
        Structure::Tree(syntax) => from_tree(&lines, syntax, &facts),
        Structure::Headings => {
            let found = headings(&lines, &[lines.all()]);
            assemble(&chunk::along_outline(&lines, &found.outline), &lines, found, &facts)
        }
        // Sources of a notebook without line breaks cannot be parsed.
        Structure::Notebook if facts.flags.unparsed && !source.parts.is_empty() => {
            let ranges = source.parts.iter().map(|part| part.whole.clone());
            assemble(&chunk::by_characters_of(&lines, ranges), &lines, Extracted::default(), &facts)
        }
        Structure::Component(_) | Structure::Notebook if !source.parts.is_empty() => {
            from_parts(&lines, &source.parts, &facts)
        }
        Structure::Component(_) | Structure::Notebook | Structure::Lines => {
            let imports = imports_of_text(language, &lines, &(0..lines.text.len()));
            let found = Extracted { imports, ..Extracted::default() };
            assemble(&chunk::windows(&lines), &lines, found, &facts)
        }
    }
}

/// Every use of these names in the code of a file, and the definitions that enclose them. Empty for a file that cannot be
/// parsed.
pub fn uses_in(language: &'static Language, source: &SourceText, names: &[String]) -> FileUses {
    let lines = Lines::new(&source.text);
    let found = match &language.structure {
        Structure::Tree(syntax) => syntax.table().and_then(|table| {
            let hidden = syntax.hidden_in(lines.text);
            let read = |root: Node<'_>| extract(root, &lines, syntax, table, names);
            with_tree(lines.text, &hidden, table.grammar, read).ok()
        }),
        Structure::Component(_) | Structure::Notebook => {
            Some(extract_parts(&lines, &source.parts, names).found)
        }
        Structure::Headings | Structure::Lines => None,
    };
    let Extracted { definitions, references, .. } = found.unwrap_or_default();
    FileUses { definitions, references }
}

/// The result of [`uses_in`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileUses {
    pub definitions: Vec<Definition>,
    pub references: Vec<Reference>,
}

/// Chunks one file by lines, whatever its language, without definitions, references and imports. It runs no parser, which
/// would take most of the time of [`parse_source`].
pub fn chunk_by_lines(path: &str, language: &'static Language, source: &SourceText) -> ParsedFile {
    let facts = facts(path, language, source);
    let lines = Lines::new(&source.text);
    if facts.flags.minified { from_characters(&lines, &facts) } else { from_windows(&lines, &facts) }
}

/// Chunks one file by lines because its parser gave up.
pub(crate) fn chunk_unparsed(path: &str, language: &'static Language, source: &SourceText) -> ParsedFile {
    let mut facts = facts(path, language, source);
    facts.flags.unparsed = true;
    from_windows(&Lines::new(&source.text), &facts)
}

pub(crate) fn facts<'a>(path: &'a str, language: &'static Language, source: &SourceText) -> FileFacts<'a> {
    let flags = FileFlags {
        test: source.flags.test || language.is_test_path(path),
        minified: source.flags.minified || is_minified_name(path),
        ..source.flags
    };
    FileFacts { path, language: language.name, class: language.class, flags }
}

fn from_tree(lines: &Lines<'_>, syntax: &Syntax, facts: &FileFacts<'_>) -> ParsedFile {
    let Some(table) = syntax.table() else { return from_windows(lines, facts) };
    let read = |root: Node<'_>| {
        let mut found = extract(root, lines, syntax, table, &[]);
        if let Some(importer) = syntax.file_importer {
            found.imports.extend(importer(root, lines.text, &found.definitions));
        }
        assemble(&chunk::along_outline(lines, &found.outline), lines, found, facts)
    };
    with_tree(lines.text, &syntax.hidden_in(lines.text), table.grammar, read).unwrap_or_else(|reason| {
        tracing::warn!(path = facts.path, ?reason, "not parsed; the file is indexed by its lines");
        let flags = FileFlags { unparsed: true, ..facts.flags };
        from_windows(lines, &FileFacts { flags, ..*facts })
    })
}

/// A part that could not be parsed is still in the outline, but without its items.
fn from_parts(lines: &Lines<'_>, parts: &[Part], facts: &FileFacts<'_>) -> ParsedFile {
    let ExtractedParts { found, unparsed } = extract_parts(lines, parts, &[]);
    let flags = FileFlags { unparsed: unparsed || facts.flags.unparsed, ..facts.flags };
    let pieces = chunk::along_outline(lines, &found.outline);
    assemble(&pieces, lines, found, &FileFacts { flags, ..*facts })
}

fn from_characters(lines: &Lines<'_>, facts: &FileFacts<'_>) -> ParsedFile {
    assemble(&chunk::by_characters(lines), lines, Extracted::default(), facts)
}

fn from_windows(lines: &Lines<'_>, facts: &FileFacts<'_>) -> ParsedFile {
    assemble(&chunk::windows(lines), lines, Extracted::default(), facts)
}

fn assemble(
    pieces: &[chunk::Piece],
    lines: &Lines<'_>,
    found: Extracted,
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
