//! Renders a page of search results within the token budget: a line for each, then the code of the best ones, unless no result
//! is related to the query.
//!
//! Numbers before each line of code would cost 28 % more tokens than the range in the heading, and an edit could not match the
//! code exactly.

use std::fmt::Write;
use std::ops::Range;

use serde_json::{Value, json};
use vectorcode_core::ContentClass;
use vectorcode_core::api::{
    ClassFilter, Cursor, Freshness, Hit, SearchRequest, SearchResponse, TestFilter, UNRELATED_SCORE,
};

use super::excerpt::QueryWords;
use super::hit::{code_block, file_name, place, rounded, summary, value};
use super::notes::note_lines;
use super::packing::{Packer, Packing, SHOWN_BEFORE, fitting};
use crate::budget::tokens;
use crate::mcp::answer::{AnswerFormat, ToolAnswer};
use crate::shown_code::ShownLines;
use crate::units::short_age;

/// Maximum number of locations in a line of folded tests or documents.
const MAX_FOLDED: usize = 2;
/// Tokens for the lines around the results.
const FRAME_TOKENS: usize = 60;
/// One page of search results.
pub(crate) struct SearchPage<'a> {
    pub(crate) request: &'a SearchRequest,
    pub(crate) words: QueryWords,
    pub(crate) max_tokens: usize,
    pub(crate) response: &'a SearchResponse,
    /// The progress of the first index, while files are still being read.
    pub(crate) reading: Option<&'a str>,
}

/// Which results of a page are shown, and how.
struct Layout<'a> {
    listed: Vec<&'a Hit>,
    with_code: Vec<(&'a Hit, Range<usize>)>,
    /// Results whose code was shown by an earlier call.
    repeated: Vec<&'a Hit>,
    /// The number of results that did not fit and go to the next page, and the position of the first of them on this one.
    cut: usize,
    cut_at: Option<usize>,
    folded: Vec<FoldedHits<'a>>,
}

/// Tests, documents or settings, for which only locations are shown.
struct FoldedHits<'a> {
    what: &'static str,
    hits: Vec<&'a Hit>,
}

