//! Parses the command line and runs the command it names.

use anyhow::Result;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use crate::args::{Args, Command};
use crate::commands::{
    completions, config, context, doctor, eval, graph, history, hook, index, init, install, man, projects,
    remove, repo, search, serve, share, stats, status, symbols, token, trust, uninstall, upgrade, watch,
    worker,
};
use crate::exit::{self, Outcome};
use crate::global_args::GlobalArgs;
use crate::interactive;
use crate::output::Printer;

/// Parses the command line and runs the command.
pub fn run() -> Result<Outcome> {
    let args = Args::try_parse().unwrap_or_else(|error| bad_command_line(&error));
    let printer = Printer::new(&args.global);
    let global = &args.global;
    let Some(command) = args.command else { return without_command(global, &printer) };
    match command {
        Command::Init(options) => init::run(&options, global, &printer),
        Command::Index(options) => match &options.command {
            Some(command) => share::run(command, global, &printer),
            None => index::run(&options, global, &printer),
        },
        Command::Sync(options) => index::sync(&options, global, &printer),
        Command::Search(options) => search::run(&options, global, &printer),
        Command::Similar(options) => search::similar(&options, global, &printer),
        Command::Graph(options) => graph::run(&options, global, &printer),
        Command::History(options) => history::run(&options, global, &printer),
        Command::Symbols(options) => symbols::run(&options, global, &printer),
        Command::Projects(options) => projects::run(&options, global, &printer),
        Command::Context(options) => context::run(&options, global, &printer),
        Command::Eval(options) => eval::run(&options, global, &printer),
        Command::Status(options) => status::run(&options, global, &printer),
        Command::Stats(options) => stats::run(&options, global, &printer),
        Command::Serve(options) => serve::run(&options, global, &printer),
        Command::Token(options) => token::run(&options, &printer),
        Command::Repo(options) => repo::run(&options, &printer),
        Command::Worker(options) => worker::run(&options, &printer),
        Command::Watch(options) => watch::run(&options, global, &printer),
        Command::Config(options) => config::run(&options, global, &printer),
        Command::Trust(options) => trust::run(&options, global, &printer),
        Command::Doctor(options) => doctor::run(&options, global, &printer),
        Command::Remove(options) => remove::run(&options, global, &printer),
        Command::Install(options) => install::run(&options, global, &printer),
        Command::Uninstall(options) => uninstall::run(&options, global, &printer),
        Command::Hook(options) => Ok(hook::run(&options, &printer)),
        Command::Upgrade(options) => upgrade::run(&options, &printer),
        Command::Completions(options) => completions::run(&options, &mut Args::command(), &printer),
        Command::Man(options) => man::run(&options, Args::command(), &printer),
    }
}

/// On a terminal, starts an interactive search. Otherwise prints the help, with the exit code of an error.
fn without_command(global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    if interactive::has_terminal() {
        return search::while_typing(global, printer);
    }
    let mut command = Args::command();
    eprint!("{}", command.render_help());
    Ok(Outcome::Failed)
}

/// Prints clap's error, with a hint where the intention is clear: somebody who types a question instead of a command wants to
/// search. For a hook, exit code 2 tells the agent to block its tool, so a hook with options of another version exits silently.
fn bad_command_line(error: &clap::Error) -> ! {
    if error.use_stderr() && std::env::args().nth(1).as_deref() == Some("hook") {
        std::process::exit(0);
    }
    let _ = error.print();
    if let Some(port) = port_of_server(error) {
        exit::print_hint(&format!("The port follows --http: vectorcode serve --http {port}"));
    }
    let words = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(words)) if error.kind() == ErrorKind::InvalidSubcommand => words,
        _ => std::process::exit(error.exit_code()),
    };
    if Args::command().find_subcommand("graph").is_some_and(|graph| graph.find_subcommand(words).is_some()) {
        exit::print_hint(&format!("It is a command of graph: vectorcode graph {words}"));
    } else if let Some(question) = question(words, error) {
        exit::print_hint(&format!("To search for it, run: vectorcode search \"{question}\""));
    }
    std::process::exit(error.exit_code())
}

/// The port in `serve --http --port 7901`: most servers have such an option.
fn port_of_server(error: &clap::Error) -> Option<String> {
    let is_port =
        matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(name)) if name == "--port");
    let mut arguments = std::env::args().skip_while(|argument| !argument.starts_with("--port"));
    let written = arguments.next().filter(|_| is_port && error.kind() == ErrorKind::UnknownArgument)?;
    let port = written.strip_prefix("--port=").map(str::to_owned).or_else(|| arguments.next())?;
    port.parse::<u16>().ok().map(|port| port.to_string())
}

/// The text typed in place of a command, if it reads like a question: several words, quoted or not. Of two words, the first may
/// be a misspelt command. After a valid command there is no question.
fn question(first: &str, error: &clap::Error) -> Option<String> {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    if words.next().is_some_and(|word| word != first && Args::command().find_subcommand(word).is_some()) {
        return None;
    }
    if first.contains(char::is_whitespace) {
        return Some(first.into());
    }
    let is_misspelt = error.get(ContextKind::SuggestedSubcommand).is_some();
    let words = std::env::args().skip(1).skip_while(|word| word != first);
    let words: Vec<String> = words.take_while(|word| !word.starts_with('-')).collect();
    (words.len() > 1 + usize::from(is_misspelt)).then(|| words.join(" "))
}
