//! Which environment variables set a key, and how their values are parsed.
//!
//! Every key has a variable named by rule: `VECTORCODE_SEARCH_DEFAULT_LIMIT` for `search.default_limit`. Some keys have
//! additional names: short ones, and well-known ones of other programs. The environment belongs to the user, so none of these
//! variables needs an approval.

use toml::{Table, Value};

use super::{ProviderName, RerankServerConfig};

const PREFIX: &str = "VECTORCODE_";
const OLLAMA_HOST: &str = "OLLAMA_HOST";
const OLLAMA_PORT: u16 = 11434;

/// Additional names, apart from those of the providers' API keys. Generic names such as `EMBEDDING_PROVIDER` are not read: if
/// they were set for another program, they would send code to a service that the user did not choose for vectorcode.
const FURTHER: [(&str, &str); 8] = [
    ("OLLAMA_URL", "provider.ollama.url"),
    (OLLAMA_HOST, "provider.ollama.url"),
    ("OPENAI_BASE_URL", "provider.openai.base_url"),
    ("GOOGLE_API_KEY", "provider.gemini.api_key"),
    ("VECTORCODE_PROVIDER", "provider.name"),
    ("VECTORCODE_NO_WATCH", "watcher.disabled"),
    ("VECTORCODE_DEBOUNCE_MS", "watcher.debounce_ms"),
    (RerankServerConfig::KEY_VARIABLE, "rerank.server.api_key"),
];

/// In megabytes, although the key is in bytes.
const MAX_FILE_SIZE_MB: &str = "MAX_FILE_SIZE_MB";
const BYTES_IN_MB: f64 = 1_048_576.0;

/// Variables of `SocratiCode` that cause nothing to be sent anywhere. They are not documented: they exist so that an existing
/// setup keeps working.
const OF_SOCRATICODE: [(&str, &str); 3] = [
    ("SEARCH_DEFAULT_LIMIT", "search.default_limit"),
    ("SEARCH_MIN_SCORE", "search.default_threshold"),
    (MAX_FILE_SIZE_MB, "indexing.max_file_size"),
];

/// Every variable that sets a key, in ascending order of precedence.
pub fn variables_of(key: &str) -> Vec<String> {
    let further = OF_SOCRATICODE.iter().chain(&FURTHER).filter(|(_, known)| *known == key);
    let further = further.map(|(variable, _)| (*variable).to_owned());
    let own = further.chain(key_variable(key).map(str::to_owned));
    own.chain([general_variable(key)]).collect()
}

/// The variable to show for a key in documents and settings files, unless it is the one named by rule.
pub(super) fn named_variable(key: &str) -> Option<&'static str> {
    let further = FURTHER.iter().rev().find(|(_, known)| *known == key).map(|(variable, _)| *variable);
    key_variable(key).or(further)
}

/// The variable of a provider's API key.
fn key_variable(key: &str) -> Option<&'static str> {
    let is_key_of = |provider: &ProviderName| format!("provider.{}.api_key", provider.as_str()) == key;
    ProviderName::ALL.into_iter().find(is_key_of)?.key_variable()
}

/// The variable named by rule.
fn general_variable(key: &str) -> String {
    PREFIX.to_owned() + &key.replace('.', "_").to_ascii_uppercase()
}

/// Parses the value of a variable into the type of `like`; `None` if it is not valid.
pub(super) fn parse(variable: &str, text: &str, like: Option<&Value>) -> Option<Value> {
    if variable == OLLAMA_HOST {
        return Some(Value::String(ollama_url(text)));
    }
    if variable == MAX_FILE_SIZE_MB {
        return text.parse::<f64>().ok().map(|megabytes| Value::Integer((megabytes * BYTES_IN_MB) as i64));
    }
    match like {
        Some(Value::Boolean(_)) => flag(text).map(Value::Boolean),
        Some(Value::Integer(_)) => text.parse().ok().map(Value::Integer),
        Some(Value::Float(_)) => text.parse().ok().map(Value::Float),
        Some(Value::Array(_)) => list(text),
        _ => Some(Value::String(text.into())),
    }
}

fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// `["a", "b"]` as in a settings file, or `a,b`.
fn list(text: &str) -> Option<Value> {
    if text.trim_start().starts_with('[') {
        return format!("value = {text}").parse::<Table>().ok()?.remove("value");
    }
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Some(Value::Array(items.map(|item| Value::String(item.into())).collect()))
}

/// Ollama uses this variable both for the address that its server listens on (`0.0.0.0`, `:8080`) and for the one that
/// clients connect to.
fn ollama_url(text: &str) -> String {
    let (scheme, rest, usual_port) = match text.trim().split_once("://") {
        Some(("https", rest)) => ("https", rest, 443),
        // An explicit scheme implies its default port, as in Ollama's own clients.
        Some((scheme, rest)) => (scheme, rest, 80),
        None => ("http", text.trim(), OLLAMA_PORT),
    };
    let rest = rest.trim_end_matches('/');
    let (address, path) =
        rest.split_once('/').map_or((rest, String::new()), |(address, path)| (address, format!("/{path}")));
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => (host, port.to_owned()),
        _ => (address, usual_port.to_string()),
    };
    let host = if matches!(host, "" | "0.0.0.0" | "[::]") { "127.0.0.1" } else { host };
    format!("{scheme}://{host}:{port}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rule_names_a_variable_for_every_key() {
        assert_eq!(variables_of("server.idle_secs"), ["VECTORCODE_SERVER_IDLE_SECS"]);
        assert_eq!(
            variables_of("provider.gemini.api_key"),
            ["GOOGLE_API_KEY", "GEMINI_API_KEY", "VECTORCODE_PROVIDER_GEMINI_API_KEY"]
        );
        assert_eq!(named_variable("provider.gemini.api_key"), Some("GEMINI_API_KEY"));
        assert_eq!(named_variable("search.default_limit"), None);
    }

    #[test]
    fn the_address_that_ollama_listens_on_becomes_one_to_ask() {
        for (text, url) in [
            ("0.0.0.0", "http://127.0.0.1:11434"),
            (":8080", "http://127.0.0.1:8080"),
            ("gpu.local:9000", "http://gpu.local:9000"),
            ("https://ollama.example.com/", "https://ollama.example.com:443"),
            ("http://localhost:11434", "http://localhost:11434"),
        ] {
            assert_eq!(ollama_url(text), url, "{text}");
        }
    }

    #[test]
    fn what_was_set_for_socraticode_holds_unless_our_own_variable_is_set() {
        assert_eq!(
            variables_of("search.default_limit"),
            ["SEARCH_DEFAULT_LIMIT", "VECTORCODE_SEARCH_DEFAULT_LIMIT"]
        );
        assert_eq!(parse(MAX_FILE_SIZE_MB, "5", None), Some(Value::Integer(5 << 20)));
        assert_eq!(parse(MAX_FILE_SIZE_MB, "many", None), None);
    }

    #[test]
    fn lists_are_written_as_in_a_file_or_with_commas() {
        let expected: Value = Value::Array(vec!["a".into(), "b".into()]);
        assert_eq!(list("[\"a\", \"b\"]"), Some(expected.clone()));
        assert_eq!(list("a, b"), Some(expected));
        assert_eq!(list("[oops"), None);
    }
}
