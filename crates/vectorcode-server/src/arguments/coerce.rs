//! Checks the arguments of a call against their schema: leniently for agents, strictly for programs.

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::schema::ArgumentSchema;
use crate::failure::Failure;

/// Maximum number of characters of a wrong value or name that an error message repeats.
const MAX_QUOTED_CHARS: usize = 80;
/// Names of `SocratiCode`'s arguments. If they were ignored, results would not be filtered.
const ALIASES: [(&str, &str); 3] =
    [("fileFilter", "path"), ("languageFilter", "language"), ("minScore", "threshold")];

/// Arguments that take a list as one string. Agents sometimes write them as JSON lists.
const LISTS: [&str; 3] = ["path", "language", "kind"];
/// Arguments that are regular expressions. Several in a list become one with alternatives.
const PATTERNS: [&str; 2] = ["match", "match_not"];

/// Maximum number of unknown names in a note.
const MAX_UNKNOWN_NAMES: usize = 5;
/// Minimum Jaro-Winkler similarity for taking one name for another: `lang` and `language` have 0.9, `file` and `limit` 0.75.
const MIN_LIKENESS: f64 = 0.85;

/// The format of a call's values, and how strictly they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputFormat {
    /// JSON as agents write it: numbers in quotes, `null` for absent arguments, unknown names.
    LenientJson,
    /// JSON that must match the schema.
    StrictJson,
    /// The query string of a URL, where every value is text. Otherwise as strict as JSON.
    UrlQuery,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadArgument {
    #[error("The argument `{name}` is missing; it must be {expected}{}", instead(.given.as_deref()))]
    Missing { name: String, expected: String, given: Option<String> },
    #[error("The argument `{name}` must be {expected}, not {found}")]
    Wrong { name: String, expected: String, found: String },
    #[error("There is no argument `{name}`; the arguments are {known}")]
    Unknown { name: String, known: String },
    #[error("The arguments are not valid: {reason}")]
    Invalid { reason: String },
}

/// Names the unknown argument that was probably meant to be the missing one.
fn instead(given: Option<&str>) -> String {
    given.map_or_else(String::new, |given| format!(". There is no argument `{}`", shortened(given)))
}

impl From<BadArgument> for Failure {
    fn from(error: BadArgument) -> Self {
        Self::user(format!("{error}."), None)
    }
}

/// Arguments that passed the check, with defaults filled in.
#[derive(Debug, Default)]
pub(crate) struct CheckedArguments {
    values: Map<String, Value>,
    /// Names of the arguments that were left out and have their default.
    defaulted: Vec<String>,
    unknown: Vec<UnknownName>,
    /// Sentences about values that were changed.
    corrections: Vec<String>,
}

/// An argument that does not exist, and the one that was probably meant.
#[derive(Debug)]
struct UnknownName {
    given: String,
    nearest: Option<String>,
}

impl UnknownName {
    fn describe(&self) -> String {
        let given = shortened(&self.given);
        match &self.nearest {
            Some(nearest) => format!("`{given}` (did you mean `{nearest}`?)"),
            None => format!("`{given}`"),
        }
    }
}

impl CheckedArguments {
    /// Deserialises the argument struct whose schema the values were checked against.
    pub(crate) fn parse<A: DeserializeOwned>(&self) -> Result<A, BadArgument> {
        let invalid = |error: serde_json::Error| BadArgument::Invalid { reason: error.to_string() };
        A::deserialize(Value::Object(self.values.clone())).map_err(invalid)
    }

    /// Whether an argument was left out.
    pub(crate) fn is_default(&self, name: &str) -> bool {
        self.defaulted.iter().any(|defaulted| defaulted == name)
    }

    /// An argument that does not exist and was probably meant to be `name`.
    pub(crate) fn unknown_like(&self, name: &str) -> Option<&str> {
        let unknown = self.unknown.iter().find(|unknown| unknown.nearest.as_deref() == Some(name))?;
        Some(&unknown.given)
    }

    /// Sentences about how the arguments were interpreted, for the caller.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> + '_ {
        self.corrections.iter().cloned().chain(self.unknown_note())
    }

    /// Tells the caller which of its arguments do not exist. `None` if all do.
    fn unknown_note(&self) -> Option<String> {
        let names: Vec<String> =
            self.unknown.iter().take(MAX_UNKNOWN_NAMES).map(UnknownName::describe).collect();
        (!names.is_empty()).then(|| format!("Unknown arguments were ignored: {}.", names.join(", ")))
    }
}

