//! Edits YAML through a lossless tree, and validates the result with a strict parser.
//!
//! The lossless tree accepts invalid input, so a strict parser checks every edit. The text must be valid before the
//! edit, and after it everything except our entry must parse to the same values. Otherwise the edit is rejected.

use std::fmt::Write as _;
use std::str::FromStr as _;

use saphyr::{LoadableYamlNode as _, ScalarOwned, YamlOwned};
use yaml_edit::{Document, Mapping, Scalar, Sequence, YamlFile};

use super::{EditError, EmptyContainer, EntryKind, EntryLocation};
use crate::agents::entry::{Field, FieldValue, SERVER_NAME};

pub fn launch(
    text: &str,
    location: EntryLocation,
    keys: [&str; 2],
) -> Result<Option<Vec<String>>, EditError> {
    let tree = strict(text)?;
    let entry = find_entry(&tree, location)?;
    Ok(entry.map(|entry| keys.iter().flat_map(|key| strings(entry.as_mapping_get(key))).collect()))
}

pub fn put(text: &str, location: EntryLocation, fields: &[Field]) -> Result<String, EditError> {
    let before = strict(text)?;
    let edited = if find_entry(&before, location)?.is_some() {
        update(text, location, fields)?
    } else if get(&before, location.container).is_none() {
        append_container(text, location, fields)
    } else {
        insert(text, location, fields)?
    };
    check_only_entry_changed(&before, &edited, location)?;
    Ok(edited)
}

pub fn remove(text: &str, location: EntryLocation, empty: EmptyContainer) -> Result<String, EditError> {
    let before = strict(text)?;
    if find_entry(&before, location)?.is_none() {
        return Ok(text.to_owned());
    }
    let file = parse(text)?;
    let top = top_mapping(&file)?;
    let is_empty = take_entry(&top, location)?;
    if is_empty && empty == EmptyContainer::Drop {
        top.remove(location.container);
    }
    let edited = file.to_string();
    check_only_entry_changed(&before, &edited, location)?;
    Ok(edited)
}

pub fn has_container(text: &str, location: EntryLocation) -> bool {
    strict(text).is_ok_and(|tree| get(&tree, location.container).is_some())
}

fn parse(text: &str) -> Result<YamlFile, EditError> {
    YamlFile::from_str(text).map_err(syntax)
}

fn top_mapping(file: &YamlFile) -> Result<Mapping, EditError> {
    file.document().and_then(|document| document.as_mapping()).ok_or(EditError::Unsafe)
}

/// Parses with the strict parser. An empty file is an empty mapping.
fn strict(text: &str) -> Result<YamlOwned, EditError> {
    let mut documents = YamlOwned::load_from_str(text).map_err(syntax)?;
    match documents.len() {
        0 => Ok(YamlOwned::Mapping(saphyr::MappingOwned::new())),
        1 if documents[0].is_mapping() => Ok(documents.remove(0)),
        1 => Err(EditError::WrongTopLevel { expected: "a mapping" }),
        _ => Err(EditError::Unsafe),
    }
}

fn get<'tree>(tree: &'tree YamlOwned, key: &str) -> Option<&'tree YamlOwned> {
    tree.as_mapping_get(key)
}

fn find_entry(tree: &YamlOwned, location: EntryLocation) -> Result<Option<&YamlOwned>, EditError> {
    let Some(container) = get(tree, location.container).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    match location.kind {
        EntryKind::Key if container.is_mapping() => Ok(get(container, SERVER_NAME)),
        EntryKind::List if container.is_sequence() => {
            Ok(container.as_vec().and_then(|items| items.iter().find(|item| is_named_ours(item))))
        }
        kind => Err(wrong_container(location, kind)),
    }
}

fn is_named_ours(item: &YamlOwned) -> bool {
    get(item, "name").and_then(YamlOwned::as_str) == Some(SERVER_NAME)
}

/// The strings of a value: a single string, or those of a list.
fn strings(value: Option<&YamlOwned>) -> Vec<String> {
    let Some(value) = value else { return Vec::new() };
    let values = value.as_vec().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
    values.iter().filter_map(YamlOwned::as_str).map(str::to_owned).collect()
}

/// Sets fields of the existing entry.
fn update(text: &str, location: EntryLocation, fields: &[Field]) -> Result<String, EditError> {
    let file = parse(text)?;
    let top = top_mapping(&file)?;
    let entry = match location.kind {
        EntryKind::Key => {
            top.get_mapping(location.container).and_then(|servers| servers.get_mapping(SERVER_NAME))
        }
        EntryKind::List => top.get_sequence(location.container).and_then(|servers| {
            let index = index_of_ours(&servers)?;
            servers.get(index)?.as_mapping().cloned()
        }),
    };
    let entry = entry.ok_or(EditError::Unsafe)?;
    for field in fields {
        let value = Document::from_str(&format!("value: {}", inline(&field.value))).map_err(syntax)?;
        let value = value.get("value").ok_or(EditError::Unsafe)?;
        entry.set(field.key, value);
    }
    Ok(file.to_string())
}

