//! Names the commit that a result is about.

use vectorcode_core::visible_line;

use crate::mcp::answer::ToolAnswer;
use crate::served_project::ServedProject;

/// Adds the commit to a result that is not about the files on disk.
pub(crate) fn about(project: &ServedProject, answer: ToolAnswer) -> ToolAnswer {
    let engine = project.engine();
    let (Some(note), Some(commit)) = (engine.commit_note(), engine.commit()) else { return answer };
    match answer {
        ToolAnswer::Text(text) => ToolAnswer::Text(format!("{}\n{text}", visible_line(&note))),
        ToolAnswer::Value(mut value) => {
            if let Some(fields) = value.as_object_mut() {
                fields.insert("commit".to_owned(), commit.to_string().into());
            }
            ToolAnswer::Value(value)
        }
    }
}