impl SearchPage<'_> {
    /// Renders the page without code that was shown before, and adds the code that it shows to `shown`.
    pub(crate) fn render(&self, format: AnswerFormat, shown: &mut ShownLines) -> ToolAnswer {
        match format {
            AnswerFormat::Text => {
                let layout = self.layout(shown);
                layout.with_code.iter().for_each(|(hit, lines)| shown.add(hit, lines));
                ToolAnswer::Text(self.text(&layout))
            }
            AnswerFormat::Json => ToolAnswer::Value(self.value(shown)),
        }
    }

    fn start(&self) -> usize {
        self.request.cursor.map_or(0, |cursor| cursor.offset)
    }

    /// Unrelated code is not worth its tokens. Code of results with a moderate score is: for half of the bug reports, the right
    /// file scores no higher.
    fn shows_code(&self) -> bool {
        self.response.hits.iter().any(|hit| hit.score >= UNRELATED_SCORE)
    }

    fn layout(&self, shown: &ShownLines) -> Layout<'_> {
        let (main, folded) = self.folded();
        let frame = FRAME_TOKENS
            + tokens(&banner(&self.response.hits))
            + self.reading.map_or(0, tokens)
            + tokens(&self.notes())
            + folded.iter().map(|folded| tokens(&folded.line())).sum::<usize>();
        let packer = Packer {
            words: &self.words,
            budget: self.max_tokens.saturating_sub(frame),
            shows_code: self.shows_code(),
            shown,
        };
        let Packing { listed, with_code, repeated } = packer.pack(&main);
        let cut_at = main
            .get(listed)
            .and_then(|cut| self.response.hits.iter().position(|hit| std::ptr::eq(hit, *cut)));
        let cut = main.len() - listed;
        Layout { listed: main[..listed].to_vec(), with_code, repeated, cut, cut_at, folded }
    }

    /// Separates tests, documents and settings from code, unless they were requested or there is nothing else.
    fn folded(&self) -> (Vec<&Hit>, Vec<FoldedHits<'_>>) {
        let folds_tests = matches!(self.request.tests, TestFilter::Demote | TestFilter::Exclude);
        let folds_class = self.request.class == ClassFilter::All;
        let kind_of = |hit: &Hit| match hit.class {
            _ if hit.artifact.is_some() => None,
            ContentClass::Docs if folds_class => Some("docs"),
            ContentClass::Config if folds_class => Some("config"),
            _ if hit.is_test && folds_tests => Some("tests"),
            _ => None,
        };
        let (main, rest): (Vec<&Hit>, Vec<&Hit>) =
            self.response.hits.iter().partition(|hit| kind_of(hit).is_none());
        if main.is_empty() {
            return (rest, Vec::new());
        }
        let mut folded: Vec<FoldedHits<'_>> = Vec::new();
        for hit in rest {
            let Some(what) = kind_of(hit) else { continue };
            match folded.iter_mut().find(|folded| folded.what == what) {
                Some(folded) => folded.hits.push(hit),
                None => folded.push(FoldedHits { what, hits: vec![hit] }),
            }
        }
        (main, folded)
    }

    fn text(&self, layout: &Layout<'_>) -> String {
        let mut text = self.reading.map(|reading| format!("{reading}\n")).unwrap_or_default();
        text.push_str(&banner(&self.response.hits));
        text.push_str(&self.heading(layout));
        let first_weak = layout.listed.iter().position(|hit| hit.weak).filter(|_| !self.response.weak);
        for (place, hit) in layout.listed.iter().enumerate() {
            if first_weak == Some(place) {
                text.push_str("\nNothing below fits well:");
            }
            let is_repeated = layout.repeated.iter().any(|repeated| std::ptr::eq(*repeated, *hit));
            let before = if is_repeated { SHOWN_BEFORE } else { "" };
            let _ = write!(text, "\n{}{before}", summary(hit));
        }
        for folded in &layout.folded {
            let _ = write!(text, "\n{}", folded.line());
        }
        for (hit, range) in &layout.with_code {
            let _ = write!(text, "\n\n{}", code_block(hit, range));
        }
        text.push_str(&self.next_step(layout));
        text.push_str(&self.notes());
        text
    }

    fn heading(&self, layout: &Layout<'_>) -> String {
        let SearchResponse { total, likely, .. } = self.response;
        let shown = self.response.hits.len() - layout.cut;
        match (*total, self.start()) {
            (0, _) => self.no_results(),
            (_, start) if start >= *total => format!(
                "The cursor \"{start}\" is beyond the end: there are {total} results. Without a cursor they start with the best."
            ),
            _ if self.response.weak => "Nothing fits well; the nearest are:".to_owned(),
            (1, _) => "1 result".to_owned(),
            (_, 0) if shown == *total => format!("{total} results, {likely} likely, best first"),
            (_, 0) => format!("{shown} of {total} results, {likely} likely, best first"),
            (_, start) => format!("Results {} to {} of {total}", start + 1, start + shown),
        }
    }

    fn no_results(&self) -> String {
        match self.request.threshold.filter(|threshold| *threshold > 0.0) {
            _ if self.reading.is_some() => "Nothing in the files that were read so far.".to_owned(),
            Some(threshold) => format!("No result scores {threshold:.2} or more."),
            None => "No results. Try other words or fewer filters.".to_owned(),
        }
    }

    /// Suggests the next call: to read more of a result, or to get more results.
    fn next_step(&self, layout: &Layout<'_>) -> String {
        let mut steps = Vec::new();
        if let Some((hit, _)) = layout.with_code.first() {
            let target = match &hit.symbol {
                Some(symbol) if hit.project.is_none() => format!("{}#{symbol}", hit.path),
                _ => place(hit),
            };
            steps.push(format!("`vec_read` {target:?} for a whole definition, its callers and tests"));
        }
        if let Some(cursor) = self.next_cursor(layout.cut_at) {
            steps.push(format!("cursor \"{cursor}\" for more results"));
        }
        if steps.is_empty() { String::new() } else { format!("\nNext: {}", steps.join("; ")) }
    }

    /// Where the next page starts, if there is one.
    fn next_cursor(&self, cut_at: Option<usize>) -> Option<Cursor> {
        let ranking = self.response.ranking;
        let cut = cut_at.map(|place| Cursor { offset: self.start() + place, ranking });
        cut.or(self.response.next).filter(|next| next.offset < self.response.total)
    }

    fn notes(&self) -> String {
        note_lines(&self.response.notes)
    }

    /// The page for programs: results with their code until the budget is used up, then only with their signatures.
    fn value(&self, shown: &mut ShownLines) -> Value {
        let hits = &self.response.hits;
        let cost = |value: &Value| tokens(&value.to_string()) + 1;
        let short: Vec<Value> = hits.iter().map(|hit| value(hit, false)).collect();
        let costs: Vec<usize> = short.iter().map(cost).collect();
        let mut left = self
            .max_tokens
            .saturating_sub(FRAME_TOKENS + tokens(&self.notes()) + self.reading.map_or(0, tokens));
        let count = fitting(&costs, left).max(1).min(hits.len());
        left = left.saturating_sub(costs[..count].iter().sum());
        let mut results: Vec<Value> = short.into_iter().take(count).collect();
        let mut is_cut = count < hits.len();
        for (result, hit) in results.iter_mut().zip(hits).filter(|_| self.shows_code()) {
            let lines = 0..hit.content.lines().count();
            if shown.contain(hit, &lines) {
                result["shown_before"] = true.into();
                continue;
            }
            let whole = value(hit, true);
            let extra = cost(&whole).saturating_sub(cost(result));
            if extra > left {
                is_cut = true;
                break;
            }
            *result = whole;
            left -= extra;
            shown.add(hit, &lines);
        }
        let mut page = json!({
            "total": self.response.total,
            "likely": self.response.likely,
            "weak": self.response.weak,
            "results": results,
            "truncated": is_cut,
            "notes": self.reading.into_iter().chain(self.response.notes.iter().map(String::as_str)).collect::<Vec<_>>(),
            "took_ms": rounded(self.response.took_ms, 10.0),
        });
        if let Some(cursor) = self.next_cursor((count < hits.len()).then_some(count)) {
            page["next_cursor"] = cursor.to_string().into();
        }
        if let Some(coverage) = self.response.semantic_coverage {
            page["semantic_coverage"] = rounded(f64::from(coverage), 1000.0).into();
        }
        page
    }
}

