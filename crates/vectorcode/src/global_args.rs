//! The options that every subcommand accepts.

use std::path::PathBuf;

use clap::ValueEnum;

/// Options that every subcommand accepts.
#[derive(Clone, Debug, clap::Args)]
pub struct GlobalArgs {
    /// Root of the project [default: found from the current directory upwards]
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    pub project_path: Option<PathBuf>,

    /// Use exactly this directory as the project, even the home directory or the root of a disk
    #[arg(long, global = true, help_heading = "Global options")]
    pub here: bool,

    /// Print log messages to stderr
    #[arg(long, short, global = true, conflicts_with = "quiet", help_heading = "Global options")]
    pub verbose: bool,

    /// Print only results, warnings and errors
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,

    /// Format of log messages. Shown in the help of long-running commands
    #[arg(long, global = true, hide = true, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,

    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub color: ColorWhen,
}

/// The format of log messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line, with one line for each HTTP request
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always, also into files and pipes
    Always,
    /// Never
    Never,
}
