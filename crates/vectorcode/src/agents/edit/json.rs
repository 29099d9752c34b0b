//! Edits JSON, with or without comments, through a concrete syntax tree.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};

use super::{EditError, EmptyContainer, EntryLocation};
use crate::agents::entry::{Field, FieldValue, SERVER_NAME};

pub fn launch(
    text: &str,
    location: EntryLocation,
    keys: [&str; 2],
) -> Result<Option<Vec<String>>, EditError> {
    let root = parse(text)?;
    let Some(container) = find_container(&root, location)? else { return Ok(None) };
    let Some(entry) = object_in(&container, SERVER_NAME)? else { return Ok(None) };
    Ok(Some(keys.iter().flat_map(|key| strings(entry.get(key))).collect()))
}

pub fn put(text: &str, location: EntryLocation, fields: &[Field]) -> Result<String, EditError> {
    let root = parse(text)?;
    let container = match find_container(&root, location)? {
        Some(container) => container,
        None => make_object(&make_root(&root)?, location.container)?,
    };
    match object_in(&container, SERVER_NAME)? {
        None => {
            container.append(SERVER_NAME, object(fields));
        }
        Some(entry) => fields.iter().for_each(|field| set(&entry, field)),
    }
    Ok(root.to_string())
}

pub fn remove(text: &str, location: EntryLocation, empty: EmptyContainer) -> Result<String, EditError> {
    let root = parse(text)?;
    let Some(container) = find_container(&root, location)? else { return Ok(text.to_owned()) };
    let Some(entry) = container.get(SERVER_NAME) else { return Ok(text.to_owned()) };
    entry.remove();
    if empty == EmptyContainer::Drop
        && container.properties().is_empty()
        && let Some(property) = container.parent().and_then(|parent| parent.as_object_prop())
    {
        property.remove();
    }
    Ok(root.to_string())
}

pub fn has_container(text: &str, location: EntryLocation) -> bool {
    parse(text).is_ok_and(|root| matches!(find_container(&root, location), Ok(Some(_))))
}

/// Accepts comments and trailing commas, as agents do. Any other deviation from JSON is treated as a damaged file.
pub(super) fn parse(text: &str) -> Result<CstRootNode, EditError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    CstRootNode::parse(text, &options)
        .map_err(|error| EditError::Syntax { format: "JSON", message: error.to_string() })
}

fn find_container(root: &CstRootNode, location: EntryLocation) -> Result<Option<CstObject>, EditError> {
    let Some(top) = root.value() else { return Ok(None) };
    let top = top.as_object().ok_or(EditError::WrongTopLevel { expected: "an object" })?;
    let Some(container) = object_in(&top, location.container)? else { return Ok(None) };
    // A server may have the same name as the nested level. Such an object has a `type`.
    let nested = location.nested.and_then(|name| container.object_value(name));
    Ok(Some(nested.filter(|object| object.get("type").is_none()).unwrap_or(container)))
}

fn object_in(parent: &CstObject, key: &str) -> Result<Option<CstObject>, EditError> {
    let named = |property: &CstObjectProp| property.decoded_name().as_deref() == Some(key);
    let mut properties = parent.properties().into_iter().filter(named);
    let Some(property) = properties.next() else { return Ok(None) };
    if properties.next().is_some() {
        return Err(EditError::Twice { key: key.to_owned() });
    }
    property.object_value().map(Some).ok_or_else(|| not_an_object(key))
}

pub(super) fn make_root(root: &CstRootNode) -> Result<CstObject, EditError> {
    root.object_value_or_create().ok_or(EditError::WrongTopLevel { expected: "an object" })
}

fn make_object(parent: &CstObject, key: &str) -> Result<CstObject, EditError> {
    parent.object_value_or_create(key).ok_or_else(|| not_an_object(key))
}

fn set(entry: &CstObject, field: &Field) {
    match entry.get(field.key) {
        Some(property) => property.set_value(value(&field.value)),
        None => {
            entry.append(field.key, value(&field.value));
        }
    }
}

/// The strings of a property: a single string, or those of a list.
fn strings(property: Option<CstObjectProp>) -> Vec<String> {
    let Some(node) = property.and_then(|property| property.value()) else { return Vec::new() };
    let nodes = node.as_array().map_or_else(|| vec![node], |array| array.elements());
    nodes.iter().filter_map(string).collect()
}

fn string(node: &CstNode) -> Option<String> {
    node.as_string_lit()?.decoded_value().ok()
}

fn object(fields: &[Field]) -> CstInputValue {
    CstInputValue::Object(fields.iter().map(|field| (field.key.to_owned(), value(&field.value))).collect())
}

fn value(value: &FieldValue) -> CstInputValue {
    match value {
        FieldValue::Text(text) => CstInputValue::String(text.clone()),
        FieldValue::List(items) => {
            CstInputValue::Array(items.iter().cloned().map(CstInputValue::String).collect())
        }
        FieldValue::Flag(flag) => CstInputValue::Bool(*flag),
        FieldValue::Number(number) => CstInputValue::Number(number.to_string()),
        FieldValue::EmptyMap => CstInputValue::Object(Vec::new()),
    }
}

fn not_an_object(key: &str) -> EditError {
    EditError::WrongKind { key: key.to_owned(), expected: "an object" }
}