impl FoldedHits<'_> {
    /// `tests: tests/retry.rs:5-20, tests/pay.rs:7-9, +3`.
    fn line(&self) -> String {
        let mut places: Vec<String> = self.hits.iter().take(MAX_FOLDED).map(|hit| place(hit)).collect();
        if let Some(more) = self.hits.len().checked_sub(MAX_FOLDED).filter(|more| *more > 0) {
            places.push(format!("+{more}"));
        }
        format!("{}: {}", self.what, places.join(", "))
    }
}

/// The warning above results whose files have changed since they were indexed.
fn banner(hits: &[Hit]) -> String {
    let mut stale: Vec<(String, u64)> = hits
        .iter()
        .filter_map(|hit| match hit.freshness {
            Freshness::Stale { modified_secs_ago } => Some((file_name(hit), modified_secs_ago)),
            Freshness::Fresh | Freshness::Moved => None,
        })
        .collect();
    stale.sort_unstable();
    stale.dedup_by(|one, other| one.0 == other.0);
    if stale.is_empty() {
        return String::new();
    }
    let mut banner = "\u{26a0}\u{fe0f} Some files referenced below were modified since the last index sync\n\
                      and may not reflect the latest content:\n"
        .to_owned();
    for (path, seconds) in stale {
        let _ = writeln!(banner, "  - {path} (modified {} ago)", short_age(seconds));
    }
    banner.push_str("Use grep or read these files directly for accurate content.\n\n");
    banner
}

