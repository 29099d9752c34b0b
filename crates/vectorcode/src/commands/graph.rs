//! `vectorcode graph`: imports, calls and the impact of a change.

use anyhow::{Result, bail};
use clap::Subcommand;
use vectorcode_core::Choice;
use vectorcode_core::api::{
    ChangesRequest, ChangesResponse, GraphAction, GraphFormat, GraphQuery, GraphRequest, GraphResponse,
    NodeKind,
};
use vectorcode_engine::{collapse, diagram};

use crate::arg_values::{at_least_one, choice};
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, FreshenWait, freshen, with_progress};
use crate::global_args::GlobalArgs;
use crate::output::{Printer, changes as changes_page, graph as page};
use crate::session::Session;
use crate::shell_paths::ShellPaths;

#[derive(Debug, Subcommand)]
pub enum GraphCommand {
    #[command(about = GraphAction::Deps.description())]
    Deps(FileArgs),
    #[command(about = GraphAction::Dependents.description())]
    Dependents(FileArgs),
    #[command(about = GraphAction::Callers.description())]
    Callers(SymbolArgs),
    #[command(about = GraphAction::Callees.description())]
    Callees(SymbolArgs),
    #[command(about = GraphAction::Edit.description())]
    Edit(NameArgs),
    #[command(about = GraphAction::Implementations.description())]
    Implementations(NameArgs),
    #[command(about = GraphAction::Impact.description())]
    Impact(ImpactArgs),
    #[command(about = GraphAction::Path.description())]
    Path(PathArgs),
    #[command(about = GraphAction::Cycles.description())]
    Cycles(ViewArgs),
    #[command(about = GraphAction::Stats.description())]
    Stats(ViewArgs),
    #[command(about = GraphAction::Show.description())]
    Show(ShowArgs),
}

#[derive(Debug, clap::Args)]
pub struct FileArgs {
    /// Path of a file or folder; the end of the path is enough if it is unique
    path: String,

    /// Maximum number of edges to follow
    #[arg(long, short, value_name = "N", default_value_t = GraphRequest::DEFAULT_DEPTH)]
    depth: u32,

    #[command(flatten)]
    view: ViewArgs,
}

#[derive(Debug, clap::Args)]
pub struct SymbolArgs {
    /// Name of the symbol, qualified or not; `path#name` selects one of several
    symbol: String,

    /// Maximum number of edges to follow
    #[arg(long, short, value_name = "N", default_value_t = GraphRequest::DEFAULT_DEPTH)]
    depth: u32,

    #[command(flatten)]
    view: ViewArgs,
}

#[derive(Debug, clap::Args)]
pub struct NameArgs {
    /// Name of a symbol, qualified or not; `path#name` selects one of several
    symbol: String,

    #[command(flatten)]
    view: ViewArgs,
}

#[derive(Debug, clap::Args)]
pub struct ImpactArgs {
    /// A file or a symbol
    #[arg(required_unless_present = "diff")]
    target: Option<String>,

    /// What has changed since a commit or branch; A..B compares two commits, ..B a commit with its parent
    // Not shown as `[default: HEAD]`: HEAD is only used if `--diff` is given without a value.
    #[arg(long, value_name = "REF", num_args = 0..=1, default_missing_value = "HEAD", conflicts_with = "target")]
    diff: Option<String>,

    /// Maximum number of edges to follow
    #[arg(long, short, value_name = "N", default_value_t = GraphRequest::IMPACT_DEPTH)]
    depth: u32,

    #[command(flatten)]
    view: ViewArgs,
}

#[derive(Debug, clap::Args)]
pub struct PathArgs {
    /// A file or a symbol
    from: String,
    /// Another file or symbol
    to: String,

    #[command(flatten)]
    view: ViewArgs,
}

