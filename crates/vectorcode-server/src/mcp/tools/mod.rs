//! The tools, one file each. To add one: a file with its [`ToolSpec`] and its argument struct, a line in [`ALL`], its
//! texts in `texts`, its rendering in `render`, and its section in `docs/mcp.md`.

mod changes;
mod context;
mod graph;
mod history;
mod read;
mod reindex;
mod search;
mod shape;
mod spec;
mod status;
mod symbols;

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::served_project::ServedProject;

pub(crate) use spec::{ToolCall, ToolSpec, ToolSubject};

use spec::Listing;

/// All tools, in the order in which agents see them.
pub(crate) const ALL: [&ToolSpec; 9] = [
    &search::SPEC,
    &read::SPEC,
    &symbols::SPEC,
    &graph::SPEC,
    &changes::SPEC,
    &history::SPEC,
    &context::SPEC,
    &status::SPEC,
    &reindex::SPEC,
];

/// The tools that `tools/list` shows for this project.
pub(crate) fn listed(project: &ServedProject) -> impl Iterator<Item = &'static ToolSpec> {
    let has_artifacts = project.engine().has_artifacts();
    let has_repository = project.root().join(".git").exists();
    ALL.into_iter().filter(move |tool| match tool.listing {
        Listing::Always => true,
        Listing::WithArtifacts => has_artifacts,
        Listing::WithRepository => has_repository,
    })
}

/// Whether a call lists the projects, which needs no project itself.
pub(crate) fn is_project_list(tool: &ToolSpec, given: &JsonObject) -> bool {
    tool.name == status::SPEC.name
        && given.get("action").and_then(Value::as_str) == Some(status::StatusAction::Projects.as_str())
}

#[cfg(test)]
mod tests {
    use vectorcode_core::config::SearchConfig;

    use super::*;
    use crate::budget::tokens;
    use crate::mcp::texts::INSTRUCTIONS;

    /// Some agents reject the whole server because of one of these keywords.
    #[test]
    fn input_schemas_use_plain_keywords_only() {
        for tool in ALL {
            let settings = SearchConfig::default();
            let schema = (tool.arguments)(&settings);
            for argument in tool.listed {
                assert!(schema.names().any(|name| name == argument.name), "{}: {}", tool.name, argument.name);
            }
            let text = Value::Object(schema.listed(tool.listed)).to_string();
            for keyword in ["$ref", "anyOf", "oneOf", "\"format\":\"", "null", "\"const\""] {
                assert!(!text.contains(keyword), "{keyword} in {text}");
            }
        }
    }

    /// An agent cannot use an argument that it has not been shown.
    #[test]
    fn arguments_that_answers_advise_are_listed() {
        for (tool, advised) in [
            (&search::SPEC, &["path", "cursor", "max_tokens"][..]),
            (&read::SPEC, &["max_tokens"]),
            (&symbols::SPEC, &["path", "max_tokens"]),
            (&graph::SPEC, &["limit", "max_tokens"]),
            (&context::SPEC, &["cursor"]),
        ] {
            for name in advised {
                assert!(tool.listed.iter().any(|listed| listed.name == *name), "{}: {name}", tool.name);
            }
        }
    }

    /// Clients do not ask their user before a call that only reads.
    #[test]
    fn tools_that_can_delete_say_so() {
        for tool in ALL {
            let annotations = tool.definition(&SearchConfig::default()).annotations.unwrap_or_default();
            let can_delete = ["vec_status", "vec_context"].contains(&tool.name);
            let only_reads = !can_delete && tool.name != "vec_reindex";
            assert_eq!(annotations.destructive_hint, Some(can_delete), "{}", tool.name);
            assert_eq!(annotations.read_only_hint, Some(only_reads), "{}", tool.name);
        }
    }

    #[test]
    fn defaults_come_from_the_settings() {
        let settings = SearchConfig { default_limit: 7, max_tokens: 900, ..SearchConfig::default() };
        let checked = |settings: &SearchConfig| {
            let schema = (search::SPEC.arguments)(settings);
            let given = serde_json::json!({"query": "x"}).as_object().cloned().unwrap();
            let checked = schema.check(given, crate::arguments::InputFormat::LenientJson).unwrap();
            checked.parse::<serde_json::Map<String, Value>>().unwrap()
        };
        assert_eq!(
            (&checked(&settings)["limit"], &checked(&settings)["max_tokens"]),
            (&7.into(), &900.into())
        );
        assert_eq!(checked(&SearchConfig::default())["limit"], 20);
    }

    /// The texts are constants, so they cannot show the settings.
    #[test]
    fn default_budgets_in_texts_are_those_of_the_settings() {
        let budget = SearchConfig::default().max_tokens;
        for (tool, budget) in [(&search::SPEC, budget), (&read::SPEC, 2 * budget)] {
            let listed = tool.listed.iter().find(|listed| listed.name == "max_tokens").expect("it is listed");
            assert_eq!(listed.description, format!("Default {budget}"), "{}", tool.name);
        }
    }

    /// Every session of every agent pays for these, whether it calls a tool or not.
    #[test]
    fn what_is_listed_costs_little() {
        let cost: usize = ALL
            .into_iter()
            .map(|tool| {
                let definition = tool.definition(&SearchConfig::default());
                tokens(&format!("{} {}", tool.name, tool.description))
                    + tokens(&Value::Object((*definition.input_schema).clone()).to_string())
            })
            .sum();
        assert!(cost + tokens(INSTRUCTIONS) < 1_200, "{cost} and {}", tokens(INSTRUCTIONS));
    }
}
