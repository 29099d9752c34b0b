//! Prints search results: for people with path, symbol, score and matching lines, and in the other formats.

use std::collections::BTreeSet;
use std::io;

use vectorcode_core::api::{Freshness, Hit, InDiff, Neighbour, SearchRequest, SearchResponse, SearchTarget};
use vectorcode_core::numbers::first_and_more;
use vectorcode_core::{Markup, line_ranges, visible_line};
use vectorcode_engine::Engine;

use super::excerpt::Excerpt;
use super::format::Results;
use super::numbers::{bytes, duration, plural};
use super::{Printer, style, terminal};
use crate::shell_paths::ShellPaths;

pub const DEFAULT_LINES: usize = 6;

/// How much code is printed for each hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    All,
    AtMost(usize),
}

/// The results of a search, and what is needed to show them.
#[derive(Clone, Copy, Debug)]
pub struct RankedResults<'r> {
    pub request: &'r SearchRequest,
    pub response: &'r SearchResponse,
    pub lines: Lines,
    pub engine: &'r Engine,
    pub paths: &'r ShellPaths,
}

/// Maximum number of files with the same code to name.
const MAX_COPIES_NAMED: usize = 3;

/// Above this coverage, missing vectors are most likely those of recently edited files, so no note is printed.
const NEARLY_ALL: f32 = 0.98;

/// Columns before the code of a line, for the line number and a bar.
const MARGIN: usize = 9;

impl Results for RankedResults<'_> {
    /// Prints each hit with its code. Syntax is only classified if there are colors, because it costs a parse of every file
    /// among the hits.
    fn print_text(&self, printer: &Printer) -> io::Result<()> {
        let response = self.response;
        let markups = self.markups(if printer.has_colors() { Engine::markup } else { Engine::matches });
        let first_weak = response.hits.iter().position(|hit| hit.weak);
        for (index, (hit, markup)) in response.hits.iter().zip(&markups).enumerate() {
            if index > 0 {
                printer.line("")?;
            }
            if first_weak == Some(index) {
                let remark = if response.weak {
                    "Nothing fits well; the nearest are:"
                } else {
                    "Nothing below fits well."
                };
                printer.line(format!("{remark}\n"))?;
            }
            self.print_hit(hit, markup, printer)?;
        }
        footer(self.request, response, printer);
        Ok(())
    }

    fn print_json(&self, printer: &Printer) -> io::Result<()> {
        printer.json(self.response)
    }

    fn print_json_lines(&self, printer: &Printer) -> io::Result<()> {
        self.response.hits.iter().try_for_each(|hit| printer.json_line(hit))
    }

    /// Prints the paths of the best hits first.
    fn print_files(&self, end: &str, printer: &Printer) -> io::Result<()> {
        note_weak(self.response, printer);
        let mut seen = BTreeSet::new();
        self.response
            .hits
            .iter()
            .flat_map(|hit| std::iter::once(openable(hit, self.paths)).chain(copies(hit, self.paths)))
            .filter(|file| seen.insert(file.clone()))
            .try_for_each(|file| printer.bytes(format!("{file}{end}").as_bytes()))
    }

    /// Prints the first match in each hit. Columns count bytes, starting at 1.
    fn print_vimgrep(&self, printer: &Printer) -> io::Result<()> {
        note_weak(self.response, printer);
        for (hit, markup) in self.response.hits.iter().zip(&self.markups(Engine::matches)) {
            let indent = hit.content.len() - hit.content.trim_start().len();
            let offset = markup.matches.first().map_or(indent, |range| range.start).min(hit.content.len());
            let before = &hit.content[..offset];
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let line = hit.start_line as usize + before.matches('\n').count();
            let text = hit.content[line_start..].lines().next().unwrap_or_default();
            let (path, column) = (openable(hit, self.paths), offset - line_start + 1);
            printer.line(format!("{path}:{line}:{column}:{text}"))?;
        }
        Ok(())
    }
}

