//! Derives the JSON schema of an argument struct.
//!
//! The schema is rebuilt from a list of allowed keywords, because some agents reject tools whose schemas have unions, `format`,
//! `$ref` or nullable types, all of which `schemars` generates for ordinary structs.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use vectorcode_core::config::SearchConfig;
use vectorcode_core::lock;

/// The argument that names the project of a call. It is parsed before the others, because their defaults come from that
/// project's settings.
pub(crate) const PROJECT: &str = "project";
const PROJECT_TEXT: &str = "The project: its registered name, or a path inside it. Default: the current one.";

/// The argument that names a commit, for calls that can read code of a commit. It is parsed before the others too.
pub(crate) const REF: &str = "ref";
const REF_TEXT: &str =
    "Answer for this branch, tag or commit, which need not be checked out. Default: the files on disk.";

/// A struct whose fields are the arguments of a tool or an operation.
pub(crate) trait CallArguments: DeserializeOwned + JsonSchema + Send + 'static {
    /// Defaults that come from the settings, by argument name. Such a field needs no `Option`.
    fn defaults(_settings: &SearchConfig) -> JsonObject {
        JsonObject::new()
    }
}

/// For calls that take none.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NoArguments {}

impl CallArguments for NoArguments {}

/// An argument as `tools/list` shows it: the minimum that a model needs to use it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedArgument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The values to show; empty to show all of them.
    pub(crate) choices: &'static [&'static str],
}

impl ListedArgument {
    pub(crate) const fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, description, choices: &[] }
    }
}

/// The arguments of a call: a plain schema for each, and which of them are required.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArgumentSchema {
    pub(super) properties: Map<String, Value>,
    pub(super) required: Vec<String>,
}

static DERIVED: LazyLock<Mutex<HashMap<TypeId, ArgumentSchema>>> = LazyLock::new(Mutex::default);

impl ArgumentSchema {
    /// The schema of `A` under these settings.
    pub(crate) fn of<A: CallArguments>(settings: &SearchConfig) -> Self {
        let mut schema = Self::derived::<A>();
        let defaults = A::defaults(settings);
        schema.required.retain(|name| !defaults.contains_key(name));
        for (name, default) in defaults {
            if let Some(property) = schema.properties.get_mut(&name) {
                property["default"] = default;
            }
        }
        schema
    }

    /// The schema without settings. Every call needs it, so it is computed once for each struct.
    fn derived<A: CallArguments>() -> Self {
        let mut known = lock(&DERIVED);
        known.entry(TypeId::of::<A>()).or_insert_with(Self::derive::<A>).clone()
    }

    fn derive<A: CallArguments>() -> Self {
        let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let derived = generator.into_generator().into_root_schema_for::<A>();
        let properties = derived.get("properties").and_then(Value::as_object).into_iter().flatten();
        let required = derived.get("required").and_then(Value::as_array).into_iter().flatten();
        Self {
            properties: properties.map(|(name, property)| (name.clone(), plain(property))).collect(),
            required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }

    /// Adds the argument that every call about a project takes.
    pub(crate) fn with_project(mut self) -> Self {
        let property = serde_json::json!({"type": "string", "description": PROJECT_TEXT});
        self.properties.insert(PROJECT.to_owned(), property);
        self
    }

    /// Adds the argument that every call about the code of a project takes.
    pub(crate) fn with_ref(mut self) -> Self {
        let property = serde_json::json!({"type": "string", "description": REF_TEXT});
        self.properties.insert(REF.to_owned(), property);
        self
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.properties.keys().map(String::as_str)
    }

    pub(crate) fn is_required(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }

    /// The schema of the whole object as MCP lists it: only these arguments, without bounds and defaults. Bounds are checked,
    /// and reported if a call gets them wrong.
    pub(crate) fn listed(&self, arguments: &[ListedArgument]) -> JsonObject {
        let property = |argument: &ListedArgument| {
            let full = self.properties.get(argument.name)?;
            let mut property = Map::from_iter([("type".to_owned(), full["type"].clone())]);
            if let Some(choices) = full.get("enum") {
                let shown = Some(argument.choices).filter(|choices| !choices.is_empty());
                property.insert("enum".to_owned(), shown.map_or_else(|| choices.clone(), Value::from));
            }
            if !argument.description.is_empty() {
                property.insert("description".to_owned(), argument.description.into());
            }
            Some((argument.name.to_owned(), Value::Object(property)))
        };
        let mut schema = JsonObject::from_iter([
            ("type".to_owned(), Value::from("object")),
            ("properties".to_owned(), Value::Object(arguments.iter().filter_map(property).collect())),
        ]);
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), self.required.clone().into());
        }
        schema
    }

    /// Each argument's schema for strict callers: a required text must not be blank.
    pub(crate) fn strict_properties(&self) -> impl Iterator<Item = (&str, Value)> {
        self.properties.iter().map(|(name, property)| {
            let mut property = property.clone();
            let is_text = property["type"] == "string" && property.get("enum").is_none();
            if is_text && self.is_required(name) {
                property["pattern"] = r"\S".into();
            }
            (name.as_str(), property)
        })
    }
}

