//! Searches of the whole project or of its context artifacts, and highlighting of their hits.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use vectorcode_core::api::{
    ChangesRequest, ExactRequest, Hit, PatternSyntax, SearchMode, SearchRequest, SearchResponse,
    SearchTarget, TestFilter,
};
use vectorcode_core::{CancelToken, DefinitionKind, Location, Markup};
use vectorcode_embed::StaticModel;
use vectorcode_source::{by_path, may_share, shared_with};
use vectorcode_store::{ChunkFilter, IndexReader};

use super::Engine;
use crate::context::{ArtifactDefinitions, SearchArea};
use crate::error::EngineError;
use crate::graph;
use crate::project::written_path::is_like_path;
use crate::search::{
    self, Depth, LineMatch, MatchedChunks, RankedList, RerankStep, SearchContext, SearchKey, SearchResult,
};
use crate::settings::Settings;

/// A limit that only a pathological pattern reaches; any project is read in less time.
const MATCH_TIME_LIMIT_MS: u64 = 600_000;

/// Says that the vectors of another provider than the configured one were searched.
fn former_provider_note(
    context: &SearchContext<'_>,
    settings: &Settings,
    mode: SearchMode,
) -> Option<String> {
    let (Ok(used), Ok(named)) = (context.embedder, settings.embedder()) else { return None };
    let is_former = mode != SearchMode::Fast && used.space() != named.space();
    is_former.then(|| {
        format!(
            "Vectors of {} were used, because those of {} are not complete yet; run `vectorcode index`.",
            used.space(),
            named.space()
        )
    })
}

/// The ranked result of a request in one project. Its hits are not compared with the disk yet: when the results of
/// several projects are merged, most of them are never shown.
#[derive(Debug)]
pub(crate) struct Findings {
    /// With paths and languages as the index writes them.
    pub(crate) request: SearchRequest,
    pub(crate) result: Arc<SearchResult>,
    pub(super) definitions: ArtifactDefinitions,
}

impl Findings {
    /// What the user should know about how the result came about, as sentences.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        self.result.notes.iter().cloned()
    }
}

/// Hits of some findings, compared with the disk.
#[derive(Debug)]
pub(crate) struct CheckedHits {
    /// `None` for a hit whose file no longer exists.
    pub(crate) hits: Vec<Option<Hit>>,
    /// Name the files that no longer exist.
    pub(crate) notes: Vec<String>,
}

impl Engine {
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse, EngineError> {
        self.search_until(request, &CancelToken::default())
    }

    /// Like [`Self::search`], but can be cancelled.
    pub fn search_until(
        &self,
        request: &SearchRequest,
        cancel: &CancelToken,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        if let Some(revisions) = &request.in_diff {
            return self.search_in_diff(&ChangesRequest::of(Some(revisions)), request, cancel);
        }
        let findings = self.find(request, Depth::Whole, cancel)?;
        self.respond(&findings, started)
    }

    /// Searches only the context artifacts: all, or the named one.
    pub fn search_context(
        &self,
        request: &SearchRequest,
        artifact: Option<&str>,
    ) -> Result<SearchResponse, EngineError> {
        self.search_context_until(request, artifact, &CancelToken::default())
    }

    /// Like [`Self::search_context`], but can be cancelled.
    pub fn search_context_until(
        &self,
        request: &SearchRequest,
        artifact: Option<&str>,
        cancel: &CancelToken,
    ) -> Result<SearchResponse, EngineError> {
        let definitions = self.artifact_definitions();
        let asked = definitions.select(artifact)?;
        let within: Vec<String> = asked.iter().filter_map(|artifact| artifact.place.clone().ok()).collect();
        let mut response = if within.is_empty() {
            SearchResponse::default()
        } else {
            let (started, area) = (Instant::now(), SearchArea { within, outside: Vec::new() });
            let key = SearchKey { request: self.resolved(request)?, area, depth: Depth::Whole };
            let findings = self.answer(key, definitions.clone(), cancel)?;
            self.respond(&findings, started)?
        };
        let problems = asked.iter().filter_map(|artifact| {
            let problem = artifact.problem(self.project())?;
            Some(format!("Context artifact `{}`: {problem}", artifact.name))
        });
        response.notes.extend(problems);
        Ok(response)
    }

