//! `vectorcode search` and `vectorcode similar`.

mod doubtful_word;
mod exact;
mod options;
mod rows;
mod typing;

use std::path::Path;

use anyhow::{Context, Result, bail};
use vectorcode_core::api::{LinePatterns, ProjectSelection, SearchRequest, SearchResponse, SearchTarget};
use vectorcode_core::{EXCLUDE, is_glob};
use vectorcode_engine::Freshen;

use self::doubtful_word::DoubtfulWord;
use self::exact::PatternArgs;
use self::options::ProjectArgs;
pub use self::options::SearchOptions;
use self::rows::Rows;
pub use self::typing::while_typing;
use crate::embed_after_search;
use crate::exit::Outcome;
use crate::freshen::{Patience, Wait, freshen};
use crate::global_args::GlobalArgs;
use crate::open;
use crate::output::Printer;
use crate::output::hits::{self, Lines, View};
use crate::session::Session;
use crate::shell_paths::ShellPaths;

#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// What the code does, in words; can contain identifiers, "quoted literals" and paths. `-` reads it from standard
    /// input. Files and directories after a quoted query restrict the search to them
    #[arg(required_unless_present = "interactive", value_name = "QUERY")]
    query: Vec<String>,

    /// Search while you type, in the whole terminal
    #[arg(long, short = 'I', conflicts_with_all = ["pattern", "patterns", "format", "selection"])]
    interactive: bool,

    #[command(flatten)]
    pattern: PatternArgs,

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
    let question = Question::Words(query(words)?);
    let doubtful = DoubtfulWord::of(words);
    let (asked, lines) = (args.projects.selection()?.into(), args.pattern.lines());
    let ask = Ask { question, places, asked, lines, doubtful };
    answer(ask, &args.options, global, printer)
}

/// What is asked for, before the project is known.
#[derive(Debug)]
pub enum Question {
    Words(String),
    Snippet(String),
    /// `path:line`, as written.
    Location(String),
}

impl Question {
    fn target(self, paths: &ShellPaths) -> Result<SearchTarget> {
        Ok(match self {
            Self::Words(words) => SearchTarget::Query(words),
            Self::Snippet(code) => SearchTarget::Snippet(code),
            Self::Location(written) => paths.location(&written)?.into(),
        })
    }
}

/// The words of the query, and the files and directories that follow them, as `grep` takes them. A bare word that a
/// directory happens to have as its name is still a word, unless the query before it is quoted.
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

/// A path behind a query in quotes that leads nowhere. As a word of the query it would be searched for in everything.
fn missing_place(words: &[String]) -> Option<&str> {
    let (first, rest) = words.split_first()?;
    let last = rest.last().filter(|_| first.contains(char::is_whitespace))?;
    last.contains(std::path::is_separator).then_some(last)
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
    let question = similar_to(&args.target)?;
    let ask = Ask { asked: args.projects.selection()?.into(), ..Ask::of(question) };
    answer(ask, &args.options, global, printer)
}

fn similar_to(text: &str) -> Result<Question> {
    if text == "-" {
        let snippet = std::io::read_to_string(std::io::stdin())
            .context("cannot read the snippet from standard input")?;
        return Ok(Question::Snippet(snippet));
    }
    Ok(Question::Location(text.into()))
}

/// Files and directories that were named on the command line, relative to the root.
fn seen_from_here(places: &[String], session: &Session) -> Result<Vec<String>> {
    places.iter().map(|place| session.paths.pattern(place)).collect()
}

