//! Narrows hits to what a filter by kind asks for.
//!
//! A small class and its methods are one chunk, which therefore passes a filter for methods as well as one for classes.
//! Somebody who asks for methods wants to see the method, not the class around it.

use vectorcode_core::{Definition, DefinitionKind};
use vectorcode_store::IndexReader;

use super::page::IndexedHit;
use super::query::Query;
use crate::EngineError;

/// Each hit that is not itself of one of these kinds, narrowed to the definition in it that is and that fits the query
/// best. A hit without such a definition stays: it passed the filter by its syntax node.
pub(super) fn on_kinds(
    mut hits: Vec<IndexedHit>,
    kinds: &[String],
    reader: &dyn IndexReader,
    query: &Query,
) -> Result<Vec<IndexedHit>, EngineError> {
    let kinds: Vec<DefinitionKind> = kinds.iter().filter_map(|name| DefinitionKind::parse(name)).collect();
    if kinds.is_empty() {
        return Ok(hits);
    }
    for hit in &mut hits {
        let stored = reader.definitions_of(hit.path())?;
        let wanted: Vec<Definition> = stored
            .into_iter()
            .map(|stored| stored.definition)
            .filter(|definition| kinds.contains(&definition.kind))
            .collect();
        if wanted.iter().any(|definition| hit.is_named(&definition.qualified)) {
            continue;
        }
        let fit = |definition: &Definition| hit.text_of(definition.span).map(|text| words_in(text, query));
        let best = wanted
            .iter()
            .filter_map(|definition| Some((fit(definition)?, definition)))
            // `max_by_key` returns the last of equals; backwards that is the first in the file.
            .rev()
            .max_by_key(|(words, _)| *words);
        if let Some((words, definition)) = best {
            // What the rest of the chunk has in common with the query is not the definition's merit.
            let share = (1 + words) as f32 / (1 + words_in(hit.text(), query)) as f32;
            hit.narrow(definition, share);
        }
    }
    hits.sort_by(|left, right| right.score().total_cmp(&left.score()));
    Ok(hits)
}

/// How many words of the query a text has.
fn words_in(text: &str, query: &Query) -> usize {
    let text = text.to_lowercase();
    query.words.iter().filter(|word| text.contains(word.stem.as_str())).count()
}
