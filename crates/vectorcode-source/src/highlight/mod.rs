//! Syntax highlighting from the same trees and rules that the index is made from.
//!
//! No highlighting queries are bundled: node kinds are classified by name ([`look`]), and the language's own rules,
//! which know what defines and what calls, tell functions and types from other names ([`walk`]).

mod look;
mod markdown;
mod paint;
mod walk;

use vectorcode_core::Token;

use crate::languages::{Language, Structure};
use crate::parse::with_tree;

/// The classified parts of a text, in order and without overlaps. A language without a structure yields none.
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