#[cfg(test)]
mod tests {

    use super::*;

    fn hit(number: usize, lines: usize) -> Hit {
        let body = "        step(attempt);\n".repeat(lines);
        Hit {
            project: None,
            artifact: None,
            path: format!("src/payment/retry_{number}.ts"),
            start_line: 45,
            end_line: 47 + lines as u32,
            symbol: Some(format!("RetryHandler.handle{number}")),
            kind: "method_definition".into(),
            language: "typescript".into(),
            class: ContentClass::Code,
            is_test: false,
            parent_context: Some("class RetryHandler".into()),
            content: format!(
                "    /** Retries. */\n    async handle{number}(attempt: number) {{\n{body}    }}"
            ),
            score: 0.87 - number as f32 / 100.0,
            weak: false,
            freshness: Freshness::Fresh,
            also_in: Vec::new(),
            matching_lines: Vec::new(),
            signals: Vec::new(),
            neighbours: None,
            diff: None,
        }
    }

    fn response(hits: Vec<Hit>, total: usize) -> SearchResponse {
        let next = (hits.len() < total).then_some(Cursor::at(hits.len()));
        SearchResponse {
            hits,
            total,
            likely: total,
            next,
            semantic_coverage: Some(1.0),
            took_ms: 1.0,
            ..SearchResponse::default()
        }
    }

    fn text(request: &SearchRequest, response: &SearchResponse, max_tokens: usize) -> String {
        let words = QueryWords::of("payment retry logic");
        match (SearchPage { request, words, max_tokens, response, reading: None })
            .render(AnswerFormat::Text, &mut ShownLines::default())
        {
            ToolAnswer::Text(text) => text,
            ToolAnswer::Value(value) => panic!("not a text: {value}"),
        }
    }

    fn value(response: &SearchResponse, max_tokens: usize) -> Value {
        let request = &SearchRequest::query("payment retry logic");
        let page = SearchPage { request, words: QueryWords::default(), max_tokens, response, reading: None };
        match page.render(AnswerFormat::Json, &mut ShownLines::default()) {
            ToolAnswer::Value(value) => value,
            ToolAnswer::Text(text) => panic!("not a value: {text}"),
        }
    }

    fn rendered(response: &SearchResponse, max_tokens: usize) -> String {
        text(&SearchRequest::query("payment retry logic"), response, max_tokens)
    }

    #[test]
    fn a_page_shows_the_best_with_code_and_the_rest_on_one_line() {
        let hits = vec![hit(1, 2), hit(2, 40), hit(3, 1), hit(4, 9)];
        insta::assert_snapshot!(rendered(&response(hits, 9), 1000));
    }

    #[test]
    fn tests_and_documents_are_folded_unless_they_were_asked_for() {
        let test = |number| Hit { is_test: true, ..hit(number, 2) };
        let docs = Hit { class: ContentClass::Docs, path: "README.md".into(), ..hit(9, 3) };
        let hits: Vec<Hit> = [test(2), hit(1, 2), docs].into_iter().chain((3..9).map(test)).collect();
        let page = response(hits, 9);
        let folded = rendered(&page, 1000);
        assert!(folded.contains("\ntests: src/payment/retry_2.ts:45-49, "), "{folded}");
        assert!(folded.contains(", +5") && folded.contains("\ndocs: README.md:45-50"), "{folded}");
        let asked = SearchRequest { tests: TestFilter::Include, ..SearchRequest::query("payment") };
        assert!(text(&asked, &page, 1000).contains("## src/payment/retry_2.ts:45-49"));
    }

