//! The chunks that a question points at: the line of a file, or the function that a frame of a stack trace names in it.
//!
//! Weights are fitted on right files, so they say little about which chunk of a file to show. Whoever pastes a trace wants to
//! see the functions in it: such a chunk leads its file ([`lead`](super::lead)).

use std::collections::HashSet;

use vectorcode_store::{ChunkRow, IndexReader, StoredDefinition};

use super::query::Query;
use super::question::{MentionKind, PathParts, Place};
use crate::EngineError;

/// The chunks of these files that the query points at.
pub(crate) fn rows<'p>(
    reader: &dyn IndexReader,
    query: &Query,
    files: impl Iterator<Item = &'p str>,
) -> Result<HashSet<ChunkRow>, EngineError> {
    let mut rows = HashSet::new();
    for path in files {
        let places = places_in(path, query);
        if places.is_empty() {
            continue;
        }
        let lines = lines_to_show(&places, &reader.definitions_of(path)?);
        if lines.is_empty() {
            continue;
        }
        let mut chunks = reader.chunks_of(path)?;
        chunks.retain(|stored| lines.iter().any(|line| stored.chunk.span.holds_line(*line)));
        rows.extend(chunks.iter().map(|stored| stored.row));
    }
    Ok(rows)
}

/// Where only the name of the file is the same, a function that it lacks says that another file is meant.
fn places_in<'q>(path: &str, query: &'q Query) -> Vec<&'q Place> {
    let parts = PathParts::of(path);
    let files = query.mentions.iter().filter(|mention| mention.kind != MentionKind::Module);
    let pointing = files.filter(|mention| !mention.places.is_empty());
    let places = pointing.map(|mention| (mention.likeness(&parts), &mention.places));
    let meant = places.flat_map(|(likeness, places)| {
        let is_meant = move |place: &&Place| likeness >= 1.0 || (likeness > 0.0 && place.function.is_some());
        places.iter().filter(is_meant)
    });
    meant.collect()
}

/// The lines that the places mean. A trace may be of another version, where lines differ: then its functions are looked up by
/// their names, and its lines count only where it names no function that the file defines.
fn lines_to_show(places: &[&Place], definitions: &[StoredDefinition]) -> Vec<u32> {
    let (mut inside, mut named, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for place in places {
        let Some(function) = &place.function else {
            alone.extend(place.line);
            continue;
        };
        let defined = definitions.iter().map(|stored| &stored.definition).filter(|own| own.name == *function);
        match place.line.filter(|line| defined.clone().any(|own| own.span.holds_line(*line))) {
            Some(line) => inside.push(line),
            None => named.extend(defined.map(|own| own.name_line)),
        }
    }
    match (inside.is_empty(), named.is_empty()) {
        (true, true) => alone,
        (true, false) => named,
        (false, _) => [inside, alone].concat(),
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{Definition, DefinitionKind, Span};

    use super::*;

    /// A function of ten lines, its name on the first.
    fn definition(name: &str, start_line: u32) -> StoredDefinition {
        let span = Span { start_line, end_line: start_line + 9, byte_start: 0, byte_end: 1 };
        let definition = Definition {
            name: name.into(),
            qualified: name.into(),
            kind: DefinitionKind::Function,
            signature: String::new(),
            span,
            name_line: start_line,
        };
        let path = "a.rs".into();
        StoredDefinition {
            path,
            language: "rust".into(),
            is_test: false,
            definition,
            row: ChunkRow(1),
            ordinal: 0,
        }
    }

    #[test]
    fn lines_count_only_where_they_agree_with_names() {
        let definitions = [definition("open", 10), definition("read", 30), definition("read", 50)];
        let lines = |places: &[(Option<&str>, u32)]| {
            let place = |(name, line): &(Option<&str>, u32)| Place {
                function: name.map(str::to_owned),
                line: Some(*line),
            };
            let places: Vec<Place> = places.iter().map(place).collect();
            lines_to_show(&places.iter().collect::<Vec<_>>(), &definitions)
        };
        assert_eq!(lines(&[(Some("read"), 55)]), [55], "one of two functions of that name");
        assert_eq!(lines(&[(Some("read"), 99)]), [30, 50], "lines of another version");
        assert_eq!(lines(&[(Some("gone"), 12)]), [0_u32; 0], "a function that the file lacks");
        assert_eq!(lines(&[(None, 12)]), [12]);
        assert_eq!(lines(&[(None, 12), (Some("open"), 99)]), [10], "the version is another one");
        assert_eq!(lines(&[(None, 33), (Some("open"), 12)]), [12, 33], "the version is the same");
    }
}
