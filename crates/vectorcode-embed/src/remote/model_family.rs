//! Properties of models, found by name whichever server runs them: the prefixes that they were trained with, and whether their
//! vectors may be shortened.

use std::borrow::Cow;

use crate::TextKind;

/// Models that were trained with the same prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModelFamily {
    /// Substring of the names of its models, in lower case.
    marker: &'static str,
    document_prefix: &'static str,
    query_prefix: &'static str,
    /// Whether the first dimensions of a vector form a usable vector.
    pub is_matryoshka: bool,
}

const PASSAGES: &str = "Represent this sentence for searching relevant passages: ";
const CODE: &str = "Represent this query for searching relevant code: ";
const INSTRUCTION: &str = "Instruct: Given a question about code, retrieve the code that answers it\nQuery:";

const fn family(
    marker: &'static str,
    document_prefix: &'static str,
    query_prefix: &'static str,
    is_matryoshka: bool,
) -> ModelFamily {
    ModelFamily { marker, document_prefix, query_prefix, is_matryoshka }
}

/// The first family whose marker occurs in the name of a model is used, so the order matters.
const FAMILIES: [ModelFamily; 15] = [
    family("embeddinggemma", "title: none | text: ", "task: code retrieval | query: ", true),
    family("gemini-embedding-2", "title: none | text: ", "task: code retrieval | query: ", true),
    family("nomic-embed-text", "search_document: ", "search_query: ", true),
    family("nomic-embed-code", "", CODE, false),
    family("coderankembed", "", CODE, false),
    family("mxbai-embed", "", PASSAGES, true),
    family("arctic-embed2", "", "query: ", true),
    family("arctic-embed", "", PASSAGES, false),
    family("bge-small", "", PASSAGES, false),
    family("bge-base", "", PASSAGES, false),
    family("bge-large", "", PASSAGES, false),
    family("qwen3-embedding", "", INSTRUCTION, true),
    family("e5-small", "passage: ", "query: ", false),
    family("e5-base", "passage: ", "query: ", false),
    family("e5-large", "passage: ", "query: ", false),
];

impl ModelFamily {
    /// No prefixes, and vectors that cannot be shortened: the fallback for unknown models.
    pub const PLAIN: Self = family("", "", "", false);

    pub fn of(model: &str) -> Self {
        let model = model.to_lowercase();
        FAMILIES.into_iter().find(|family| model.contains(family.marker)).unwrap_or(Self::PLAIN)
    }

    pub fn prefixed<'t>(&self, kind: TextKind, text: &'t str) -> Cow<'t, str> {
        let prefix = match kind {
            TextKind::Document => self.document_prefix,
            TextKind::Query => self.query_prefix,
        };
        if prefix.is_empty() { text.into() } else { format!("{prefix}{text}").into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(model: &str) -> [String; 2] {
        let family = ModelFamily::of(model);
        [TextKind::Document, TextKind::Query].map(|kind| family.prefixed(kind, "x").into_owned())
    }

    #[test]
    fn models_are_known_by_name_on_every_server() {
        for model in
            ["nomic-embed-text:latest", "text-embedding-nomic-embed-text-v1.5", "nomic-ai/Nomic-Embed-Text"]
        {
            assert_eq!(both(model), ["search_document: x", "search_query: x"], "{model}");
        }
        assert_eq!(both("embeddinggemma:300m"), ["title: none | text: x", "task: code retrieval | query: x"]);
        assert_eq!(both("intfloat/multilingual-e5-large"), ["passage: x", "query: x"]);
        assert_eq!(both("mxbai-embed-large"), ["x".to_owned(), format!("{PASSAGES}x")]);
        assert_eq!(both("snowflake-arctic-embed2:568m"), ["x", "query: x"]);
    }

    #[test]
    fn texts_for_other_models_stay_as_they_are() {
        for model in ["text-embedding-3-small", "voyage-code-3", "bge-m3", "all-minilm"] {
            assert_eq!(both(model), ["x", "x"], "{model}");
        }
    }
}