    /// The target of a search for similar code: the location if the text is written as `file:line`, otherwise the
    /// text itself as code.
    pub fn similar_to(&self, text: String) -> Result<SearchTarget, EngineError> {
        let is_file = |path: &str| {
            let path = self.project.relative(Path::new(path));
            path.is_ok_and(|path| self.file_source().has(&path))
        };
        let is_written_like_one = |path: &str| is_like_path(path) && !path.contains(char::is_whitespace);
        match text.parse::<Location>() {
            Ok(location) if is_file(&location.path) || is_written_like_one(&location.path) => {
                Ok(location.into())
            }
            // A text that is only the path of a file lacks a line. Code is longer than that.
            Err(_) if is_written_like_one(&text) && text.contains('/') && by_path(&text).is_some() => {
                Err(EngineError::MissingLine { path: self.indexed_file(&text)? })
            }
            _ => Ok(SearchTarget::Snippet(text)),
        }
    }

    /// How the hits of a search are highlighted: one markup per hit, in the same order.
    pub fn markup(&self, target: &SearchTarget, hits: &[Hit]) -> Vec<Markup> {
        search::markup(self.project(), self.file_source(), &self.highlights, target, hits)
    }

    /// The same without syntax colours, for output without colour: no file is parsed.
    pub fn matches(&self, target: &SearchTarget, hits: &[Hit]) -> Vec<Markup> {
        search::matches(target, hits)
    }

    /// The result of a search from the index alone, without looking at the disk.
    pub(crate) fn find(
        &self,
        request: &SearchRequest,
        depth: Depth,
        cancel: &CancelToken,
    ) -> Result<Findings, EngineError> {
        let definitions = self.artifact_definitions();
        let area = definitions.area(request.artifacts).ok_or(EngineError::NoArtifacts)?;
        let key = SearchKey { request: self.resolved(request)?, area, depth };
        self.answer(key, definitions, cancel)
    }

    fn answer(
        &self,
        key: SearchKey,
        definitions: ArtifactDefinitions,
        cancel: &CancelToken,
    ) -> Result<Findings, EngineError> {
        self.read_structure_for(&key, cancel);
        let result = self.with_repair(|| self.indexed_result(&key, cancel))?;
        Ok(Findings { request: key.request, result, definitions })
    }

    /// The hits of `findings` at these positions, compared with the disk and completed.
    pub(crate) fn check(
        &self,
        findings: &Findings,
        places: impl IntoIterator<Item = usize>,
    ) -> Result<CheckedHits, EngineError> {
        let (mut hits, notes) = findings.result.check_against_disk(self.file_source(), places)?;
        let matcher = LineMatch::new(&findings.request.lines)?;
        for hit in hits.iter_mut().flatten() {
            hit.artifact = findings.definitions.of_file(&hit.path).map(|artifact| artifact.name.clone());
            if let Some(matcher) = &matcher {
                hit.matching_lines = self.matching_lines(matcher, hit);
            }
        }
        if findings.request.neighbours {
            self.with_graph(|context| graph::add_neighbours(context, hits.iter_mut().flatten()))?;
        }
        Ok(CheckedHits { hits, notes })
    }

    /// Which lines of a hit match. Merged chunks omit the blank lines between them, so the lines are then read from
    /// disk.
    fn matching_lines(&self, matcher: &LineMatch, hit: &Hit) -> Vec<u32> {
        let count = (hit.end_line + 1).saturating_sub(hit.start_line) as usize;
        if hit.content.lines().count() == count {
            return matcher.lines(&hit.content, hit.start_line);
        }
        let read = || {
            let scope = self.scope().ok()?;
            let content = scope.read(&scope.classify(Path::new(&hit.path)).ok()?).ok()?;
            let lines = content.source.text.lines().skip(hit.start_line.saturating_sub(1) as usize);
            Some(lines.take(count).collect::<Vec<_>>().join("\n"))
        };
        matcher.lines(&read().unwrap_or_else(|| hit.content.clone()), hit.start_line)
    }

