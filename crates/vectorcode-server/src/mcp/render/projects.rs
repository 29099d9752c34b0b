//! Renders the list of projects, the project that a result is about, and the effect of project actions.

use std::fmt::Write;

use serde_json::json;
use vectorcode_core::api::{ProjectSummary, ProjectsResponse};
use vectorcode_core::visible_line;

use super::notes::note_lines;
use crate::mcp::answer::{Rendered, ToolAnswer};
use crate::served_project::ServedProject;
use crate::units::grouped;

const NONE: &str =
    "No project has been indexed yet. Name one by its absolute path as `project` to have it indexed.";

pub(crate) fn list(response: &ProjectsResponse) -> Rendered {
    let mut text = match response.projects.len() {
        0 => NONE.to_owned(),
        1 => "1 project".to_owned(),
        count => format!("{count} projects"),
    };
    for project in &response.projects {
        let _ = write!(text, "\n{}", line(project));
    }
    text.push_str(&note_lines(&response.notes));
    Rendered { text, value: json!({"projects": response.projects, "notes": response.notes}) }
}

/// `api /home/ada/api: 412 files, 3,180 chunks, this one, open, watched`
fn line(project: &ProjectSummary) -> String {
    let contents = match (project.files, project.chunks, &project.problem) {
        (Some(files), Some(chunks), _) => format!("{} files, {} chunks", grouped(files), grouped(chunks)),
        (_, _, Some(problem)) => problem.clone(),
        _ => "cannot be searched".to_owned(),
    };
    let marks = [(project.current, "this one"), (project.open, "open"), (project.watched, "watched")];
    let marks = marks.into_iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| mark);
    let state: Vec<&str> = std::iter::once(contents.as_str()).chain(marks).collect();
    format!("{} {}: {}", visible_line(&project.name), visible_line(&project.root), state.join(", "))
}

/// Adds the project to a result that is not about the caller's own project.
pub(crate) fn about(project: &ServedProject, answer: ToolAnswer) -> ToolAnswer {
    let root = project.root().display().to_string();
    match answer {
        ToolAnswer::Text(text) => {
            ToolAnswer::Text(format!("In {}, paths relative to it:\n{text}", visible_line(&root)))
        }
        ToolAnswer::Value(mut value) => {
            if let Some(fields) = value.as_object_mut() {
                fields.entry("project_root").or_insert_with(|| root.into());
            }
            ToolAnswer::Value(value)
        }
    }
}

pub(crate) fn removed(root: &str) -> Rendered {
    let text = format!("Removed the index of {}, and stopped watching it.", visible_line(root));
    Rendered { text, value: json!({"state": "removed", "project_root": root}) }
}

pub(crate) fn watching(root: &str, is_watching: bool) -> Rendered {
    let root_line = visible_line(root);
    let text = if is_watching {
        format!("Watching {root_line}: its index follows every change, and it stays open.")
    } else {
        format!("No longer watching {root_line}. Its index stays; action \"reindex\" brings it up to date.")
    };
    Rendered {
        text,
        value: json!({"state": if is_watching { "watching" } else { "idle" }, "project_root": root}),
    }
}
