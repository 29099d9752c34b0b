//! `vectorcode install`: our MCP server and skill, in the files of the agents on this machine.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::agents::{self, AGENTS, Agent, AgentError, Machine, Operation, Scope, Site, Task, Verb};
use crate::args::GlobalArgs;
use crate::exit::{self, Outcome};
use crate::output::{Printer, style};
use crate::project;

#[derive(Debug, clap::Args)]
pub struct AgentArgs {
    /// Only this agent, found or not (may be repeated) [default: every agent found]
    #[arg(long, value_name = "AGENT", value_parser = agent_parser(), value_delimiter = ',')]
    target: Vec<&'static Agent>,

    /// Every known agent, found or not
    #[arg(long, conflicts_with = "target")]
    all: bool,

    /// Whose files to change
    #[arg(long, value_name = "SCOPE", default_value = "user", hide_possible_values = true)]
    #[arg(help = "Whose files to change: user (all your projects) or project (this one)")]
    scope: Scope,

    /// Show what would change as a diff, and change nothing
    #[arg(long)]
    dry_run: bool,
}

fn agent_parser() -> impl TypedValueParser<Value = &'static Agent> {
    PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.name))
        .try_map(|name| Agent::by_name(&name).ok_or("no such agent"))
}

pub fn run(args: &AgentArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    carry_out(Operation::Install, args, global, printer)
}

/// Both directions go agent by agent; one file that cannot be changed does not keep the others from it.
pub fn carry_out(
    operation: Operation,
    args: &AgentArgs,
    global: &GlobalArgs,
    printer: &Printer,
) -> Result<Outcome> {
    let machine = Machine::here(&project::root(global)?)?;
    let site = Site { program: agents::program_for_agents(&machine)?, scope: args.scope, machine };
    let agents = selected(args, &site)?;
    if agents.is_empty() {
        printer.note("no agent was found here; name one with --target, or use --all");
        return Ok(Outcome::NothingFound);
    }
    let mut changed = false;
    let mut outcome = Outcome::Done;
    for task in agents::tasks(operation, &agents, &site) {
        match bring_about(task, operation, args, &site, printer)? {
            Ok(verb) => changed |= !matches!(verb, Verb::Unchanged | Verb::Absent),
            Err(error) => {
                exit::print(&error.into());
                outcome = Outcome::PartlyFailed;
            }
        }
    }
    if args.dry_run {
        printer.note("dry run: nothing was changed");
    } else if changed {
        printer.note("restart the agents that are running, so that they read their files again");
    }
    Ok(outcome)
}

fn selected(args: &AgentArgs, site: &Site) -> Result<Vec<&'static Agent>, AgentError> {
    if args.all {
        return Ok(AGENTS.iter().filter(|agent| agent.has_file(args.scope)).collect());
    }
    if args.target.is_empty() {
        return Ok(agents::present_agents(&site.machine, args.scope));
    }
    match args.target.iter().find(|agent| !agent.has_file(args.scope)) {
        Some(agent) => Err(AgentError::NoSuchScope { agent: agent.title, scope: args.scope }),
        None => Ok(args.target.clone()),
    }
}

/// Plans one task, then shows it or does it. The outer error is a failure to print.
fn bring_about(
    task: Task,
    operation: Operation,
    args: &AgentArgs,
    site: &Site,
    printer: &Printer,
) -> Result<Result<Verb, AgentError>> {
    let step = match task.plan(operation, site) {
        Ok(step) => step,
        Err(error) => return Ok(Err(error)),
    };
    let shown = site.machine.shorten(step.path());
    if args.dry_run {
        match step.diff(&shown) {
            Ok(Some(diff)) => printer.line(style::diff(diff.trim_end()))?,
            Ok(None) => printer.note(row(step.verb(), task, &shown)),
            Err(error) => return Ok(Err(error)),
        }
    } else {
        if let Err(error) = step.apply() {
            return Ok(Err(error));
        }
        printer.line(row(step.verb(), task, &shown))?;
    }
    Ok(Ok(step.verb()))
}

fn row(verb: Verb, task: Task, path: &str) -> String {
    format!("{:<9}  {:<33}  {path}", verb.word(), task.title())
}
