//! Files that hold several languages: single-file components and notebooks.
//!
//! A part is a language and the ranges of the text that are written in it. Each part is parsed by the grammar of its
//! language, at its place in the file, so that lines and offsets need no translation. Extracting from the parts is left
//! to `extract`.

mod components;
mod notebook;

use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::languages::{Language, Structure, by_name};

pub(crate) use notebook::Notebook;

/// A part of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    /// What is parsed, in order, on character boundaries. More than one where other parts lie between.
    pub ranges: Vec<Range<usize>>,
    /// From its start to its end, with the tags around it.
    pub whole: Range<usize>,
    #[serde(serialize_with = "write_name", deserialize_with = "read_name")]
    pub language: &'static Language,
    pub role: PartRole,
    /// Where the path of the file is that it is read from: `src` in `<script src="./menu.ts">`.
    pub linked: Option<Range<usize>>,
}

/// How the parts of a file appear in its outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PartRole {
    /// The items in it are items of the file.
    Code,
    /// One item, with the items in it below.
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
    /// The kind of its chunks.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CodeCell => "code_cell",
            Self::RawCell => "raw_cell",
            Self::Template => "template",
            Self::Style => "style",
        }
    }
}

/// The parts of a text. Empty for a language whose files are one text. Those of a notebook are found when it is decoded.
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
