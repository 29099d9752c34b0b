//! `vectorcode init`: settings, an empty index and a `.gitignore` for it.

use anyhow::{Context, Result};
use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::{Override, ProviderName};

use super::index::index;
use crate::args::{GlobalArgs, choice};
use crate::exit::Outcome;
use crate::output::{Printer, report};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct InitArgs {
    /// Who makes the vectors
    #[arg(long, value_name = "PROVIDER", default_value_t, value_parser = choice::<ProviderName>(), ignore_case = true)]
    provider: ProviderName,

    /// The provider's model [default: the provider's own]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// Dimensions of the vectors [default: the model's own]
    #[arg(long, value_name = "DIMS")]
    dims: Option<usize>,

    /// Index the project right away
    #[arg(long, short)]
    index: bool,
}

pub fn run(args: &InitArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let session = Session::open(global, overrides(args), printer)?;
    let engine = &session.engine;
    engine.init()?;
    let file = engine.project().config_file();
    if file.exists() {
        printer.note(format!("Kept {}", file.display()));
    } else {
        let text = super::config::commented(args.provider, args.model.as_deref(), args.dims);
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    printer.note(format!("Initialized VectorCode in {}", engine.project().directory().display()));
    if args.index {
        report::print(&index(&session, &IndexRequest::default(), printer)?, printer);
    } else {
        printer.note("Next: vectorcode index");
    }
    Ok(Outcome::Done)
}

/// `init` must make the index for the provider that it is about to write into the settings.
fn overrides(args: &InitArgs) -> Vec<Override> {
    let (model, dimensions) = keys(args.provider);
    let mut overrides =
        vec![Override { key: "provider.name", value: args.provider.as_str().into(), flag: "--provider" }];
    overrides.extend(args.model.clone().map(|name| Override {
        key: model,
        value: name.into(),
        flag: "--model",
    }));
    overrides.extend(args.dims.map(|number| Override {
        key: dimensions,
        value: (number as i64).into(),
        flag: "--dims",
    }));
    overrides
}

fn keys(provider: ProviderName) -> (&'static str, &'static str) {
    match provider {
        ProviderName::Onnx => ("provider.onnx.model", "provider.onnx.dimensions"),
        ProviderName::Gemini => ("provider.gemini.model", "provider.gemini.dimensions"),
        ProviderName::Ollama => ("provider.ollama.model", "provider.ollama.dimensions"),
        ProviderName::OpenAi => ("provider.openai.model", "provider.openai.dimensions"),
        ProviderName::Voyage => ("provider.voyage.model", "provider.voyage.dimensions"),
    }
}
