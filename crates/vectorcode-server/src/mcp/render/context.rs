//! Renders the list of context artifacts: the documents that a project names, each with its purpose and its state.

use std::fmt::Write;

use serde_json::json;
use vectorcode_core::api::{ArtifactStatus, ContextResponse};
use vectorcode_core::visible_line;

use crate::mcp::answer::Rendered;
use crate::units::grouped;

const NONE: &str = "This project names no context artifacts.\nDefine them in .vectorcode/config.toml as [[artifacts]] \
with a name, a path and a description.";

pub(crate) fn list(response: &ContextResponse) -> Rendered {
    let mut text = match response.artifacts.len() {
        0 => NONE.to_owned(),
        1 => "1 context artifact".to_owned(),
        count => format!("{count} context artifacts"),
    };
    for artifact in &response.artifacts {
        let _ = write!(text, "\n\n{}", block(artifact));
    }
    for note in &response.notes {
        let _ = write!(text, "\n\nNote: {note}");
    }
    Rendered { text, value: json!({"artifacts": response.artifacts, "notes": response.notes}) }
}

fn block(artifact: &ArtifactStatus) -> String {
    let ArtifactStatus { name, path, description, state, files, chunks, problem, .. } = artifact;
    let plural = if *files == 1 { "" } else { "s" };
    let mut text = format!(
        "{} ({}): {}, {} file{plural}, {} chunks",
        visible_line(name),
        visible_line(path),
        state.as_str(),
        grouped(*files),
        grouped(*chunks)
    );
    if !description.is_empty() {
        let _ = write!(text, "\n    {}", visible_line(description));
    }
    if let Some(problem) = problem {
        let _ = write!(text, "\n    Problem: {problem}");
    }
    text
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::ArtifactState;

    use super::*;

    #[test]
    fn a_list_shows_state_and_problems() {
        let artifact = |name: &str, state, problem: Option<&str>| ArtifactStatus {
            name: name.into(),
            path: format!("docs/{name}"),
            description: format!("All about {name}."),
            defined_in: "config.toml".into(),
            state,
            files: 1,
            chunks: 1200,
            problem: problem.map(str::to_owned),
        };
        let response = ContextResponse {
            artifacts: vec![
                artifact("schema", ArtifactState::Indexed, None),
                artifact("api", ArtifactState::Missing, Some("there is nothing at docs/api")),
            ],
            notes: vec!["The context artifact `api` is defined twice.".into()],
        };
        insta::assert_snapshot!(list(&response).text, @r"
        2 context artifacts

        schema (docs/schema): indexed, 1 file, 1,200 chunks
            All about schema.

        api (docs/api): missing, 1 file, 1,200 chunks
            All about api.
            Problem: there is nothing at docs/api

        Note: The context artifact `api` is defined twice.
        ");
        assert!(list(&ContextResponse::default()).text.contains("[[artifacts]]"));
    }
}