impl ArgumentSchema {
    /// Checks the arguments of a call and fills in defaults.
    pub(crate) fn check(
        &self,
        mut given: JsonObject,
        format: InputFormat,
    ) -> Result<CheckedArguments, BadArgument> {
        let is_lenient = format == InputFormat::LenientJson;
        if is_lenient {
            self.rename_aliases(&mut given);
            join_lists(&mut given);
        }
        let (mut values, mut defaulted, mut corrections) = (Map::new(), Vec::new(), Vec::new());
        for (name, property) in &self.properties {
            let is_required = self.is_required(name);
            let is_absent = |value: &Value| match value {
                Value::Null => is_lenient,
                Value::String(text) => !is_required && is_text(property) && text.trim().is_empty(),
                _ => false,
            };
            let value = match given.remove(name).filter(|value| !is_absent(value)) {
                Some(value) => match passed_bound(property, &value).filter(|_| is_lenient) {
                    Some(bound) => {
                        corrections.push(format!("`{name}` was set to {bound}, the nearest allowed value."));
                        bound
                    }
                    None => check_value(name, property, &value, format)?,
                },
                None if is_required => {
                    return Err(self.missing(name, property, &given));
                }
                None => match property.get("default") {
                    Some(default) => {
                        defaulted.push(name.clone());
                        default.clone()
                    }
                    None => continue,
                },
            };
            values.insert(name.clone(), value);
        }
        match given.keys().next() {
            Some(name) if !is_lenient => Err(self.unknown(name)),
            _ => {
                let unknown = given.into_iter().map(|(given, _)| {
                    let nearest = self.nearest(&given).map(str::to_owned);
                    UnknownName { given, nearest }
                });
                Ok(CheckedArguments { values, defaulted, unknown: unknown.collect(), corrections })
            }
        }
    }

    /// Renames arguments that agents know from other servers.
    fn rename_aliases(&self, given: &mut JsonObject) {
        for (alias, name) in ALIASES {
            if self.properties.contains_key(name)
                && !given.contains_key(name)
                && let Some(value) = given.remove(alias)
            {
                given.insert(name.to_owned(), value);
            }
        }
    }

    /// The argument whose name is most similar to `given`, if any is similar enough.
    fn nearest(&self, given: &str) -> Option<&str> {
        let given = given.to_lowercase();
        let mut started = self.names().filter(|name| name.starts_with(&given));
        if let (Some(only), None) = (started.next().filter(|_| !given.is_empty()), started.next()) {
            return Some(only);
        }
        let likeness = |name: &&str| strsim::jaro_winkler(name, &given);
        let best = self.names().max_by(|one, other| likeness(one).total_cmp(&likeness(other)))?;
        (likeness(&best) >= MIN_LIKENESS).then_some(best)
    }

    fn missing(&self, name: &str, property: &Value, given: &JsonObject) -> BadArgument {
        let mut others = given.keys().filter(|other| !self.properties.contains_key(*other));
        let given = others.find(|other| self.nearest(other) == Some(name)).cloned();
        BadArgument::Missing { name: name.to_owned(), expected: expected(property), given }
    }

    fn unknown(&self, name: &str) -> BadArgument {
        let known = self.names().collect::<Vec<_>>().join(", ");
        BadArgument::Unknown { name: shortened(name), known }
    }
}

/// Replaces JSON lists by the strings that the schema expects.
fn join_lists(given: &mut JsonObject) {
    for (name, value) in given {
        let Value::Array(items) = value else { continue };
        let Some(texts) = items.iter().map(Value::as_str).collect::<Option<Vec<_>>>() else { continue };
        if LISTS.contains(&name.as_str()) {
            *value = texts.join(",").into();
        } else if PATTERNS.contains(&name.as_str()) {
            *value = texts.iter().map(|text| format!("(?:{text})")).collect::<Vec<_>>().join("|").into();
        }
    }
}

/// Converts a value to the type in its schema.
fn check_value(
    name: &str,
    property: &Value,
    value: &Value,
    format: InputFormat,
) -> Result<Value, BadArgument> {
    let accepted = match (format, value) {
        (InputFormat::UrlQuery, Value::String(text)) => accept(property, &literal(property, text)),
        (InputFormat::LenientJson, Value::String(text)) if !is_text(property) => {
            accept(property, &literal(property, &text.trim().to_ascii_lowercase()))
        }
        _ => accept(property, value),
    };
    accepted.ok_or_else(|| BadArgument::Wrong {
        name: name.to_owned(),
        expected: expected(property),
        found: shortened(&value.to_string()),
    })
}

