//! Files that hold several languages: single-file components and notebooks.
//!
//! A part is a language and the ranges of the text that are written in it. Each part is parsed by the grammar of its
//! language, at its place in the file, so that lines and offsets need no translation. Extracting from the parts is left
//! to `extract`.

mod components;
mod notebook;

use std::ops::Range;

use crate::languages::{Language, Structure};

pub(crate) use notebook::Notebook;

/// A part of a file.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// What is parsed, in order, on character boundaries. More than one where other parts lie between.
    pub ranges: Vec<Range<usize>>,
    /// From its start to its end, with the tags around it.
    pub whole: Range<usize>,
    pub language: &'static Language,
    pub role: PartRole,
    /// Where the path of the file is that it is read from: `src` in `<script src="./menu.ts">`.
    pub linked: Option<Range<usize>>,
}

/// How the parts of a file appear in its outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartRole {
    /// The items in it are items of the file.
    Code,
    /// One item of this kind, with the items in it below.
    Item(&'static str),
}

/// The parts of a text. Empty for a language whose files are one text. Those of a notebook are found when it is decoded.
pub(crate) fn parts_of(language: &Language, text: &str) -> Vec<Part> {
    match language.structure {
        Structure::Component(layout) => components::parts(layout, text),
        Structure::Tree(_) | Structure::Headings | Structure::Notebook | Structure::Lines => Vec::new(),
    }
}
