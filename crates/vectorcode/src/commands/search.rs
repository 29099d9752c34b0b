//! `vectorcode search` and `vectorcode similar`: ask the index from the command line.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use vectorcode_core::api::{ClassFilter, Cursor, SearchMode, SearchRequest, SearchTarget, TestFilter};

use crate::args::GlobalArgs;
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, freshen};
use crate::output::{Printer, hits};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// What the code does, in words; may hold identifiers, "quoted literals" and paths
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,

    #[command(flatten)]
    filters: FilterArgs,

    #[command(flatten)]
    view: ViewArgs,
}

#[derive(Debug, clap::Args)]
pub struct SimilarArgs {
    /// `path:line` of the code, or `-` for a snippet on standard input
    #[arg(value_name = "PATH:LINE")]
    target: String,

    #[command(flatten)]
    filters: FilterArgs,

    #[command(flatten)]
    view: ViewArgs,
}

/// What may be in the answer.
#[derive(Debug, clap::Args)]
pub struct FilterArgs {
    /// Most results [default: 10]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,

    /// Lowest score, 0 to 1 [default: 0.3]
    #[arg(long, short, value_name = "F")]
    threshold: Option<f32>,

    /// Only this language (may be given more than once)
    #[arg(long, short, value_name = "LANG")]
    language: Vec<String>,

    /// Only paths that begin so, or that match a glob: src/auth/ or '**/*.rs'
    #[arg(long, short, value_name = "PREFIX|GLOB")]
    path: Option<String>,

    /// Only this kind: function, class, struct, ... or a syntax kind such as `function_item`
    #[arg(long, short, value_name = "KIND")]
    kind: Option<String>,

    /// Only code, documentation or configuration
    #[arg(long, value_name = "CLASS", default_value = "all")]
    class: Class,

    /// What to do with test code
    #[arg(long, value_name = "HOW", default_value = "demote")]
    tests: Tests,

    /// Which parts of the index answer
    #[arg(long, value_name = "MODE", default_value = "auto")]
    mode: Mode,

    /// Leave out the first N results
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    #[command(flatten)]
    freshen: FreshenArgs,
}

/// How the answer looks.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// One JSON document
    #[arg(long, group = "format")]
    json: bool,

    /// One JSON object a line and result
    #[arg(long, group = "format")]
    jsonl: bool,

    /// Paths only, each once
    #[arg(long, short = 'f', group = "format")]
    files: bool,

    /// The whole code of each result
    #[arg(long, short, conflicts_with = "lines")]
    show: bool,

    /// Lines of code a result [default: 6]
    #[arg(long, value_name = "N")]
    lines: Option<usize>,

    /// What each signal added to the score
    #[arg(long)]
    explain: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Class {
    All,
    Code,
    Docs,
    Config,
}

impl From<Class> for ClassFilter {
    fn from(class: Class) -> Self {
        match class {
            Class::All => Self::All,
            Class::Code => Self::Code,
            Class::Docs => Self::Docs,
            Class::Config => Self::Config,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Tests {
    /// Below the code that they test
    Demote,
    Include,
    Exclude,
    Only,
}

impl From<Tests> for TestFilter {
    fn from(tests: Tests) -> Self {
        match tests {
            Tests::Demote => Self::Demote,
            Tests::Include => Self::Include,
            Tests::Exclude => Self::Exclude,
            Tests::Only => Self::Only,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// All that the index has
    Auto,
    /// Full text and static vectors
    Fast,
    /// Vectors of the provider
    Semantic,
}

impl From<Mode> for SearchMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Auto => Self::Auto,
            Mode::Fast => Self::Fast,
            Mode::Semantic => Self::Semantic,
        }
    }
}

pub fn run(args: &SearchArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let target = SearchTarget::Query(args.query.join(" "));
    answer(target, &args.filters, &args.view, global, printer)
}

pub fn similar(args: &SimilarArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    answer(similar_target(&args.target)?, &args.filters, &args.view, global, printer)
}

fn similar_target(text: &str) -> Result<SearchTarget> {
    if text == "-" {
        let snippet = std::io::read_to_string(std::io::stdin()).context("cannot read the snippet")?;
        return Ok(SearchTarget::Snippet(snippet));
    }
    let location = text.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
    let Some((path, line)) = location else {
        bail!("{text:?} is not of the form PATH:LINE");
    };
    Ok(SearchTarget::Location { path: path.into(), line })
}

fn answer(
    target: SearchTarget,
    filters: &FilterArgs,
    view: &ViewArgs,
    global: &GlobalArgs,
    printer: &Printer,
) -> Result<Outcome> {
    let session = Session::open(global, Vec::new(), printer)?;
    freshen(&session, &filters.freshen, printer)?;
    let request = request(target, filters, view, &session)?;
    let response = session.engine.search(&request)?;
    if view.json {
        printer.json(&response)?;
    } else if view.jsonl {
        response.hits.iter().try_for_each(|hit| printer.json_line(hit))?;
    } else if view.files {
        hits::print_files(&response, printer)?;
    } else {
        let lines = if view.show { usize::MAX } else { view.lines.unwrap_or(hits::DEFAULT_LINES) };
        hits::print(&request, &response, lines, printer)?;
    }
    Ok(if response.hits.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn request(
    target: SearchTarget,
    filters: &FilterArgs,
    view: &ViewArgs,
    session: &Session,
) -> Result<SearchRequest> {
    let defaults = &session.engine.config().search;
    let threshold = filters.threshold.unwrap_or(defaults.default_threshold);
    if !(0.0..=1.0).contains(&threshold) {
        bail!("--threshold is {threshold}, but scores lie between 0 and 1");
    }
    Ok(SearchRequest {
        limit: filters.limit.unwrap_or(defaults.default_limit),
        threshold,
        languages: filters.language.clone(),
        path: filters.path.clone(),
        kind: filters.kind.clone(),
        class: filters.class.into(),
        tests: filters.tests.into(),
        mode: filters.mode.into(),
        cursor: (filters.skip > 0).then_some(Cursor(filters.skip)),
        explain: view.explain,
        ..SearchRequest::new(target)
    })
}
