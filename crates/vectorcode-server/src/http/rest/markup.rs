//! `markup=true`: responses with syntax highlighting and matches, for clients that show code to people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vectorcode_core::Utf16Markup;
use vectorcode_core::api::{Cursor, FileLinks, FileResponse, Hit, SearchResponse, SearchTarget};
use vectorcode_engine::{Engine, syntax};

use crate::failure::Failure;
use crate::served_project::ServedProject;

/// The argument that requests markup.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(super) struct MarkupOption {
    /// Add `markup` to each result: `tokens` as [start, end, class] and `matches` of the query's words as [start, end],
    /// both in UTF-16 units of `content`.
    #[serde(default)]
    markup: bool,
}

/// A search response whose hits may have markup.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MarkedSearchResponse {
    hits: Vec<MarkedHit>,
    /// Number of hits that passed filters and threshold, on all pages.
    total: usize,
    /// How many of them are likely to answer; the others are weak.
    likely: usize,
    /// All hits are weak: these are the nearest, but probably not what the query is about.
    weak: bool,
    /// Present when there is a next page.
    next: Option<Cursor>,
    /// Fraction of the chunks, 0 to 1, that have an embedding of the provider; `null` if the mode does not use them.
    semantic_coverage: Option<f32>,
    /// What could not be used and why, as sentences.
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

/// A file that may have markup and links.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MarkedFile {
    #[serde(flatten)]
    file: FileResponse,
    #[serde(skip_serializing_if = "Option::is_none")]
    markup: Option<Utf16Markup>,
    /// Set if `links` was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) links: Option<FileLinks>,
}

impl MarkupOption {
    /// The response, with markup if it was requested.
    pub(super) async fn mark(
        self,
        project: &ServedProject,
        target: SearchTarget,
        response: SearchResponse,
    ) -> Result<MarkedSearchResponse, Failure> {
        if !self.markup {
            let unmarked = |hit| MarkedHit { hit, markup: None };
            return Ok(with_hits(response, |hits| hits.into_iter().map(unmarked).collect()));
        }
        project.run(move |engine| Ok(with_hits(response, |hits| marked(engine, &target, hits)))).await
    }

    /// The file, with markup if it was requested.
    pub(super) async fn mark_file(
        self,
        project: &ServedProject,
        file: FileResponse,
    ) -> Result<MarkedFile, Failure> {
        if !self.markup {
            return Ok(MarkedFile { file, markup: None, links: None });
        }
        let mark = move |engine: &Engine| {
            let markup = syntax(engine.project(), &file.path, &file.content);
            let markup = Some(markup.in_utf16(&file.content));
            Ok(MarkedFile { file, markup, links: None })
        };
        project.run(mark).await
    }
}

fn marked(engine: &Engine, target: &SearchTarget, hits: Vec<Hit>) -> Vec<MarkedHit> {
    let markups = engine.markup(target, &hits);
    let mark = |(hit, markup): (Hit, vectorcode_core::Markup)| {
        let markup = Some(markup.in_utf16(&hit.content));
        MarkedHit { hit, markup }
    };
    hits.into_iter().zip(markups).map(mark).collect()
}

fn with_hits(
    response: SearchResponse,
    mark: impl FnOnce(Vec<Hit>) -> Vec<MarkedHit>,
) -> MarkedSearchResponse {
    MarkedSearchResponse {
        hits: mark(response.hits),
        total: response.total,
        likely: response.likely,
        weak: response.weak,
        next: response.next,
        semantic_coverage: response.semantic_coverage,
        notes: response.notes,
        took_ms: response.took_ms,
    }
}
