//! Properties that hold for every text, however broken.

use std::collections::HashMap;

use proptest::prelude::*;
use vectorcode_core::{Chunk, ParsedFile};
use vectorcode_source::{Language, SourceText, all, by_path, chunk_by_lines, parse_source};

use crate::languages::{fixtures, part_of_a_fixture};

/// The largest chunk, `MAX_BYTES` in `chunk/mod.rs`.
const MAX_BYTES: usize = 2000;

/// Checks a file against everything that the crate guarantees.
pub fn check(text: &str, file: &ParsedFile) {
    for chunk in &file.chunks {
        check_chunk(text, chunk);
    }
    for definition in &file.definitions {
        let span = definition.span;
        assert!(text.get(span.bytes()).is_some(), "{span:?}");
        assert!(
            span.start_line <= definition.name_line && definition.name_line <= span.end_line,
            "{definition:?}"
        );
        assert!(
            !definition.name.is_empty() && definition.qualified.contains(&definition.name)
                || definition.name.contains([':', '\\'])
        );
    }
    for reference in &file.references {
        assert!(!reference.name.is_empty());
        assert!(reference.enclosing.is_none_or(|index| (index as usize) < file.definitions.len()));
    }
    check_coverage(text, &file.chunks);
}

fn check_chunk(text: &str, chunk: &Chunk) {
    let bytes = chunk.span.bytes();
    assert_eq!(text.get(bytes.clone()), Some(chunk.content.as_str()));
    assert!(chunk.content.len() <= MAX_BYTES, "{} bytes", chunk.content.len());
    assert!(!chunk.content.trim().is_empty());
    let start_line = text[..bytes.start].matches('\n').count() as u32 + 1;
    assert_eq!(chunk.span.start_line, start_line);
    assert_eq!(chunk.span.end_line, start_line + chunk.content.matches('\n').count() as u32);
}

/// Every non-blank line is in a chunk; only parts of the same split piece share lines.
fn check_coverage(text: &str, chunks: &[Chunk]) {
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, chunk) in chunks.iter().enumerate() {
        (chunk.span.start_line..=chunk.span.end_line)
            .for_each(|line| holders.entry(line).or_default().push(index));
    }
    for (number, line) in text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let held = holders.get(&(number as u32 + 1)).map_or(&[][..], Vec::as_slice);
        assert!(!held.is_empty(), "line {} is in no chunk: {line:?}", number + 1);
        for pair in held.windows(2).filter(|_| line.len() <= MAX_BYTES) {
            assert!(may_overlap(&chunks[pair[0]], &chunks[pair[1]]), "line {} is in two chunks", number + 1);
        }
    }
}

fn may_overlap(above: &Chunk, below: &Chunk) -> bool {
    let is_window = above.kind == "window" || above.kind == "block";
    is_window || (above.kind == below.kind && above.symbol == below.symbol)
}

/// Parses a text that is already decoded, and checks the result.
fn check_text(name: &str, language: &'static Language, text: &str) {
    let source = SourceText::new(language, text.to_owned());
    check(&source.text, &parse_source(name, language, &source));
    check(&source.text, &chunk_by_lines(name, language, &source));
}

/// Decodes and parses the bytes of a file, and checks the result.
fn check_file(name: &str, language: &'static Language, bytes: &[u8]) -> ParsedFile {
    let source = SourceText::decode(language, bytes.to_vec());
    let file = parse_source(name, language, &source);
    check(&source.text, &file);
    check(&source.text, &chunk_by_lines(name, language, &source));
    file
}

fn check_as(name: &str, text: &str) {
    check_text(name, by_path(name).unwrap(), text);
    check_file(name, by_path(name).unwrap(), text.as_bytes());
}

#[test]
fn the_fixtures_keep_every_promise() {
    for (name, text) in fixtures() {
        check_as(&name, &text);
    }
}

#[test]
fn fixtures_repeated_until_they_are_large_keep_every_promise() {
    for (name, text) in fixtures() {
        let indented = text.replace('\n', "\n        ");
        for large in [text.repeat(8), format!("{text}{indented}{text}"), text.replace('\n', " ").repeat(3)] {
            check_as(&name, &large);
        }
    }
}

#[test]
fn deep_nesting_costs_no_stack() {
    for (name, open) in
        [("a.json", "["), ("a.js", "(function(){"), ("a.html", "<div>"), ("a.rs", "mod a {"), ("a.py", "(")]
    {
        let text = format!("{open}\n").repeat(20_000);
        check_as(name, &text);
    }
}

#[test]
fn minified_files_are_cut_at_safe_characters() {
    let text = "function a(){return'é'}".repeat(800);
    let file = check_file("a.min.js", by_path("a.min.js").unwrap(), text.as_bytes());
    assert!(file.flags.minified);
    assert!(file.chunks.len() > 8);
}

/// Found by a random test: an empty definition whose name came after it.
#[test]
fn broken_code_has_its_names_within_its_definitions() {
    for language in all().filter(|language| language.has_grammar()) {
        check_text("x", language, "0\u{b}&\na)}?\u{e000}0A");
    }
}

#[test]
fn blank_files_have_no_chunks() {
    for language in all() {
        assert_eq!(check_file("x", language, b" \n\n\t\n").chunks, []);
        assert_eq!(check_file("x", language, b"").chunks, []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_in_any_language(text in "(.|\n){0,600}", which in any::<prop::sample::Index>()) {
        let languages: Vec<_> = all().filter(|language| language.has_grammar() || ["markdown", "vue", "svelte", "astro"].contains(&language.name)).collect();
        check_text("x", languages[which.index(languages.len())], &text);
    }

    #[test]
    fn any_bytes_decoded(bytes in prop::collection::vec(any::<u8>(), 0..800), which in any::<prop::sample::Index>()) {
        let languages: Vec<_> = all().collect();
        check_file("x", languages[which.index(languages.len())], &bytes);
    }

    #[test]
    fn any_bytes_of_utf_16(mut bytes in prop::collection::vec(any::<u8>(), 2..800), which in any::<prop::sample::Index>()) {
        let mark = if bytes[0] < 128 { b"\xff\xfe" } else { b"\xfe\xff" };
        bytes[..2].copy_from_slice(mark);
        let languages: Vec<_> = all().collect();
        check_file("x", languages[which.index(languages.len())], &bytes);
    }

    #[test]
    fn any_component(
        parts in prop::collection::vec("(<script>|</script>|<script lang=\"ts\">|<template>|</template>|<style>|</style>|---|<div|>|function a\\(\\) \\{|\\}|\n|.)", 0..60),
        which in 0..3usize,
    ) {
        check_as(["a.vue", "a.svelte", "a.astro"][which], &parts.concat());
    }

    #[test]
    fn any_notebook(
        cells in prop::collection::vec(("(code|markdown|raw|x)", prop::collection::vec("(.|\n){0,40}", 0..6)), 0..8),
        is_pretty in any::<bool>(),
    ) {
        let cells: Vec<_> = cells.iter().map(|(kind, source)| serde_json::json!({"cell_type": kind, "source": source})).collect();
        let notebook = serde_json::json!({"cells": cells, "metadata": {}});
        let text = if is_pretty { serde_json::to_string_pretty(&notebook) } else { serde_json::to_string(&notebook) }.unwrap();
        check_as("a.ipynb", &text);
    }

    #[test]
    fn any_part_of_a_fixture((name, text) in part_of_a_fixture()) {
        check_as(&name, &text);
    }
}
