//! `vectorcode symbols`: finds definitions by name.

use anyhow::Result;
use vectorcode_core::DefinitionKind;
use vectorcode_core::api::SymbolRequest;

use super::path_args::PathArgs;
use crate::arg_values::{at_least_one, choice};
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, FreshenWait, freshen};
use crate::global_args::GlobalArgs;
use crate::output::{Printer, symbols as page};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct SymbolsArgs {
    /// Name or the beginning of it; falls back to fuzzy matching
    name: String,

    /// Only definitions of these kinds, separated by commas (can be repeated)
    #[arg(long, short, value_name = "KIND", value_delimiter = ',', value_parser = choice::<DefinitionKind>(), ignore_case = true)]
    kind: Vec<DefinitionKind>,

    #[command(flatten)]
    paths: PathArgs,

    /// Maximum number of symbols
    #[arg(long, short = 'n', value_name = "N", default_value_t = SymbolRequest::DEFAULT_LIMIT, value_parser = at_least_one)]
    limit: usize,

    /// Print the symbols as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    freshen: FreshenArgs,
}

pub fn run(args: &SymbolsArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let mut session = Session::open(global, Vec::new(), printer)?;
    let working = session.engine.clone();
    let _timer = working.time_use("symbols");
    let request = SymbolRequest {
        name: args.name.clone(),
        kinds: args.kind.clone(),
        paths: args.paths.seen_from_here(&session.paths)?,
        limit: args.limit,
    };
    freshen(&mut session, &args.freshen, FreshenWait::FOR_STRUCTURE, printer)?;
    let response = session.engine.symbols(&request)?;
    if args.json {
        printer.json(&response)?;
    } else {
        page::print(&request, &response, &session.paths, printer)?;
    }
    Ok(if response.symbols.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
