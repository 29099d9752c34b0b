//! Prints which file of a directory imports which, one `from<TAB>to` a line, for comparison with other tools.
//!
//! `cargo run --release -p vectorcode-graph --example edges -- DIRECTORY [--externals]`
//!
//! With `--externals`, what leads out of the project instead: `from<TAB>name<TAB>specifier`. Times go to stderr.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::collections::BTreeSet;
use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use vectorcode_core::CancelToken;
use vectorcode_core::config::IndexingConfig;
use vectorcode_graph::{Import, Target, Tree, TreeFile, resolve};
use vectorcode_source::{Scope, parse_source};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let externals = arguments.extract_if(.., |argument| argument == "--externals").next().is_some();
    let Some(directory) = arguments.first() else {
        return Err("usage: edges DIRECTORY [--externals]".into());
    };
    let (tree, imports) = read(Path::new(directory))?;
    let start = Instant::now();
    let manifest = |path: &str| std::fs::read_to_string(Path::new(directory).join(path)).ok();
    let targets = resolve(&tree, &imports, &manifest);
    eprintln!("{} files, {} imports resolved in {:?}", tree.len(), imports.len(), start.elapsed());
    let lines = lines(&tree, &imports, &targets, externals);
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

/// The files of a directory and their imports.
fn read(directory: &Path) -> Result<(Tree, Vec<Import>), Box<dyn Error>> {
    let scope = Scope::new(directory, &IndexingConfig::default())?;
    let found = scope.discover(&CancelToken::default())?;
    let mut files = Vec::new();
    let mut statements = Vec::new();
    for file in &found.files {
        let Ok(content) = scope.read(file) else { continue };
        let parsed = parse_source(&file.path, file.language, &content.text, content.flags);
        files.push(TreeFile {
            path: parsed.path.clone(),
            language: parsed.language,
            is_test: parsed.flags.test,
        });
        statements.push((parsed.path, parsed.imports));
    }
    let tree = Tree::new(files);
    let mut imports = Vec::new();
    for (path, found) in statements {
        let from = tree.get(&path).ok_or("a file that was read is in the tree")?;
        imports.extend(found.into_iter().map(|statement| Import { from, statement }));
    }
    Ok((tree, imports))
}

fn lines(tree: &Tree, imports: &[Import], targets: &[Vec<Target>], externals: bool) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (import, targets) in imports.iter().zip(targets) {
        let from = tree.path(import.from);
        for target in targets {
            match target {
                Target::File(to) if !externals => lines.insert(format!("{from}\t{}", tree.path(*to))),
                Target::External(name) if externals => {
                    lines.insert(format!("{from}\t{name}\t{}", import.statement.specifier))
                }
                _ => false,
            };
        }
    }
    lines
}
