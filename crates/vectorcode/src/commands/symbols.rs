//! `vectorcode symbols`: definitions by name.

use anyhow::{Result, bail};
use vectorcode_core::DefinitionKind;
use vectorcode_core::api::SymbolRequest;

use crate::args::{GlobalArgs, at_least_one};
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, freshen};
use crate::output::{Printer, symbols as page};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct SymbolsArgs {
    /// The name, whole or its beginning; nearly is enough where nothing begins so
    name: String,

    /// Only this kind: function, method, class, struct, enum, interface, trait, ...
    #[arg(long, short, value_name = "KIND")]
    kind: Option<String>,

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
        kind: args.kind.as_deref().map(kind).transpose()?,
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

fn kind(name: &str) -> Result<DefinitionKind> {
    let Some(kind) = DefinitionKind::parse(&name.to_lowercase()) else {
        let known = DefinitionKind::ALL.map(DefinitionKind::as_str).join(", ");
        bail!("{name:?} is no kind of symbol; the kinds are {known}");
    };
    Ok(kind)
}