/// Free text, as opposed to one of several choices.
fn is_text(property: &Value) -> bool {
    property["type"] == "string" && property.get("enum").is_none()
}

/// Parses a text as a number or boolean, if the schema expects one. Surrounding spaces are an error, although JSON would allow
/// them: strict callers should not send them.
fn literal(property: &Value, text: &str) -> Value {
    let is_literal = property["type"] != "string" && text.trim() == text;
    let parsed = if is_literal { serde_json::from_str(text).ok() } else { None };
    parsed.unwrap_or_else(|| text.into())
}

fn accept(property: &Value, value: &Value) -> Option<Value> {
    match property["type"].as_str()? {
        "string" => {
            let choices = property.get("enum").and_then(Value::as_array);
            (value.is_string() && choices.is_none_or(|choices| choices.contains(value)))
                .then(|| value.clone())
        }
        "integer" => whole_number(value).filter(|number| in_range(property, *number as f64)).map(Value::from),
        "number" => value.as_f64().filter(|number| in_range(property, *number)).map(Value::from),
        "boolean" => value.as_bool().map(Value::from),
        _ => None,
    }
}

/// The bound that a whole number exceeds. Such numbers say how much the caller wants, so the nearest allowed value is what it
/// means.
fn passed_bound(property: &Value, value: &Value) -> Option<Value> {
    let written = value.as_str().map_or_else(|| value.clone(), |text| literal(property, text.trim()));
    let number = whole_number(&written).filter(|_| property["type"] == "integer")? as f64;
    let bound = |keyword: &str| property.get(keyword).filter(|bound| bound.is_number());
    let below = bound("minimum").filter(|minimum| minimum.as_f64().is_some_and(|minimum| number < minimum));
    let above = bound("maximum").filter(|maximum| maximum.as_f64().is_some_and(|maximum| number > maximum));
    below.or(above).cloned()
}

fn in_range(property: &Value, number: f64) -> bool {
    let bound = |keyword: &str| property.get(keyword).and_then(Value::as_f64);
    bound("minimum").is_none_or(|minimum| number >= minimum)
        && bound("maximum").is_none_or(|maximum| number <= maximum)
}

fn whole_number(value: &Value) -> Option<u64> {
    // Some callers write 10 as `10.0`.
    value.as_u64().or_else(|| {
        let float = value.as_f64().filter(|float| float.fract() == 0.0 && (0.0..1e15).contains(float))?;
        Some(float as u64)
    })
}

fn expected(property: &Value) -> String {
    let kind = match property["type"].as_str() {
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => return "true or false".into(),
        _ => match property.get("enum").and_then(Value::as_array) {
            Some(choices) => {
                let names: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
                return format!("one of {}", names.join(", "));
            }
            None => return "a string".into(),
        },
    };
    match (property.get("minimum"), property.get("maximum")) {
        (Some(minimum), Some(maximum)) => format!("{kind} from {minimum} to {maximum}"),
        _ => kind.into(),
    }
}

