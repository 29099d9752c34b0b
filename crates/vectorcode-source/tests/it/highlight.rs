//! Highlighting: properties of every text, and the tokens of each language's fixture.

use std::fmt::Write;

use proptest::prelude::*;
use vectorcode_core::{Token, TokenClass};
use vectorcode_source::{Language, SourceText, all, by_path, highlight};

use crate::languages::{fixtures, part_of_a_fixture};

/// Tokens are in order, within the text, on character boundaries, and never overlap.
fn check(text: &str, tokens: &[Token]) {
    let mut end = 0;
    for token in tokens {
        assert!(end <= token.start && token.start < token.end, "{token:?} after {end}");
        assert!(text.get(token.start..token.end).is_some_and(|part| !part.trim().is_empty()), "{token:?}");
        end = token.end;
    }
}

fn highlight_text(language: &Language, text: &str) -> Vec<Token> {
    highlight(language, &SourceText::new(language, text.to_owned()))
}

fn highlighted(name: &str, text: &str) -> Vec<Token> {
    painted(name, text).1
}

/// The decoded text of a file, and its tokens.
fn painted(name: &str, file: &str) -> (String, Vec<Token>) {
    let language = by_path(name).unwrap();
    let source = SourceText::decode(language, file.as_bytes().to_vec());
    let tokens = highlight(language, &source);
    check(&source.text, &tokens);
    (source.text, tokens)
}

/// The distinct words of each class, in order of appearance.
fn words(text: &str, tokens: &[Token], class: TokenClass) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for token in tokens.iter().filter(|token| token.class == class) {
        let word = text[token.start..token.end].lines().next().unwrap_or_default().trim().to_owned();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

const CLASSES: [TokenClass; 9] = [
    TokenClass::Comment,
    TokenClass::Keyword,
    TokenClass::String,
    TokenClass::Number,
    TokenClass::Constant,
    TokenClass::Function,
    TokenClass::Type,
    TokenClass::Property,
    TokenClass::Attribute,
];

#[test]
fn every_language_is_painted_as_a_person_expects() {
    let mut out = String::new();
    for (name, file) in fixtures() {
        let (text, tokens) = painted(&name, &file);
        writeln!(out, "{name}").unwrap();
        for class in CLASSES {
            let words = words(&text, &tokens, class);
            if !words.is_empty() {
                writeln!(out, "  {class:?}: {}", words.join(" · ")).unwrap();
            }
        }
    }
    insta::assert_snapshot!("highlight", out);
}

#[test]
fn every_language_with_a_grammar_highlights_its_fixture() {
    let painted: Vec<&str> = fixtures()
        .iter()
        .filter(|(name, text)| highlighted(name, text).len() > 10)
        .map(|(name, _)| by_path(name).unwrap().name)
        .collect();
    for language in all().filter(|language| language.has_grammar()) {
        assert!(painted.contains(&language.name), "{} has no colours", language.name);
    }
}

#[test]
fn code_inside_a_string_is_code() {
    let text = "const a = `total ${sum(1)} due`;";
    let tokens = highlighted("a.js", text);
    assert_eq!(words(text, &tokens, TokenClass::Function), ["sum"]);
    assert_eq!(words(text, &tokens, TokenClass::Number), ["1"]);
    assert_eq!(words(text, &tokens, TokenClass::String), ["`total", "due`"]);
}

#[test]
fn deep_nesting_costs_no_stack() {
    for (name, open) in [("a.json", "["), ("a.js", "(function(){"), ("a.html", "<div>")] {
        highlighted(name, &format!("{open}\n").repeat(20_000));
    }
}

fn languages() -> Vec<&'static Language> {
    all()
        .filter(|language| {
            language.has_grammar() || ["markdown", "vue", "svelte", "astro"].contains(&language.name)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_in_any_language(text in "(.|\n){0,400}", which in any::<prop::sample::Index>()) {
        let languages = languages();
        let language = *which.get(&languages);
        check(&text, &highlight_text(language, &text));
    }

    #[test]
    fn any_part_of_a_fixture((name, text) in part_of_a_fixture()) {
        highlighted(&name, &text);
    }
}
