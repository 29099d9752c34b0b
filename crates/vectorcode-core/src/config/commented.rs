//! The settings file that `vectorcode init` writes: every key that a project may set with its description and its default,
//! commented out.

use std::fmt::Write;

use toml::Value;

use super::keys::{Key, keys, sections};
use super::trust;

const HEADING: &str = "\
# Settings of vectorcode for this project. All of them are optional.
# Lines that begin with # and no space show a default, or an example for a key that is unset. Remove the # to change it.
# `vectorcode config show` lists the values in effect and where each comes from.
";

/// The commented file, in which these keys are set.
pub fn commented(set: &[(&str, Value)]) -> String {
    let mut text = String::from(HEADING);
    let (tables, plain): (Vec<&Key>, Vec<&Key>) = of_projects().partition(|key| is_list_of_tables(key));
    for section in sections() {
        let mut own = plain.iter().filter(|key| key.section() == section.name).peekable();
        if !section.name.is_empty() && own.peek().is_some() {
            let _ = write!(text, "\n{}[{}]\n", prose(&section.description), section.name);
        }
        for key in own {
            text.push('\n');
            push_key(&mut text, key, set);
        }
    }
    // A list of tables ends the section before it, so it can only come last.
    for key in tables {
        text.push('\n');
        push_tables(&mut text, key);
    }
    text
}

/// The keys that have an effect in a project's file.
fn of_projects() -> impl Iterator<Item = &'static Key> {
    keys().iter().filter(|key| !trust::is_for_users_alone(&key.name))
}

fn push_key(text: &mut String, key: &Key, set: &[(&str, Value)]) {
    text.push_str(&prose(&key.description));
    if let Some(variable) = key.variable {
        text.push_str(&prose(&format!("The environment variable {variable} takes precedence.")));
    }
    let chosen = set.iter().find(|(name, _)| *name == key.name).map(|(_, value)| value);
    let (mark, value) = match chosen {
        Some(value) => ("", Some(value)),
        None => ("#", shown_value(key)),
    };
    if let Some(value) = value {
        let _ = writeln!(text, "{mark}{} = {value}", key.last_name());
    }
}

/// An empty list says less than an example of it.
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

/// Sentences as comment lines of at most 100 columns.
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

    /// The file as it is when every commented setting is in effect.
    fn uncommented() -> String {
        let is_setting = |line: &str| line.starts_with('#') && !line.starts_with("# ");
        let setting = |line: &str| if is_setting(line) { line[1..].to_owned() } else { line.to_owned() };
        commented(&[]).lines().map(setting).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_commented_file_is_the_default_configuration() {
        assert_eq!(toml::from_str::<Config>(&commented(&[])).unwrap(), Config::default());
    }

    #[test]
    fn every_key_is_in_it_with_a_valid_value() {
        let text = uncommented();
        let config: Config = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(config.artifacts.len(), 1);
        assert_eq!(config.store, Config::default().store, "no project says where indexes are kept");
        for key in of_projects() {
            assert!(
                text.contains(&format!("\n{} = ", key.last_name())) || is_list_of_tables(key),
                "{}",
                key.name
            );
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        let sources = Sources { project_file: Some(path), ..Default::default() };
        assert_eq!(load(&sources).unwrap().warnings, Vec::<String>::new());
    }

    #[test]
    fn chosen_values_are_set() {
        let chosen = [("provider.name", "gemini".into()), ("provider.gemini.dimensions", 1024.into())];
        let config: Config = toml::from_str(&commented(&chosen)).unwrap();
        assert_eq!(config.provider.name, ProviderName::Gemini);
        assert_eq!(config.provider.gemini.dimensions, 1024);
    }
}
