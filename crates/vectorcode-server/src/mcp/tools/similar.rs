//! `vec_similar`: code like a snippet, or like the code at a place.

use std::path::Path;

use vectorcode_core::api::SearchTarget;
use vectorcode_core::config::SearchConfig;

use super::{Call, Effect, ToolSpec, search};
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::arguments::Argument;
use crate::mcp::render::search as page;
use crate::mcp::texts::similar as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_similar",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments,
    output: page::schema,
    call: |call| Box::pin(similar(call)),
};

fn arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments =
        vec![Argument::text("snippet", texts::SNIPPET), Argument::text("location", texts::LOCATION)];
    arguments.extend(search::filters(config));
    arguments
}

async fn similar(call: Call) -> Result<Answer, Failure> {
    match (call.arguments.text("snippet"), call.arguments.text("location")) {
        (Some(snippet), None) => {
            let target = SearchTarget::Snippet(snippet.to_owned());
            search::answer(&call, target, "the given snippet").await
        }
        (None, Some(location)) => {
            let (path, line) = place(location)?;
            let path = call.backend.engine().project().relative(Path::new(path))?;
            let subject = format!("code like {path}:{line}");
            search::answer(&call, SearchTarget::Location { path, line }, &subject).await
        }
        _ => Err(Failure::mendable(
            "Give either `snippet` or `location`.",
            "`location` is a file and a line of this project, for example \"src/payment/retry.ts:45\".",
        )),
    }
}

/// `src/a.rs:45`, `src/a.rs:45-92` and `src/a.rs:45:7` all mean line 45.
fn place(location: &str) -> Result<(&str, u32), Failure> {
    let bad = || {
        Failure::mendable(
            format!("{location:?} is not a place in a file."),
            "Write it as file:line, for example \"src/payment/retry.ts:45\".",
        )
    };
    let mut rest = location.trim();
    let mut line = None;
    while let Some((before, after)) = rest.rsplit_once(':') {
        let Ok(number) = after.split('-').next().unwrap_or(after).parse::<u32>() else { break };
        (rest, line) = (before, Some(number));
    }
    line.filter(|line| *line > 0 && !rest.is_empty()).map(|line| (rest, line)).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_in_all_usual_forms() {
        for form in ["src/a.rs:45", "src/a.rs:45-92", "src/a.rs:45:7", " src/a.rs:45 "] {
            assert_eq!(place(form).unwrap(), ("src/a.rs", 45), "{form}");
        }
        assert_eq!(place("C:\\a.rs:3").unwrap(), ("C:\\a.rs", 3));
        for form in ["src/a.rs", "src/a.rs:", "src/a.rs:0", ":5", "src/a.rs:x"] {
            assert!(place(form).is_err(), "{form}");
        }
    }
}