/// Shortens a value or a name for a message.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::json;
    use vectorcode_core::config::SearchConfig;

    use super::*;
    use crate::arguments::CallArguments;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        #[default]
        Auto,
        Fast,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Sample {
        query: String,
        #[schemars(range(min = 1, max = 100))]
        limit: usize,
        #[serde(default)]
        full: bool,
        #[serde(default)]
        mode: Mode,
        path: Option<String>,
    }

    impl CallArguments for Sample {
        fn defaults(_: &SearchConfig) -> JsonObject {
            JsonObject::from_iter([("limit".to_owned(), 10.into())])
        }
    }

    fn check(given: Value, format: InputFormat) -> Result<Sample, BadArgument> {
        let Value::Object(given) = given else { panic!("arguments are an object") };
        ArgumentSchema::of::<Sample>(&SearchConfig::default()).check(given, format)?.parse()
    }

    fn lenient(given: Value) -> Result<Sample, BadArgument> {
        check(given, InputFormat::LenientJson)
    }

    #[test]
    fn defaults_count_when_nothing_is_given() {
        let arguments = lenient(json!({"query": "retry", "limit": null, "path": " "})).unwrap();
        assert_eq!((arguments.limit, arguments.full, arguments.mode), (10, false, Mode::Auto));
        assert_eq!((arguments.query.as_str(), arguments.path), ("retry", None));
    }

    #[test]
    fn numbers_and_flags_in_quotes_are_understood() {
        let arguments =
            lenient(json!({"query": "retry", "limit": "5", "full": "True", "mode": "FAST"})).unwrap();
        assert_eq!((arguments.limit, arguments.full, arguments.mode), (5, true, Mode::Fast));
        assert_eq!(lenient(json!({"query": "retry", "limit": 7.0})).unwrap().limit, 7);
    }

    #[test]
    fn a_wrong_value_is_named_with_what_is_expected() {
        let message = |given| lenient(given).unwrap_err().to_string();
        assert_eq!(message(json!({})), "The argument `query` is missing; it must be a string");
        assert_eq!(
            message(json!({"q": "retry"})),
            "The argument `query` is missing; it must be a string. There is no argument `q`"
        );
        assert_eq!(
            message(json!({"query": "x", "limit": "ten"})),
            "The argument `limit` must be a whole number from 1 to 100, not \"ten\""
        );
        assert_eq!(
            message(json!({"query": "x", "mode": "slow"})),
            "The argument `mode` must be one of auto, fast, not \"slow\""
        );
        assert_eq!(message(json!({"query": 5})), "The argument `query` must be a string, not 5");
    }

    #[test]
    fn a_number_beyond_its_bounds_is_the_nearest_and_a_note_says_so() {
        let schema = ArgumentSchema::of::<Sample>(&SearchConfig::default());
        for (limit, nearest) in [(json!(500), 100), (json!("0"), 1)] {
            let Value::Object(given) = json!({"query": "x", "limit": limit}) else { unreachable!() };
            let checked = schema.check(given, InputFormat::LenientJson).unwrap();
            assert_eq!(checked.parse::<Sample>().unwrap().limit, nearest);
            let notes: Vec<String> = checked.notes().collect();
            assert_eq!(notes, [format!("`limit` was set to {nearest}, the nearest allowed value.")]);
        }
    }

    #[test]
    fn names_of_other_servers_are_understood() {
        assert_eq!(
            lenient(json!({"query": "x", "fileFilter": "src/"})).unwrap().path.as_deref(),
            Some("src/")
        );
        let both = lenient(json!({"query": "x", "fileFilter": "a/", "path": "b/"})).unwrap();
        assert_eq!(both.path.as_deref(), Some("b/"), "our own name counts");
    }

    #[test]
    fn lists_are_the_texts_that_are_meant() {
        let paths = lenient(json!({"query": "x", "path": ["src/", "tests/"]})).unwrap().path;
        assert_eq!(paths.as_deref(), Some("src/,tests/"));
        let Value::Object(mut given) = json!({"match": ["fn a|b", "x"], "query": ["x"]}) else {
            unreachable!()
        };
        join_lists(&mut given);
        assert_eq!(Value::Object(given), json!({"match": "(?:fn a|b)|(?:x)", "query": ["x"]}));
    }

    #[test]
    fn unknown_arguments_are_reported_and_do_not_fail() {
        let schema = ArgumentSchema::of::<Sample>(&SearchConfig::default());
        let Value::Object(given) = json!({"query": "x", "lang": "rust"}) else { unreachable!() };
        let checked = schema.check(given, InputFormat::LenientJson).unwrap();
        assert!(checked.unknown_note().unwrap().contains("`lang`"));
        let Value::Object(given) = json!({"query": "x", "limits": 3, "zebra": 1}) else { unreachable!() };
        let note = schema.check(given, InputFormat::LenientJson).unwrap().unknown_note().unwrap();
        assert_eq!(note, "Unknown arguments were ignored: `limits` (did you mean `limit`?), `zebra`.");
    }

    #[test]
    fn strict_callers_are_told_of_every_mistake() {
        let limit = |given: Value, format| check(given, format).map(|arguments| arguments.limit);
        assert_eq!(limit(json!({"query": "x", "limit": 7}), InputFormat::StrictJson), Ok(7));
        assert_eq!(limit(json!({"query": "x", "limit": "7", "full": "true"}), InputFormat::UrlQuery), Ok(7));
        for mistake in [
            json!({"query": "x", "limit": "7"}),
            json!({"query": "x", "limit": 500}),
            json!({"query": "x", "limit": null}),
            json!({"query": "x", "mode": "FAST"}),
            json!({"query": "x", "lang": "rust"}),
        ] {
            assert!(check(mistake.clone(), InputFormat::StrictJson).is_err(), "{mistake}");
        }
        for mistake in [json!({"query": "x", "limit": "+7"}), json!({"query": "x", "limit": " 7"})] {
            assert!(check(mistake.clone(), InputFormat::UrlQuery).is_err(), "{mistake}");
        }
    }
}
