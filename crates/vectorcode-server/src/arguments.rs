//! What a call accepts: one table for each MCP tool and each REST operation, from which both its schema and the
//! check of a call are made.
//!
//! Schemas stay plain (no unions, no `format`, no `$ref`), because some agents reject anything else. Agents are
//! forgiven where the meaning is clear: `null` is absence, `"10"` is a number, and names that are not in the table
//! are reported back instead of failing the call. Programs that call the REST API are told of every slip.

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// How much of a wrong value or name an error repeats, in characters.
const LONGEST_QUOTE: usize = 80;

/// How the values of a call are written, and how strictly they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// As agents write JSON: what is meant counts.
    Loose,
    /// JSON that keeps to the schema.
    Json,
    /// The query of a URL, where everything is text.
    Url,
}

/// One argument of a call.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    description: &'static str,
    kind: Kind,
    need: Need,
}

#[derive(Debug)]
enum Kind {
    Text,
    Integer { min: u64, max: u64 },
    Number { min: f64, max: f64 },
    Flag,
    Choice(&'static [&'static str]),
}

#[derive(Debug)]
enum Need {
    Required,
    Optional,
    Default(Value),
}

impl Argument {
    pub(crate) fn text(name: &'static str, description: &'static str) -> Self {
        Self::new(name, description, Kind::Text)
    }

    pub(crate) fn integer(name: &'static str, description: &'static str, min: u64, max: u64) -> Self {
        Self::new(name, description, Kind::Integer { min, max })
    }

    pub(crate) fn number(name: &'static str, description: &'static str, min: f64, max: f64) -> Self {
        Self::new(name, description, Kind::Number { min, max })
    }

    pub(crate) fn flag(name: &'static str, description: &'static str) -> Self {
        Self::new(name, description, Kind::Flag)
    }

    pub(crate) fn choice(
        name: &'static str,
        description: &'static str,
        choices: &'static [&'static str],
    ) -> Self {
        Self::new(name, description, Kind::Choice(choices))
    }

    fn new(name: &'static str, description: &'static str, kind: Kind) -> Self {
        Self { name, description, kind, need: Need::Optional }
    }

    pub(crate) fn required(self) -> Self {
        Self { need: Need::Required, ..self }
    }

    /// The value that counts when the caller gives none.
    pub(crate) fn or(self, value: impl Into<Value>) -> Self {
        Self { need: Need::Default(value.into()), ..self }
    }

    fn schema(&self) -> Value {
        let mut schema = match &self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            Kind::Number { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Choice(choices) => json!({"type": "string", "enum": choices}),
        };
        schema["description"] = self.description.into();
        if let Need::Default(value) = &self.need {
            schema["default"] = value.clone();
        }
        schema
    }

    /// The schema for those who are told of every slip: a required text has to say something.
    pub(crate) fn strict_schema(&self) -> Value {
        let mut schema = self.schema();
        if self.is_required() && matches!(self.kind, Kind::Text) {
            schema["pattern"] = r"\S".into();
        }
        schema
    }

    pub(crate) fn is_required(&self) -> bool {
        matches!(self.need, Need::Required)
    }

    /// The value in its own type, or what it should have been.
    fn check(&self, value: &Value, notation: Notation) -> Result<Value, BadArgument> {
        let found = match (notation, value) {
            (Notation::Url, Value::String(text)) => self.admit(&self.typed(text)),
            (Notation::Loose, Value::String(text)) if !matches!(self.kind, Kind::Text) => {
                self.admit(&self.typed(&text.trim().to_ascii_lowercase()))
            }
            _ => self.admit(value),
        };
        found.ok_or_else(|| BadArgument::Wrong {
            name: self.name,
            expected: self.expected(),
            found: shortened(value),
        })
    }

    /// A text as the number or flag that it may stand for. JSON would overlook spaces around it.
    fn typed(&self, text: &str) -> Value {
        let literal = match self.kind {
            Kind::Integer { .. } | Kind::Number { .. } | Kind::Flag if text.trim() == text => {
                serde_json::from_str(text).ok()
            }
            _ => None,
        };
        literal.unwrap_or_else(|| text.into())
    }

    fn admit(&self, value: &Value) -> Option<Value> {
        match &self.kind {
            Kind::Text => value.as_str().map(Value::from),
            Kind::Integer { min, max } => {
                whole_number(value).filter(|number| (min..=max).contains(&number)).map(Value::from)
            }
            Kind::Number { min, max } => {
                value.as_f64().filter(|number| (min..=max).contains(&number)).map(Value::from)
            }
            Kind::Flag => value.as_bool().map(Value::from),
            Kind::Choice(choices) => {
                value.as_str().filter(|chosen| choices.contains(chosen)).map(Value::from)
            }
        }
    }

    fn expected(&self) -> String {
        match &self.kind {
            Kind::Text => "a string".into(),
            Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Number { min, max } => format!("a number from {min} to {max}"),
            Kind::Flag => "true or false".into(),
            Kind::Choice(choices) => format!("one of {}", choices.join(", ")),
        }
    }
}

fn whole_number(value: &Value) -> Option<u64> {
    // `10.0` is how some callers write 10.
    value.as_u64().or_else(|| {
        let float = value.as_f64().filter(|float| float.fract() == 0.0 && (0.0..1e15).contains(float))?;
        Some(float as u64)
    })
}

