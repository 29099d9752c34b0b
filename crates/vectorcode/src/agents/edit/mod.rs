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
pub struct Slot {
    container: &'static str,
    nested: Option<&'static str>,
    kind: SlotKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotKind {
    /// `container.vectorcode`
    Key,
    /// An item of the list `container` that has our `name`.
    List,
}

impl Slot {
    pub const fn key(container: &'static str) -> Self {
        Self { container, nested: None, kind: SlotKind::Key }
    }

    pub const fn list(container: &'static str) -> Self {
        Self { container, nested: None, kind: SlotKind::List }
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
    pub fn launch(self, text: &str, slot: Slot, keys: [&str; 2]) -> Result<Option<Vec<String>>, EditError> {
        match self {
            Self::Json => json::launch(text, slot, keys),
            Self::Toml => toml::launch(text, slot, keys),
            Self::Yaml { .. } => yaml::launch(text, slot, keys),
        }
    }

    /// Sets fields of our entry, and creates the entry if there is none. Its other fields are kept.
    pub fn put(self, text: &str, slot: Slot, fields: &[Field]) -> Result<String, EditError> {
        match self {
            Self::Json => json::put(text, slot, fields),
            Self::Toml => toml::put(text, slot, fields),
            Self::Yaml { .. } => yaml::put(text, slot, fields),
        }
    }

    /// Removes our entry. A text without one is returned unchanged.
    pub fn remove(self, text: &str, slot: Slot, empty: EmptyContainer) -> Result<String, EditError> {
        match self {
            Self::Json => json::remove(text, slot, empty),
            Self::Toml => toml::remove(text, slot, empty),
            Self::Yaml { .. } => yaml::remove(text, slot, empty),
        }
    }

    /// Whether the file has a container for servers, even an empty one.
    pub fn has_container(self, text: &str, slot: Slot) -> bool {
        match self {
            Self::Json => json::has_container(text, slot),
            Self::Toml => toml::has_container(text, slot),
            Self::Yaml { .. } => yaml::has_container(text, slot),
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
    use crate::agents::entry::Shape;

    const YAML: Format = Format::Yaml { new_file: "" };
    const SERVERS: Slot = Slot::key("servers");
    const LIST: Slot = Slot::list("servers");

    /// Adds an entry, reads it, and removes it again.
    fn there_and_back(format: Format, slot: Slot, text: &str) {
        let shape = if slot.kind == SlotKind::List { Shape::Continue } else { Shape::Plain };
        let put = format.put(text, slot, &shape.fields("/bin/vectorcode")).unwrap();
        let words = format.launch(&put, slot, shape.launch_keys()).unwrap().unwrap();
        assert_eq!(words, ["/bin/vectorcode", "serve", "--mcp"]);
        let kept = |line: &&str| !line.contains("servers");
        assert!(text.lines().filter(kept).all(|line| put.contains(line)), "{put}");
        let removed = format.remove(&put, slot, EmptyContainer::Keep).unwrap();
        assert_eq!(format.launch(&removed, slot, shape.launch_keys()).unwrap(), None, "{removed}");
    }

    fn refused(format: Format, slot: Slot, text: &str) -> String {
        format.put(text, slot, &Shape::Plain.fields("vectorcode")).unwrap_err().to_string()
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