    #[test]
    fn code_that_was_shown_before_is_named_and_leaves_room_for_other_code() {
        let (request, response) =
            (&SearchRequest::query("payment"), &response(vec![hit(1, 30), hit(2, 3), hit(3, 30)], 3));
        let words = QueryWords::default();
        let page = SearchPage { request, words, max_tokens: 450, response, reading: None };
        let mut shown = ShownLines::default();
        let mut ask = |format| match page.render(format, &mut shown) {
            ToolAnswer::Text(text) => text,
            ToolAnswer::Value(value) => value.to_string(),
        };
        let (first, second) = (ask(AnswerFormat::Text), ask(AnswerFormat::Text));
        assert!(first.contains("\n## src/payment/retry_1.ts:45-77"), "{first}");
        assert!(!first.contains("\n## src/payment/retry_3.ts:45-77"), "{first}");
        assert!(
            second.contains("retry_1.ts:45-77 RetryHandler.handle1 method 0.86 (shown before)"),
            "{second}"
        );
        assert!(second.contains("\n## src/payment/retry_3.ts:45-77"), "{second}");
        assert!(ask(AnswerFormat::Json).contains("\"shown_before\":true"));
    }

    #[test]
    fn stale_files_stand_in_the_banner_once_each() {
        let stale = |number| Hit { freshness: Freshness::Stale { modified_secs_ago: 1 }, ..hit(number, 1) };
        let answer = rendered(&response(vec![stale(1), stale(1), hit(2, 1)], 3), 4000);
        insta::assert_snapshot!(answer);
    }

    fn headings(text: &str) -> Vec<&str> {
        text.lines().filter_map(|line| line.strip_prefix("## ")).collect()
    }

    #[test]
    fn places_of_the_best_file_stand_together() {
        let again = Hit { start_line: 90, end_line: 94, ..hit(1, 2) };
        let text = rendered(&response(vec![hit(1, 2), hit(2, 2), again], 3), 2000);
        assert_eq!(
            headings(&text),
            [
                "src/payment/retry_1.ts:45-49 RetryHandler.handle1 method 0.86",
                "src/payment/retry_1.ts:90-94 RetryHandler.handle1 method 0.86",
                "src/payment/retry_2.ts:45-49 RetryHandler.handle2 method 0.85",
            ],
            "{text}"
        );
    }

    #[test]
    fn a_function_too_long_for_the_rest_shows_the_lines_that_fit_the_query() {
        let long = hit(1, 60).content.replacen(
            "        step(attempt);\n    }",
            "        retry(payment.logic);\n    }",
            1,
        );
        let text = rendered(&response(vec![Hit { content: long, ..hit(1, 60) }], 1), 300);
        let heading = headings(&text)[0];
        assert!(heading.contains("(of 45-107) async handle1(attempt: number) 0.86"), "{text}");
        assert!(text.contains("retry(payment.logic);"), "{text}");
    }

    #[test]
    fn a_line_tells_where_likely_ends() {
        let weak = Hit { score: 0.2, weak: true, ..hit(3, 1) };
        let page = SearchResponse { likely: 2, ..response(vec![hit(1, 1), hit(2, 1), weak], 3) };
        let text = rendered(&page, 1000);
        assert!(text.starts_with("3 results, 2 likely, best first\n"), "{text}");
        assert!(text.contains("\nNothing below fits well:\nsrc/payment/retry_3.ts:45-48 "), "{text}");
        assert_eq!(value(&page, 1000)["results"][2]["weak"], true);
    }

