//! `vectorcode history`: finds commits by their message, or by the files they changed.

use anyhow::Result;
use vectorcode_core::api::HistoryRequest;

use crate::arg_values::at_least_one;
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, FreshenWait, freshen};
use crate::global_args::GlobalArgs;
use crate::output::{Printer, history as page};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct HistoryArgs {
    /// What the commit message is about [default: the newest commits]
    query: Option<String>,

    /// Only commits that changed this file or folder
    #[arg(long, short, value_name = "PATH")]
    path: Option<String>,

    /// Maximum number of commits
    #[arg(long, short = 'n', value_name = "N", default_value_t = HistoryRequest::DEFAULT_LIMIT, value_parser = at_least_one)]
    limit: usize,

    /// Print the commits as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    freshen: FreshenArgs,
}

pub fn run(args: &HistoryArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let mut session = Session::open(global, Vec::new(), printer)?;
    let working = session.engine.clone();
    let _timer = working.time_use("history");
    freshen(&mut session, &args.freshen, FreshenWait::FOR_WORDS, printer)?;
    let path = args.path.as_deref().map(|path| session.paths.file(path)).transpose()?;
    let request = HistoryRequest { query: args.query.clone(), path, limit: args.limit };
    let response = session.engine.history(&request)?;
    if args.json {
        printer.json(&response)?;
    } else {
        page::print(&response, printer)?;
    }
    Ok(if response.commits.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
