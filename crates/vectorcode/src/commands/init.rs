//! `vectorcode init`: settings, an empty index and a `.gitignore` for it.

use anyhow::Result;
use toml::Value;
use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::{self, Override, ProviderName, SettingsScope};

use super::index::index;
use crate::arg_values::{at_least_one, choice, with_default};
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::{Printer, report};
use crate::session::{self, Session};
use crate::settings_file;

#[derive(Debug, clap::Args)]
pub struct InitArgs {
    #[arg(
        long,
        value_name = "PROVIDER",
        value_parser = choice::<ProviderName>(),
        ignore_case = true,
        help = with_default("Provider that computes the vectors", ProviderName::default())
    )]
    provider: Option<ProviderName>,

    /// Model of the provider [default: the provider's own]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// Dimensions of the vectors [default: the model's own]
    #[arg(long, value_name = "DIMS", value_parser = at_least_one)]
    dims: Option<usize>,

    /// Index the project right away
    #[arg(long, short)]
    index: bool,
}

pub fn run(args: &InitArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    // Without `--provider`, the provider in the settings stays.
    let sources = session::sources(&session::project(global)?, Vec::new());
    let before = config::load(&sources)?;
    let choices = choices(args, before.config.provider.name);
    let session = Session::open(global, choices.iter().map(Choice::as_override).collect(), printer)?;
    let engine = &session.engine;
    if args.dims.is_some() {
        // Fails here if the model does not support this number. Otherwise every later command would fail.
        engine.embedder()?;
    }
    engine.init()?;
    let file = engine.project().config_file();
    let existed = file.exists();
    if existed && choices.is_empty() {
        printer.note(format!("Kept {}", file.display()));
    } else {
        let values: Vec<(&str, Value)> =
            choices.iter().map(|choice| (choice.key, choice.value.clone())).collect();
        settings_file::set(&file, &values, SettingsScope::Project)?;
        super::trust::approve_own_change(&before, engine.project(), printer)?;
    }
    if existed {
        for Choice { key, value, .. } in &choices {
            printer.note(format!("Set {key} = {value} in {}", file.display()));
        }
    }
    printer.note(format!("Initialized VectorCode in {}", engine.index_place()));
    printer.note("git ignores it; to share the settings: git add -f .vectorcode/config.toml");
    if args.index {
        let request = IndexRequest::default();
        let indexed = index(&session, &request, printer)?;
        report::print(&indexed, printer);
        return Ok(super::index::outcome(&request, &indexed));
    }
    printer.note("Next: vectorcode index");
    Ok(Outcome::Done)
}

/// A setting chosen by an option of `init`. It applies to this run and is written to the settings file.
struct Choice {
    key: &'static str,
    value: Value,
    flag: &'static str,
}

impl Choice {
    fn as_override(&self) -> Override {
        Override { key: self.key, value: self.value.clone(), flag: self.flag }
    }
}

fn choices(args: &InitArgs, configured: ProviderName) -> Vec<Choice> {
    let chosen = args.provider.unwrap_or(configured);
    let provider = args.provider.map(|provider| provider.as_str().into());
    [
        ("provider.name", provider, "--provider"),
        (key(chosen, "model"), args.model.clone().map(Value::from), "--model"),
        (key(chosen, "dimensions"), args.dims.map(|number| (number as i64).into()), "--dims"),
    ]
    .into_iter()
    .filter_map(|(key, value, flag)| Some(Choice { key, value: value?, flag }))
    .collect()
}

/// The full name of a provider's setting. Only for settings that every provider has.
fn key(provider: ProviderName, setting: &str) -> &'static str {
    let key = config::find_key(&format!("provider.{}.{setting}", provider.as_str()));
    &key.expect("every provider has a model and dimensions").name
}
