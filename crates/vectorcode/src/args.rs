//! The command line: all subcommands, with their descriptions and examples.
//!
//! Each subcommand declares its own options in its file under [`crate::commands`]; [`crate::dispatch`] runs it.

use clap::{Parser, Subcommand};

use crate::commands::{
    completions, config, context, doctor, eval, graph, history, hook, index, init, install, man, projects,
    remove, repo, search, serve, stats, status, symbols, token, trust, upgrade, watch, worker,
};
use crate::global_args::GlobalArgs;

const EXAMPLES: &str = "\
Examples:
  vectorcode                                       search while you type
  vectorcode search \"retry a failed payment\"       find code by what it does
  vectorcode graph callers UserService.login       find who calls a function
  vectorcode install                               set up the coding agents on this machine
  vectorcode serve --http                          search in the browser

Exit codes: 0 success, 1 nothing found, 2 error, 3 searchable, but not complete (index, sync)";

/// Search code by meaning, in the terminal and from AI agents
#[derive(Debug, Parser)]
#[command(name = "vectorcode", version, propagate_version = false, max_term_width = 100, after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub global: GlobalArgs,

    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Set up a project: settings file and empty index
    #[command(after_help = "\
Examples:
  vectorcode init
  vectorcode init --index
  vectorcode init --provider ollama --model embeddinggemma:latest")]
    Init(init::InitArgs),

    /// Build the index, or bring it up to date
    #[command(
        args_conflicts_with_subcommands = true,
        disable_help_subcommand = true,
        after_help = "\
Examples:
  vectorcode index
  vectorcode index --fast            # searchable within seconds; vectors of the provider come later
  vectorcode index --full            # rebuild from scratch
  vectorcode index src/auth          # only this part
  vectorcode index --dry-run         # lists the files, and why others are left out
  vectorcode index pull s3://team/x  # with vectors computed by a colleague or CI

Exit codes: 0 success, 2 error, 3 searchable, but vectors are missing or a folder cannot be read"
    )]
    Index(index::IndexArgs),

    /// Bring the index up to date
    #[command(after_help = "\
Examples:
  vectorcode sync
  vectorcode sync --fast             # words only; vectors of the provider come later
  vectorcode sync --json")]
    Sync(index::SyncArgs),

    /// Search code by what it does
    #[command(
        visible_alias = "query",
        after_help = "\
Examples:
  vectorcode search \"where are sessions signed\"
  vectorcode search -n 5 -l rust,go -k function \"parse the request header\"
  vectorcode search -p src/auth/ -p '!**/*_gen.go' --tests only \"expired token\"
  vectorcode search \"expired token\" src/auth             # in a folder, like grep
  vectorcode search --open \"expired token\"               # in $EDITOR, at the line
  vectorcode search --all \"retry with backoff\"           # every indexed project
  vectorcode search --exact \"charge(\" src               # every line that contains it, like grep -F
  vectorcode search -e 'async fn' \"error handling\"       # only code with such a line, best first
  vectorcode search --regex 'TODO\\(.*\\)' -p '*.rs'
  vim -q <(vectorcode search --vimgrep \"open the database\")
  git log -1 --format=%s | vectorcode search -"
    )]
    Search(search::SearchArgs),

    /// Find code similar to other code
    #[command(after_help = "\
Examples:
  vectorcode similar src/payment/retry.ts:45
  vectorcode similar - < snippet.py")]
    Similar(search::SimilarArgs),

    /// Query imports, calls and the impact of a change
    #[command(
        subcommand,
        after_help = "\
Examples:
  vectorcode graph callers UserService.authenticate
  vectorcode graph impact src/auth/token.rs
  vectorcode graph impact --diff main
  vectorcode graph deps src/main.rs --depth 2
  vectorcode graph path src/cli.ts src/db.ts
  vectorcode graph show src/auth --format mermaid"
    )]
    Graph(graph::GraphCommand),

    /// Find definitions by name
    #[command(after_help = "\
Examples:
  vectorcode symbols authenticate
  vectorcode symbols UserService.login -k method
  vectorcode symbols parse -k function,method -p src/ --json")]
    Symbols(symbols::SymbolsArgs),

    /// Find commits by their message, or by the files they changed
    #[command(after_help = "\
Examples:
  vectorcode history \"why is the upload retried\"
  vectorcode history --path src/auth/token.rs
  vectorcode history \"timeout\" -p src/net --json")]
    History(history::HistoryArgs),

    /// List the indexed projects
    #[command(after_help = "\
Examples:
  vectorcode projects
  vectorcode projects --prune")]
    Projects(projects::ProjectsArgs),

    /// List, search and index the context artifacts of the project
    #[command(after_help = "\
Examples:
  vectorcode context list
  vectorcode context search \"which table holds the invoices\"
  vectorcode context remove database-schema
  vectorcode context remove --all")]
    Context(context::ContextArgs),

    /// Measure how well search works on this project
    #[command(after_help = "\
Examples:
  vectorcode eval
  vectorcode eval --save questions.jsonl
  vectorcode eval --questions questions.jsonl --json > before.json
  vectorcode eval --questions questions.jsonl --against before.json")]
    Eval(eval::EvalArgs),

    /// Show the state of the index
    #[command(after_help = "\
