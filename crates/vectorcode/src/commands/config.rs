//! `vectorcode config show`: each setting, its value and where it came from.

use anyhow::Result;
use serde_json::json;
use vectorcode_core::config::{self, ProviderName, Resolved, as_table, known_keys};

use crate::args::GlobalArgs;
use crate::exit::Outcome;
use crate::output::{Printer, style};
use crate::session;

/// What `init` writes.
const COMMENTED: &str = include_str!("config.toml");

#[derive(Debug, clap::Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List every setting, its value and where it came from
    Show {
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: &ConfigArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let Action::Show { json } = args.action;
    let settings = config::load(&session::sources(&session::project(global)?, Vec::new()))?;
    for warning in &settings.warnings {
        printer.warn(warning);
    }
    let rows = rows(&settings);
    if json {
        let list: Vec<_> = rows
            .iter()
            .map(|row| json!({ "key": row.key, "value": row.value, "origin": row.origin }))
            .collect();
        printer.json(&list)?;
    } else {
        rows.iter().try_for_each(|row| printer.line(row.text()))?;
    }
    Ok(Outcome::Done)
}

struct Row {
    key: String,
    value: String,
    origin: String,
}

impl Row {
    fn text(&self) -> String {
        let (dim, reset) = (style::DIM.render(), style::DIM.render_reset());
        format!("{} = {}  {dim}# {}{reset}", self.key, self.value, self.origin)
    }
}

fn rows(settings: &Resolved) -> Vec<Row> {
    let table = toml::Value::Table(as_table(&settings.config));
    let find = |key: &str| key.split('.').try_fold(&table, |value, part| value.get(part));
    known_keys()
        .into_iter()
        .map(|(key, _)| Row {
            value: shown(&key, find(&key)),
            origin: settings.origin(&key).to_string(),
            key,
        })
        .collect()
}

/// A key is never shown, only whether there is one.
fn shown(key: &str, value: Option<&toml::Value>) -> String {
    match value {
        None => "(unset)".into(),
        Some(value) if key.ends_with("api_key") => {
            if value.as_str().is_some_and(str::is_empty) {
                "(unset)".into()
            } else {
                "(hidden)".into()
            }
        }
        Some(value) => value.to_string(),
    }
}

/// The commented settings file, with the provider's choice filled in.
pub fn commented(provider: ProviderName, model: Option<&str>, dimensions: Option<usize>) -> String {
    let name = provider.as_str();
    let mut text = COMMENTED.replacen("name = \"onnx\"", &format!("name = \"{name}\""), 1);
    let section = format!("[provider.{name}]\n");
    let mut chosen = String::new();
    if let Some(model) = model {
        chosen.push_str(&toml_line("model", model));
    }
    if let Some(dimensions) = dimensions {
        chosen.push_str(&toml_line("dimensions", dimensions as i64));
    }
    text = text.replacen(&section, &format!("{section}{chosen}"), 1);
    text
}

fn toml_line(key: &str, value: impl Into<toml::Value>) -> String {
    format!("{key} = {}\n", value.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vectorcode_core::config::Config;

    /// The file as it would be with every example line in force.
    fn uncommented() -> String {
        let is_setting = |line: &str| line.starts_with("# [[") || line.contains(" = ");
        COMMENTED
            .lines()
            .map(|line| if is_setting(line) { line.trim_start_matches("# ") } else { line }.to_owned() + "\n")
            .collect()
    }

    #[test]
    fn the_commented_file_is_the_default_configuration() {
        assert_eq!(toml::from_str::<Config>(COMMENTED).unwrap(), Config::default());
    }

    #[test]
    fn the_examples_in_it_are_valid_and_known() {
        toml::from_str::<Config>(&uncommented()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, uncommented()).unwrap();
        let sources = config::Sources { project_file: Some(path), ..Default::default() };
        assert_eq!(config::load(&sources).unwrap().warnings, Vec::<String>::new());
    }

    #[test]
    fn init_choices_end_up_in_the_file() {
        let text = commented(ProviderName::Gemini, Some("gemini-embedding-001"), Some(1024));
        let config: Config = toml::from_str(&text).unwrap();
        assert_eq!(config.provider.name, ProviderName::Gemini);
        assert_eq!(config.provider.gemini.dimensions, 1024);
    }
}
