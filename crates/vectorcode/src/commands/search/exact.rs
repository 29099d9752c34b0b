//! `vectorcode search --exact` and `--regex`: every line that matches, as `grep` prints them.

use std::path::Path;

use anyhow::{Result, bail};
use vectorcode_core::CancelToken;
use vectorcode_core::api::{ExactRequest, LinePatterns, PatternSyntax};

use super::path_filters::{seen_from_here, with_extensions, within_places};
use super::{SearchArgs, query};
use crate::exit::Outcome;
use crate::freshen::{FreshenWait, freshen};
use crate::global_args::GlobalArgs;
use crate::output::Printer;
use crate::output::lines::ExactResults;
use crate::session::Session;

/// Enough for every line of the largest projects, but bounds the memory for a pattern that matches everything.
const MAX_LINES: usize = 1_000_000;
/// Long enough for every project, but stops a pattern that would take hours.
const TIME_LIMIT_MS: u64 = 600_000;

/// Options for ranked results, which make no sense for a list of matching lines.
const RANKED: [&str; 13] = [
    "threshold",
    "kind",
    "artifacts",
    "mode",
    "skip",
    "open",
    "show",
    "lines",
    "explain",
    "context",
    "all",
    "projects",
    "linked",
];

/// Options that treat the query as a pattern, or require matching lines in the results.
#[derive(Debug, clap::Args)]
pub struct PatternArgs {
    /// Print every line that contains the query as it is written, instead of ranked results. Further arguments are files and
    /// directories to search
    #[arg(long, group = "pattern", group = "patterns", conflicts_with_all = RANKED)]
    exact: bool,

    /// Print every line that matches the query as a regular expression
    #[arg(long, group = "pattern", group = "patterns", conflicts_with_all = RANKED)]
    regex: bool,

    /// Only results with a line that matches this regular expression, ranked by the query; no match is missed (can be repeated:
    /// one of them must match)
    #[arg(
        long = "match",
        short = 'e',
        value_name = "REGEX",
        group = "patterns",
        conflicts_with = "pattern",
        allow_hyphen_values = true
    )]
    matching: Vec<String>,

    /// With -e, no results with a line that matches this regular expression (can be repeated)
    #[arg(long, value_name = "REGEX", requires = "matching", allow_hyphen_values = true)]
    not: Vec<String>,

    /// With --exact, --regex or -e, ignore case
    #[arg(long, short, requires = "patterns")]
    ignore_case: bool,
}

impl PatternArgs {
    /// The line patterns that ranked results must match.
    pub fn lines(&self) -> LinePatterns {
        LinePatterns { any: self.matching.clone(), none: self.not.clone(), ignore_case: self.ignore_case }
    }

    pub fn syntax(&self) -> Option<PatternSyntax> {
        match (self.exact, self.regex) {
            (true, _) => Some(PatternSyntax::Literal),
            (_, true) => Some(PatternSyntax::Regex),
            _ => None,
        }
    }
}

pub fn run(
    syntax: PatternSyntax,
    args: &SearchArgs,
    global: &GlobalArgs,
    printer: &Printer,
) -> Result<Outcome> {
    let mut session = Session::open(global, Vec::new(), printer)?;
    let working = session.engine.clone();
    let _timer = working.time_use("search");
    let request = request(syntax, args, &session)?;
    let filters = &args.options.filters;
    // Waits for all files: `--exact` promises every matching line.
    freshen(&mut session, &filters.freshen, FreshenWait::FOR_WORDS, printer)?;
    let response = session.engine.exact(&request, &CancelToken::default())?;
    let results = ExactResults { response: &response, paths: &session.paths };
    args.options.view.format().print(&results, printer)?;
    results.print_footer(printer);
    Ok(if response.total_lines == 0 { Outcome::NothingFound } else { Outcome::Done })
}

/// As for `grep`, the first argument is the pattern and the others are paths.
fn request(syntax: PatternSyntax, args: &SearchArgs, session: &Session) -> Result<ExactRequest> {
    let (pattern, places) = args.query.split_at(1);
    if let Some(missing) = places.iter().find(|place| !Path::new(place.as_str()).exists()) {
        bail!("{missing} does not exist; quote a pattern of several words");
    }
    let filters = &args.options.filters;
    let places = seen_from_here(places, session)?;
    let paths = within_places(&places, filters.paths.seen_from_here(&session.paths)?)?;
    let paths = with_extensions(paths, &filters.ext)?;
    Ok(ExactRequest {
        syntax,
        ignore_case: args.pattern.ignore_case,
        languages: filters.language.clone(),
        paths,
        class: filters.class,
        tests: filters.tests,
        limit: filters.limit.unwrap_or(MAX_LINES),
        max_line_chars: usize::MAX,
        time_limit_ms: TIME_LIMIT_MS,
        ..ExactRequest::literal(query(pattern)?)
    })
}
