//! `vectorcode symbols`: definitions by name.

use anyhow::Result;
use vectorcode_core::DefinitionKind;
use vectorcode_core::api::SymbolRequest;

use crate::args::{GlobalArgs, at_least_one, choice};
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, freshen};
use crate::output::{Printer, symbols as page};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct SymbolsArgs {
    /// The name, whole or its beginning; nearly is enough where nothing begins so
    name: String,

    /// Only definitions of this kind
    #[arg(long, short, value_name = "KIND", value_parser = choice::<DefinitionKind>(), ignore_case = true)]
    kind: Option<DefinitionKind>,

    /// Only paths that begin so, or that match a glob
    #[arg(long, short, value_name = "PREFIX|GLOB")]
    path: Option<String>,

    /// Most symbols
    #[arg(long, short = 'n', value_name = "N", default_value_t = SymbolRequest::DEFAULT_LIMIT, value_parser = at_least_one())]
    limit: usize,

    /// One JSON document
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    freshen: FreshenArgs,
}

pub fn run(args: &SymbolsArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let request = SymbolRequest {
        name: args.name.clone(),
        kind: args.kind,
        path: args.path.clone(),
        limit: args.limit,
    };
    let session = Session::open(global, Vec::new(), printer)?;
    freshen(&session, &args.freshen, printer)?;
    let response = session.engine.symbols(&request)?;
    if args.json {
        printer.json(&response)?;
    } else {
        page::print(&request, &response, printer)?;
    }
    Ok(if response.symbols.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
