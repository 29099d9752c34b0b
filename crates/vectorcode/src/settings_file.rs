//! Sets keys in a `config.toml` without changing anything else in it: comments, order, blank lines.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use toml::Value;
use toml_edit::{DocumentMut, Item, Table};
use vectorcode_core::canonical;
use vectorcode_core::config::{Config, ConfigError, SettingsScope, commented};
use vectorcode_core::private_files::{self, Links, MAX_CONFIG_FILE_BYTES};

use crate::toml_table::{implicit_table, set_value};

/// Writes the values into the file. A missing file is created, with other common settings as comments.
pub fn set(file: &Path, values: &[(&str, Value)], scope: SettingsScope) -> Result<()> {
    let links = match scope {
        SettingsScope::Project => Links::Refuse,
        SettingsScope::User => Links::Follow,
    };
    let before = match private_files::read_text(file, MAX_CONFIG_FILE_BYTES, links) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let text = match &before {
        Some(text) => edited(text, values, file)?,
        None => commented(scope, values),
    };
    // Checked before writing: an invalid file would make every later command fail.
    if let Err(error) = toml::from_str::<Config>(&text) {
        let was_valid = before.is_none_or(|text| toml::from_str::<Config>(&text).is_ok());
        ensure!(!was_valid, "{} cannot be set: {}; nothing was changed", names(values), error.message());
        return Err(ConfigError::invalid(file, &text, &error).into());
    }
    if let Some(directory) = file.parent() {
        private_files::create_directory(directory, links)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    // The user's own file may be a symbolic link, for example into a dotfiles repository. The link stays and its target is
    // replaced.
    let target = match links {
        Links::Follow => canonical(file).unwrap_or_else(|_| file.to_path_buf()),
        Links::Refuse => file.to_path_buf(),
    };
    private_files::replace(&target, text.as_bytes())
        .with_context(|| format!("cannot write {}", file.display()))
}

fn names(values: &[(&str, Value)]) -> String {
    values.iter().map(|(key, _)| *key).collect::<Vec<_>>().join(", ")
}

fn edited(text: &str, values: &[(&str, Value)], file: &Path) -> Result<String> {
    let mut document: DocumentMut =
        text.parse().with_context(|| format!("cannot edit {}", file.display()))?;
    for (key, value) in values {
        set_key(document.as_table_mut(), key, value)
            .with_context(|| format!("cannot set {key} in {}", file.display()))?;
    }
    Ok(document.to_string())
}

fn set_key(table: &mut Table, key: &str, value: &Value) -> Result<()> {
    let Some((section, rest)) = key.split_once('.') else {
        set_value(table, key, value.to_string().parse()?);
        return Ok(());
    };
    let inner = table.entry(section).or_insert_with(|| Item::Table(implicit_table()));
    set_key(inner.as_table_mut().context("its section is not a table")?, rest, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, key: &str, value: impl Into<Value>) -> String {
        edited(text, &[(key, value.into())], Path::new("config.toml")).unwrap()
    }

    #[test]
    fn a_key_is_set_and_the_rest_stays() {
        let text = "# Mine.\n[search]\ndefault_limit = 5 # few\n";
        assert_eq!(after(text, "search.default_limit", 7), text.replace('5', "7"));
        assert_eq!(after(text, "search.max_tokens", 100), format!("{text}max_tokens = 100\n"));
        assert_eq!(
            after(text, "provider.ollama.model", "x"),
            format!("{text}\n[provider.ollama]\nmodel = \"x\"\n")
        );
    }

    #[test]
    fn a_new_file_has_common_keys_as_comments() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("new/config.toml");
        set(&file, &[("search.default_limit", 7.into())], SettingsScope::Project).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("\ndefault_limit = 7\n") && text.contains("\n#max_tokens = "), "{text}");
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused_and_the_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        std::fs::write(&file, "[search]\n").unwrap();
        let error =
            set(&file, &[("search.default_limit", "many".into())], SettingsScope::Project).unwrap_err();
        assert!(error.to_string().starts_with("search.default_limit cannot be set: invalid type"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "[search]\n");
        std::fs::write(&file, "[search]\nmax_tokens = 'x'\n").unwrap();
        let error = set(&file, &[("search.default_limit", 7.into())], SettingsScope::Project).unwrap_err();
        assert!(error.to_string().contains("config.toml:2:14"), "the file was wrong before: {error}");
    }
}
