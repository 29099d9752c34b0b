//! Search results for people: path, symbol, score and the lines that match.

use std::collections::BTreeSet;
use std::io;

use vectorcode_core::api::{Freshness, Hit, Neighbour, SearchRequest, SearchResponse};
use vectorcode_core::{Markup, visible_line};

use super::excerpt::Excerpt;
use super::numbers::{duration, plural};
use super::{Printer, style};

pub const DEFAULT_LINES: usize = 6;

/// Paths only, each once, best first, each followed by `end`.
pub fn print_files(response: &SearchResponse, end: &str, printer: &Printer) -> io::Result<()> {
    let mut seen = BTreeSet::new();
    response
        .hits
        .iter()
        .map(file)
        .filter(|file| seen.insert(file.clone()))
        .try_for_each(|file| printer.bytes(format!("{file}{end}").as_bytes()))
}

/// `path:line:column:text` of the first match in each hit, as editors read it. Columns count bytes from 1.
pub fn print_vimgrep(response: &SearchResponse, markups: &[Markup], printer: &Printer) -> io::Result<()> {
    for (hit, markup) in response.hits.iter().zip(markups) {
        let indent = hit.content.len() - hit.content.trim_start().len();
        let offset = markup.matches.first().map_or(indent, |range| range.start).min(hit.content.len());
        let before = &hit.content[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = hit.start_line as usize + before.matches('\n').count();
        let text = hit.content[line_start..].lines().next().unwrap_or_default();
        printer.line(format!("{}:{line}:{}:{text}", file(hit), offset - line_start + 1))?;
    }
    Ok(())
}

/// Prints each hit with its markup; there is one for each.
pub fn print(
    request: &SearchRequest,
    response: &SearchResponse,
    markups: &[Markup],
    lines: usize,
    printer: &Printer,
) -> io::Result<()> {
    for (index, (hit, markup)) in response.hits.iter().zip(markups).enumerate() {
        if index > 0 {
            printer.line("")?;
        }
        print_hit(hit, markup, lines, printer)?;
    }
    footer(request, response, printer);
    Ok(())
}

fn print_hit(hit: &Hit, markup: &Markup, lines: usize, printer: &Printer) -> io::Result<()> {
    printer.line(heading(hit))?;
    if let Freshness::Stale { modified_secs_ago } = hit.freshness {
        printer.line(format!("  changed {} ago, not indexed yet", duration(modified_secs_ago)))?;
    }
    let excerpt = Excerpt::new(&hit.content, markup);
    let window = excerpt.best_window(lines);
    for index in window.clone() {
        let number = hit.start_line as usize + index;
        printer.line(format!(
            "{}{number:>6} │{} {}",
            style::DIM.render(),
            style::DIM.render_reset(),
            excerpt.line(index)
        ))?;
    }
    if window.len() < excerpt.len() {
        let rest = plural((excerpt.len() - window.len()) as u64, "more line");
        printer.line(format!("{}       ⋮ {rest}{}", style::DIM.render(), style::DIM.render_reset()))?;
    }
    print_details(hit, printer)
}

fn heading(hit: &Hit) -> String {
    let place = format!("{}:{}-{}", file(hit), hit.start_line, hit.end_line);
    let symbol = hit.symbol.as_ref().map_or_else(String::new, |symbol| {
        format!("  {}", style::painted(style::SYMBOL, visible_line(symbol)))
    });
    format!(
        "{}{place}{}{symbol}  {}{:.2}{}",
        style::PATH.render(),
        style::PATH.render_reset(),
        style::DIM.render(),
        hit.score,
        style::DIM.render_reset()
    )
}

/// The path, with the project if several were searched.
fn file(hit: &Hit) -> String {
    let file =
        hit.project.as_ref().map_or_else(|| hit.path.clone(), |project| format!("{project}:{}", hit.path));
    visible_line(&file).into_owned()
}

fn print_details(hit: &Hit, printer: &Printer) -> io::Result<()> {
    if let Some(neighbours) = &hit.neighbours {
        print_neighbours("used by", &neighbours.callers, printer)?;
        print_neighbours("calls", &neighbours.callees, printer)?;
    }
    for signal in &hit.signals {
        printer.line(format!(
            "       {:<18} {:>8.3} → {:+.3}",
            signal.name, signal.value, signal.contribution
        ))?;
    }
    Ok(())
}

fn print_neighbours(relation: &str, neighbours: &[Neighbour], printer: &Printer) -> io::Result<()> {
    if neighbours.is_empty() {
        return Ok(());
    }
    let named: Vec<String> =
        neighbours.iter().map(|other| format!("{} ({}:{})", other.name, other.path, other.line)).collect();
    let named = named.join(", ");
    printer.line(format!("       {} {}", style::painted(style::DIM, relation), visible_line(&named)))
}

/// Notes on the result as a whole, on stderr.
fn footer(request: &SearchRequest, response: &SearchResponse, printer: &Printer) {
    if response.hits.is_empty() {
        printer.note(format!(
            "Nothing found above {:.2}. Try other words, or a lower --threshold.",
            request.threshold
        ));
    }
    if let Some(next) = response.next {
        let rest = response.total.saturating_sub(next.0) as u64;
        printer.note(format!("{}: add --skip {}", plural(rest, "more result"), next.0));
    }
    for note in &response.notes {
        printer.note(note);
    }
}
