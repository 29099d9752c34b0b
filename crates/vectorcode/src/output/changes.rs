//! Prints the impact of a change for people: files, symbols, their users, tests to run.

use std::io;

use vectorcode_core::api::{AffectedSymbol, ChangeKind, ChangedSymbol, ChangesResponse, FileChange};
use vectorcode_core::visible_line;

use super::Printer;
use super::numbers::plural;
use super::style::{DIM, PATH, SYMBOL, painted};

pub fn print(response: &ChangesResponse, printer: &Printer) -> io::Result<()> {
    if response.files.is_empty() {
        printer.note("Nothing that is indexed has changed.");
    }
    section("Changed files", response.files.iter().map(file), printer)?;
    section("Changed symbols", response.symbols.iter().map(symbol), printer)?;
    section("Used by", response.affected.iter().map(user), printer)?;
    section("Tests to run", response.tests.iter().map(user), printer)?;
    section(
        "Test files that load it",
        response.test_files.iter().map(|path| painted(PATH, visible_line(path))),
        printer,
    )?;
    if response.truncated {
        let impact = &response.impact;
        printer.note(format!(
            "More is affected: {} in {}, {} with tests. Use -n to list more.",
            plural(impact.symbols, "symbol"),
            plural(impact.files, "file"),
            impact.tests
        ));
    }
    for note in &response.notes {
        printer.note(note);
    }
    Ok(())
}

fn section(title: &str, lines: impl ExactSizeIterator<Item = String>, printer: &Printer) -> io::Result<()> {
    if lines.len() == 0 {
        return Ok(());
    }
    printer.line(format!("{title} ({})", lines.len()))?;
    for line in lines {
        printer.line(format!("  {line}"))?;
    }
    Ok(())
}

fn file(file: &FileChange) -> String {
    let lines = painted(DIM, format!("+{} -{}", file.lines_added, file.lines_removed));
    let before = file.old_path.as_ref().map_or_else(String::new, |path| format!("{path} -> "));
    let path = format!("{before}{}", file.path);
    format!("{:<8}  {}  {lines}", word(file.change), painted(PATH, visible_line(&path)))
}

fn symbol(symbol: &ChangedSymbol) -> String {
    let place = format!("{}:{}-{}", visible_line(&symbol.path), symbol.start_line, symbol.end_line);
    let name = painted(SYMBOL, visible_line(&symbol.name));
    format!("{:<8}  {} {name}  {}", word(symbol.change), symbol.kind.as_str(), painted(PATH, place))
}

fn user(user: &AffectedSymbol) -> String {
    let line = user.line.map_or_else(String::new, |line| format!(":{line}"));
    let place = painted(PATH, format!("{}{line}", visible_line(&user.path)));
    if user.name == user.path {
        place
    } else {
        format!("{}  {place}", painted(SYMBOL, visible_line(&user.name)))
    }
}

fn word(change: ChangeKind) -> &'static str {
    match change {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
    }
}
