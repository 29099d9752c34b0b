//! Resolves the arguments of a search: everything that can be decided before any work begins.

use anyhow::{Result, bail};
use vectorcode_core::api::{
    ChangesRequest, LinePatterns, ProjectSelection, SearchRequest, SearchResponse, SearchTarget,
};
use vectorcode_engine::Freshen;

use super::options::SearchOptions;
use super::path_filters::{seen_from_here, with_extensions, within_places};
use super::possible_path::PossiblePath;
use super::rows::Rows;
use crate::freshen::{FreshenArgs, FreshenWait, WaitLimit, freshen, read_commits};
use crate::output::Printer;
use crate::session::Session;
use crate::shell_paths::ShellPaths;

/// Which projects or artifacts are searched.
#[derive(Debug)]
pub enum SearchScope<'a> {
    /// The current project.
    Here,
    Projects(ProjectSelection),
    /// The context artifacts of the current project: all, or the one with this name.
    Context(Option<&'a str>),
}

impl From<Option<ProjectSelection>> for SearchScope<'_> {
    fn from(selection: Option<ProjectSelection>) -> Self {
        selection.map_or(Self::Here, Self::Projects)
    }
}

/// What is searched for, before the project is known.
#[derive(Debug)]
pub enum SearchInput {
    Words(String),
    Snippet(String),
    /// `path:line`, as typed.
    Location(String),
}

impl SearchInput {
    fn target(self, paths: &ShellPaths) -> Result<SearchTarget> {
        Ok(match self {
            Self::Words(words) => SearchTarget::Query(words),
            Self::Snippet(code) => SearchTarget::Snippet(code),
            Self::Location(written) => paths.location(&written)?.into(),
        })
    }
}

/// A search as typed on the command line.
#[derive(Debug)]
pub struct SearchCommand<'a> {
    pub input: SearchInput,
    /// Files and directories to search in, relative to the current directory. Empty means everywhere.
    pub places: &'a [String],
    pub scope: SearchScope<'a>,
    /// Only results with lines that match these patterns.
    pub lines: LinePatterns,
    /// Only code that differs between these commits.
    pub in_diff: Option<String>,
    /// A last word that may have been meant as a path.
    pub possible_path: Option<PossiblePath<'a>>,
}

impl SearchCommand<'_> {
    /// A search of the current project.
    pub fn of(input: SearchInput) -> Self {
        let (scope, lines) = (SearchScope::Here, LinePatterns::default());
        Self { input, places: &[], scope, lines, in_diff: None, possible_path: None }
    }

    /// The name under which its use is recorded in the statistics.
    pub fn name(&self) -> &'static str {
        match (&self.input, &self.scope) {
            (_, SearchScope::Context(_)) => "context",
            (SearchInput::Words(_), _) => "search",
            (SearchInput::Snippet(_) | SearchInput::Location(_), _) => "similar",
        }
    }
}

/// A resolved search of an opened project.
#[derive(Debug)]
pub struct SearchPlan<'a> {
    pub request: SearchRequest,
    scope: SearchScope<'a>,
    rows: Rows,
    freshen: &'a FreshenArgs,
    wait: FreshenWait,
    pub possible_path: Option<PossiblePath<'a>>,
}

impl<'a> SearchPlan<'a> {
    pub fn new(command: SearchCommand<'a>, options: &'a SearchOptions, session: &Session) -> Result<Self> {
        let SearchCommand { input, places, scope, lines, in_diff, possible_path } = command;
        let target = input.target(&session.paths)?;
        let filters = match &scope {
            // Relative to each project's root, because only then does a path mean the same in every project.
            SearchScope::Projects(_) => options.filters.paths.written(),
            SearchScope::Here | SearchScope::Context(_) => {
                options.filters.paths.seen_from_here(&session.paths)?
            }
        };
        let request = SearchRequest { lines, in_diff, ..request(target, options, places, filters, session)? };
        let waits = options.filters.wait;
        let wait = FreshenWait {
            limit: if waits { WaitLimit::UntilComplete } else { WaitLimit::Bounded },
            for_structure: waits || request.is_about_structure(),
        };
        let rows = if options.view.files { Rows::Files } else { Rows::Hits };
        Ok(Self { request, scope, rows, freshen: &options.filters.freshen, wait, possible_path })
    }

    /// Whether the search covers only the files on disk of the current project, and may update its index.
    pub fn brings_up_to_date(&self) -> bool {
        matches!(self.scope, SearchScope::Here)
            && !self.freshen.no_sync
            && self.freshen.revision.is_none()
            && self.request.in_diff.is_none()
    }

    /// Brings the index up to date where that is quick, then searches.
    pub fn search(&self, session: &mut Session, printer: &Printer) -> Result<SearchResponse> {
        let Self { request, scope, rows, .. } = self;
        if !matches!(scope, SearchScope::Projects(selection) if *selection != ProjectSelection::Linked) {
            freshen(session, self.freshen, self.wait, printer)?;
        }
        if let Some(revisions) = &request.in_diff {
            read_commits(session, &ChangesRequest::of(Some(revisions)), printer)?;
        }
        match scope {
            SearchScope::Here => rows.fill(request, |request| Ok(session.engine.search(request)?)),
            SearchScope::Context(artifact) => {
                rows.fill(request, |request| Ok(session.engine.search_context(request, *artifact)?))
            }
            SearchScope::Projects(_) if self.freshen.revision.is_some() => {
                bail!("--ref applies to one project; search the others without it")
            }
            SearchScope::Projects(selection) => {
                let freshness = if self.freshen.no_sync { Freshen::Never } else { Freshen::First };
                let projects = session.projects(freshness);
                session.paths = session.paths.clone().with_roots(projects.roots()?);
                rows.fill(request, |request| Ok(projects.search(request, selection)?))
            }
        }
    }
}

/// A request with all options, restricted to `places`.
pub fn request(
    target: SearchTarget,
    options: &SearchOptions,
    places: &[String],
    filters: Vec<String>,
    session: &Session,
) -> Result<SearchRequest> {
    let paths = within_places(&seen_from_here(places, session)?, filters)?;
    let paths = with_extensions(paths, &options.filters.ext)?;
    Ok(SearchRequest { paths, ..options.request(target, &session.engine.config().search)? })
}