/// Filters within places, as in `grep --include='*.go' src`: globs for file names anywhere become globs below each place.
fn within_places(places: &[String], filters: Vec<String>) -> Result<Vec<String>> {
    let (excluded, included): (Vec<String>, Vec<String>) =
        filters.into_iter().partition(|filter| filter.starts_with(EXCLUDE));
    if places.is_empty() || included.is_empty() {
        return Ok([included, places.to_vec(), excluded].concat());
    }
    let below = |filter: &String, place: &String| {
        let name = filter.strip_prefix("**/").unwrap_or(filter);
        let is_anywhere = is_glob(filter) && (name.len() < filter.len() || !filter.contains('/'));
        if is_anywhere && (place.is_empty() || place.ends_with('/')) {
            Some(format!("{place}**/{name}"))
        } else {
            filter.starts_with(place.as_str()).then(|| filter.clone())
        }
    };
    let both = included.iter().flat_map(|filter| places.iter().filter_map(move |place| below(filter, place)));
    let both: Vec<String> = both.collect();
    if both.is_empty() {
        bail!("no file can be in {} and match {}", places.join(", "), included.join(", "));
    }
    Ok([both, excluded].concat())
}

/// The filters, and of what they admit only files with one of the extensions.
fn with_extensions(filters: Vec<String>, extensions: &[String]) -> Result<Vec<String>> {
    if extensions.is_empty() {
        return Ok(filters);
    }
    let endings: Vec<String> =
        extensions.iter().map(|written| format!(".{}", written.trim_start_matches(['*', '.']))).collect();
    let globs = endings.iter().map(|ending| format!("*{ending}"));
    let (excluded, included): (Vec<String>, Vec<String>) =
        filters.into_iter().partition(|filter| filter.starts_with(EXCLUDE));
    // A file, or a glob, that ends so already.
    let (exact, places): (Vec<String>, Vec<String>) =
        included.into_iter().partition(|filter| endings.iter().any(|ending| filter.ends_with(ending)));
    if !exact.is_empty() && places.is_empty() {
        return Ok([exact, excluded].concat());
    }
    Ok([within_places(&places, globs.collect())?, exact, excluded].concat())
}

/// A search as it is typed.
#[derive(Debug)]
pub struct Ask<'a> {
    pub question: Question,
    /// Files and directories to search in, seen from the current directory; empty: everywhere.
    pub places: &'a [String],
    pub asked: Asked<'a>,
    /// Only results with such lines.
    pub lines: LinePatterns,
    /// A last word that may have been meant as a folder.
    pub doubtful: Option<DoubtfulWord<'a>>,
}

impl Ask<'_> {
    /// A question about the current project.
    pub fn of(question: Question) -> Self {
        Self { question, places: &[], asked: Asked::Here, lines: LinePatterns::default(), doubtful: None }
    }
}

/// Searches and prints.
pub fn answer(
    Ask { question, places, asked, lines, doubtful }: Ask<'_>,
    options: &SearchOptions,
    global: &GlobalArgs,
    printer: &Printer,
) -> Result<Outcome> {
    let mut session = Session::open(global, Vec::new(), printer)?;
    let name = match (&question, &asked) {
        (_, Asked::Context(_)) => "context",
        (Question::Words(_), _) => "search",
        (Question::Snippet(_) | Question::Location(_), _) => "similar",
    };
    let engine = session.engine.clone();
    let _timer = engine.time_use(name);
    let target = question.target(&session.paths)?;
    let filter = &options.filters.paths;
    let filters = match &asked {
        // Paths mean the same in every project only if they start at its root.
        Asked::Projects(_) => filter.written(),
        Asked::Here | Asked::Context(_) => filter.seen_from_here(&session.paths)?,
    };
    let request = SearchRequest { lines, ..request(target, options, places, filters, &session)? };
    let how = &options.filters.freshen;
    let wait = Wait {
        patience: if options.filters.wait { Patience::Whole } else { Patience::Terminal },
        for_structure: options.filters.wait || request.is_about_structure(),
    };
    let is_here = matches!(asked, Asked::Here);
    let rows = if options.view.files { Rows::Files } else { Rows::Hits };
    let response = match asked {
        Asked::Here => {
            freshen(&session, how, wait, printer)?;
            rows.fill(&request, |request| Ok(session.engine.search(request)?))?
        }
        Asked::Context(artifact) => {
            freshen(&session, how, wait, printer)?;
            rows.fill(&request, |request| Ok(session.engine.search_context(request, artifact)?))?
        }
        Asked::Projects(selection) => {
            if selection == ProjectSelection::Linked {
                freshen(&session, how, wait, printer)?;
            }
            let freshness = if how.no_sync { Freshen::Never } else { Freshen::First };
            let projects = session.projects(freshness);
            session.paths = session.paths.with_roots(projects.roots()?);
            rows.fill(&request, |request| Ok(projects.search(request, &selection)?))?
        }
    };
    let outcome = show(&session, &request, &response, options, printer)?;
    if let Some(word) = doubtful.filter(|word| word.is_worth_a_hint(&response)) {
        printer.note(word.hint());
    }
    if is_here && !how.no_sync {
        embed_after_search::offer(&session, &response, printer);
    }
    Ok(outcome)
}

