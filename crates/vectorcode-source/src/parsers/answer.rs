//! The response of a parser process, which an attacker may control: everything that can be checked is checked.

use serde::{Deserialize, Serialize};
use vectorcode_core::{Chunk, Definition, FileFlags, ParsedFile, Reference, Token};

use crate::chunk::{FileFacts, MAX_BYTES};
use crate::lines::Lines;
use crate::source::FileUses;

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Parsed(ParsedFile),
    Tokens(Vec<Token>),
    Uses(FileUses),
}

/// Removes what the requesting process knows better: text, path and language.
pub(super) fn without_text(mut parsed: ParsedFile) -> ParsedFile {
    for chunk in &mut parsed.chunks {
        chunk.content = String::new();
        chunk.path = String::new();
        chunk.language = String::new();
    }
    parsed
}

/// The file with its text restored, or `None` if an intact process could not have sent this response.
pub(super) fn checked_file(found: ParsedFile, facts: &FileFacts<'_>, text: &str) -> Option<ParsedFile> {
    let lines = Lines::new(text);
    // Chunks that were split overlap slightly.
    let mut bytes_left = text.len() * 2;
    let mut checked = |chunk| checked_chunk(chunk, facts, &lines, &mut bytes_left);
    let chunks: Option<Vec<Chunk>> = found.chunks.into_iter().map(&mut checked).collect();
    let definitions = found.definitions;
    let is_known = |enclosing: Option<u32>| enclosing.is_none_or(|at| (at as usize) < definitions.len());
    let is_reference =
        |reference: &Reference| is_line(reference.line, &lines) && is_known(reference.enclosing);
    let is_right = definitions.iter().all(|definition| is_definition(definition, &lines))
        && found.references.iter().all(is_reference)
        && found.imports.iter().all(|import| is_line(import.line, &lines));
    is_right.then_some(ParsedFile {
        path: facts.path.to_owned(),
        language: facts.language.to_owned(),
        class: facts.class,
        flags: FileFlags { unparsed: found.flags.unparsed || facts.flags.unparsed, ..facts.flags },
        chunks: chunks?,
        definitions,
        references: found.references,
        imports: found.imports,
    })
}

fn checked_chunk(
    chunk: Chunk,
    facts: &FileFacts<'_>,
    lines: &Lines<'_>,
    bytes_left: &mut usize,
) -> Option<Chunk> {
    let bytes = chunk.span.bytes();
    let content = lines.text.get(bytes.clone()).filter(|content| content.len() <= MAX_BYTES)?;
    *bytes_left = bytes_left.checked_sub(content.len())?;
    Some(Chunk {
        path: facts.path.to_owned(),
        span: lines.span(&bytes),
        content: content.to_owned(),
        language: facts.language.to_owned(),
        class: facts.class,
        ..chunk
    })
}

/// Whether a definition is inside the text, and its name inside the definition.
fn is_definition(definition: &Definition, lines: &Lines<'_>) -> bool {
    let (span, name_line) = (definition.span, definition.name_line);
    let is_inside = is_line(span.start_line, lines) && is_line(span.end_line, lines);
    is_inside && span.holds_line(name_line) && lines.text.get(span.bytes()).is_some()
}

/// Whether the text has a line with this number, counted from 1.
fn is_line(number: u32, lines: &Lines<'_>) -> bool {
    (1..=lines.count() as u32).contains(&number)
}

/// The uses, or `None` if one has a name that was not requested, a line outside the text, or an unknown enclosing definition.
pub(super) fn checked_uses(found: FileUses, names: &[String], text: &str) -> Option<FileUses> {
    let lines = Lines::new(text);
    let is_known =
        |enclosing: Option<u32>| enclosing.is_none_or(|at| (at as usize) < found.definitions.len());
    let is_use = |used: &Reference| {
        names.contains(&used.name) && is_line(used.line, &lines) && is_known(used.enclosing)
    };
    let is_right = found.definitions.iter().all(|definition| is_definition(definition, &lines))
        && found.references.iter().all(is_use);
    is_right.then_some(found)
}

/// The tokens, or `None` if they are out of order, overlap, or split a character.
pub(super) fn checked_tokens(tokens: Vec<Token>, text: &str) -> Option<Vec<Token>> {
    let mut end = 0;
    let is_right = tokens.iter().all(|token| {
        let follows = token.start >= end && text.get(token.start..token.end).is_some();
        end = token.end;
        follows
    });
    is_right.then_some(tokens)
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{ContentClass, Span, TokenClass};

    use super::*;
    use crate::languages::by_name;
    use crate::source::{facts, parse_source};
    use crate::source_text::SourceText;

    const TEXT: &str = "use tape::measure;\n/// Größe.\nfn size() {\n    measure();\n}\n";

    /// Whether a parsed file is still accepted after this change.
    fn is_believed(change: impl FnOnce(&mut ParsedFile)) -> bool {
        let language = by_name("rust").unwrap();
        let source = SourceText::new(language, TEXT.to_owned());
        let parsed = parse_source("a.rs", language, &source);
        let mut sent = without_text(parsed.clone());
        change(&mut sent);
        let checked = checked_file(sent, &facts("a.rs", language, &source), TEXT);
        checked.is_some_and(|checked| checked == parsed)
    }

    #[test]
    fn an_intact_answer_gives_the_whole_file() {
        assert!(is_believed(|_| {}));
    }

    #[test]
    fn what_can_be_known_is_not_believed() {
        assert!(is_believed(|file| {
            file.path = "../other.rs".into();
            file.class = ContentClass::Docs;
            file.chunks[0].content = "something else".into();
            file.chunks[0].path = "../other.rs".into();
            file.chunks[0].span.start_line = 900;
        }));
    }

    #[test]
    fn what_lies_outside_the_text_is_refused() {
        let within = |byte_start, byte_end| Span { start_line: 1, end_line: 1, byte_start, byte_end };
        assert!(!is_believed(|file| file.chunks[0].span = within(0, 4_000)));
        assert!(!is_believed(|file| file.chunks[0].span = within(0, 26)), "inside of a character");
        assert!(!is_believed(|file| file.chunks[0].span = within(9, 3)));
        assert!(!is_believed(|file| file.definitions[0].span.byte_end = 4_000));
        assert!(!is_believed(|file| file.definitions[0].span.end_line = 6));
        assert!(!is_believed(|file| file.definitions[0].name_line = 1), "outside of the definition");
        assert!(!is_believed(|file| file.references[0].enclosing = Some(7)));
        for line in [0, 6] {
            assert!(!is_believed(|file| file.references[0].line = line));
            assert!(!is_believed(|file| file.imports[0].line = line));
        }
        assert!(!is_believed(|file| file.chunks = vec![file.chunks[0].clone(); 50]));
    }

    #[test]
    fn tokens_that_overlap_are_refused() {
        let token = |start, end| Token { start, end, class: TokenClass::Keyword };
        assert!(checked_tokens(vec![token(0, 3), token(3, 6)], TEXT).is_some());
        for wrong in [vec![token(0, 4), token(3, 6)], vec![token(5, 3)], vec![token(0, 26)]] {
            assert!(checked_tokens(wrong, TEXT).is_none());
        }
    }
}
