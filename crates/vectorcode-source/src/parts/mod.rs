//! Files that contain several languages: single-file components and notebooks.
//!
//! A part consists of a language and the ranges of the text that are written in it. Each part is parsed by the grammar of its
//! language, in place, so that line numbers and offsets need no translation. `extract` extracts from the parts.

mod components;
mod notebook;

use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::languages::{Language, Structure, by_name};

pub(crate) use notebook::Notebook;

/// A part of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The ranges to parse, in order, on character boundaries. There are several if other parts are in between.
    pub ranges: Vec<Range<usize>>,
    /// From start to end, including the enclosing tags.
    pub whole: Range<usize>,
    #[serde(serialize_with = "write_name", deserialize_with = "read_name")]
    pub language: &'static Language,
    pub role: PartRole,
    /// Position of the path, if the part is in another file: `src` in `<script src="./menu.ts">`.
    pub linked: Option<Range<usize>>,
}

/// How the parts of a file appear in its outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PartRole {
    /// Items in the part are items of the file.
    Code,
    /// The part is one item, which contains the items in it.
    Item(PartKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PartKind {
    CodeCell,
    RawCell,
    Template,
    Style,
}

impl PartKind {
    /// The kind of the part's chunks.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CodeCell => "code_cell",
            Self::RawCell => "raw_cell",
            Self::Template => "template",
            Self::Style => "style",
        }
    }
}

/// The parts of a text. Empty if files of the language have only one. Parts of a notebook are found while it is decoded.
pub(crate) fn parts_of(language: &Language, text: &str) -> Vec<Part> {
    match language.structure {
        Structure::Component(layout) => components::parts(layout, text),
        Structure::Tree(_) | Structure::Headings | Structure::Notebook | Structure::Lines => Vec::new(),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn write_name<S: Serializer>(language: &&'static Language, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(language.name)
}

fn read_name<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Language, D::Error> {
    let name = <&str>::deserialize(from)?;
    by_name(name).ok_or_else(|| serde::de::Error::custom("an unknown language"))
}
