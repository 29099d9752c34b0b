//! Prints symbols for people: kind, name, location, signature.

use std::io;

use vectorcode_core::api::{SymbolHit, SymbolRequest, SymbolResponse};
use vectorcode_core::visible_line;

use super::style::{DIM, PATH, SYMBOL};
use super::{Printer, style::painted};
use crate::shell_paths::ShellPaths;

pub fn print(
    request: &SymbolRequest,
    response: &SymbolResponse,
    paths: &ShellPaths,
    printer: &Printer,
) -> io::Result<()> {
    let width = response.symbols.iter().map(|hit| hit.kind.as_str().len()).max().unwrap_or(0);
    for hit in &response.symbols {
        printer.line(line(hit, width, paths, printer))?;
    }
    if response.symbols.is_empty() {
        let name = visible_line(&request.name);
        let within = match &request.paths[..] {
            [] => String::new(),
            paths => format!(" in {}", visible_line(&paths.join(", "))),
        };
        printer
            .note(format!("No symbol{within} has a name like {name}. Try `vectorcode search \"{name}\"`."));
    }
    for note in &response.notes {
        printer.note(note);
    }
    Ok(())
}

fn line(hit: &SymbolHit, width: usize, paths: &ShellPaths, printer: &Printer) -> String {
    let place = format!("{}:{}", visible_line(&paths.shown(&hit.path)), hit.start_line);
    let test = if hit.is_test { "  test" } else { "" };
    format!(
        "{:<width$}  {}  {}{}\n{:width$}  {}",
        hit.kind.as_str(),
        painted(SYMBOL, visible_line(&hit.qualified)),
        printer.link(painted(PATH, place), &paths.absolute(&hit.path)),
        painted(DIM, test),
        "",
        painted(DIM, visible_line(&hit.signature)),
    )
}
