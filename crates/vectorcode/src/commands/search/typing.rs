//! Plain `vectorcode` and `search --interactive`: a search while typing, with the filters of the command line.

use anyhow::Result;
use clap::{Args as _, FromArgMatches as _};
use vectorcode_core::api::{SearchRequest, SearchTarget};

use super::plan::request;
use super::{SearchArgs, split_places};
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::interactive;
use crate::output::Printer;
use crate::session::Session;

/// More results than anybody looks through one by one.
const MOST_ON_SCREEN: usize = 50;

/// Runs `vectorcode` without arguments on a terminal.
pub fn while_typing(global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let matches = SearchArgs::augment_args(clap::Command::default()).try_get_matches_from(["", "-I"])?;
    run(&SearchArgs::from_arg_matches(&matches)?, global, printer)
}

/// Runs an interactive search. Filters and places of the command line apply to every query typed.
pub fn run(args: &SearchArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    interactive::require_terminal()?;
    let session = Session::open(global, Vec::new(), printer)?;
    let (words, places) = split_places(&args.query);
    let filters = args.options.filters.paths.seen_from_here(&session.paths)?;
    let target = SearchTarget::Query(String::new());
    let base = request(target, &args.options, places, filters, &session)?;
    let limit = args.options.filters.limit.unwrap_or(MOST_ON_SCREEN);
    let base = SearchRequest { limit, cursor: None, ..base };
    interactive::run(words.join(" "), base, session, &args.options.filters.freshen, printer)
}
