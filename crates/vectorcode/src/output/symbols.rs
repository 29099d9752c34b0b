//! Symbols for people: kind, name, location, signature.

use std::io;

use vectorcode_core::api::{SymbolHit, SymbolRequest, SymbolResponse};
use vectorcode_core::visible_line;

use super::style::{DIM, PATH, SYMBOL};
use super::{Printer, style::painted};

pub fn print(request: &SymbolRequest, response: &SymbolResponse, printer: &Printer) -> io::Result<()> {
    let width = response.symbols.iter().map(|hit| hit.kind.as_str().len()).max().unwrap_or(0);
    for hit in &response.symbols {
        printer.line(line(hit, width))?;
    }
    if response.symbols.is_empty() {
        let name = visible_line(&request.name);
        printer.note(format!("No symbol has a name like {name}. Try `vectorcode search \"{name}\"`."));
    }
    for note in &response.notes {
        printer.note(note);
    }
    Ok(())
}

fn line(hit: &SymbolHit, width: usize) -> String {
    let place = format!("{}:{}", visible_line(&hit.path), hit.start_line);
    let test = if hit.is_test { "  test" } else { "" };
    format!(
        "{:<width$}  {}  {}{}\n{:width$}  {}",
        hit.kind.as_str(),
        painted(SYMBOL, visible_line(&hit.qualified)),
        painted(PATH, place),
        painted(DIM, test),
        "",
        painted(DIM, visible_line(&hit.signature)),
    )
}
