//! Finds symbols by name: exact first, then by prefix, then fuzzy.

use vectorcode_core::PathFilter;
use vectorcode_core::api::{SymbolHit, SymbolRequest, SymbolResponse};
use vectorcode_store::{ChunkFilter, DefinitionMatch, IndexReader, NameMatch, StoredDefinition};

use crate::error::EngineError;

pub(crate) fn find_symbols(
    reader: &dyn IndexReader,
    request: &SymbolRequest,
) -> Result<SymbolResponse, EngineError> {
    let name = request.name.trim();
    if name.is_empty() {
        return Err(EngineError::BadArgument { name: "symbol name", value: request.name.clone() });
    }
    let filter = filter(request);
    let find = |wanted: NameMatch| reader.definitions(&wanted, &filter, request.limit);
    let mut found = find(NameMatch::Exact(name.to_owned()))?;
    let is_exact = !found.is_empty();
    add_new(&mut found, find(NameMatch::Prefix(name.to_owned()))?);
    let mut notes = Vec::new();
    if found.is_empty() {
        found = find(NameMatch::Fuzzy(name.to_owned()))?;
        if !found.is_empty() {
            notes.push(format!("No symbol is named `{name}` or starts with it; these are similar."));
        }
    } else if !is_exact {
        notes.push(format!("No symbol is named `{name}`; these start with it."));
    }
    found.truncate(request.limit);
    Ok(SymbolResponse { symbols: found.into_iter().map(|found| hit(found.definition)).collect(), notes })
}

fn add_new(found: &mut Vec<DefinitionMatch>, more: Vec<DefinitionMatch>) {
    let key = |found: &DefinitionMatch| (found.definition.path.clone(), found.definition.ordinal);
    let known: Vec<_> = found.iter().map(key).collect();
    found.extend(more.into_iter().filter(|other| !known.contains(&key(other))));
}

fn filter(request: &SymbolRequest) -> ChunkFilter {
    ChunkFilter {
        kinds: request.kinds.iter().map(|kind| kind.as_str().to_owned()).collect(),
        paths: PathFilter::parse(&request.paths),
        ..ChunkFilter::default()
    }
}

fn hit(stored: StoredDefinition) -> SymbolHit {
    let definition = stored.definition;
    SymbolHit {
        name: definition.name,
        qualified: definition.qualified,
        kind: definition.kind,
        signature: definition.signature,
        path: stored.path,
        language: stored.language,
        start_line: definition.span.start_line,
        end_line: definition.span.end_line,
        is_test: stored.is_test,
    }
}
