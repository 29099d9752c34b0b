//! `vec_search`: finds code by meaning, by text, and by similarity.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::{ExactRequest, PatternSyntax, SearchMode, SearchRequest, SearchTarget};
use vectorcode_core::choices;
use vectorcode_core::config::SearchConfig;

use super::shape::{PageStart, TokenBudget};
use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::arguments::{ArgumentSchema, CallArguments, QUERY, SearchFilters};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render;
use crate::mcp::render::excerpt::QueryWords;
use crate::mcp::render::search::SearchPage;
use crate::mcp::texts::search as texts;
use crate::search::{SearchScope, Searched, search};
use crate::shown_code::ShownLines;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_search",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    listing: Listing::Always,
    subject: ToolSubject::Code,
    arguments: ArgumentSchema::of::<SearchArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_search),
};

/// Default number of results on a page, unless the settings say otherwise. Most of them take one line.
const DEFAULT_RESULTS: usize = 20;

choices! {
    /// How the query is read.
    #[derive(Default)]
    pub enum QueryMode: "search mode" {
        #[default]
        Auto = "auto", "By meaning and by words, with everything that the index has";
        Exact = "exact", "Every line that contains the query";
        Regex = "regex", "Every line that matches the query, a regular expression";
        Similar = "similar", "Code like the query, which is code or file:line";
        Fast = "fast", "Like auto, without the embedding provider";
        Semantic = "semantic", "Only with the vectors of the provider";
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct SearchArguments {
    #[schemars(description = QUERY)]
    query: String,
    /// How the query is read.
    #[serde(default)]
    mode: QueryMode,
    #[serde(flatten)]
    options: SearchOptions,
}

impl CallArguments for SearchArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        SearchOptions::defaults(settings)
    }
}

/// The arguments of `vec_search` other than the query.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchOptions {
    #[serde(flatten)]
    pub(super) filters: SearchFilters,
    /// Search other projects of this user too: "all", "linked" (this project and those that its settings link), or
    /// names separated by commas ("api,web"). Default: this project only. Each result then names its project.
    projects: Option<String>,
    /// For exact searches: upper and lower case are the same.
    #[serde(default)]
    ignore_case: bool,
    /// A name for this conversation, of the caller's choice: code that answers under the same name have shown is named, and
    /// not shown again.
    session: Option<String>,
    #[serde(flatten)]
    budget: TokenBudget,
    #[serde(flatten)]
    start: PageStart,
}

impl SearchOptions {
    pub(super) fn defaults(settings: &SearchConfig) -> JsonObject {
        let mut defaults = SearchFilters::defaults(settings);
        // A limit that the user has changed in the settings takes precedence.
        if settings.default_limit == SearchConfig::default().default_limit {
            defaults.insert("limit".to_owned(), DEFAULT_RESULTS.into());
        }
        defaults.extend(TokenBudget::defaults(settings));
        defaults
    }
}

async fn vec_search(call: ToolCall, arguments: SearchArguments) -> Result<ToolAnswer, Failure> {
    let SearchArguments { query, mode, options } = arguments;
    let (target, mode) = match mode {
        QueryMode::Auto => (SearchTarget::Query(query), SearchMode::Auto),
        QueryMode::Fast => (SearchTarget::Query(query), SearchMode::Fast),
        QueryMode::Semantic => (SearchTarget::Query(query), SearchMode::Semantic),
        QueryMode::Similar => (similar_to(&call, query).await?, SearchMode::Auto),
        QueryMode::Exact => return find_lines(&call, query, PatternSyntax::Literal, &options).await,
        QueryMode::Regex => return find_lines(&call, query, PatternSyntax::Regex, &options).await,
    };
    find(&call, target, mode, &options).await
}

/// Finds every matching line, with the filters of a search.
async fn find_lines(
    call: &ToolCall,
    pattern: String,
    syntax: PatternSyntax,
    options: &SearchOptions,
) -> Result<ToolAnswer, Failure> {
    if options.projects.is_some() {
        return Err(Failure::user("An exact search covers one project.", "Name it as `project`."));
    }
    let SearchRequest { languages, paths, class, tests, .. } =
        options.filters.request(SearchTarget::Query(String::new()), None);
    let request = ExactRequest {
        syntax,
        ignore_case: options.ignore_case,
        languages,
        paths,
        class,
        tests,
        ..ExactRequest::literal(pattern)
    };
    let work = call.project.query_cancellable(move |engine, cancel| engine.exact(&request, cancel));
    let mut response = call.unless_cancelled(work).await?;
    response.notes.extend(call.arguments.notes());
    Ok(render::exact::render(&response, options.budget.max_tokens).answer(call.format))
}

/// Waits until the index has caught up, because the query may name a location.
async fn similar_to(call: &ToolCall, query: String) -> Result<SearchTarget, Failure> {
    let work = call.project.query(move |engine| engine.similar_to(query));
    call.unless_cancelled(work).await
}

/// Searches for `target` and renders the results.
pub(super) async fn find(
    call: &ToolCall,
    target: SearchTarget,
    mode: SearchMode,
    options: &SearchOptions,
) -> Result<ToolAnswer, Failure> {
    let request = SearchRequest { mode, ..options.filters.request(target, options.start.cursor()?) };
    let scope = SearchScope::of_projects(options.projects.as_deref());
    let work = search(&call.project, request.clone(), scope, &call.caller);
    let Searched { mut response, reading } = call.unless_cancelled(work).await?;
    response.notes.extend(call.arguments.notes());
    let words = match &request.target {
        SearchTarget::Query(query) => QueryWords::of(query),
        SearchTarget::Snippet(_) | SearchTarget::Location { .. } => QueryWords::default(),
    };
    let max_tokens = options.budget.max_tokens;
    let page =
        SearchPage { request: &request, words, max_tokens, response: &response, reading: reading.as_deref() };
    let Some(session) = &options.session else {
        return Ok(page.render(call.format, &mut ShownLines::default()));
    };
    let conversation = (call.caller.id(), session.clone());
    let mut shown = call.backend.shown_code().of(&conversation);
    let answer = page.render(call.format, &mut shown);
    call.backend.shown_code().keep(conversation, shown);
    Ok(answer)
}
