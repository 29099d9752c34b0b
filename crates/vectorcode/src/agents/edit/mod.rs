//! Edits one entry of a configuration file. Input and output are text.
//!
//! Each format preserves what the user wrote: comments, order, indentation. Nothing here accesses the disk. Line
//! endings and byte order marks are normalized before a text gets here (see [`super::text`]).

mod hooks;
mod json;
mod toml;
mod yaml;

use super::entry::Field;
pub use hooks::{HookSlot, put_hook, remove_hook};

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("not valid {format}: {message}")]
    Syntax { format: &'static str, message: String },

    #[error("`{key}` is not {expected}")]
    WrongKind { key: String, expected: &'static str },

    #[error("the top level is not {expected}")]
    WrongTopLevel { expected: &'static str },

    #[error("`{key}` appears twice")]
    Twice { key: String },

    /// The edited text was parsed again, and the result was not as expected.
    #[error("its layout is not one that can be edited safely")]
    Unsafe,
}

/// The format of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// With or without comments and trailing commas.
    Json,
    Toml,
    /// `new_file` is what the agent requires in a file besides our entry.
    Yaml {
        new_file: &'static str,
    },
}

/// Where an agent's file lists its servers.
#[derive(Clone, Copy, Debug)]
pub struct EntryLocation {
    container: &'static str,
    nested: Option<&'static str>,
    kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    /// `container.vectorcode`
    Key,
    /// An item of the list `container` that has our `name`.
    List,
}

impl EntryLocation {
    pub const fn key(container: &'static str) -> Self {
        Self { container, nested: None, kind: EntryKind::Key }
    }

    pub const fn list(container: &'static str) -> Self {
        Self { container, nested: None, kind: EntryKind::List }
    }

    /// Uses a nested level, in files that already have it.
    pub const fn nested_where_present(self, nested: &'static str) -> Self {
        Self { nested: Some(nested), ..self }
    }
}

/// What to do with a server container that is empty after a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyContainer {
    Keep,
    Drop,
}

impl Format {
    /// The initial content of a new file.
    pub fn new_file(self) -> &'static str {
        match self {
            Self::Json | Self::Toml => "",
            Self::Yaml { new_file } => new_file,
        }
    }

    /// The command line of our entry: the strings under `keys`, concatenated in order. `None` if there is no entry.
    pub fn launch(
        self,
        text: &str,
        location: EntryLocation,
        keys: [&str; 2],
    ) -> Result<Option<Vec<String>>, EditError> {
        match self {
            Self::Json => json::launch(text, location, keys),
            Self::Toml => toml::launch(text, location, keys),
            Self::Yaml { .. } => yaml::launch(text, location, keys),
        }
    }

    /// Sets fields of our entry, and creates the entry if there is none. Its other fields are kept.
    pub fn put(self, text: &str, location: EntryLocation, fields: &[Field]) -> Result<String, EditError> {
        match self {
            Self::Json => json::put(text, location, fields),
            Self::Toml => toml::put(text, location, fields),
            Self::Yaml { .. } => yaml::put(text, location, fields),
        }
    }

    /// Removes our entry. A text without one is returned unchanged.
    pub fn remove(
        self,
        text: &str,
        location: EntryLocation,
        empty: EmptyContainer,
    ) -> Result<String, EditError> {
        match self {
            Self::Json => json::remove(text, location, empty),
            Self::Toml => toml::remove(text, location, empty),
            Self::Yaml { .. } => yaml::remove(text, location, empty),
        }
    }

    /// Whether the file has a container for servers, even an empty one.
    pub fn has_container(self, text: &str, location: EntryLocation) -> bool {
        match self {
            Self::Json => json::has_container(text, location),
            Self::Toml => toml::has_container(text, location),
            Self::Yaml { .. } => yaml::has_container(text, location),
        }
    }

    /// Whether a file with this text can be deleted, because it contains nothing from the user.
    pub fn is_new_file(self, text: &str) -> bool {
        let text = text.trim();
        text == self.new_file().trim() || (self != Self::Toml && text == "{}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::entry::EntryFormat;

    const YAML: Format = Format::Yaml { new_file: "" };
    const SERVERS: EntryLocation = EntryLocation::key("servers");
    const LIST: EntryLocation = EntryLocation::list("servers");

    /// Adds an entry, reads it, and removes it again.
    fn there_and_back(format: Format, location: EntryLocation, text: &str) {
        let entry_format =
            if location.kind == EntryKind::List { EntryFormat::Continue } else { EntryFormat::Plain };
        let put = format.put(text, location, &entry_format.fields("/bin/vectorcode")).unwrap();
        let words = format.launch(&put, location, entry_format.launch_keys()).unwrap().unwrap();
        assert_eq!(words, ["/bin/vectorcode", "serve", "--mcp"]);
        let kept = |line: &&str| !line.contains("servers");
        assert!(text.lines().filter(kept).all(|line| put.contains(line)), "{put}");
        let removed = format.remove(&put, location, EmptyContainer::Keep).unwrap();
        assert_eq!(format.launch(&removed, location, entry_format.launch_keys()).unwrap(), None, "{removed}");
    }

    fn refused(format: Format, location: EntryLocation, text: &str) -> String {
        format.put(text, location, &EntryFormat::Plain.fields("vectorcode")).unwrap_err().to_string()
    }

    #[test]
    fn toml_takes_every_way_to_write_a_table() {
        for text in [
            "",
            "servers = {}\n",
            "servers = { a = { command = \"x\" } } # one line\n",
            "servers.a.command = \"x\"\n[other]\nb = 1\n",
            "[servers]\n# empty\n[z]\n",
            "[[list]]\na = 1\n[[list]]\na = 2\n",
        ] {
            there_and_back(Format::Toml, SERVERS, text);
        }
    }

    #[test]
    fn yaml_takes_empty_flow_and_block_containers() {
        for text in [
            "",
            "# only a comment\n",
            "---\na: 1\n",
            "servers:\n",
            "servers: {}\n",
            "servers: {a: {command: x}}\n",
            "servers: ~\nb: 1",
            "base: &base\n  command: x\nservers:\n  a:\n    <<: *base\n  # tail\n",
            "servers:\n  a:\n    script: |\n      one\n\n      two\nb: >-\n  folded\n",
        ] {
            there_and_back(YAML, SERVERS, text);
        }
        for text in ["servers: []\n", "servers:\n", "servers:\n- name: a\n", "servers: [{name: a}]\n"] {
            there_and_back(YAML, LIST, text);
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(refused(YAML, SERVERS, "a: 1\n---\nb: 2\n").contains("edited safely"));
        assert!(refused(YAML, SERVERS, "servers: text\n").contains("is not a mapping"));
        assert!(refused(YAML, LIST, "servers: {}\n").contains("is not a list"));
        assert!(refused(Format::Toml, SERVERS, "servers = 1\n").contains("is not a table"));
        assert!(refused(Format::Json, SERVERS, "{\"servers\": {}, \"servers\": {}}").contains("twice"));
        assert!(
            refused(Format::Json, SERVERS, "{\"servers\": {\"vectorcode\": 1}}").contains("not an object")
        );
        assert!(refused(Format::Json, SERVERS, "{} {}").contains("not valid JSON"));
    }
}
