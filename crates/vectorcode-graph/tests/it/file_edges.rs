//! Tests the resolution of imports: small projects, one per language family, with expected edges.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use vectorcode_graph::{Import, Target, Tree, TreeFile, resolve};
use vectorcode_source::{SourceText, by_path, parse_source, traits_of};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/file_edges");

/// A project in one text: `-- path --` lines, each followed by the file's content. The sections `edges` and `externals` are not
/// files.
struct Fixture {
    files: BTreeMap<String, String>,
    edges: BTreeSet<(String, String)>,
    externals: BTreeSet<String>,
}

impl Fixture {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut files = BTreeMap::new();
        let mut current = None;
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
                current = Some(name.to_owned());
                files.insert(name.to_owned(), String::new());
            } else if let Some(name) = &current {
                let content = files.get_mut(name).unwrap();
                content.push_str(line);
                content.push('\n');
            }
        }
        let edges = files.remove("edges").unwrap();
        let externals = files.remove("externals").unwrap();
        let edge = |line: &str| line.split_once(' ').map(|(from, to)| (from.to_owned(), to.to_owned()));
        Self {
            files,
            edges: edges.lines().map(|line| edge(line).unwrap()).collect(),
            externals: externals.split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// The resolved edges, and the names of external modules.
    fn resolve(&self) -> (BTreeSet<(String, String)>, BTreeSet<String>) {
        let (tree, imports) = self.tree();
        let targets = resolve(&tree, &imports, &|path| self.files.get(path).cloned());
        let mut edges = BTreeSet::new();
        let mut externals = BTreeSet::new();
        for (import, targets) in imports.iter().zip(targets) {
            for target in targets {
                match target {
                    Target::File(to) => {
                        edges.insert((tree.path(import.from).to_owned(), tree.path(to).to_owned()));
                    }
                    Target::External(name) => {
                        externals.insert(name);
                    }
                }
            }
        }
        (edges, externals)
    }

    fn tree(&self) -> (Tree, Vec<Import>) {
        let parsed: Vec<_> = self
            .files
            .iter()
            .filter_map(|(path, text)| {
                let language = by_path(path)?;
                Some(parse_source(path, language, &SourceText::new(language, text.clone())))
            })
            .collect();
        let tree = Tree::new(
            parsed
                .iter()
                .map(|file| TreeFile {
                    path: file.path.clone(),
                    language: file.language.clone(),
                    traits: traits_of(&file.language),
                    is_test: file.flags.test,
                })
                .collect(),
        );
        let imports = parsed.into_iter().flat_map(|file| {
            let from = tree.get(&file.path).unwrap();
            file.imports.into_iter().map(move |statement| Import { from, statement })
        });
        let imports = imports.collect();
        (tree, imports)
    }
}

#[test]
fn every_family_finds_exactly_the_edges_written_by_hand() {
    let mut problems = Vec::new();
    let mut families = 0;
    for entry in std::fs::read_dir(FIXTURES).unwrap() {
        let path = entry.unwrap().path();
        let family = path.file_stem().unwrap().to_string_lossy().into_owned();
        let fixture = Fixture::read(&path);
        let (edges, externals) = fixture.resolve();
        let show = |(from, to): &(String, String)| format!("{from} -> {to}");
        problems
            .extend(edges.difference(&fixture.edges).map(|edge| format!("{family}: wrong {}", show(edge))));
        problems
            .extend(fixture.edges.difference(&edges).map(|edge| format!("{family}: missing {}", show(edge))));
        if externals != fixture.externals {
            problems.push(format!("{family}: externals {externals:?}, not {:?}", fixture.externals));
        }
        families += 1;
    }
    assert!(problems.is_empty(), "{families} families\n{}", problems.join("\n"));
    assert_eq!(families, 19);
}

#[test]
fn manifests_that_make_no_sense_are_passed_over() {
    let nonsense = ["", "[]", "null", "{", "\"text\"", "module\n=> ./x", "[package]\nname = 1"];
    let manifests = [
        "package.json",
        "tsconfig.json",
        "Cargo.toml",
        "go.mod",
        "composer.json",
        "Package.swift",
        "build.zig",
    ];
    let sources = ["a.ts", "a.rs", "a.go", "a.php", "a.swift", "a.zig", "a.py"];
    let texts = ["import './b'", "mod b; use super::super::x;", "package a\nimport \"b\"", "<?php use A\\B;"];
    for text in nonsense {
        let mut files: BTreeMap<String, String> =
            manifests.iter().map(|name| ((*name).to_owned(), text.to_owned())).collect();
        files.extend(
            sources
                .iter()
                .zip(texts.iter().cycle())
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned())),
        );
        let fixture = Fixture { files, edges: BTreeSet::new(), externals: BTreeSet::new() };
        assert_eq!(fixture.resolve().0, BTreeSet::new());
    }
}