/// A value as it may stand in a message.
fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text,
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadArgument {
    #[error("The argument `{name}` is missing")]
    Missing { name: &'static str },
    #[error("The argument `{name}` must be {expected}, not {found}")]
    Wrong { name: &'static str, expected: String, found: String },
    #[error("There is no argument `{name}`; the arguments are {known}")]
    Unknown { name: String, known: String },
}

impl BadArgument {
    fn unknown(name: &str, table: &[Argument]) -> Self {
        let known: Vec<&str> = table.iter().map(|argument| argument.name).collect();
        Self::Unknown { name: name.chars().take(LONGEST_QUOTE).collect(), known: known.join(", ") }
    }
}

/// The schema of an object with these arguments.
pub(crate) fn input_schema(arguments: &[Argument]) -> JsonObject {
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.is_required()).map(|argument| argument.name).collect();
    let mut schema = JsonObject::from_iter([
        ("type".to_owned(), Value::from("object")),
        ("properties".to_owned(), Value::Object(properties)),
    ]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

/// The checked arguments of one call, defaults filled in.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    values: Map<String, Value>,
    unknown: Vec<String>,
}

impl Arguments {
    pub(crate) fn check(
        table: &[Argument],
        mut given: JsonObject,
        notation: Notation,
    ) -> Result<Self, BadArgument> {
        let is_loose = notation == Notation::Loose;
        let mut values = Map::new();
        for argument in table {
            let value = given.remove(argument.name).filter(|value| !(is_loose && value.is_null()));
            let value = match (value, &argument.need) {
                (Some(value), _) => argument.check(&value, notation)?,
                (None, Need::Required) => return Err(BadArgument::Missing { name: argument.name }),
                (None, Need::Optional) => continue,
                (None, Need::Default(value)) => value.clone(),
            };
            values.insert(argument.name.to_owned(), value);
        }
        match given.keys().next() {
            Some(name) if !is_loose => Err(BadArgument::unknown(name, table)),
            _ => Ok(Self { values, unknown: given.into_iter().map(|(name, _)| name).collect() }),
        }
    }

    /// What the caller gave beside the table, as a sentence.
    pub(crate) fn note_on_unknown(&self) -> Option<String> {
        let names: Vec<String> = self.unknown.iter().take(5).map(|name| format!("`{name}`")).collect();
        (!names.is_empty())
            .then(|| format!("Arguments without a meaning here were ignored: {}.", names.join(", ")))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        self.values.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok())
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.values.get(name).and_then(Value::as_f64)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// A choice as the type whose names its table lists.
    pub(crate) fn choice<T: DeserializeOwned + Default>(&self, name: &str) -> T {
        self.values.get(name).and_then(|value| T::deserialize(value).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<Argument> {
        vec![
            Argument::text("query", "What to look for.").required(),
            Argument::integer("limit", "How many.", 1, 100).or(10),
            Argument::flag("full", "Everything."),
            Argument::choice("mode", "How.", &["auto", "fast"]).or("auto"),
        ]
    }

    fn check(given: Value) -> Result<Arguments, BadArgument> {
        let Value::Object(given) = given else { panic!("arguments are an object") };
        Arguments::check(&table(), given, Notation::Loose)
    }

    #[test]
    fn defaults_count_when_nothing_is_given() {
        let arguments = check(json!({"query": "retry", "limit": null})).unwrap();
        assert_eq!(arguments.count("limit"), Some(10));
        assert_eq!(arguments.text("mode"), Some("auto"));
        assert!(!arguments.flag("full"));
    }

    #[test]
    fn numbers_and_flags_in_quotes_are_understood() {
        let arguments =
            check(json!({"query": "retry", "limit": "5", "full": "True", "mode": "FAST"})).unwrap();
        assert_eq!(arguments.count("limit"), Some(5));
        assert!(arguments.flag("full"));
        assert_eq!(arguments.text("mode"), Some("fast"));
        assert_eq!(check(json!({"query": "retry", "limit": 7.0})).unwrap().count("limit"), Some(7));
    }

    #[test]
    fn a_wrong_value_is_named_with_what_is_expected() {
        let message = |given| check(given).unwrap_err().to_string();
        assert_eq!(message(json!({})), "The argument `query` is missing");
        assert_eq!(
            message(json!({"query": "x", "limit": 0})),
            "The argument `limit` must be a whole number from 1 to 100, not 0"
        );
        assert_eq!(
            message(json!({"query": "x", "mode": "slow"})),
            "The argument `mode` must be one of auto, fast, not \"slow\""
        );
    }

    #[test]
    fn unknown_arguments_are_reported_and_do_not_fail() {
        let arguments = check(json!({"query": "x", "lang": "rust"})).unwrap();
        assert!(arguments.note_on_unknown().unwrap().contains("`lang`"));
    }

    #[test]
    fn strict_callers_are_told_of_every_slip() {
        let check = |given: Value, notation| {
            let Value::Object(given) = given else { panic!("arguments are an object") };
            Arguments::check(&table(), given, notation).map(|arguments| arguments.count("limit"))
        };
        assert_eq!(check(json!({"query": "x", "limit": 7}), Notation::Json), Ok(Some(7)));
        assert_eq!(check(json!({"query": "x", "limit": "7", "full": "true"}), Notation::Url), Ok(Some(7)));
        for slip in [
            json!({"query": "x", "limit": "7"}),
            json!({"query": "x", "limit": null}),
            json!({"query": "x", "mode": "FAST"}),
            json!({"query": "x", "lang": "rust"}),
        ] {
            assert!(check(slip.clone(), Notation::Json).is_err(), "{slip}");
        }
        for slip in [json!({"query": "x", "limit": "+7"}), json!({"query": "x", "limit": " 7"})] {
            assert!(check(slip.clone(), Notation::Url).is_err(), "{slip}");
        }
    }

    #[test]
    fn schemas_use_plain_keywords_only() {
        let schema = Value::Object(input_schema(&table())).to_string();
        for keyword in ["$ref", "anyOf", "oneOf", "format", "null"] {
            assert!(!schema.contains(keyword), "{keyword} in {schema}");
        }
    }
}
