//! `markup=true`: answers that also say how their code reads, for those who show it to people.

use schemars::JsonSchema;
use serde::Serialize;
use vectorcode_core::Utf16Markup;
use vectorcode_core::api::{Cursor, FileResponse, Hit, SearchResponse, SearchTarget};
use vectorcode_engine::{Engine, syntax};

use super::operation::Call;
use crate::arguments::Argument;
use crate::backend::Panicked;

const MARKUP: &str = "Say how the code reads: `tokens` as [start, end, class] and `matches` of the query's words as \
                      [start, end], both in UTF-16 units of `content`.";

pub(super) fn argument() -> Argument {
    Argument::flag("markup", MARKUP).or(false)
}

/// A search's answer, whose hits may say how they read.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SearchAnswer {
    hits: Vec<MarkedHit>,
    /// How many hits passed filters and threshold, this page and all others.
    total: usize,
    /// Present when there is a next page.
    next: Option<Cursor>,
    /// Part of the index, 0 to 1, that has vectors of stage two; `null` when the mode did not want them.
    semantic_coverage: Option<f32>,
    /// What could not take part and why, as sentences.
    notes: Vec<String>,
    took_ms: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MarkedHit {
    #[serde(flatten)]
    hit: Hit,
    #[serde(skip_serializing_if = "Option::is_none")]
    markup: Option<Utf16Markup>,
}

/// A file that may say how it reads.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileAnswer {
    #[serde(flatten)]
    file: FileResponse,
    #[serde(skip_serializing_if = "Option::is_none")]
    markup: Option<Utf16Markup>,
}

/// The hits as they came, marked if the caller asked for it.
pub(super) async fn mark(
    call: &Call,
    target: SearchTarget,
    response: SearchResponse,
) -> Result<SearchAnswer, Panicked> {
    if !call.arguments.flag("markup") {
        return Ok(answer(response, |hits| {
            hits.into_iter().map(|hit| MarkedHit { hit, markup: None }).collect()
        }));
    }
    call.backend.run(move |engine| answer(response, |hits| marked(engine, &target, hits))).await
}

fn marked(engine: &Engine, target: &SearchTarget, hits: Vec<Hit>) -> Vec<MarkedHit> {
    let markups = engine.markup(target, &hits);
    let mark = |(hit, markup): (Hit, vectorcode_core::Markup)| {
        let markup = Some(markup.in_utf16(&hit.content));
        MarkedHit { hit, markup }
    };
    hits.into_iter().zip(markups).map(mark).collect()
}

fn answer(response: SearchResponse, mark: impl FnOnce(Vec<Hit>) -> Vec<MarkedHit>) -> SearchAnswer {
    SearchAnswer {
        hits: mark(response.hits),
        total: response.total,
        next: response.next,
        semantic_coverage: response.semantic_coverage,
        notes: response.notes,
        took_ms: response.took_ms,
    }
}

/// The file as it came, marked if the caller asked for it.
pub(super) async fn mark_file(call: &Call, file: FileResponse) -> Result<FileAnswer, Panicked> {
    if !call.arguments.flag("markup") {
        return Ok(FileAnswer { file, markup: None });
    }
    let mark = move |_: &Engine| {
        let markup = Some(syntax(&file.path, &file.content).in_utf16(&file.content));
        FileAnswer { file, markup }
    };
    call.backend.run(mark).await
}
