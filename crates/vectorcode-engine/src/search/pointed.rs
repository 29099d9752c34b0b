//! The chunks that a question points at: the line of a file, or the function that a frame of a stack trace names in it.
//!
//! Weights are fitted on right files, so they say little about which chunk of a file to show. Whoever pastes a trace wants to
//! see the functions in it. So such a chunk leads its file; the order of files stays as it is.

use std::collections::HashSet;

use rustc_hash::FxHashMap;
use vectorcode_core::Span;
use vectorcode_store::{ChunkRow, IndexReader, StoredDefinition};

use super::candidates::Candidate;
use super::query::Query;
use super::question::{MentionKind, PathParts, Place};
use super::ranking::Ranked;
use crate::EngineError;

/// How far a chunk is put before the best of its file.
const LEAD: f32 = 0.01;

/// The chunks of these files that the query points at.
pub(crate) fn rows<'p>(
    reader: &dyn IndexReader,
    query: &Query,
    files: impl Iterator<Item = &'p str>,
) -> Result<HashSet<ChunkRow>, EngineError> {
    let mut rows = HashSet::new();
    for path in files {
        let places = places_in(path, query);
        if !places.is_empty() {
            let lines = lines_to_show(&places, &reader.definitions_of(path)?);
            let chunks = reader.chunks_of(path)?;
            let shown =
                chunks.iter().filter(|stored| lines.iter().any(|line| holds(&stored.chunk.span, *line)));
            rows.extend(shown.map(|stored| stored.row));
        }
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

/// The lines that the places mean. A trace may be of another version, where lines differ: a function that lies there or has
/// that name is sure, its name elsewhere in the file is the next best, and a line beside a name that the file lacks is nothing.
fn lines_to_show(places: &[&Place], definitions: &[StoredDefinition]) -> Vec<u32> {
    let (mut sure, mut likely) = (Vec::new(), Vec::new());
    for place in places {
        let Some(function) = &place.function else {
            sure.extend(place.line);
            continue;
        };
        let named = definitions.iter().map(|stored| &stored.definition).filter(|own| own.name == *function);
        match place.line.filter(|line| named.clone().any(|own| holds(&own.span, *line))) {
            Some(line) => sure.push(line),
            None => likely.extend(named.map(|own| own.name_line)),
        }
    }
    if sure.is_empty() { likely } else { sure }
}

fn holds(span: &Span, line: u32) -> bool {
    (span.start_line..=span.end_line).contains(&line)
}

/// Puts the best chunk that the query points at before the others of its file.
pub(crate) fn lead(ranked: &mut [Ranked], pool: &[Candidate]) {
    let mut best: FxHashMap<&str, f32> = FxHashMap::default();
    let mut leading: FxHashMap<&str, usize> = FxHashMap::default();
    for (place, ranked) in ranked.iter().enumerate() {
        let candidate = &pool[ranked.index];
        best.entry(&candidate.chunk.path).or_insert(ranked.relevance);
        if candidate.is_pointed_at {
            leading.entry(&candidate.chunk.path).or_insert(place);
        }
    }
    if leading.is_empty() {
        return;
    }
    for (path, place) in leading {
        ranked[place].relevance = best[path] + LEAD;
    }
    ranked.sort_unstable_by(Ranked::best_first);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::candidate;

    #[test]
    fn a_chunk_that_is_pointed_at_leads_its_file_and_files_keep_their_order() {
        let mut pool = ["b.rs", "a.rs", "b.rs", "c.rs", "a.rs"].map(|path| candidate(path, "f", 1..=2, ""));
        pool[2].is_pointed_at = true;
        pool[4].is_pointed_at = true;
        let mut ranked: Vec<Ranked> =
            (0..5).map(|index| Ranked { index, relevance: 5.0 - index as f32 }).collect();
        lead(&mut ranked, &pool);
        assert_eq!(ranked.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [2, 0, 4, 1, 3]);
    }
}