Examples:
  vectorcode status
  vectorcode status --json")]
    Status(status::StatusArgs),

    /// Show how often each tool is used here, how long it takes and how much it returns
    #[command(after_help = "\
Examples:
  vectorcode stats
  vectorcode stats --json
  vectorcode stats --reset
  vectorcode config set --user usage.record false    # record nothing

Only names, times and sizes are recorded, next to the index; nothing is sent anywhere.")]
    Stats(stats::StatsArgs),

    /// Start a server for AI agents (MCP), browsers and programs (HTTP)
    #[command(after_help = "\
Examples:
  vectorcode serve --mcp
  vectorcode serve --http
  vectorcode serve --http 8080 --open
  vectorcode token create ada && vectorcode serve --http 0.0.0.0:8080
  VECTORCODE_HTTP_TOKEN=secret vectorcode serve --http 0.0.0.0:8080
  vectorcode serve --http --log-format json    # a line for each request, without queries")]
    Serve(serve::ServeArgs),

    /// Create, list and revoke access tokens for HTTP servers
    #[command(
        subcommand,
        after_help = "\
Examples:
  vectorcode token create ada                                  # searches every project
  vectorcode token create ci --scope index --project 'pay-*' --expires 90d
  vectorcode token list
  vectorcode token revoke ci

Only hashes are stored. Once a token exists, every request to `vectorcode serve --http` needs one."
    )]
    Token(token::TokenCommand),

    /// Register the git repositories that workers clone and index
    #[command(
        subcommand,
        after_help = "\
Examples:
  vectorcode repo add https://github.com/BurntSushi/ripgrep
  vectorcode repo add git@git.example.com:team/api.git --ref release
  vectorcode repo list
  vectorcode repo remove api

Passwords are read from the environment, one for each host:
  VECTORCODE_GIT_CREDENTIALS='github.com=TOKEN git.example.com=USER:TOKEN'"
    )]
    Repo(repo::RepoCommand),

    /// Clone, fetch and index the registered repositories
    #[command(after_help = "\
Examples:
  vectorcode worker
  vectorcode worker --every 1m --log-format json
  vectorcode worker --once                     # for cron and CI

Several workers may run at the same time. A git server can announce a push: POST /webhooks/git,
with the secret in VECTORCODE_WEBHOOK_SECRET.")]
    Worker(worker::WorkerArgs),

    /// Keep the index up to date until stopped
    #[command(after_help = "\
Examples:
  vectorcode watch
  vectorcode watch --debounce 2000")]
    Watch(watch::WatchArgs),

    /// Read and change settings
    #[command(after_help = "\
Examples:
  vectorcode config show
  vectorcode config get search.default_limit
  vectorcode config set search.default_limit 20
  vectorcode config set --user provider.name ollama
  $EDITOR \"$(vectorcode config path)\"")]
    Config(config::ConfigArgs),

    /// Approve what a project's own settings ask for
    #[command(after_help = "\
Examples:
  vectorcode trust
  vectorcode trust --yes ~/src/shop
  vectorcode trust --list")]
    Trust(trust::TrustArgs),

    /// Diagnose problems and suggest fixes
    #[command(after_help = "\
Examples:
  vectorcode doctor
  vectorcode doctor --json

Exit codes: 0 no errors, 2 errors found")]
    Doctor(doctor::DoctorArgs),

    /// Delete the index
    #[command(after_help = "\
Examples:
  vectorcode remove
  vectorcode remove --yes")]
    Remove(remove::RemoveArgs),

    /// Add vectorcode to the configuration of coding agents (MCP server and skill)
    #[command(after_help = "\
Examples:
  vectorcode install
  vectorcode install --dry-run
  vectorcode install --target claude-code,cursor
  vectorcode install --scope project --target claude-code
  vectorcode install --hooks                 # also add hints to the agent's own searches")]
    Install(install::InstallArgs),

    /// Remove vectorcode from the configuration of coding agents
    #[command(after_help = "\
Examples:
  vectorcode uninstall
  vectorcode uninstall --dry-run --target cursor")]
    Uninstall(install::AgentArgs),

    /// Print a hint after a search or read by a coding agent; reads the event from standard input
    #[command(after_help = "\
`vectorcode install --hooks` makes agents run this. It queries the project's running server, and
prints nothing if there is none, if no location is clearly the best, or if that takes too long.
It always exits with 0.

Examples:
  vectorcode hook < event.json")]
    Hook(hook::HookArgs),

    /// Replace this binary with a newer release
    #[command(after_help = "\
Examples:
  vectorcode upgrade
  vectorcode upgrade --check")]
    Upgrade(upgrade::UpgradeArgs),

    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  vectorcode completions bash > ~/.local/share/bash-completion/completions/vectorcode
  vectorcode completions zsh > ~/.zfunc/_vectorcode")]
    Completions(completions::CompletionsArgs),

    /// Print the manual page, or write one page per command to a directory
    #[command(after_help = "\
Examples:
  vectorcode man | man -l -
  vectorcode man --out ~/.local/share/man/man1")]
    Man(man::ManArgs),
}
