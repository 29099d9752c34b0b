//! `vectorcode install`: adds the MCP server and the skill to the configuration of coding agents.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::agents::{self, AGENTS, Agent, AgentError, ConfigScope, Machine, Operation, Site, Task, Verb};
use crate::exit::{self, Outcome};
use crate::global_args::GlobalArgs;
use crate::output::{Printer, style};
use crate::session;

#[derive(Debug, clap::Args)]
pub struct InstallArgs {
    #[command(flatten)]
    agents: AgentArgs,

    /// Also add a hook to Claude Code, Codex and Gemini CLI: after their own searches and reads, a running server adds at most
    /// three lines with the best locations
    #[arg(long)]
    hooks: bool,
}

#[derive(Debug, clap::Args)]
pub struct AgentArgs {
    /// Only these agents, installed or not, separated by commas (can be repeated) [default: all agents found]
    #[arg(long, value_name = "AGENT", value_parser = agent_parser(), value_delimiter = ',')]
    target: Vec<&'static Agent>,

    /// All known agents, installed or not
    #[arg(long, conflicts_with = "target")]
    all: bool,

    #[arg(long, value_name = "SCOPE", default_value = "user", hide_possible_values = true)]
    #[arg(help = "Which configuration files to change: user (all projects) or project (only this one)")]
    scope: ConfigScope,

    /// Print the changes as a diff without making them
    #[arg(long)]
    dry_run: bool,
}

fn agent_parser() -> impl TypedValueParser<Value = &'static Agent> {
    PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.name))
        .try_map(|name| Agent::by_name(&name).ok_or("no such agent"))
}

pub fn run(args: &InstallArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let operation = Operation::Install { hooks: args.hooks };
    let outcome = run_operation(operation, &args.agents, global, printer)?;
    if args.hooks && cfg!(windows) {
        printer.warn("Hooks print nothing on Windows yet: servers listen for them on Unix sockets");
    } else if args.hooks && outcome == Outcome::Done && !args.agents.dry_run {
        printer.note("Codex runs a new hook only after you trust it: see /hooks in Codex");
    }
    Ok(outcome)
}

/// Installs or uninstalls file by file; a file that cannot be changed does not stop the others.
pub fn run_operation(
    operation: Operation,
    args: &AgentArgs,
    global: &GlobalArgs,
    printer: &Printer,
) -> Result<Outcome> {
    let machine = Machine::here(session::project(global)?.root())?;
    let site =
        Site { program: agents::program_for_agents(&machine, args.scope)?, scope: args.scope, machine };
    let agents = selected(args, &site)?;
    if agents.is_empty() {
        printer.note("No agent found on this machine. Name one with --target, or use --all.");
        let asks_only = args.dry_run || operation == Operation::Uninstall;
        return Ok(if asks_only { Outcome::Done } else { Outcome::NothingFound });
    }
    let mut verbs = Vec::new();
    let mut outcome = Outcome::Done;
    for task in agents::tasks(operation, &agents, &site) {
        match apply_task(task, operation, args, &site, printer) {
            Ok(verb) => verbs.push(verb),
            Err(error) if error.is::<AgentError>() => {
                exit::print(&error);
                outcome = Outcome::Failed;
            }
            Err(error) => return Err(error),
        }
    }
    print_summary(args, &verbs, printer);
    Ok(outcome)
}

fn print_summary(args: &AgentArgs, verbs: &[Verb], printer: &Printer) {
    if args.dry_run {
        printer.note("Dry run: nothing was changed");
    } else if verbs.iter().any(|verb| !matches!(verb, Verb::Unchanged | Verb::Absent)) {
        printer.note("Restart running agents to load the new configuration");
    }
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

/// Plans one task, then prints or applies it.
fn apply_task(
    task: Task,
    operation: Operation,
    args: &AgentArgs,
    site: &Site,
    printer: &Printer,
) -> Result<Verb> {
    let step = task.plan(operation, site)?;
    let path = site.machine.shorten(step.path());
    if !args.dry_run {
        step.apply()?;
        printer.line(row(step.verb(), task, &path))?;
    } else if let Some(diff) = step.diff(&path)? {
        printer.line(style::diff(diff.trim_end()))?;
    } else {
        printer.note(row(step.verb(), task, &path));
    }
    Ok(step.verb())
}

fn row(verb: Verb, task: Task, path: &str) -> String {
    format!("{:<9}  {:<33}  {path}", verb.word(), task.title())
}
