//! `vectorcode repo`: the git repositories that `vectorcode worker` clones and indexes.

use anyhow::{Context, Result};
use serde_json::json;
use vectorcode_core::{CancelToken, config, visible_line};
use vectorcode_team::{
    CloneState, Credentials, NewRepository, Protocols, Repository, RepositoryList, RepositoryUrl, Worker,
    WorkerOptions,
};

use crate::exit::Outcome;
use crate::output::numbers::duration;
use crate::output::{Printer, style};
use crate::session;

#[derive(Debug, clap::Subcommand)]
pub enum RepoCommand {
    /// Register a repository; workers clone and index it
    Add(AddArgs),

    /// List the registered repositories and the state of their clones
    List(ListArgs),

    /// Unregister a repository, and delete its clone and index
    Remove(RemoveArgs),
}

#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// `https://host/path`, `ssh://user@host/path` or `user@host:path`, without a password
    #[arg(value_name = "URL")]
    url: String,

    /// The branch or tag to index [default: the default branch of the server]
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,

    /// Name of the project [default: the last part of the URL]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    local: LocalArgs,
}

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// The name or URL of the repository
    #[arg(value_name = "NAME")]
    repository: String,
}

/// For tests, which can only fetch from the local machine.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct LocalArgs {
    /// Accept file, http and git URLs, even of this machine
    #[arg(long, hide = true)]
    allow_local: bool,
}

impl LocalArgs {
    pub fn protocols(self) -> Protocols {
        if self.allow_local { Protocols::AlsoLocal } else { Protocols::Remote }
    }
}

pub fn run(command: &RepoCommand, printer: &Printer) -> Result<Outcome> {
    match command {
        RepoCommand::Add(args) => add(args, printer),
        RepoCommand::List(args) => list(args.json, printer),
        RepoCommand::Remove(args) => remove(&args.repository, printer),
    }
}

/// The repository list of this user and the options of its workers. Project settings are ignored.
pub fn worker_options(protocols: Protocols) -> Result<WorkerOptions> {
    let environment = session::environment();
    let settings = config::load(&session::user_sources())?.config.worker;
    let directory = settings.directory.clone().or_else(|| config::user_repositories_dir(&environment));
    let file = config::user_repositories_file(&environment);
    let no_home = "there is no home directory to keep repositories in; set HOME";
    let credentials = environment.get(Credentials::VARIABLE).map(|text| Credentials::parse(text));
    Ok(WorkerOptions {
        list: RepositoryList::new(file.context(no_home)?),
        directory: directory.context(no_home)?,
        settings,
        credentials: credentials.unwrap_or_default(),
        protocols,
    })
}

fn add(args: &AddArgs, printer: &Printer) -> Result<Outcome> {
    let protocols = args.local.protocols();
    let url = RepositoryUrl::parse(&args.url, protocols)?;
    let options = worker_options(protocols)?;
    url.check_host(&options.settings.hosts)?;
    let wanted = NewRepository { url, reference: args.reference.clone(), name: args.name.clone() };
    let added = options.list.add(wanted)?;
    printer.note(format_args!("Added {}; `vectorcode worker` clones and indexes it", added.name));
    Ok(Outcome::Done)
}

fn list(as_json: bool, printer: &Printer) -> Result<Outcome> {
    let options = worker_options(Protocols::Remote)?;
    let listed = options.list.all()?;
    let state = |repository: &Repository| Worker::state(&options, repository);
    if as_json {
        let shown = |repository: &Repository| {
            let CloneState { commit, checked_at, indexed_at, error, .. } = state(repository);
            json!({
                "name": repository.name, "url": repository.url, "ref": repository.reference, "commit": commit,
                "checked_at": checked_at, "indexed_at": indexed_at, "error": error,
            })
        };
        printer.json(&listed.iter().map(shown).collect::<Vec<_>>())?;
    } else {
        listed.iter().try_for_each(|repository| printer.line(line(repository, &state(repository))))?;
    }
    if listed.is_empty() {
        printer.note("No repository is registered; `vectorcode repo add URL` adds one");
    }
    Ok(Outcome::Done)
}

/// `api  https://github.com/ada/api  1f2e3d4c, indexed 5 minutes ago`
fn line(repository: &Repository, state: &CloneState) -> String {
    let ago = |time: i64| {
        let seconds = jiff::Timestamp::now().as_second().saturating_sub(time);
        duration(u64::try_from(seconds).unwrap_or(0))
    };
    let condition = match (&state.error, &state.commit, state.indexed_at) {
        (Some(error), _, _) => {
            format!("{}{}{}", style::WARNING.render(), visible_line(error), style::WARNING.render_reset())
        }
        (None, Some(commit), Some(time)) => {
            format!("{}, indexed {} ago", commit.get(..8).unwrap_or(commit), ago(time))
        }
        _ => "not indexed yet".into(),
    };
    let name = style::painted(style::PATH, visible_line(&repository.name));
    format!("{name}  {}  {condition}", visible_line(&repository.url))
}

fn remove(name: &str, printer: &Printer) -> Result<Outcome> {
    let (options, open) = (worker_options(Protocols::Remote)?, session::background_engine);
    let Some(removed) = Worker::new(options, &open, CancelToken::default()).remove(name)? else {
        printer.note(format_args!("There is no repository {}", visible_line(name)));
        return Ok(Outcome::NothingFound);
    };
    printer.note(format_args!("Removed {}, its clone and its index", removed.name));
    Ok(Outcome::Done)
}