    #[test]
    fn an_answer_from_half_an_index_begins_with_how_far_it_is() {
        let (request, response) = (&SearchRequest::query("payment"), &response(Vec::new(), 0));
        let reading = Some("Indexing: 2 of 9 files read; this answer covers those.");
        let page = SearchPage { request, words: QueryWords::default(), max_tokens: 900, response, reading };
        let ToolAnswer::Text(text) = page.render(AnswerFormat::Text, &mut ShownLines::default()) else {
            panic!("not a text")
        };
        assert_eq!(
            text,
            "Indexing: 2 of 9 files read; this answer covers those.\nNothing in the files that were read so far."
        );
    }

    #[test]
    fn text_and_value_both_fit_every_budget() {
        let response = response((0..30).map(|number| hit(number, number * 2)).collect(), 99);
        for max_tokens in [200, 400, 1000, 4000, 10_000] {
            let text = tokens(&rendered(&response, max_tokens));
            assert!(text <= max_tokens, "{max_tokens}: {text}");
            let value = tokens(&value(&response, max_tokens).to_string());
            assert!(value <= max_tokens, "{max_tokens}: {value}");
        }
    }

    #[test]
    fn code_keeps_the_indentation_of_its_file() {
        let page = response(vec![hit(1, 2)], 1);
        assert!(
            rendered(&page, 1000)
                .contains("\n    async handle1(attempt: number) {\n        step(attempt);\n")
        );
    }

    #[test]
    fn the_next_page_starts_with_the_first_result_that_did_not_fit() {
        let hits: Vec<Hit> = (0..10).map(|number| hit(number, 20)).collect();
        let tight = rendered(&response(hits.clone(), 10), 220);
        let shown = (0..10).filter(|number| tight.contains(&format!("retry_{number}.ts"))).count();
        assert!(shown < 10 && tight.contains(&format!("cursor \"{shown}\"")), "{tight}");
        let value = value(&response(hits, 10), 400);
        let shown = value["results"].as_array().unwrap().len();
        assert_eq!(value["next_cursor"], shown.to_string());
        assert_eq!(value["truncated"], true);
    }

    #[test]
    fn a_single_result_beyond_the_budget_shows_a_part() {
        let answer = rendered(&response(vec![hit(1, 2000)], 1), 500);
        assert!(answer.contains("(of 45-2047)"), "{answer}");
        assert!(tokens(&answer) <= 500);
    }

    #[test]
    fn a_weak_answer_says_so_first_and_shows_no_code_that_has_nothing_to_do_with_the_question() {
        let best = Hit { score: 0.0412, ..hit(1, 3) };
        let plain = Hit { symbol: None, score: 0.0123, ..hit(2, 3) };
        let weak = SearchResponse { weak: true, ..response(vec![best.clone(), plain], 2) };
        insta::assert_snapshot!(rendered(&weak, 4000), @r"
        Nothing fits well; the nearest are:
        src/payment/retry_1.ts:45-50 RetryHandler.handle1 method 0.04
        src/payment/retry_2.ts:45-50 async handle2(attempt: number) 0.01
        ");
        let value = value(&weak, 4000);
        assert_eq!((&value["weak"], &value["results"][0]["content"]), (&true.into(), &Value::Null));
        let maybe = SearchResponse { weak: true, ..response(vec![Hit { score: 0.2, ..best }], 1) };
        assert!(rendered(&maybe, 4000).contains("async handle1"), "{}", rendered(&maybe, 4000));
    }

    #[test]
    fn an_empty_answer_says_what_may_help() {
        let mut empty = response(Vec::new(), 0);
        empty.notes.push("The provider cannot be reached.".into());
        insta::assert_snapshot!(rendered(&empty, 4000));
    }

    #[test]
    fn a_cursor_beyond_the_end_says_where_the_end_is() {
        let request = SearchRequest { cursor: Some(Cursor::at(500)), ..SearchRequest::query("payment") };
        let beyond = SearchResponse { next: None, ..response(Vec::new(), 20) };
        let text = text(&request, &beyond, 900);
        assert!(text.starts_with("The cursor \"500\" is beyond the end: there are 20 results."), "{text}");
    }
}