    pub(super) fn respond(
        &self,
        findings: &Findings,
        started: Instant,
    ) -> Result<SearchResponse, EngineError> {
        let (result, request) = (&findings.result, &findings.request);
        let places = 0..result.scores().len();
        let checked = self.check(findings, places.clone())?;
        let hits: Vec<Hit> = checked.hits.into_iter().flatten().collect();
        let mut notes = result.notes.clone();
        notes.extend(checked.notes);
        if hits.is_empty() {
            notes.extend(self.explain_filters(request)?);
        }
        notes.extend(self.hints(request, hits.first().map_or(0.0, |hit| hit.score))?);
        notes.extend(self.notes());
        if request.is_about_structure() {
            notes.extend(self.structure_note());
        } else {
            notes.extend(self.progress_note(request.mode));
        }
        Ok(SearchResponse {
            total: result.total.saturating_sub(places.len() - hits.len()),
            likely: result.likely.saturating_sub(places.len() - hits.len()),
            weak: result.likely == 0 && !hits.is_empty(),
            hits,
            next: result.next,
            ranking: Some(result.ranking),
            semantic_coverage: result.semantic_coverage,
            notes,
            took_ms: started.elapsed().as_secs_f64() * 1000.0,
        })
    }

    /// The result from the index, or from the query cache if the same request was made a moment ago.
    pub(crate) fn indexed_result(
        &self,
        key: &SearchKey,
        cancel: &CancelToken,
    ) -> Result<Arc<SearchResult>, EngineError> {
        let (reader, settings) = (self.reader()?, self.settings());
        let version = reader.version()?;
        if let Some(result) = settings.query_cache.get(version, key) {
            return Ok(result);
        }
        // A later page comes from the list that its cursor names, as long as that list is cached.
        let result = if let Some(list) = settings.recent_lists.get(key) {
            list.page(&*reader, &key.request)?
        } else {
            let matched = self.matched_chunks(&*reader, &key.request, cancel)?;
            let list = self.rank(&*reader, &settings, key, matched.as_ref(), cancel)?;
            let result = list.page(&*reader, &key.request)?;
            settings.recent_lists.insert(key, list);
            result
        };
        let result = Arc::new(result);
        settings.query_cache.insert(version, key, &result);
        Ok(result)
    }

    /// Ranks the whole index, or only the chunks in `matched`.
    pub(super) fn rank(
        &self,
        reader: &dyn IndexReader,
        settings: &Settings,
        key: &SearchKey,
        matched: Option<&MatchedChunks>,
        cancel: &CancelToken,
    ) -> Result<RankedList, EngineError> {
        let history = self.history.current(reader)?;
        let present = self.history.present(reader, &history)?;
        let context = SearchContext {
            reader,
            statics: StaticModel::bundled(),
            embedder: settings
                .searching_embedder(&reader.spaces()?.provider)
                .map(|embedder| &**embedder)
                .map_err(|error| &**error),
            rerank: settings.reranker().transpose().map(|reranker| RerankStep {
                reranker: reranker.map(|reranker| &**reranker).map_err(|error| &**error),
                settings: &settings.config.rerank,
            }),
            config: &settings.config.search,
            cache: settings.cache(),
            turns: &self.lazy_turns,
            history: &history,
            present: &present,
            area: &key.area,
            depth: key.depth,
            matched,
            cancel,
        };
        let mut list = search::rank(&context, &key.request)?;
        list.notes.extend(matched.and_then(|matched| matched.note.clone()));
        list.notes.extend(former_provider_note(&context, settings, key.request.mode));
        Ok(list)
    }

