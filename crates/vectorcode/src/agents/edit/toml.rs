//! Edits TOML with `toml_edit`.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use super::{EditError, EmptyContainer, EntryLocation};
use crate::agents::entry::{Field, FieldValue, SERVER_NAME};
use crate::toml_table::{implicit_table, set_value};

pub fn launch(
    text: &str,
    location: EntryLocation,
    keys: [&str; 2],
) -> Result<Option<Vec<String>>, EditError> {
    let document = parse(text)?;
    let Some(container) = document.get(location.container) else { return Ok(None) };
    let container = container.as_table_like().ok_or_else(|| not_a_table(location.container))?;
    let Some(entry) = container.get(SERVER_NAME) else { return Ok(None) };
    let entry = entry.as_table_like().ok_or_else(|| not_a_table(SERVER_NAME))?;
    Ok(Some(keys.iter().flat_map(|key| strings(entry.get(key))).collect()))
}

pub fn put(text: &str, location: EntryLocation, fields: &[Field]) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let container = document.entry(location.container).or_insert_with(|| Item::Table(implicit_table()));
    let inline = container.is_inline_table();
    let container = container.as_table_like_mut().ok_or_else(|| not_a_table(location.container))?;
    let entry = container.entry(SERVER_NAME).or_insert_with(|| empty_entry(inline));
    let entry = entry.as_table_like_mut().ok_or_else(|| not_a_table(SERVER_NAME))?;
    for field in fields {
        set_value(entry, field.key, value(&field.value));
    }
    Ok(document.to_string())
}

pub fn remove(text: &str, location: EntryLocation, empty: EmptyContainer) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let Some(container) = document.get_mut(location.container).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    if container.remove(SERVER_NAME).is_none() {
        return Ok(text.to_owned());
    }
    if empty == EmptyContainer::Drop && container.is_empty() {
        document.remove(location.container);
    }
    Ok(document.to_string())
}

pub fn has_container(text: &str, location: EntryLocation) -> bool {
    parse(text).is_ok_and(|document| document.contains_key(location.container))
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map(|span| text[..span.start].lines().count().max(1));
        let place = line.map_or_else(String::new, |line| format!(" on line {line}"));
        EditError::Syntax { format: "TOML", message: format!("{}{place}", error.message()) }
    })
}

fn empty_entry(inline: bool) -> Item {
    if inline { Item::Value(Value::InlineTable(InlineTable::new())) } else { Item::Table(Table::new()) }
}

/// The strings of an item: a single string, or those of a list.
fn strings(item: Option<&Item>) -> Vec<String> {
    let Some(value) = item.and_then(Item::as_value) else { return Vec::new() };
    match value {
        Value::Array(array) => array.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        other => other.as_str().map(str::to_owned).into_iter().collect(),
    }
}

fn value(value: &FieldValue) -> Value {
    match value {
        FieldValue::Text(text) => text.as_str().into(),
        FieldValue::List(items) => Value::Array(items.iter().map(String::as_str).collect::<Array>()),
        FieldValue::Flag(flag) => (*flag).into(),
        FieldValue::Number(number) => i64::from(*number).into(),
        FieldValue::EmptyMap => Value::InlineTable(InlineTable::new()),
    }
}

fn not_a_table(key: &str) -> EditError {
    EditError::WrongKind { key: key.to_owned(), expected: "a table" }
}