/// The schema of one argument with allowed keywords only.
fn plain(derived: &Value) -> Value {
    let choices = choices(derived);
    let kind = match derived.get("type") {
        Some(Value::Array(types)) => types.iter().find(|kind| *kind != "null").cloned(),
        other => other.cloned(),
    };
    let mut property = Map::new();
    property.insert("type".to_owned(), kind.unwrap_or_else(|| "string".into()));
    if !choices.is_empty() {
        property.insert("enum".to_owned(), choices.into());
    }
    for keyword in ["minimum", "maximum", "default"] {
        if let Some(value) = derived.get(keyword).filter(|value| !value.is_null()) {
            property.insert(keyword.to_owned(), value.clone());
        }
    }
    if let Some(Value::String(description)) = derived.get("description") {
        // A doc comment is wrapped at the width of the source.
        property.insert("description".to_owned(), description.replace('\n', " ").into());
    }
    Value::Object(property)
}

/// The values of an enum. `schemars` writes variants with a doc comment as one `const` each.
fn choices(derived: &Value) -> Vec<Value> {
    let mut found: Vec<Value> = derived.get("const").cloned().into_iter().collect();
    found.extend(derived.get("enum").and_then(Value::as_array).into_iter().flatten().cloned());
    for keyword in ["oneOf", "anyOf"] {
        let variants = derived.get(keyword).and_then(Value::as_array).into_iter().flatten();
        found.extend(variants.flat_map(choices));
    }
    found.retain(|value| !value.is_null());
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        /// Documented.
        Auto,
        Fast,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Arguments {
        /// What to look for,
        /// on two lines.
        query: String,
        #[schemars(range(min = 1, max = 100))]
        limit: usize,
        #[schemars(range(min = 1, max = 9))]
        depth: Option<u32>,
        mode: Option<Mode>,
        #[serde(default)]
        full: bool,
    }

    impl CallArguments for Arguments {
        fn defaults(settings: &SearchConfig) -> JsonObject {
            JsonObject::from_iter([("limit".to_owned(), settings.default_limit.into())])
        }
    }

    #[test]
    fn only_plain_keywords_are_left() {
        let schema = ArgumentSchema::of::<Arguments>(&SearchConfig::default());
        assert_eq!(
            Value::Object(schema.properties.clone()),
            json!({
                "query": {"type": "string", "description": "What to look for, on two lines."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
                "depth": {"type": "integer", "minimum": 1, "maximum": 9},
                "mode": {"type": "string", "enum": ["fast", "auto"]},
                "full": {"type": "boolean", "default": false},
            })
        );
        assert_eq!(schema.required, ["query"]);
    }

    #[test]
    fn what_is_listed_is_short() {
        let schema = ArgumentSchema::of::<Arguments>(&SearchConfig::default());
        let listed = [ListedArgument::new("query", "What."), ListedArgument::new("limit", "")];
        assert_eq!(
            Value::Object(schema.listed(&listed)),
            json!({
                "type": "object",
                "properties": {"query": {"type": "string", "description": "What."}, "limit": {"type": "integer"}},
                "required": ["query"],
            })
        );
    }

    #[test]
    fn strict_callers_must_say_something() {
        let schema = ArgumentSchema::of::<Arguments>(&SearchConfig::default());
        let patterns: Vec<&str> = schema
            .strict_properties()
            .filter(|(_, property)| property.get("pattern").is_some())
            .map(|(name, _)| name)
            .collect();
        assert_eq!(patterns, ["query"]);
    }
}