#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// A file, folder or symbol [default: the whole project]
    target: Option<String>,

    /// Maximum number of edges to follow
    #[arg(long, short, value_name = "N", default_value_t = GraphRequest::DEFAULT_DEPTH)]
    depth: u32,

    #[command(flatten)]
    view: ViewArgs,
}

/// How the answer is displayed.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// Maximum number of nodes; diagrams merge the files of a folder into one node to stay below it
    #[arg(long, short = 'n', value_name = "N", default_value_t = GraphRequest::DEFAULT_LIMIT, value_parser = at_least_one)]
    limit: usize,

    /// Output format
    #[arg(long, short, value_name = "FORMAT", default_value_t, value_parser = choice::<GraphFormat>(), ignore_case = true)]
    format: GraphFormat,

    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    #[command(flatten)]
    freshen: FreshenArgs,
}

impl GraphCommand {
    fn view(&self) -> &ViewArgs {
        match self {
            Self::Deps(FileArgs { view, .. })
            | Self::Dependents(FileArgs { view, .. })
            | Self::Callers(SymbolArgs { view, .. })
            | Self::Callees(SymbolArgs { view, .. })
            | Self::Edit(NameArgs { view, .. })
            | Self::Implementations(NameArgs { view, .. })
            | Self::Impact(ImpactArgs { view, .. })
            | Self::Path(PathArgs { view, .. })
            | Self::Cycles(view)
            | Self::Stats(view)
            | Self::Show(ShowArgs { view, .. }) => view,
        }
    }

    /// The query, with file paths relative to the root.
    fn query(&self, paths: &ShellPaths) -> Result<GraphQuery> {
        let file = |written: &str| paths.file(written);
        let any = |written: &str| paths.file_or_symbol(written);
        Ok(match self {
            Self::Deps(args) => GraphQuery::Deps { path: file(&args.path)?, depth: args.depth },
            Self::Dependents(args) => GraphQuery::Dependents { path: file(&args.path)?, depth: args.depth },
            Self::Callers(args) => GraphQuery::Callers { symbol: any(&args.symbol)?, depth: args.depth },
            Self::Callees(args) => GraphQuery::Callees { symbol: any(&args.symbol)?, depth: args.depth },
            Self::Edit(args) => GraphQuery::Edit { symbol: any(&args.symbol)? },
            Self::Implementations(args) => GraphQuery::Implementations { symbol: any(&args.symbol)? },
            Self::Impact(args) => {
                let target = args.target.as_deref().map(any).transpose()?.unwrap_or_default();
                GraphQuery::Impact { target, depth: args.depth }
            }
            Self::Path(args) => GraphQuery::Path { from: any(&args.from)?, to: any(&args.to)? },
            Self::Cycles(_) => GraphQuery::Cycles,
            Self::Stats(_) => GraphQuery::Stats,
            Self::Show(args) => {
                let target = args.target.as_deref().map(any).transpose()?;
                // The root is the whole project.
                GraphQuery::Show { target: target.filter(|target| !target.is_empty()), depth: args.depth }
            }
        })
    }
}

pub fn run(command: &GraphCommand, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let view = command.view();
    let mut session = Session::open(global, Vec::new(), printer)?;
    let working = session.engine.clone();
    let _timer = working.time_use("graph");
    freshen(&mut session, &view.freshen, FreshenWait::FOR_STRUCTURE, printer)?;
    let format = if view.json { GraphFormat::Json } else { view.format };
    if let GraphCommand::Impact(ImpactArgs { diff: Some(revisions), depth, .. }) = command {
        let request = ChangesRequest {
            depth: *depth,
            limit: view.limit,
            ..ChangesRequest::of(Some(revisions.as_str()).filter(|text| *text != "HEAD"))
        };
        return changes(&session, &request, format, printer);
    }
    let is_diagram = match format {
        GraphFormat::Mermaid | GraphFormat::Dot => true,
        GraphFormat::Text | GraphFormat::Json => false,
    };
    let query = command.query(&session.paths)?;
    let limit = if is_diagram { GraphRequest::DIAGRAM_NODES.max(view.limit) } else { view.limit };
    let response = session.engine.graph(&GraphRequest { query: query.clone(), limit })?;
    match format {
        GraphFormat::Text => page::print(&query, &seen_from_here(&response, &session.paths), printer)?,
        GraphFormat::Json => printer.json(&response)?,
        GraphFormat::Mermaid => {
            printer.line(diagram::mermaid(&collapse(&response, view.limit)).trim_end())?;
        }
        GraphFormat::Dot => printer.line(diagram::dot(&collapse(&response, view.limit)).trim_end())?,
    }
    Ok(if is_empty(&query, &response) { Outcome::NothingFound } else { Outcome::Done })
}

