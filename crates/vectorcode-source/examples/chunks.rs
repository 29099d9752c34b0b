//! Prints the chunks, definitions, references or imports of a directory or file, one JSON object per line.
//!
//! `cargo run --release -p vectorcode-source --example chunks -- PATH [--definitions | --references | --imports]`

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::error::Error;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::json;
use vectorcode_core::config::IndexingConfig;
use vectorcode_core::{CancelToken, ParsedFile};
use vectorcode_source::{Scope, parse_source};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let what = arguments.extract_if(.., |argument| argument.starts_with("--")).next().unwrap_or_default();
    let Some(path) = arguments.first() else { return Err("usage: chunks PATH [--definitions]".into()) };
    match print_all(Path::new(path), &what) {
        // It is fine if a reader such as `head` closes the pipe early.
        Err(error)
            if error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe) =>
        {
            Ok(())
        }
        result => result,
    }
}

fn print_all(path: &Path, what: &str) -> Result<(), Box<dyn Error>> {
    let root = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
    let scope = Scope::new(root, &IndexingConfig::default())?;
    let found = scope.discover_under(&path.canonicalize()?, &CancelToken::default())?;
    let mut out = BufWriter::new(io::stdout().lock());
    for file in &found.files {
        if let Ok(content) = scope.read(file) {
            print(&parse_source(&file.path, file.language, &content.source), what, &mut out)?;
        }
    }
    Ok(out.flush()?)
}

fn print(file: &ParsedFile, what: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    match what {
        "--definitions" => lines(&file.path, &file.definitions, out),
        "--references" => lines(&file.path, &file.references, out),
        "--imports" => lines(&file.path, &file.imports, out),
        _ => lines(&file.path, &file.chunks, out),
    }
}

fn lines(path: &str, items: &[impl Serialize], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for item in items {
        let mut line = json!(item);
        line["path"] = json!(path);
        writeln!(out, "{line}")?;
    }
    Ok(())
}
