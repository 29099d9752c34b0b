//! Search results for people: where, what, how sure, and the lines that matter.

use std::collections::BTreeSet;
use std::io;

use vectorcode_core::api::{Freshness, Hit, SearchRequest, SearchResponse, SearchTarget};
use vectorcode_core::words;

use super::numbers::{duration, grouped};
use super::{Printer, style};

pub const DEFAULT_LINES: usize = 6;

/// Paths only, each once, best first.
pub fn print_files(response: &SearchResponse, printer: &Printer) -> io::Result<()> {
    let mut seen = BTreeSet::new();
    response
        .hits
        .iter()
        .map(file)
        .filter(|file| seen.insert(file.clone()))
        .try_for_each(|file| printer.line(file))
}

pub fn print(
    request: &SearchRequest,
    response: &SearchResponse,
    lines: usize,
    printer: &Printer,
) -> io::Result<()> {
    let terms = Terms::of(&request.target);
    for (index, hit) in response.hits.iter().enumerate() {
        if index > 0 {
            printer.line("")?;
        }
        print_hit(hit, &terms, lines, printer)?;
    }
    footer(request, response, printer);
    Ok(())
}

fn print_hit(hit: &Hit, terms: &Terms, lines: usize, printer: &Printer) -> io::Result<()> {
    printer.line(heading(hit))?;
    if let Freshness::Stale { modified_secs_ago } = hit.freshness {
        printer
            .line(format!("  changed {} ago; the index has not read it yet", duration(modified_secs_ago)))?;
    }
    let source: Vec<&str> = hit.content.lines().collect();
    let window = terms.best_window(&source, lines);
    for index in window.clone() {
        let number = hit.start_line as usize + index;
        printer.line(format!(
            "{}{number:>6} │{} {}",
            style::DIM.render(),
            style::DIM.render_reset(),
            terms.highlight(source[index])
        ))?;
    }
    if window.len() < source.len() {
        let rest = source.len() - window.len();
        printer.line(format!(
            "{}       ⋮ {rest} more lines{}",
            style::DIM.render(),
            style::DIM.render_reset()
        ))?;
    }
    print_details(hit, printer)
}

fn heading(hit: &Hit) -> String {
    let place = format!("{}:{}-{}", file(hit), hit.start_line, hit.end_line);
    let symbol = hit.symbol.as_ref().map_or_else(String::new, |symbol| {
        format!("  {}{symbol}{}", style::SYMBOL.render(), style::SYMBOL.render_reset())
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

/// The path, with its project where several were asked.
fn file(hit: &Hit) -> String {
    hit.project.as_ref().map_or_else(|| hit.path.clone(), |project| format!("{project}:{}", hit.path))
}

fn print_details(hit: &Hit, printer: &Printer) -> io::Result<()> {
    for signal in &hit.signals {
        printer.line(format!(
            "       {:<18} {:>8.3} → {:+.3}",
            signal.name, signal.value, signal.contribution
        ))?;
    }
    Ok(())
}

/// What a person should know about the answer as a whole, on stderr.
fn footer(request: &SearchRequest, response: &SearchResponse, printer: &Printer) {
    if response.hits.is_empty() {
        printer.note(format!(
            "Nothing found above {:.2}. Try other words, or a lower --threshold.",
            request.threshold
        ));
    }
    if let Some(next) = response.next {
        let rest = response.total.saturating_sub(next.0) as u64;
        printer.note(format!("{} more results: add --skip {}", grouped(rest), next.0));
    }
    for note in &response.notes {
        printer.note(note);
    }
}

/// The words of a question, to be shown where they stand in the code.
struct Terms {
    words: BTreeSet<String>,
}

impl Terms {
    fn of(target: &SearchTarget) -> Self {
        let words = match target {
            SearchTarget::Query(query) => words::lowercase_words(query),
            SearchTarget::Snippet(_) | SearchTarget::Location { .. } => Vec::new(),
        };
        Self { words: words.into_iter().filter(|word| word.len() > 2).collect() }
    }

    fn matches(&self, word: &str) -> bool {
        let word = word.to_ascii_lowercase();
        self.words.iter().any(|term| word == *term || (term.len() > 3 && word.starts_with(term.as_str())))
    }

    /// The run of at most `length` lines that holds most matches; the first lines where none does.
    fn best_window(&self, lines: &[&str], length: usize) -> std::ops::Range<usize> {
        let length = length.min(lines.len());
        let counts: Vec<usize> = lines.iter().map(|line| self.count(line)).collect();
        let sum = |start: usize| counts[start..start + length].iter().sum::<usize>();
        // `max_by_key` answers the last of equals, so go backwards to keep the first.
        let start = (0..=lines.len() - length).rev().max_by_key(|start| sum(*start)).unwrap_or(0);
        start..start + length
    }

    fn count(&self, line: &str) -> usize {
        let mut count = 0;
        words::for_each_word(line, |word| count += usize::from(self.matches(word)));
        count
    }

    fn highlight(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len() + 16);
        let mut copied = 0;
        words::for_each_word(line, |word| {
            if self.matches(word) {
                let start = word.as_ptr() as usize - line.as_ptr() as usize;
                out.push_str(&line[copied..start]);
                out.extend([
                    &style::MATCH.render().to_string(),
                    word,
                    &style::MATCH.render_reset().to_string(),
                ]);
                copied = start + word.len();
            }
        });
        out.push_str(&line[copied..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(query: &str) -> Terms {
        Terms::of(&SearchTarget::Query(query.into()))
    }

    #[test]
    fn the_window_goes_where_the_words_are() {
        let lines = ["fn a() {", "    let x = 1;", "    retry(payment)", "}"];
        assert_eq!(terms("payment retries").best_window(&lines, 2), 1..3);
        assert_eq!(terms("nothing").best_window(&lines, 2), 0..2);
        assert_eq!(terms("x").best_window(&lines, 99), 0..4);
        assert_eq!(terms("x").best_window(&[], 3), 0..0);
    }

    #[test]
    fn matches_are_marked_inside_identifiers() {
        let marked = terms("retry").highlight("payRetryLater()");
        assert!(marked.starts_with("pay\u{1b}["), "{marked:?}");
        assert!(marked.contains("Retry"));
        assert!(marked.ends_with("Later()"));
    }
}
