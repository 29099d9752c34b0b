//! Narrows hits to the definitions that a filter by kind selects.
//!
//! A small class and its methods are one chunk, which therefore passes a filter for methods as well as one for
//! classes. A search for methods should show the method, not the class around it.

use vectorcode_core::{Definition, DefinitionKind};
use vectorcode_store::IndexReader;

use super::page::IndexedHit;
use super::query::Query;
use crate::error::EngineError;

/// Narrows each hit that is not itself of one of these kinds to the definition of such a kind in it that matches the
/// query best. A hit without such a definition stays as it is: it passed the filter by its syntax node.
pub(super) fn on_kinds(
    mut hits: Vec<IndexedHit>,
    kinds: &[String],
    reader: &dyn IndexReader,
    query: &Query,
) -> Result<Vec<IndexedHit>, EngineError> {
    let kinds: Vec<(DefinitionKind, &str)> = kinds.iter().flat_map(|name| definitions_of(name)).collect();
    if kinds.is_empty() {
        return Ok(hits);
    }
    let shown = |definition: &Definition| {
        kinds.iter().find(|(kind, _)| *kind == definition.kind).map(|(_, name)| *name)
    };
    for hit in &mut hits {
        // A chunk whose own syntax node was requested stays whole.
        if kinds.iter().any(|(kind, name)| hit.kind() == *name && kind.as_str() != *name) {
            continue;
        }
        let stored = reader.definitions_of(hit.path())?;
        let wanted: Vec<Definition> = stored
            .into_iter()
            .map(|stored| stored.definition)
            .filter(|definition| shown(definition).is_some())
            .collect();
        if wanted.iter().any(|definition| hit.is_named(&definition.qualified)) {
            continue;
        }
        let fit = |definition: &Definition| hit.text_of(definition.span).map(|text| words_in(text, query));
        let best = wanted
            .iter()
            .filter_map(|definition| Some((fit(definition)?, definition)))
            // `max_by_key` returns the last of equal elements; in reverse that is the first in the file.
            .rev()
            .max_by_key(|(words, _)| *words);
        if let Some((words, definition)) = best {
            // Only the definition's share of the matching words counts for its score.
            let share = (1 + words) as f32 / (1 + words_in(hit.text(), query)) as f32;
            hit.narrow(definition, shown(definition).unwrap_or(definition.kind.as_str()), share);
        }
    }
    hits.sort_by(|left, right| right.score().total_cmp(&left.score()));
    Ok(hits)
}

/// The kinds of definitions that a name stands for, and the name to show: `method` is a kind itself, `function_item`
/// is the name of a syntax node in some languages.
fn definitions_of(name: &str) -> Vec<(DefinitionKind, &str)> {
    match DefinitionKind::parse(name) {
        Some(kind) => vec![(kind, kind.as_str())],
        None => vectorcode_source::definitions_by(name).into_iter().map(|kind| (kind, name)).collect(),
    }
}

/// How many words of the query a text contains.
fn words_in(text: &str, query: &Query) -> usize {
    let text = text.to_lowercase();
    query.words.iter().filter(|word| text.contains(word.stem.as_str())).count()
}
