//! `vectorcode stats`: how often the tools and commands are used in this project, how long they take, and how much they return.

use anyhow::Result;
use vectorcode_core::api::{ToolUsage, UsageResponse};

use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::Printer;
use crate::output::numbers::grouped;
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct StatsArgs {
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,

    /// Delete the recorded statistics
    #[arg(long, conflicts_with = "json")]
    reset: bool,
}

pub fn run(args: &StatsArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let session = Session::open(global, Vec::new(), printer)?;
    if args.reset {
        session.engine.forget_usage()?;
        printer.note("The usage statistics were deleted");
        return Ok(Outcome::Done);
    }
    let usage = session.engine.usage()?;
    if args.json {
        printer.json(&usage)?;
    } else {
        print(&usage, printer)?;
    }
    if !session.engine.config().usage.record {
        printer.note("Nothing is recorded: usage.record is false");
    }
    Ok(Outcome::Done)
}

fn print(usage: &UsageResponse, printer: &Printer) -> Result<()> {
    let Some(since) = &usage.since else {
        printer.note("Nothing has been recorded for this project yet");
        return Ok(());
    };
    printer.line(format!(
        "{:<16} {:>8} {:>7} {:>10} {:>10} {:>12} {:>10}",
        "tool", "calls", "errors", "p50", "p95", "tokens", "a call"
    ))?;
    usage.tools.iter().try_for_each(|tool| printer.line(row(tool)))?;
    printer.note(format_args!("Since {since}, on this machine only"));
    Ok(())
}

fn row(tool: &ToolUsage) -> String {
    let tokens = |number: u64| if tool.tokens == 0 { "-".to_owned() } else { grouped(number) };
    format!(
        "{:<16} {:>8} {:>7} {:>7.1} ms {:>7.1} ms {:>12} {:>10}",
        tool.name,
        grouped(tool.calls),
        grouped(tool.errors),
        tool.p50_ms,
        tool.p95_ms,
        tokens(tool.tokens),
        tokens(tool.tokens / tool.calls.max(1))
    )
}
