//! Where the paths of another project's answer belong.

use vectorcode_core::visible_line;
use vectorcode_engine::Engine;

/// Tells the caller what the paths of an answer from another project are relative to.
pub(crate) fn root_note(engine: &Engine) -> String {
    let root = engine.project().root().display().to_string();
    format!("Paths are relative to {}.", visible_line(&root))
}
