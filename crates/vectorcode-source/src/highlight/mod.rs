//! Syntax highlighting, based on the same syntax trees and rules as the index.
//!
//! No highlighting queries are bundled. Node kinds are classified by their name ([`look`]). The rules of the language
//! know definitions and calls, so they separate functions and types from other names ([`walk`]).

mod look;
mod markdown;
mod paint;
mod walk;

use vectorcode_core::Token;

use crate::languages::{Language, Structure};
use crate::parse::with_tree;

/// The tokens of a text, in order and without overlaps. Empty for a language without a structure.
pub fn highlight(language: &Language, text: &str) -> Vec<Token> {
    match &language.structure {
        Structure::Tree(syntax) => {
            let Some(table) = syntax.table() else { return Vec::new() };
            with_tree(text, table.language, |root| walk::tokens(root, text, language, syntax, table))
                .unwrap_or_default()
        }
        Structure::Headings => markdown::tokens(text),
        Structure::Lines => Vec::new(),
    }
}
