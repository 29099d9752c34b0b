//! `vectorcode config`: read and change settings.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::json;
use vectorcode_core::config::{
    self, Key, Origin, Resolved, SettingsScope, as_table, find_key, is_common, keys, shown_value,
    similar_key, without_password,
};

use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::{Printer, style};
use crate::{session, settings_file};

#[derive(Debug, clap::Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List common settings and those that are set, with their values and where these come from
    Show {
        /// Every setting
        #[arg(long)]
        all: bool,
        /// Print every setting as JSON, with its description and its default
        #[arg(long)]
        json: bool,
    },
    /// Print the value of a setting
    Get {
        /// Name of the setting, such as `search.default_limit`
        key: String,
    },
    /// Change a setting in a settings file; comments in the file are kept
    Set {
        /// Name of the setting, such as `search.default_limit`
        key: String,
        /// New value: text without quotes, lists as in TOML
        value: String,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Print the path of a settings file, whether it exists or not
    Path {
        #[command(flatten)]
        file: FileArgs,
    },
}

#[derive(Clone, Copy, Debug, clap::Args)]
struct FileArgs {
    /// Use the user's settings, which apply to all projects, instead of the project's
    #[arg(long)]
    user: bool,
}

pub fn run(args: &ConfigArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    match &args.action {
        Action::Show { json: true, .. } => show_json(&load(global, printer)?, printer),
        Action::Show { all, .. } => show(*all, &load(global, printer)?, printer),
        Action::Get { key } => get(known(key)?, &load(global, printer)?, printer),
        Action::Set { key, value, file } => set(known(key)?, value, *file, global, printer),
        Action::Path { file } => {
            printer.line(file.path(global)?.display())?;
            Ok(Outcome::Done)
        }
    }
}

impl FileArgs {
    fn path(self, global: &GlobalArgs) -> Result<PathBuf> {
        let sources = session::sources(&session::project(global)?, Vec::new());
        let file = if self.user { sources.user_file } else { sources.project_file };
        file.context("there is no home directory for the user's settings")
    }
}

fn load(global: &GlobalArgs, printer: &Printer) -> Result<Resolved> {
    let settings = config::load(&session::sources(&session::project(global)?, Vec::new()))?;
    settings.warnings.iter().for_each(|warning| printer.warn(warning));
    Ok(settings)
}

fn known(name: &str) -> Result<&'static Key> {
    if let Some(key) = find_key(name) {
        return Ok(key);
    }
    match similar_key(name) {
        Some(key) => bail!("there is no setting {name:?}; did you mean {}?", key.name),
        None => bail!("there is no setting {name:?}; `vectorcode config show --all` lists them all"),
    }
}

fn sorted_keys() -> Vec<&'static Key> {
    let mut keys: Vec<&Key> = keys().iter().collect();
    keys.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    keys
}

fn show_json(settings: &Resolved, printer: &Printer) -> Result<Outcome> {
    let row = |key: &&Key| {
        json!({
            "key": key.name,
            "value": shown(key, settings),
            "origin": settings.origin(&key.name).to_string(),
            "default": key.default.as_ref().map(ToString::to_string),
            "description": key.description,
        })
    };
    printer.json(&sorted_keys().iter().map(row).collect::<Vec<_>>())?;
    Ok(Outcome::Done)
}

fn show(all: bool, settings: &Resolved, printer: &Printer) -> Result<Outcome> {
    let is_set = |key: &Key| *settings.origin(&key.name) != Origin::Default;
    let (listed, rest): (Vec<&Key>, Vec<&Key>) =
        sorted_keys().into_iter().partition(|key| all || is_common(key) || is_set(key));
    for key in listed {
        let origin = style::painted(style::DIM, format!("# {}", settings.origin(&key.name)));
        let value = shown(key, settings).unwrap_or_else(|| UNSET.into());
        printer.line(format!("{} = {value}  {origin}", key.name))?;
    }
    if !rest.is_empty() {
        printer.note(format_args!("{} more have their defaults: vectorcode config show --all", rest.len()));
    }
    Ok(Outcome::Done)
}

const UNSET: &str = "(unset)";

/// The value in TOML syntax. For a secret, only whether it is set.
fn shown(key: &Key, settings: &Resolved) -> Option<String> {
    let value = value(key, settings)?;
    match value.as_str() {
        Some("") if key.is_secret => None,
        Some(_) if key.is_secret => Some("(hidden)".into()),
        _ => Some(shown_value(&key.name, Some(&value))),
    }
}

fn value(key: &Key, settings: &Resolved) -> Option<toml::Value> {
    let table = toml::Value::Table(as_table(&settings.config));
    key.name.split('.').try_fold(&table, |value, part| value.get(part)).cloned()
}

/// Prints text without quotes, for use in scripts.
fn get(key: &Key, settings: &Resolved, printer: &Printer) -> Result<Outcome> {
    let Some(shown) = shown(key, settings) else {
        printer.note(format!("{} is not set", key.name));
        return Ok(Outcome::NothingFound);
    };
    let value = value(key, settings);
    match value.as_ref().and_then(toml::Value::as_str).filter(|_| !key.is_secret) {
        Some(text) => printer.line(without_password(text))?,
        None => printer.line(shown)?,
    }
    Ok(Outcome::Done)
}

fn set(key: &Key, text: &str, file: FileArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let project = session::project(global)?;
    let before = config::load(&session::sources(&project, Vec::new()))?;
    let scope = if file.user { SettingsScope::User } else { SettingsScope::Project };
    let file = file.path(global)?;
    settings_file::set(&file, &[(key.name.as_str(), parsed(key, text))], scope)?;
    super::trust::approve_own_change(&before, &project, printer)?;
    printer.note(format!("Set {} in {}", key.name, file.display()));
    let is_set = |variable: &String| std::env::var_os(variable).is_some_and(|text| !text.is_empty());
    if let Some(variable) = config::variables_of(&key.name).into_iter().rev().find(is_set) {
        printer.warn(format!("The environment variable {variable} is set and takes precedence."));
    }
    Ok(Outcome::Done)
}

/// The value of a text setting is taken as typed, even `true` and `10`. All others are parsed as TOML.
fn parsed(key: &Key, text: &str) -> toml::Value {
    let is_text = key.default.as_ref().or(key.example.as_ref()).is_some_and(toml::Value::is_str);
    let as_text = || toml::Value::String(text.into());
    if is_text {
        return as_text();
    }
    let line = format!("value = {text}").parse::<toml::Table>();
    line.ok().and_then(|mut line| line.remove("value")).unwrap_or_else(as_text)
}
