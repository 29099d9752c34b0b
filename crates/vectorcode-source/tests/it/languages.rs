//! The chunks and symbols of a small fixture file in each language.

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;
use vectorcode_core::{Chunk, Definition, Import, LanguageTraits, ParsedFile, Reference};
use vectorcode_source::{
    SourceText, by_name, by_path, is_declaration_file, is_distinct_extension, is_folder_stem,
    is_reexport_file, parse_source, shared_with, traits_of,
};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/languages");

/// One file per language. Every file in the folder is listed, and every listed file exists.
pub fn fixtures() -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(FIXTURES)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (file_name(&path), std::fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// The name of a fixture, and a part of its text.
pub fn part_of_a_fixture() -> impl Strategy<Value = (String, String)> {
    (any::<prop::sample::Index>(), 0.0..1.0f64, 0.0..1.0f64).prop_map(|(which, start, length)| {
        let mut fixtures = fixtures();
        let (name, text) = fixtures.swap_remove(which.index(fixtures.len()));
        let start = text.floor_char_boundary((text.len() as f64 * start) as usize);
        let end = text.floor_char_boundary(start + ((text.len() - start) as f64 * length) as usize);
        (name, text[start..end].to_owned())
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_language_reads_its_fixture() {
    for (name, text) in fixtures() {
        let language = by_path(&name).unwrap();
        let file = parse_source(&name, language, &SourceText::decode(language, text.into_bytes()));
        insta::assert_snapshot!(name.replace('.', "_"), describe(&file));
    }
}

/// A readable description of a file, for people to review.
fn describe(file: &ParsedFile) -> String {
    let mut out = format!("{} ({})\n\nchunks\n", file.language, file.class.as_str());
    file.chunks.iter().for_each(|chunk| describe_chunk(&mut out, chunk));
    out.push_str("\ndefinitions\n");
    file.definitions.iter().for_each(|definition| describe_definition(&mut out, definition));
    out.push_str("\nimports\n");
    file.imports.iter().for_each(|import| describe_import(&mut out, import));
    out.push_str("\nreferences\n");
    file.references.iter().for_each(|reference| describe_reference(&mut out, file, reference));
    out
}

fn describe_chunk(out: &mut String, chunk: &Chunk) {
    let symbol = chunk.symbol.as_deref().unwrap_or("-");
    let (start, end) = (chunk.span.start_line, chunk.span.end_line);
    write!(out, "  {start}-{end} {} {symbol}", chunk.kind).unwrap();
    if let Some(parent) = &chunk.parent_context {
        write!(out, " in `{parent}`").unwrap();
    }
    out.push_str(if chunk.is_test { " (test)\n" } else { "\n" });
}

fn describe_definition(out: &mut String, definition: &Definition) {
    let (start, end) = (definition.span.start_line, definition.span.end_line);
    let (kind, name) = (definition.kind.as_str(), &definition.qualified);
    writeln!(out, "  {start}-{end} {kind} {name} at {}: {}", definition.name_line, definition.signature)
        .unwrap();
}

fn describe_import(out: &mut String, import: &Import) {
    writeln!(out, "  {} {} {} [{}]", import.line, import.kind, import.specifier, import.names.join(", "))
        .unwrap();
}

fn describe_reference(out: &mut String, file: &ParsedFile, reference: &Reference) {
    let receiver = reference.receiver.as_deref().map(|receiver| format!("{receiver} . ")).unwrap_or_default();
    let around = reference.enclosing.map_or("-", |index| &file.definitions[index as usize].qualified);
    writeln!(
        out,
        "  {} {} {receiver}{} in {around}",
        reference.line,
        reference.kind.as_str(),
        reference.name
    )
    .unwrap();
}

#[test]
fn a_template_is_text_of_the_language_that_it_makes() {
    let names =
        ["model.rb.tt", "deploy.yaml.tmpl", "main.go.tpl", "Makefile.tmpl", "mail.tmpl", "page.html.j2"];
    let read = names.map(|name| (by_path(name).unwrap().name, by_path(name).unwrap().has_grammar()));
    assert_eq!(read.map(|(name, _)| name), ["ruby", "yaml", "go", "makefile", "template", "jinja"]);
    assert!(read.iter().all(|(_, has_grammar)| !has_grammar), "{read:?}");
    assert!(by_path("model.rb").unwrap().has_grammar());
}

#[test]
fn names_of_files_tell_what_they_are_for() {
    assert!(is_distinct_extension("ts") && is_distinct_extension("vue") && is_distinct_extension("pyi"));
    assert!(!is_distinct_extension("r") && !is_distinct_extension("less") && !is_distinct_extension("send"));
    assert!(is_folder_stem("mod") && is_folder_stem("__init__") && !is_folder_stem("retry"));
    assert!(is_reexport_file("index.ts") && !is_reexport_file("index.html"));
    assert!(is_declaration_file("client.d.ts") && !is_declaration_file("client.ts"));
}

#[test]
fn headers_are_of_the_language_that_the_project_is_written_in() {
    let shares_headers = |name: &str, indexed: &[&str]| {
        let indexed: Vec<String> = indexed.iter().map(|name| (*name).to_owned()).collect();
        shared_with(by_name(name).unwrap(), &indexed).map(|shared| shared.name).collect::<Vec<_>>() == ["h"]
    };
    assert!(shares_headers("c", &["c", "h"]) && !shares_headers("cpp", &["c", "h"]));
    assert!(shares_headers("cpp", &["cpp", "h"]) && !shares_headers("c", &["cpp", "h"]));
    for language in ["c", "cpp"] {
        assert!(
            shares_headers(language, &["c", "cpp", "h"]) && shares_headers(language, &["h"]),
            "{language}"
        );
    }
    assert!(!shares_headers("c", &["c", "rust"]) && !shares_headers("rust", &["rust", "h"]));
}

#[test]
fn every_language_of_a_family_shares_its_module_system() {
    for family in
        [["typescript", "tsx"], ["typescript", "javascript"], ["java", "scala"], ["c", "cpp"], ["c", "h"]]
    {
        let [one, other] = family.map(traits_of);
        assert!(one.shares_definitions && one.module_system == other.module_system, "{family:?}");
    }
    assert_eq!(traits_of("no such language"), LanguageTraits::PERMISSIVE);
}
