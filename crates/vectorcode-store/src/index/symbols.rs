//! Finds the chunk that contains a definition, and the names that a chunk uses.

use vectorcode_core::{Chunk, Definition, ParsedFile};

/// For each chunk, the definitions whose names it contains.
pub(crate) fn defined_in<'p>(parsed: &'p ParsedFile, defining_chunks: &[usize]) -> Vec<Vec<&'p Definition>> {
    let mut defined = vec![Vec::new(); parsed.chunks.len()];
    for (definition, chunk) in parsed.definitions.iter().zip(defining_chunks) {
        defined[*chunk].push(definition);
    }
    defined
}

/// For each chunk, the distinct names that it uses.
pub(crate) fn used_names(parsed: &ParsedFile) -> Vec<Vec<&str>> {
    let chunks = &parsed.chunks;
    let mut used: Vec<Vec<&str>> = vec![Vec::new(); chunks.len()];
    for reference in &parsed.references {
        let after = chunks.partition_point(|chunk| chunk.span.start_line <= reference.line);
        if let Some(used) = used.get_mut(after.saturating_sub(1)) {
            used.push(&reference.name);
        }
    }
    for names in &mut used {
        names.sort_unstable();
        names.dedup();
    }
    used
}

/// For each definition, the index of the chunk that contains its name. Empty for a file without chunks.
pub(crate) fn defining_chunks(parsed: &ParsedFile) -> Vec<usize> {
    if parsed.chunks.is_empty() {
        return Vec::new();
    }
    parsed.definitions.iter().map(|definition| defining_chunk(&parsed.chunks, definition)).collect()
}

/// Chunks are in file order. If two chunks share the line of the name, the one in which the definition starts.
fn defining_chunk(chunks: &[Chunk], definition: &Definition) -> usize {
    let line = definition.name_line;
    let after = chunks.partition_point(|chunk| chunk.span.start_line <= line);
    let holding = (0..after).rev().take_while(|place| chunks[*place].span.end_line >= line);
    let begins_in =
        |place: &usize| chunks[*place].span.bytes().contains(&(definition.span.byte_start as usize));
    holding.clone().find(begins_in).or_else(|| holding.clone().next()).unwrap_or(after.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{DefinitionKind, Span};
    use vectorcode_testkit::small_index;

    use super::*;

    fn span(start_line: u32, end_line: u32, byte_start: u32, byte_end: u32) -> Span {
        Span { start_line, end_line, byte_start, byte_end }
    }

    fn home_of(name_line: u32, byte_start: u32) -> usize {
        let chunks = [span(1, 4, 0, 40), span(4, 9, 40, 90), span(12, 20, 95, 200)];
        let chunks = chunks.map(|span| small_index::chunk("a.rs", "", "", span));
        let definition = Definition {
            name: "f".into(),
            qualified: "f".into(),
            kind: DefinitionKind::Function,
            signature: String::new(),
            span: span(name_line, name_line, byte_start, byte_start + 5),
            name_line,
        };
        defining_chunk(&chunks, &definition)
    }

    #[test]
    fn a_definition_lives_where_its_name_stands() {
        assert_eq!([home_of(2, 10), home_of(6, 60), home_of(15, 120)], [0, 1, 2]);
        assert_eq!([home_of(4, 36), home_of(4, 44)], [0, 1], "two chunks on one line");
        assert_eq!(home_of(11, 92), 1, "a line that no chunk holds");
    }
}