/// A request with the options, below `places`.
fn request(
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

/// Opens a hit in the editor, at the line that defines it.
fn open_hit(
    session: &Session,
    response: &SearchResponse,
    number: usize,
    printer: &Printer,
) -> Result<Outcome> {
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

fn show(
    session: &Session,
    request: &SearchRequest,
    response: &SearchResponse,
    SearchOptions { view, .. }: &SearchOptions,
    printer: &Printer,
) -> Result<Outcome> {
    if let Some(number) = view.open.filter(|_| !response.hits.is_empty()) {
        return open_hit(session, response, number, printer);
    }
    if view.json {
        printer.json(response)?;
    } else if view.jsonl {
        response.hits.iter().try_for_each(|hit| printer.json_line(hit))?;
    } else if view.files {
        hits::print_files(response, if view.null { "\0" } else { "\n" }, &session.paths, printer)?;
    } else {
        // Syntax is classified for its colors alone, and costs a parse of every file among the hits.
        let mut markups = if printer.has_colors() && !view.vimgrep {
            session.engine.markup(&request.target, &response.hits)
        } else {
            session.engine.matches(&request.target, &response.hits)
        };
        hits::mark_matching_lines(&response.hits, &mut markups);
        if view.vimgrep {
            hits::print_vimgrep(response, &markups, &session.paths, printer)?;
        } else {
            let lines = if view.show { Lines::All } else { Lines::AtMost(view.lines) };
            hits::print(request, response, &markups, View { lines, paths: &session.paths, printer })?;
        }
    }
    Ok(if response.hits.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(places: &[&str], filters: &[&str]) -> String {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<String>>();
        within_places(&owned(places), owned(filters))
            .map_or_else(|error| error.to_string(), |all| all.join(" "))
    }

    #[test]
    fn extensions_count_within_the_filters() {
        let with = |filters: &[&str], extensions: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<String>>();
            with_extensions(owned(filters), &owned(extensions))
                .map_or_else(|error| error.to_string(), |all| all.join(" "))
        };
        assert_eq!(with(&["src/"], &[]), "src/");
        assert_eq!(with(&[], &[".go", "ts"]), "*.go *.ts");
        assert_eq!(with(&["src/", "!src/gen/"], &["go"]), "src/**/*.go !src/gen/");
        assert_eq!(with(&["src/a.go"], &["go"]), "src/a.go");
        assert_eq!(with(&["src/a.go", "lib/"], &["*.go"]), "lib/**/*.go src/a.go");
        assert_eq!(with(&["src/a.rs"], &["go"]), "no file can be in src/a.rs and match *.go");
    }

    #[test]
    fn filters_count_within_the_places() {
        assert_eq!(within(&["src/"], &[]), "src/");
        assert_eq!(within(&[], &["*.go", "!a/"]), "*.go !a/");
        assert_eq!(within(&["src/"], &["!**/*_gen.go"]), "src/ !**/*_gen.go");
        assert_eq!(within(&["src/", "lib/"], &["*.go"]), "src/**/*.go lib/**/*.go");
        assert_eq!(within(&["src/"], &["**/net/*.go", "src/a/", "docs/"]), "src/**/net/*.go src/a/");
        assert_eq!(within(&["src/"], &["docs/"]), "no file can be in src/ and match docs/");
    }
}
