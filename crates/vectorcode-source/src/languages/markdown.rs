//! Markdown, divided by its headings, which needs no grammar.

use vectorcode_core::ContentClass;

use super::language::{Language, Structure};

pub static LANGUAGE: Language = Language {
    name: "markdown",
    title: "Markdown",
    class: ContentClass::Docs,
    extensions: &["md", "markdown", "mdx", "mdc", "livemd", "qmd", "rmd"],
    structure: Structure::Headings,
    ..Language::PLAIN
};