/// Prints the impact of a change. It is a list rather than a graph, so the diagram formats are rejected.
fn changes(
    session: &Session,
    request: &ChangesRequest,
    format: GraphFormat,
    printer: &Printer,
) -> Result<Outcome> {
    let response = with_progress(printer, |sink, cancel| session.engine.changes(request, sink, cancel))?;
    match format {
        GraphFormat::Text => changes_page::print(&changes_from_here(&response, &session.paths), printer)?,
        GraphFormat::Json => printer.json(&response)?,
        GraphFormat::Mermaid | GraphFormat::Dot => bail!("--diff has no diagram; use --format text or json"),
    }
    // A clean tree is a normal state, as it is for `git diff`.
    Ok(Outcome::Done)
}

/// The impact of a change, with paths that can be opened from the current directory.
fn changes_from_here(response: &ChangesResponse, paths: &ShellPaths) -> ChangesResponse {
    let mut response = response.clone();
    response.files.iter_mut().for_each(|file| file.path = paths.shown(&file.path));
    response.symbols.iter_mut().for_each(|symbol| symbol.path = paths.shown(&symbol.path));
    response.test_files.iter_mut().for_each(|path| *path = paths.shown(path));
    for user in response.affected.iter_mut().chain(&mut response.tests) {
        let shown = paths.shown(&user.path);
        // A use outside any definition has the path of the file as its name.
        if user.name == user.path {
            user.name.clone_from(&shown);
        }
        user.path = shown;
    }
    response
}

/// The graph with paths of files and folders that can be opened from the current directory.
fn seen_from_here(response: &GraphResponse, paths: &ShellPaths) -> GraphResponse {
    let mut response = response.clone();
    for node in &mut response.nodes {
        if matches!(node.kind, NodeKind::File | NodeKind::Folder) {
            node.name = paths.shown(&node.name);
        }
        node.path = node.path.take().map(|path| paths.shown(&path));
    }
    if let Some(edit) = &mut response.edit {
        let tests = edit.tests.iter_mut().map(|test| &mut test.path);
        let shown = tests.chain(&mut edit.test_files).chain([&mut edit.path]);
        shown.for_each(|path| *path = paths.shown(path));
    }
    if let Some(others) = &mut response.other_lines {
        let files = others.imports.iter_mut().chain(&mut others.unresolved).chain(&mut others.text);
        files.for_each(|file| file.path = paths.shown(&file.path));
    }
    if let Some(stats) = &mut response.stats {
        let listed = stats.most_connected.iter_mut().map(|file| &mut file.path);
        listed.chain(&mut stats.orphans).for_each(|path| *path = paths.shown(path));
    }
    response
}

/// Whether there is nothing but the queried node itself. Having no cycles is good news, not an empty answer.
fn is_empty(query: &GraphQuery, response: &GraphResponse) -> bool {
    match query {
        GraphQuery::Stats | GraphQuery::Cycles | GraphQuery::Edit { .. } => false,
        GraphQuery::Path { .. } | GraphQuery::Show { .. } => response.nodes.is_empty(),
        _ => response.nodes.iter().all(|node| node.distance == 0),
    }
}
