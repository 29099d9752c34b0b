//! `vectorcode search` and `vectorcode similar`.

mod options;

use anyhow::{Context, Result, bail};
use vectorcode_core::Location;
use vectorcode_core::api::{ProjectSelection, SearchRequest, SearchResponse, SearchTarget};
use vectorcode_engine::Freshen;

use self::options::ProjectArgs;
pub use self::options::SearchOptions;
use crate::exit::Outcome;
use crate::freshen::freshen;
use crate::global_args::GlobalArgs;
use crate::output::{Printer, hits};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// What the code does, in words; can contain identifiers, "quoted literals" and paths. `-` reads it from standard
    /// input
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,

    #[command(flatten)]
    projects: ProjectArgs,

    #[command(flatten)]
    options: SearchOptions,
}

#[derive(Debug, clap::Args)]
pub struct SimilarArgs {
    /// `path:line` of the code, or `-` to read a snippet from standard input
    #[arg(value_name = "PATH:LINE")]
    target: String,

    #[command(flatten)]
    projects: ProjectArgs,

    #[command(flatten)]
    options: SearchOptions,
}

/// What is searched.
#[derive(Debug)]
pub enum Asked<'a> {
    /// The current project.
    Here,
    Projects(ProjectSelection),
    /// The context artifacts of the current project: all, or the one with this name.
    Context(Option<&'a str>),
}

impl From<Option<ProjectSelection>> for Asked<'_> {
    fn from(selection: Option<ProjectSelection>) -> Self {
        selection.map_or(Self::Here, Self::Projects)
    }
}

pub fn run(args: &SearchArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let target = SearchTarget::Query(query(&args.query)?);
    answer(target, args.projects.selection()?.into(), &args.options, global, printer)
}

/// The words of the query; `-` alone stands for standard input.
pub fn query(words: &[String]) -> Result<String> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let text =
        std::io::read_to_string(std::io::stdin()).context("cannot read the query from standard input")?;
    match text.trim() {
        "" => bail!("the query on standard input is empty"),
        query => Ok(query.into()),
    }
}

pub fn similar(args: &SimilarArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let target = similar_target(&args.target)?;
    answer(target, args.projects.selection()?.into(), &args.options, global, printer)
}

fn similar_target(text: &str) -> Result<SearchTarget> {
    if text == "-" {
        let snippet = std::io::read_to_string(std::io::stdin())
            .context("cannot read the snippet from standard input")?;
        return Ok(SearchTarget::Snippet(snippet));
    }
    Ok(text.parse::<Location>()?.into())
}

pub fn answer(
    target: SearchTarget,
    asked: Asked<'_>,
    options: &SearchOptions,
    global: &GlobalArgs,
    printer: &Printer,
) -> Result<Outcome> {
    let session = Session::open(global, Vec::new(), printer)?;
    let request = options.request(target, &session.engine.config().search)?;
    let how = &options.filters.freshen;
    let response = match asked {
        Asked::Here => {
            freshen(&session, how, printer)?;
            session.engine.search(&request)?
        }
        Asked::Context(artifact) => {
            freshen(&session, how, printer)?;
            session.engine.search_context(&request, artifact)?
        }
        Asked::Projects(selection) => {
            if selection == ProjectSelection::Linked {
                freshen(&session, how, printer)?;
            }
            let freshness = if how.no_sync { Freshen::Never } else { Freshen::First };
            session.projects(freshness).search(&request, &selection)?
        }
    };
    show(&session, &request, &response, options, printer)
}

fn show(
    session: &Session,
    request: &SearchRequest,
    response: &SearchResponse,
    SearchOptions { view, .. }: &SearchOptions,
    printer: &Printer,
) -> Result<Outcome> {
    if view.json {
        printer.json(response)?;
    } else if view.jsonl {
        response.hits.iter().try_for_each(|hit| printer.json_line(hit))?;
    } else if view.files {
        hits::print_files(response, if view.null { "\0" } else { "\n" }, printer)?;
    } else {
        let markups = session.engine.markup(&request.target, &response.hits);
        if view.vimgrep {
            hits::print_vimgrep(response, &markups, printer)?;
        } else {
            let lines = if view.show { usize::MAX } else { view.lines };
            hits::print(request, response, &markups, lines, printer)?;
        }
    }
    Ok(if response.hits.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
