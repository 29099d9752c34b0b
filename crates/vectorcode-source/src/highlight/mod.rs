//! Syntax highlighting, based on the same syntax trees and rules as the index.
//!
//! No highlighting queries are bundled. Node kinds are classified by their name ([`rule`]). The rules of the language
//! know definitions and calls, so they separate functions and types from other names ([`walk`]).

mod markdown;
mod paint;
mod rule;
mod walk;

use tree_sitter::Node;
use vectorcode_core::Token;

use crate::languages::{Language, Structure};
use crate::lines::Lines;
use crate::parse::{PartedText, with_tree};
use crate::source_text::SourceText;
use paint::Brush;

/// The tokens of a text, in order and without overlaps. Empty for a language without a structure.
pub fn highlight(language: &Language, source: &SourceText) -> Vec<Token> {
    if source.parts.is_empty() { whole(language, &source.text) } else { parts(source) }
}

/// The tokens of each part, in its own language.
fn parts(source: &SourceText) -> Vec<Token> {
    let lines = Lines::new(&source.text);
    let parted = PartedText::new(&lines);
    let mut found = Vec::new();
    for part in &source.parts {
        let extent = &part.whole;
        match &part.language.structure {
            Structure::Tree(syntax) => {
                let Some(table) = syntax.table() else { continue };
                let tokens = parted.with_tree(&part.ranges, table.grammar, |root| {
                    walk::tokens(root, lines.text, part.language, syntax, table)
                });
                found.extend(tokens.unwrap_or_default());
            }
            Structure::Headings => {
                found.extend(markdown::tokens(&lines.text[extent.clone()]).into_iter().map(
                    |Token { start, end, class }| Token {
                        start: start + extent.start,
                        end: end + extent.start,
                        class,
                    },
                ));
            }
            Structure::Component(_) | Structure::Notebook | Structure::Lines => {}
        }
    }
    found.sort_by_key(|token| token.start);
    let mut brush = Brush::new(lines.text);
    brush.embed(0, &found);
    brush.finish()
}

/// The tokens of a text in one language.
fn whole(language: &Language, text: &str) -> Vec<Token> {
    match &language.structure {
        Structure::Tree(syntax) => {
            let Some(table) = syntax.table() else { return Vec::new() };
            let read = |root: Node<'_>| walk::tokens(root, text, language, syntax, table);
            with_tree(text, &syntax.hidden_in(text), table.grammar, read).unwrap_or_default()
        }
        Structure::Headings => markdown::tokens(text),
        Structure::Component(_) | Structure::Notebook | Structure::Lines => Vec::new(),
    }
}
