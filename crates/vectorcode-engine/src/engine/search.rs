//! Searches: of the whole project or of its context artifacts, and how their hits are highlighted.

use std::sync::Arc;
use std::time::Instant;

use vectorcode_core::api::{Hit, SearchRequest, SearchResponse, SearchTarget};
use vectorcode_core::{DefinitionKind, Markup};
use vectorcode_embed::StaticModel;

use super::Engine;
use crate::EngineError;
use crate::context::{ArtifactDefinitions, SearchArea};
use crate::graph;
use crate::search::{self, RerankStep, SearchContext, SearchOutcome, SearchResult};

impl Engine {
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse, EngineError> {
        let definitions = self.artifact_definitions();
        let area = definitions.area(request.artifacts).ok_or(EngineError::NoArtifacts)?;
        self.search_area(request, &area, &definitions)
    }

    /// Searches the context artifacts alone, all or the one that is named.
    pub fn search_context(
        &self,
        request: &SearchRequest,
        artifact: Option<&str>,
    ) -> Result<SearchResponse, EngineError> {
        let definitions = self.artifact_definitions();
        let asked = definitions.select(artifact)?;
        let within: Vec<String> = asked.iter().filter_map(|artifact| artifact.place.clone().ok()).collect();
        let mut response = if within.is_empty() {
            SearchResponse::default()
        } else {
            self.search_area(request, &SearchArea { within, outside: Vec::new() }, &definitions)?
        };
        let problems = asked.iter().filter_map(|artifact| {
            let problem = artifact.problem(self.project())?;
            Some(format!("Context artifact `{}`: {problem}", artifact.name))
        });
        response.notes.extend(problems);
        Ok(response)
    }

    /// How the hits of a search are highlighted, one for each, in their order.
    pub fn markup(&self, target: &SearchTarget, hits: &[Hit]) -> Vec<Markup> {
        search::markup(self.project(), &self.highlights, target, hits)
    }

    /// Searches a part of the project, and says of each hit which artifact it belongs to.
    fn search_area(
        &self,
        request: &SearchRequest,
        area: &SearchArea,
        definitions: &ArtifactDefinitions,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        let request = &self.with_known_languages(request)?;
        let (result, repaired) = self.repairing(|| self.indexed_result(request, area))?;
        let mut response = result.check_against_disk(&self.project);
        response.notes.extend(repaired);
        for hit in &mut response.hits {
            hit.artifact = definitions.of_file(&hit.path).map(|artifact| artifact.name.clone());
        }
        if request.neighbours {
            self.with_graph(|context| graph::add_neighbours(context, &mut response.hits))?;
        }
        if response.hits.is_empty() {
            response.notes.extend(self.explain_filters(request)?);
        }
        response.notes.extend(self.notes());
        response.took_ms = started.elapsed().as_secs_f64() * 1000.0;
        Ok(response)
    }

    /// What the index says, from the query cache if the same was asked a moment ago.
    fn indexed_result(
        &self,
        request: &SearchRequest,
        area: &SearchArea,
    ) -> Result<Arc<SearchResult>, EngineError> {
        let (reader, settings) = (self.reader()?, self.settings());
        let version = reader.version()?;
        if let Some(result) = settings.query_cache.get(version, request, area) {
            return Ok(result);
        }
        let history = self.history.current(&*reader)?;
        let context = SearchContext {
            reader: &*reader,
            statics: StaticModel::bundled(),
            embedder: settings.embedder().map(|embedder| &**embedder).map_err(|error| &**error),
            rerank: settings.reranker().transpose().map(|reranker| RerankStep {
                reranker: reranker.map(|reranker| &**reranker).map_err(|error| &**error),
                settings: &settings.config.rerank,
            }),
            config: &settings.config.search,
            history: &history,
            area,
        };
        let SearchOutcome { result, new_vectors } = search::search(&context, request)?;
        let result = Arc::new(result);
        // New vectors change the index, so a result that made some would never be asked for at this version again. A note
        // tells of something that failed and may succeed the next time.
        if new_vectors.is_empty() && result.is_whole() {
            settings.query_cache.insert(version, request, area, &result);
        }
        self.keep_vectors(&new_vectors);
        Ok(result)
    }

    /// The request with languages by the names that the index uses. A language that does not exist is a mistake.
    fn with_known_languages(&self, request: &SearchRequest) -> Result<SearchRequest, EngineError> {
        let mut request = request.clone();
        for name in &mut request.languages {
            let Some(language) = vectorcode_source::by_any_name(name) else {
                let indexed = self.reader()?.stats()?.languages.into_iter().map(|(name, _)| name).collect();
                return Err(EngineError::UnknownLanguage { name: std::mem::take(name), indexed });
            };
            language.name.clone_into(name);
        }
        Ok(request)
    }

    /// Why a filter lets nothing through: a language without files, or a kind that does not exist.
    fn explain_filters(&self, request: &SearchRequest) -> Result<Option<String>, EngineError> {
        // Names of syntax nodes are known to grammars only, but nearly all of them have an underscore.
        let is_kind = |name: &str| DefinitionKind::parse(name).is_some() || name.contains('_');
        if let Some(name) = request.kind.as_ref().filter(|name| !is_kind(name)) {
            return Err(EngineError::UnknownKind { name: name.clone() });
        }
        let indexed = self.reader()?.stats()?.languages;
        let is_indexed = |name: &&String| indexed.iter().any(|(known, _)| known == *name);
        let missing: Vec<&str> =
            request.languages.iter().filter(|name| !is_indexed(name)).map(String::as_str).collect();
        let names: Vec<&str> = indexed.iter().map(|(name, _)| name.as_str()).collect();
        let note = format!("The index has no files in {}; it has: {}.", missing.join(", "), names.join(", "));
        Ok((!missing.is_empty()).then_some(note))
    }
}