    /// The chunks with lines that match the patterns of a request; `None` if it has no patterns.
    pub(super) fn matched_chunks(
        &self,
        reader: &dyn IndexReader,
        request: &SearchRequest,
        cancel: &CancelToken,
    ) -> Result<Option<MatchedChunks>, EngineError> {
        let Some(matcher) = LineMatch::new(&request.lines)? else { return Ok(None) };
        let exact = ExactRequest {
            syntax: PatternSyntax::Regex,
            ignore_case: request.lines.ignore_case,
            languages: request.languages.clone(),
            paths: request.paths.clone(),
            class: request.class,
            tests: TestFilter::Include,
            // Only the files are needed: the matching lines come from the chunks.
            limit: 0,
            time_limit_ms: MATCH_TIME_LIMIT_MS,
            ..ExactRequest::literal(LineMatch::pattern(&request.lines))
        };
        let files = self.matching_files(&exact, cancel)?;
        matcher.chunks(reader, &files).map(Some)
    }

    /// The request with names as the index has them: canonical language names, and paths relative to the root. An
    /// unknown language or kind is an error.
    pub(super) fn resolved(&self, request: &SearchRequest) -> Result<SearchRequest, EngineError> {
        let mut request = request.clone();
        if let SearchTarget::Location { path, .. } = &mut request.target {
            *path = self.indexed_file(path)?;
        }
        request.paths = self.path_patterns(&request.paths)?;
        if !request.lines.is_empty() && request.threshold.is_none() {
            // Every matching line is a result, however far its meaning is from the query.
            request.threshold = Some(0.0);
        }
        request.languages = self.languages_named(&request.languages)?;
        for name in &request.kinds {
            self.check_kind(name)?;
        }
        Ok(request)
    }

    /// The languages that users mean by these names, as the index calls them. An unknown one is an error.
    pub(super) fn languages_named(&self, names: &[String]) -> Result<Vec<String>, EngineError> {
        let mut found = Vec::new();
        for name in names {
            let Some(language) = vectorcode_source::by_any_name(name) else {
                let indexed = self.indexed_languages()?;
                return Err(EngineError::UnknownLanguage { name: name.clone(), indexed });
            };
            found.push(language.name.to_owned());
            if may_share(language) {
                let indexed = self.indexed_languages()?;
                found.extend(shared_with(language, &indexed).map(|shared| shared.name.to_owned()));
            }
        }
        Ok(found)
    }

    /// Scans the statistics of the index, so it is not called for every search.
    fn indexed_languages(&self) -> Result<Vec<String>, EngineError> {
        Ok(self.reader()?.stats()?.languages.into_iter().map(|(name, _)| name).collect())
    }

    /// Rejects a name that is neither a kind of definition nor a syntax node in the index.
    fn check_kind(&self, name: &str) -> Result<(), EngineError> {
        // Only the grammars know the names of syntax nodes, but nearly all of those have an underscore.
        if DefinitionKind::parse(name).is_some() || name.contains('_') {
            return Ok(());
        }
        let filter = ChunkFilter { kinds: vec![name.to_owned()], ..ChunkFilter::default() };
        match self.reader()?.count(&filter)? {
            0 => Err(EngineError::UnknownKind { name: name.to_owned() }),
            _ => Ok(()),
        }
    }

    /// Which filters match nothing: languages without files, and paths that match no file.
    pub(crate) fn explain_filters(&self, request: &SearchRequest) -> Result<Vec<String>, EngineError> {
        let reader = self.reader()?;
        let indexed = reader.stats()?.languages;
        let is_indexed = |name: &&String| indexed.iter().any(|(known, _)| known == *name);
        let missing: Vec<&str> =
            request.languages.iter().filter(|name| !is_indexed(name)).map(String::as_str).collect();
        let mut notes = Vec::new();
        if !missing.is_empty() {
            let names: Vec<&str> = indexed.iter().map(|(name, _)| name.as_str()).collect();
            notes.push(format!(
                "The index has no files in {}; it has: {}.",
                missing.join(", "),
                names.join(", ")
            ));
        }
        notes.extend(self.note_on_paths(&request.paths)?);
        Ok(notes)
    }
}
