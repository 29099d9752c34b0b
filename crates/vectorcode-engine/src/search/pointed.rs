//! Finds the chunks that a query points at: a line of a file, or the function that a stack frame names in it.
//!
//! The weights were fitted to find the right file, so they say little about which chunk of a file to show. A user who
//! pastes a trace wants to see the functions in it, so such a chunk leads its file ([`lead`](super::lead)).

use std::collections::HashMap;

use vectorcode_core::{Definition, DefinitionKind};
use vectorcode_store::{ChunkRow, IndexReader, StoredDefinition};

use super::path_kind::folders_and_name;
use super::query::Query;
use super::question::{MentionKind, PathParts, Place};
use crate::error::EngineError;

/// The chunks of these files that the query points at, each with its rank within its file: 0 for the first.
pub(crate) fn rows(
    reader: &dyn IndexReader,
    query: &Query,
    files: &[&str],
) -> Result<HashMap<ChunkRow, usize>, EngineError> {
    let mut rows = HashMap::new();
    for path in files {
        let is_only = !files.iter().any(|other| other != path && name_of(other) == name_of(path));
        let pointers = pointers_into(path, is_only, query);
        if pointers.is_empty() {
            continue;
        }
        let lines = lines_to_show(&pointers, &reader.definitions_of(path)?);
        if lines.is_empty() {
            continue;
        }
        for stored in reader.chunks_of(path)? {
            let held = lines.iter().filter(|(_, line)| stored.chunk.span.holds_line(*line));
            rows.extend(held.map(|(rank, _)| *rank).min().map(|rank| (stored.row, rank)));
        }
    }
    Ok(rows)
}

fn name_of(path: &str) -> &str {
    folders_and_name(path).1
}

/// A place that may be in a file.
struct Pointer<'q> {
    place: &'q Place,
    /// Whether this file is meant. Otherwise only its name matches, and if it lacks the function another file is
    /// meant.
    is_sure: bool,
}

/// `is_only` if no other of the files has this file's name.
fn pointers_into<'q>(path: &str, is_only: bool, query: &'q Query) -> Vec<Pointer<'q>> {
    let parts = PathParts::of(path);
    let files = query.mentions.iter().filter(|mention| mention.kind != MentionKind::Module);
    let pointing = files.filter(|mention| !mention.places.is_empty());
    let likely = pointing.map(|mention| (mention.likeness(&parts), mention));
    let likely = likely.filter(|(likeness, _)| *likeness > 0.0);
    let pointers = likely.flat_map(|(likeness, mention)| {
        mention.places.iter().map(move |place| Pointer { place, is_sure: is_only || likeness >= 1.0 })
    });
    pointers.collect()
}

/// How a place matches a file.
enum Finding {
    /// The line is in the function.
    Agrees(u32),
    /// The function is elsewhere: the line comes from another version of the file.
    Moved { from: Option<u32>, to: Vec<u32> },
    /// Only a line; the file defines none of the named functions.
    Line(u32),
}

impl Finding {
    fn of(pointer: &Pointer<'_>, definitions: &[StoredDefinition]) -> Option<Self> {
        let Place { line, functions } = pointer.place;
        let defined = defined_function(functions, definitions);
        if defined.is_empty() {
            return line.filter(|_| pointer.is_sure).map(Self::Line);
        }
        let inside = line.filter(|line| defined.iter().any(|own| own.span.holds_line(*line)));
        let moved = || Self::Moved { from: *line, to: defined.iter().map(|own| own.name_line).collect() };
        Some(inside.map_or_else(moved, Self::Agrees))
    }
}

/// The definitions of the first name that the file defines as a function, or else as anything. Among several
/// functions of that name, those with most of their scopes among the names.
fn defined_function<'d>(names: &[String], definitions: &'d [StoredDefinition]) -> Vec<&'d Definition> {
    let first = |may_be: fn(DefinitionKind) -> bool| {
        let defined = |name: &String| -> Vec<&'d Definition> {
            let own = definitions.iter().map(|stored| &stored.definition);
            own.filter(|own| own.name == *name && may_be(own.kind)).collect()
        };
        names.iter().map(defined).find(|defined| !defined.is_empty())
    };
    let mut defined = first(DefinitionKind::is_callable).or_else(|| first(|_| true)).unwrap_or_default();
    let known_scopes = |own: &Definition| {
        let scopes = own.qualified.split(['.', ':', '#', '/', '\\']);
        scopes.filter(|scope| names.iter().any(|name| name == scope)).count()
    };
    let most = defined.iter().map(|own| known_scopes(own)).max();
    defined.retain(|own| Some(known_scopes(own)) == most);
    defined
}

/// The lines that the places refer to, each with the rank of its place. A trace may come from another version with
/// different lines: then its functions are looked up by name, and lines without a function are ignored.
fn lines_to_show(pointers: &[Pointer<'_>], definitions: &[StoredDefinition]) -> Vec<(usize, u32)> {
    let findings: Vec<Finding> =
        pointers.iter().filter_map(|pointer| Finding::of(pointer, definitions)).collect();
    let agrees = findings.iter().any(|finding| matches!(finding, Finding::Agrees(_)));
    let moved: Vec<Option<u32>> = findings
        .iter()
        .filter_map(|finding| if let Finding::Moved { from, .. } = finding { Some(*from) } else { None })
        .collect();
    let counts = |line: u32| moved.is_empty() || (agrees && !moved.contains(&Some(line)));
    let ranked = findings.into_iter().enumerate().flat_map(|(rank, finding)| {
        let lines = match finding {
            Finding::Agrees(line) => vec![line],
            Finding::Moved { to, .. } => to,
            Finding::Line(line) if counts(line) => vec![line],
            Finding::Line(_) => Vec::new(),
        };
        lines.into_iter().map(move |line| (rank, line))
    });
    ranked.collect()
}

#[cfg(test)]
mod tests {
    use vectorcode_core::Span;

    use super::*;

    /// A function of ten lines, with its name on the first.
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
        let lines = |places: &[(&[&str], u32)], is_sure: bool| {
            let place = |(names, line): &(&[&str], u32)| Place {
                functions: names.iter().map(|name| (*name).to_owned()).collect(),
                line: Some(*line),
            };
            let places: Vec<Place> = places.iter().map(place).collect();
            let pointers: Vec<Pointer<'_>> = places.iter().map(|place| Pointer { place, is_sure }).collect();
            let lines = lines_to_show(&pointers, &definitions);
            lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>()
        };
        assert_eq!(lines(&[(&["read"], 55)], true), [55], "one of two functions of that name");
        assert_eq!(lines(&[(&["read"], 99)], true), [30, 50], "lines of another version");
        assert_eq!(lines(&[(&["func1", "open"], 99)], true), [10], "names added by the compiler are skipped");
        assert_eq!(lines(&[(&["read", "open"], 99)], true), [30, 50], "a scope does not make a function");
        assert_eq!(lines(&[(&["gone"], 12)], true), [12], "a function that the file lacks");
        assert_eq!(lines(&[(&["gone"], 12)], false), [0_u32; 0], "another file of that name is meant");
        assert_eq!(lines(&[(&[], 12)], true), [12]);
        assert_eq!(lines(&[(&[], 12), (&["open"], 99)], true), [10], "another version");
        assert_eq!(lines(&[(&[], 33), (&["open"], 12)], true), [33, 12], "the same version");
        assert_eq!(
            lines(&[(&["read"], 99), (&["open"], 12)], true),
            [30, 50, 12],
            "one line agrees by chance"
        );
    }
}
