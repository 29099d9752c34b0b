//! The commented settings file: common settings with their descriptions and defaults, commented out.

use std::fmt::Write;

use toml::Value;

use super::keys::{Key, keys, sections};

const HEADING: &str = "\
# All of them are optional. These are the ones that people change; `vectorcode config show --all` lists every one, its value
# and where it comes from. Lines that begin with # and no space show a default, or an example. Remove the # to change it.

";

/// The settings that people often change. `docs/configuration.md` has all of them.
const COMMON: [&str; 13] = [
    "linked_projects",
    "artifacts",
    "provider.name",
    "provider.ollama.model",
    "provider.openai.model",
    "provider.openai.base_url",
    "indexing.auto_index",
    "indexing.exclude_dirs",
    "indexing.extra_extensions",
    "indexing.max_file_size",
    "search.default_limit",
    "search.max_tokens",
    "watcher.disabled",
];

/// Who the settings in a file apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsScope {
    Project,
    /// All projects of one user.
    User,
}

/// Whether people often change this setting.
pub fn is_common(key: &Key) -> bool {
    COMMON.contains(&key.name.as_str())
}

/// Builds the commented file, with these keys set.
pub fn commented(scope: SettingsScope, set: &[(&str, Value)]) -> String {
    let whose = match scope {
        SettingsScope::Project => "this project",
        SettingsScope::User => "all of your projects",
    };
    let mut text = format!("# Settings of vectorcode for {whose}.\n{HEADING}");
    let is_shown = |key: &&Key| is_common(key) || set.iter().any(|(name, _)| *name == key.name);
    let (tables, plain): (Vec<&Key>, Vec<&Key>) =
        keys().iter().filter(is_shown).partition(|key| is_list_of_tables(key));
    for section in sections() {
        let mut own = plain.iter().filter(|key| key.section() == section.name).peekable();
        if !section.name.is_empty() && own.peek().is_some() {
            let _ = write!(text, "\n[{}]\n", section.name);
        }
        for key in own {
            push_key(&mut text, key, set);
        }
    }
    // Artifacts are files of one project.
    let tables = tables.into_iter().filter(|_| scope == SettingsScope::Project);
    // In TOML, a list of tables ends the section before it, so these must come last.
    for key in tables {
        text.push('\n');
        push_tables(&mut text, key);
    }
    text
}

fn push_key(text: &mut String, key: &Key, set: &[(&str, Value)]) {
    text.push_str(&prose(&key.description));
    let chosen = set.iter().find(|(name, _)| *name == key.name).map(|(_, value)| value);
    let (mark, value) = match chosen {
        Some(value) => ("", Some(value)),
        None => ("#", shown_value(key)),
    };
    if let Some(value) = value {
        let _ = writeln!(text, "{mark}{} = {value}", key.last_name());
    }
}

/// The value to show for a key. An example is more useful than an empty list.
fn shown_value(key: &Key) -> Option<&Value> {
    let is_empty_list = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    key.default
        .as_ref()
        .filter(|value| !is_empty_list(value))
        .or(key.example.as_ref())
        .or(key.default.as_ref())
}

fn is_list_of_tables(key: &Key) -> bool {
    let first = key.example.as_ref().and_then(|example| example.get(0));
    first.is_some_and(Value::is_table)
}

fn push_tables(text: &mut String, key: &Key) {
    text.push_str(&prose(&key.description));
    for table in key.example.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_table) {
        let _ = writeln!(text, "#[[{}]]", key.name);
        for (name, value) in table {
            let _ = writeln!(text, "#{name} = {value}");
        }
    }
}

/// Formats sentences as comment lines of at most 100 columns.
fn prose(sentences: &str) -> String {
    let mut lines = vec![String::from("#")];
    for word in sentences.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.chars().count() + 1 + word.chars().count() > 100 {
            lines.push(format!("# {word}"));
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ProviderName, Sources, load};

    const SCOPES: [SettingsScope; 2] = [SettingsScope::Project, SettingsScope::User];

    /// The file with every commented setting uncommented.
    fn uncommented(scope: SettingsScope) -> String {
        let is_setting = |line: &str| line.starts_with('#') && !line.starts_with("# ");
        let setting = |line: &str| if is_setting(line) { line[1..].to_owned() } else { line.to_owned() };
        commented(scope, &[]).lines().map(setting).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_commented_file_is_the_default_configuration() {
        for scope in SCOPES {
            assert_eq!(toml::from_str::<Config>(&commented(scope, &[])).unwrap(), Config::default());
        }
    }

    #[test]
    fn it_is_short_and_every_key_of_it_has_a_valid_value() {
        for scope in SCOPES {
            let text = uncommented(scope);
            assert!(text.lines().count() <= 70, "{} lines:\n{text}", text.lines().count());
            let config: Config = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(config.artifacts.len(), usize::from(scope == SettingsScope::Project));
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("config.toml");
            std::fs::write(&path, text).unwrap();
            let sources = Sources { project_file: Some(path), ..Default::default() };
            assert_eq!(load(&sources).unwrap().warnings, Vec::<String>::new());
        }
    }

    #[test]
    fn every_common_key_exists() {
        for name in COMMON {
            assert!(keys().iter().any(|key| key.name == name), "{name}");
        }
    }

    #[test]
    fn the_heading_says_whose_settings_they_are() {
        assert!(
            commented(SettingsScope::Project, &[]).starts_with("# Settings of vectorcode for this project.")
        );
        assert!(
            commented(SettingsScope::User, &[])
                .starts_with("# Settings of vectorcode for all of your projects.")
        );
    }

    #[test]
    fn chosen_values_are_set() {
        let chosen = [("provider.name", "gemini".into()), ("provider.gemini.dimensions", 1024.into())];
        let config: Config = toml::from_str(&commented(SettingsScope::Project, &chosen)).unwrap();
        assert_eq!(config.provider.name, ProviderName::Gemini);
        assert_eq!(config.provider.gemini.dimensions, 1024);
    }
}
