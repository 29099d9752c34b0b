//! `vectorcode context`: lists, searches, indexes and removes the context artifacts of a project.

use anyhow::Result;
use vectorcode_core::Choice;
use vectorcode_core::api::{ArtifactState, ArtifactStatus, ContextAction, ContextResponse};

use super::search::{self, SearchCommand, SearchInput, SearchOptions, SearchScope};
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::numbers::plural;
use crate::output::{Printer, report, style};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct ContextArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    #[command(about = ContextAction::List.description())]
    List {
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },

    #[command(about = ContextAction::Search.description())]
    Search(Box<ContextSearchArgs>),

    #[command(about = ContextAction::Index.description())]
    Index {
        /// Only this artifact
        #[arg(value_name = "NAME")]
        artifact: Option<String>,

        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },

    #[command(about = ContextAction::Remove.description())]
    Remove {
        #[arg(value_name = "NAME", required_unless_present = "all")]
        artifact: Option<String>,

        #[arg(
            long,
            conflicts_with = "artifact",
            help = "All artifacts, including those in SocratiCode's file"
        )]
        all: bool,
    },
}

#[derive(Debug, clap::Args)]
struct ContextSearchArgs {
    /// What the document says, in words; `-` reads it from standard input
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,

    /// Only this artifact
    #[arg(long, short, value_name = "NAME")]
    artifact: Option<String>,

    #[command(flatten)]
    options: SearchOptions,
}

pub fn run(args: &ContextArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    match &args.action {
        Action::List { json } => list(*json, &Session::open(global, Vec::new(), printer)?, printer),
        Action::Search(args) => {
            let input = SearchInput::Words(search::query(&args.query)?);
            let scope = SearchScope::Context(args.artifact.as_deref());
            let command = SearchCommand { scope, ..SearchCommand::of(input) };
            search::answer(command, &args.options, global, printer)
        }
        Action::Index { artifact, json } => {
            let session = Session::open(global, Vec::new(), printer)?;
            let request = session.engine.context_request(artifact.as_deref())?;
            let report = super::index::index(&session, &request, printer)?;
            super::index::show(&report, *json, printer)?;
            Ok(super::index::outcome(&request, &report))
        }
        Action::Remove { artifact, .. } => {
            remove(artifact.as_deref(), &Session::open(global, Vec::new(), printer)?, printer)
        }
    }
}

fn list(json: bool, session: &Session, printer: &Printer) -> Result<Outcome> {
    let response = session.engine.artifacts()?;
    if json {
        printer.json(&response)?;
    } else {
        print(&response, printer)?;
    }
    Ok(Outcome::Done)
}

fn print(response: &ContextResponse, printer: &Printer) -> Result<()> {
    for artifact in &response.artifacts {
        printer.line(line(artifact))?;
        if !artifact.description.is_empty() {
            printer.line(format!("    {}", artifact.description))?;
        }
        if let Some(problem) = &artifact.problem {
            printer.line(format!(
                "    {}{problem}{}",
                style::WARNING.render(),
                style::WARNING.render_reset()
            ))?;
        }
    }
    if response.artifacts.is_empty() {
        printer.note(
            "This project has no context artifacts. Add [[artifacts]] with a name, a path and a description to \
             .vectorcode/config.toml.",
        );
    }
    response.notes.iter().for_each(|note| printer.warn(note));
    Ok(())
}

/// `database-schema  db/schema.sql  indexed, 1 file, 12 chunks`
fn line(artifact: &ArtifactStatus) -> String {
    let state = match artifact.state {
        ArtifactState::Indexed | ArtifactState::Pending => format!(
            "{}, {}, {}",
            artifact.state.as_str(),
            plural(artifact.files, "file"),
            plural(artifact.chunks, "chunk")
        ),
        ArtifactState::Missing | ArtifactState::Unusable => artifact.state.as_str().into(),
    };
    let (symbol, path) = (style::SYMBOL, style::PATH);
    format!(
        "{}{}{}  {}{}{}  {state}",
        symbol.render(),
        artifact.name,
        symbol.render_reset(),
        path.render(),
        artifact.path,
        path.render_reset()
    )
}

/// Removes one artifact, or all of them.
fn remove(artifact: Option<&str>, session: &Session, printer: &Printer) -> Result<Outcome> {
    let request = session.engine.remove_artifacts(artifact)?;
    let what = artifact.unwrap_or("all context artifacts");
    printer.note(format!("Removed {what} from {}", session.engine.project().root().display()));
    report::print(&super::index::index(session, &request, printer)?, printer);
    Ok(Outcome::Done)
}