impl RankedResults<'_> {
    /// The markup of each hit.
    fn markups(&self, of: impl Fn(&Engine, &SearchTarget, &[Hit]) -> Vec<Markup>) -> Vec<Markup> {
        let mut markups = of(self.engine, &self.request.target, &self.response.hits);
        mark_matching_lines(&self.response.hits, &mut markups);
        markups
    }

    fn print_hit(&self, hit: &Hit, markup: &Markup, printer: &Printer) -> io::Result<()> {
        printer.line(heading(hit, self.paths, printer))?;
        if let Freshness::Stale { modified_secs_ago } = hit.freshness {
            printer.line(format!("  changed {} ago, not indexed yet", duration(modified_secs_ago)))?;
        }
        if !hit.matching_lines.is_empty() {
            printer.line(style::painted(style::DIM, format!("  {}", remark_on_lines(hit))))?;
        }
        print_code(hit, &Excerpt::new(&hit.content, markup), self.lines, printer)?;
        print_details(hit, self.paths, printer)
    }
}

/// Marks the lines that match a pattern of the request, so that excerpts show them.
fn mark_matching_lines(hits: &[Hit], markups: &mut [Markup]) {
    for (hit, markup) in hits.iter().zip(markups).filter(|(hit, _)| !hit.matching_lines.is_empty()) {
        markup.matches.clear();
        let mut start = 0;
        for (number, line) in (hit.start_line..).zip(hit.content.split_inclusive('\n')) {
            let code = line.trim();
            if hit.matching_lines.contains(&number) && !code.is_empty() {
                let indent = start + line.len() - line.trim_start().len();
                markup.matches.push(indent..indent + code.len());
            }
            start += line.len();
        }
    }
}

/// The line in which a hit's own definition starts, below its comments.
pub fn defining_line(hit: &Hit) -> u32 {
    let markup = Markup::default();
    hit.start_line + Excerpt::new(&hit.content, &markup).signature(hit.symbol.as_deref()) as u32
}

/// `line 12 matches`, `lines 12, 40-42 changed; was src/a.rs:10-20`
fn remark_on_lines(hit: &Hit) -> String {
    const NAMED: usize = 12;
    let ranges = line_ranges(&hit.matching_lines);
    let mut named = ranges.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if ranges.len() > NAMED {
        named.push_str(", ...");
    }
    let is_one = hit.matching_lines.len() == 1;
    let lines = if is_one { format!("line {named}") } else { format!("lines {named}") };
    match &hit.diff {
        Some(InDiff::Before) => format!("before: {lines} changed or removed"),
        Some(InDiff::After { was: Some(was) }) => format!("{lines} changed; was {}", visible_line(was)),
        Some(InDiff::After { was: None }) => format!("{lines} changed"),
        None if is_one => format!("{lines} matches"),
        None => format!("{lines} match"),
    }
}

fn print_code(hit: &Hit, excerpt: &Excerpt<'_>, lines: Lines, printer: &Printer) -> io::Result<()> {
    let remark = |text: String| printer.line(style::painted(style::DIM, format!("       ⋮ {text}")));
    let (length, columns) = match lines {
        Lines::All => (usize::MAX, usize::MAX),
        Lines::AtMost(0) => return Ok(()),
        Lines::AtMost(_) if excerpt.is_minified() => {
            return remark(format!("minified, {}", bytes(hit.content.len() as u64)));
        }
        Lines::AtMost(length) => (length, terminal::columns().saturating_sub(MARGIN)),
    };
    let mut shown = 0;
    for range in excerpt.chosen(length, excerpt.signature(hit.symbol.as_deref())) {
        if range.start > shown {
            let above = if shown == 0 { "line above" } else { "line between" };
            remark(gap(range.start - shown, above))?;
        }
        for index in range.clone() {
            let number = hit.start_line as usize + index;
            let margin = style::painted(style::DIM, format!("{number:>6} │"));
            printer.line(format!("{margin} {}", excerpt.line(index, columns)))?;
        }
        shown = range.end;
    }
    if shown < excerpt.len() {
        remark(plural((excerpt.len() - shown) as u64, "more line"))?;
    }
    Ok(())
}

/// `1 line above`, `3 lines above`.
fn gap(count: usize, what: &str) -> String {
    let (noun, place) = what.split_once(' ').unwrap_or((what, ""));
    format!("{} {place}", plural(count as u64, noun))
}

fn heading(hit: &Hit, paths: &ShellPaths, printer: &Printer) -> String {
    let place = format!("{}:{}-{}", file(hit, paths), hit.start_line, hit.end_line);
    let place = printer.link(style::painted(style::PATH, place), &paths.file_of(hit));
    let symbol = hit.symbol.as_ref().map_or_else(String::new, |symbol| {
        format!("  {}", style::painted(style::SYMBOL, visible_line(symbol)))
    });
    format!("{place}{symbol}  {}", style::painted(style::DIM, format!("{:.2}", hit.score)))
}

