//! The command line as typed: global options and the list of subcommands.
//!
//! Each subcommand declares its own options in its file under [`crate::commands`]; nothing is acted on here.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use vectorcode_core::{Choice, UnknownChoice};

use crate::commands::{
    completions, config, context, doctor, eval, graph, index, init, install, man, projects, remove, search,
    serve, status, symbols, upgrade, watch,
};

/// Finds code by meaning: in the terminal, and for AI agents over MCP.
#[derive(Debug, Parser)]
#[command(name = "vectorcode", version, propagate_version = false, max_term_width = 100)]
pub struct Args {
    #[command(flatten)]
    pub global: GlobalArgs,

    #[command(subcommand)]
    pub command: Command,
}

/// Options that every subcommand takes.
#[derive(Clone, Debug, clap::Args)]
pub struct GlobalArgs {
    /// Path to the project [default: the root around the current directory]
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    pub project_path: Option<PathBuf>,

    /// Print what happens inside to stderr
    #[arg(long, short, global = true, conflicts_with = "quiet", help_heading = "Global options")]
    pub verbose: bool,

    /// Print results and errors only
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub color: ColorWhen,
}

/// Reads a number of things to show. Nobody wants none of them.
pub fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

/// Reads one word of a list. Help and errors show the list with its descriptions.
pub fn choice<C: Choice>() -> impl TypedValueParser<Value = C> {
    let value =
        |choice: &C| PossibleValue::new(choice.as_str()).aliases(choice.aliases()).help(choice.description());
    PossibleValuesParser::new(C::CHOICES.iter().map(value))
        .try_map(|word| C::parse(&word).ok_or_else(|| UnknownChoice::of::<C>(&word)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Set a project up: settings, an empty index
    Init(init::InitArgs),

    /// Build the index, or bring it up to date
    Index(index::IndexArgs),

    /// Bring the index up to date
    Sync(index::SyncArgs),

    /// Find code by what it does
    #[command(visible_alias = "query")]
    Search(search::SearchArgs),

    /// Find code like a piece of code
    Similar(search::SimilarArgs),

    /// Ask who imports whom, who calls whom, and what a change reaches
    #[command(subcommand)]
    Graph(graph::GraphCommand),

    /// Find definitions by name
    Symbols(symbols::SymbolsArgs),

    /// List the indexed projects
    Projects(projects::ProjectsArgs),

    /// List, search and index the documents that the project names
    Context(context::ContextArgs),

    /// Measure how well search works on this project
    Eval(eval::EvalArgs),

    /// Show the health of the index
    Status(status::StatusArgs),

    /// Serve the project: to agents over MCP, to browsers and programs over HTTP
    Serve(serve::ServeArgs),

    /// Keep the index up to date until stopped
    Watch(watch::WatchArgs),

    /// Show the settings in force
    Config(config::ConfigArgs),

    /// Find out what is wrong, and how to mend it
    Doctor(doctor::DoctorArgs),

    /// Delete the index
    Remove(remove::RemoveArgs),

    /// Add vectorcode to the configuration of coding agents (MCP server and skill)
    Install(install::AgentArgs),

    /// Take vectorcode out of the configuration of coding agents
    Uninstall(install::AgentArgs),

    /// Replace this binary by a newer release
    Upgrade(upgrade::UpgradeArgs),

    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),

    /// Print the manual page, or write one page per command to a directory
    Man(man::ManArgs),
}
