//! `vectorcode search` and `vectorcode similar`.

mod exact;
mod options;
mod path_filters;
mod plan;
mod possible_path;
mod rows;
mod typing;

use std::path::Path;

use anyhow::{Context, Result, bail};
use vectorcode_core::api::SearchResponse;

use self::exact::PatternArgs;
use self::options::ProjectArgs;
pub use self::options::SearchOptions;
use self::plan::SearchPlan;
pub use self::plan::{SearchCommand, SearchInput, SearchScope};
use self::possible_path::PossiblePath;
pub use self::typing::while_typing;
use crate::embed_after_search;
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::open;
use crate::output::Printer;
use crate::output::hits::{self, RankedResults};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// What the code does, in words; can contain identifiers, "quoted literals" and paths. `-` reads it from standard
    /// input. Files and directories after a quoted query restrict the search to them
    #[arg(required_unless_present = "interactive", value_name = "QUERY")]
    query: Vec<String>,

    /// Search while you type, in the whole terminal
    #[arg(long, short = 'I', conflicts_with_all = ["pattern", "patterns", "format", "selection", "revision"])]
    interactive: bool,

    #[command(flatten)]
    pattern: PatternArgs,

    /// Only code that differs between two commits, from either of them; with one name, between that commit and the files on
    /// disk
    #[arg(long, value_name = "A..B", conflicts_with_all = ["interactive", "pattern", "selection", "revision"])]
    in_diff: Option<String>,

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

pub fn run(args: &SearchArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    if args.interactive {
        return typing::run(args, global, printer);
    }
    if let Some(syntax) = args.pattern.syntax() {
        return exact::run(syntax, args, global, printer);
    }
    let (words, places) = split_places(&args.query);
    if let Some(place) = missing_place(words) {
        bail!("{place} does not exist");
    }
    let command = SearchCommand {
        input: SearchInput::Words(query(words)?),
        places,
        scope: args.projects.selection()?.into(),
        lines: args.pattern.lines(),
        in_diff: args.in_diff.clone(),
        possible_path: PossiblePath::of(words),
    };
    answer(command, &args.options, global, printer)
}

/// Separates the words of the query from the files and directories that follow them, as in `grep`. A bare word that is also the
/// name of a directory is still a word, unless the query before it is quoted.
fn split_places(arguments: &[String]) -> (&[String], &[String]) {
    let Some((first, rest)) = arguments.split_first() else { return (arguments, &[]) };
    let is_quoted = first == "-" || first.contains(char::is_whitespace);
    let is_place = |word: &&String| {
        let path = Path::new(word.as_str());
        let looks_so = word.contains(std::path::is_separator) || word.starts_with('.') || path.is_file();
        (is_quoted || looks_so) && path.exists()
    };
    let places = rest.iter().rev().take_while(is_place).count();
    arguments.split_at(arguments.len() - places)
}

/// A path that does not exist, after a quoted query. As a word of the query it would lead to a search of the whole project.
fn missing_place(words: &[String]) -> Option<&str> {
    let (first, rest) = words.split_first()?;
    let last = rest.last().filter(|_| first.contains(char::is_whitespace))?;
    last.contains(std::path::is_separator).then_some(last)
}

/// The query as one text; `-` alone stands for standard input.
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
    let input = similar_to(&args.target)?;
    let command = SearchCommand { scope: args.projects.selection()?.into(), ..SearchCommand::of(input) };
    answer(command, &args.options, global, printer)
}

fn similar_to(text: &str) -> Result<SearchInput> {
    if text == "-" {
        let snippet = std::io::read_to_string(std::io::stdin())
            .context("cannot read the snippet from standard input")?;
        return Ok(SearchInput::Snippet(snippet));
    }
    Ok(SearchInput::Location(text.into()))
}

/// Searches and prints.
pub fn answer(
    command: SearchCommand<'_>,
    options: &SearchOptions,
    global: &GlobalArgs,
    printer: &Printer,
) -> Result<Outcome> {
    let mut session = Session::open(global, Vec::new(), printer)?;
    let engine = session.engine.clone();
    let _timer = engine.time_use(command.name());
    let plan = SearchPlan::new(command, options, &session)?;
    let response = plan.search(&mut session, printer)?;
    if let Some(number) = options.view.open.filter(|_| !response.hits.is_empty()) {
        return open_hit(&session, &response, number, printer);
    }
    let results = RankedResults {
        request: &plan.request,
        response: &response,
        lines: options.view.excerpt_lines(),
        engine: &session.engine,
        paths: &session.paths,
    };
    options.view.format().print(&results, printer)?;
    if let Some(word) = plan.possible_path.filter(|word| word.is_worth_a_hint(&response)) {
        printer.note(word.hint());
    }
    if global.verbose && !plan.request.lines.any.is_empty() && plan.request.lines.none.is_empty() {
        printer.note("-v is --verbose; to leave out what matches a pattern: --not REGEX");
    }
    if plan.brings_up_to_date() {
        embed_after_search::offer(&session, &response, printer);
    }
    Ok(if response.hits.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

/// Opens a hit in the editor, at the line that defines it.
fn open_hit(
    session: &Session,
    response: &SearchResponse,
    number: usize,
    printer: &Printer,
) -> Result<Outcome> {
    if session.engine.commit().is_some() {
        bail!(
            "--open opens files on disk, and these results come from a commit; print one with `git show REF:PATH`"
        );
    }
    let count = response.hits.len();
    let Some(hit) = response.hits.get(number - 1) else {
        bail!("there are only {count} results to open; raise --limit for more");
    };
    let line = hits::defining_line(hit);
    let file = session.paths.file_of(hit);
    printer.note(format_args!("Opening {}:{line}", session.paths.openable(&file)));
    open::in_editor(&file, line)?;
    Ok(Outcome::Done)
}