/// The path as shown to people, with the name of the project if several were searched.
fn file(hit: &Hit, paths: &ShellPaths) -> String {
    let file = hit
        .project
        .as_ref()
        .map_or_else(|| paths.shown(&hit.path), |project| format!("{project}:{}", hit.path));
    visible_line(&file).into_owned()
}

/// The path as programs can open it.
fn openable(hit: &Hit, paths: &ShellPaths) -> String {
    visible_line(&paths.openable(&paths.file_of(hit))).into_owned()
}

/// The other files with the same code, in the form of [`openable`].
fn copies<'h>(hit: &'h Hit, paths: &'h ShellPaths) -> impl ExactSizeIterator<Item = String> + 'h {
    let shown = |path: &String| visible_line(&paths.openable(&paths.beside(hit, path))).into_owned();
    hit.also_in.iter().map(shown)
}

fn print_details(hit: &Hit, paths: &ShellPaths, printer: &Printer) -> io::Result<()> {
    if !hit.also_in.is_empty() {
        let named = first_and_more(copies(hit, paths), MAX_COPIES_NAMED);
        printer.line(style::painted(style::DIM, format!("       also in {named}")))?;
    }
    if let Some(neighbours) = &hit.neighbours {
        print_neighbours("used by", &neighbours.callers, paths, printer)?;
        print_neighbours("calls", &neighbours.callees, paths, printer)?;
    }
    for signal in &hit.signals {
        printer.line(format!(
            "       {:<18} {:>8.3} → {:+.3}",
            signal.name, signal.value, signal.contribution
        ))?;
    }
    Ok(())
}

fn print_neighbours(
    relation: &str,
    neighbours: &[Neighbour],
    paths: &ShellPaths,
    printer: &Printer,
) -> io::Result<()> {
    if neighbours.is_empty() {
        return Ok(());
    }
    let named = |other: &Neighbour| format!("{} ({}:{})", other.name, paths.shown(&other.path), other.line);
    let named: Vec<String> = neighbours.iter().map(named).collect();
    let named = named.join(", ");
    printer.line(format!("       {} {}", style::painted(style::DIM, relation), visible_line(&named)))
}

/// Notes on stderr which results are weak, for formats that have no room for it.
fn note_weak(response: &SearchResponse, printer: &Printer) {
    let likely = response.hits.iter().filter(|hit| !hit.weak).count();
    if response.weak {
        printer.note("Nothing fits well; these are the nearest.");
    } else if likely < response.hits.len() {
        printer.note(match likely {
            0 => "None of these results fits well.".to_owned(),
            1 => "Only the first result fits well.".to_owned(),
            _ => format!("Only the first {likely} results fit well."),
        });
    }
}

fn nothing_found(request: &SearchRequest, total: usize) -> String {
    match request.threshold {
        _ if total > 0 => format!("There are no more results: {total} in all."),
        Some(threshold) if threshold > 0.0 => {
            format!("Nothing scores {threshold:.2} or more. Try other words, or a lower --threshold.")
        }
        _ => "Nothing found. Try other words or fewer filters.".to_owned(),
    }
}

/// Prints notes on the whole response to stderr.
fn footer(request: &SearchRequest, response: &SearchResponse, printer: &Printer) {
    if response.hits.is_empty() {
        printer.note(nothing_found(request, response.total));
    }
    if let Some(next) = response.next {
        let rest = response.total.saturating_sub(next.offset) as u64;
        printer.note(format!("{}: add --skip {}", plural(rest, "more result"), next.offset));
    }
    for note in &response.notes {
        printer.note(note);
    }
    if let Some(note) = coverage_note(response) {
        printer.note(note);
    }
}

/// How many of the vectors have been computed, if only some of them. `None` if a note of the server already says so.
fn coverage_note(response: &SearchResponse) -> Option<String> {
    let coverage = response.semantic_coverage.filter(|coverage| *coverage > 0.0 && *coverage < NEARLY_ALL)?;
    let is_told = response.notes.iter().any(|note| note.contains("% of the vectors"));
    let percent = (coverage * 100.0).floor();
    (!is_told)
        .then(|| format!("{percent:.0} % of the vectors are computed; `vectorcode index` computes the rest."))
}