/// Adds the entry to an existing container, which may be empty.
fn insert(text: &str, location: EntryLocation, fields: &[Field]) -> Result<String, EditError> {
    let file = parse(text)?;
    let top = top_mapping(&file)?;
    let block = Document::from_str(&lines(fields, "", "")).map_err(syntax)?;
    let entry = block.as_mapping().ok_or(EditError::Unsafe)?;
    match location.kind {
        EntryKind::Key => {
            if top.get_mapping(location.container).is_none() {
                top.set(location.container, Mapping::new());
            }
            top.get_mapping(location.container).ok_or(EditError::Unsafe)?.set(SERVER_NAME, entry);
        }
        EntryKind::List => {
            if top.get_sequence(location.container).is_none() {
                top.set(location.container, Sequence::new());
            }
            top.get_sequence(location.container).ok_or(EditError::Unsafe)?.push(entry);
        }
    }
    Ok(file.to_string())
}

/// Adds the container and the entry at the end of the file.
fn append_container(text: &str, location: EntryLocation, fields: &[Field]) -> String {
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let entry = match location.kind {
        EntryKind::Key => format!("  {SERVER_NAME}:\n{}", lines(fields, "    ", "    ")),
        EntryKind::List => lines(fields, "  - ", "    "),
    };
    format!("{text}{newline}{}:\n{entry}", location.container)
}

/// Removes the entry from its container. Returns whether the container is now empty.
fn take_entry(top: &Mapping, location: EntryLocation) -> Result<bool, EditError> {
    match location.kind {
        EntryKind::Key => {
            let servers = top.get_mapping(location.container).ok_or(EditError::Unsafe)?;
            servers.remove(SERVER_NAME);
            Ok(servers.is_empty())
        }
        EntryKind::List => {
            let servers = top.get_sequence(location.container).ok_or(EditError::Unsafe)?;
            servers.remove(index_of_ours(&servers).ok_or(EditError::Unsafe)?);
            Ok(servers.is_empty())
        }
    }
}

fn index_of_ours(servers: &Sequence) -> Option<usize> {
    servers.values().position(|item| {
        let name = item.as_mapping().and_then(|item| item.get("name"));
        name.and_then(|name| name.as_scalar().map(Scalar::as_string)).as_deref() == Some(SERVER_NAME)
    })
}

/// Checks that everything except our entry parses to the same values as before the edit.
fn check_only_entry_changed(
    before: &YamlOwned,
    edited: &str,
    location: EntryLocation,
) -> Result<(), EditError> {
    let after = strict(edited).map_err(|_| EditError::Unsafe)?;
    if without_entry(before, location) == without_entry(&after, location) {
        Ok(())
    } else {
        Err(EditError::Unsafe)
    }
}

/// The tree without our entry, and without its container if that has no other entry.
fn without_entry(tree: &YamlOwned, location: EntryLocation) -> YamlOwned {
    let mut tree = tree.clone();
    let Some(container) = tree.as_mapping_get_mut(location.container) else { return tree };
    match container {
        YamlOwned::Mapping(servers) => {
            servers.remove(&string_key(SERVER_NAME));
        }
        YamlOwned::Sequence(servers) => servers.retain(|item| !is_named_ours(item)),
        _ => {}
    }
    if container.is_null() || container.is_empty_collection() {
        let key = string_key(location.container);
        tree.as_mapping_mut().and_then(|top| top.remove(&key));
    }
    tree
}

fn string_key(text: &str) -> YamlOwned {
    YamlOwned::Value(ScalarOwned::String(text.to_owned()))
}

/// The fields as block lines. The first line starts with `first`, the others with `indent`.
fn lines(fields: &[Field], first: &str, indent: &str) -> String {
    let mut text = String::new();
    for (position, Field { key, value }) in fields.iter().enumerate() {
        let start = if position == 0 { first } else { indent };
        let _ = match value {
            FieldValue::List(items) => {
                let separator = format!("\n{indent}  - ");
                let items: Vec<String> = items.iter().map(|item| scalar(item)).collect();
                writeln!(text, "{start}{key}:{separator}{}", items.join(&separator))
            }
            other => writeln!(text, "{start}{key}: {}", inline(other)),
        };
    }
    text
}

fn inline(value: &FieldValue) -> String {
    match value {
        FieldValue::Text(text) => scalar(text),
        FieldValue::List(items) => {
            format!("[{}]", items.iter().map(|item| scalar(item)).collect::<Vec<_>>().join(", "))
        }
        FieldValue::Flag(flag) => flag.to_string(),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::EmptyMap => "{}".to_owned(),
    }
}

/// A plain scalar where it is unambiguous, otherwise a double-quoted one, which has the same escapes as JSON.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._ ".contains(c) || c == '-';
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    if starts_plain && !text.ends_with(' ') && text.chars().all(plain) {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
    }
}

fn wrong_container(location: EntryLocation, kind: EntryKind) -> EditError {
    let expected = if kind == EntryKind::Key { "a mapping" } else { "a list" };
    EditError::WrongKind { key: location.container.to_owned(), expected }
}

fn syntax(error: impl std::fmt::Display) -> EditError {
    EditError::Syntax { format: "YAML", message: error.to_string() }
}
