//! The tools, one file each. To add one: a file with its [`ToolSpec`] and its argument struct, a line in [`ALL`], its
//! texts in `texts`, its output schema in `schema`, and its rendering in `render`.

mod context;
mod graph;
mod paging;
mod reindex;
mod search;
mod similar;
mod spec;
mod status;
mod symbols;

pub(crate) use spec::{Call, ToolSpec};

/// All tools, in the order in which agents see them.
pub(crate) const ALL: [&ToolSpec; 7] = [
    &search::SPEC,
    &similar::SPEC,
    &graph::SPEC,
    &symbols::SPEC,
    &context::SPEC,
    &status::SPEC,
    &reindex::SPEC,
];

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use vectorcode_core::config::SearchConfig;

    use super::*;

    /// Some agents reject a whole server because of one of these.
    #[test]
    fn input_schemas_use_plain_keywords_only() {
        for tool in ALL {
            let schema = (tool.arguments)(&SearchConfig::default()).to_object();
            let properties = schema["properties"].as_object().unwrap();
            for (name, property) in properties {
                assert!(property["type"].is_string(), "{}: {name}: {property}", tool.name);
                assert!(property["description"].is_string(), "{}: {name} has no description", tool.name);
            }
            let text = Value::Object(schema).to_string();
            for keyword in ["$ref", "anyOf", "oneOf", "\"format\":\"", "null", "\"const\""] {
                assert!(!text.contains(keyword), "{keyword} in {text}");
            }
        }
    }

    #[test]
    fn defaults_come_from_the_settings() {
        let settings = SearchConfig { default_limit: 7, max_tokens: 900, ..SearchConfig::default() };
        let schema = (search::SPEC.arguments)(&settings).to_object();
        assert_eq!(schema["properties"]["limit"]["default"], 7);
        assert_eq!(schema["properties"]["max_tokens"]["default"], 900);
        assert_eq!(schema["required"], serde_json::json!(["query"]));
    }
}
