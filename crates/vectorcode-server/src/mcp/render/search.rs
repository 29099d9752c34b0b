//! A page of search results within the token budget: one line each, and the code of the best unless all are weak.
//!
//! Chosen on 221 bug reports (docs/agents.md). Numbers before each line of code would cost 28 % more tokens than the range in
//! the heading, and an edit could not match the code exactly. Listing further places of the files that are shown before further
//! files showed fewer of the right files and fewer changed lines for the same tokens.

use std::fmt::Write;
use std::ops::Range;

use serde_json::{Value, json};
use vectorcode_core::ContentClass;
use vectorcode_core::api::{ClassFilter, Freshness, Hit, SearchRequest, SearchResponse, TestFilter};
use vectorcode_core::config::SearchConfig;

use super::excerpt::QueryWords;
use super::hit::{code_block, file_name, place, rounded, scored, summary, value};
use super::notes::note_lines;
use super::units::short_age;
use crate::budget::tokens;
use crate::mcp::answer::{AnswerFormat, ToolAnswer};

/// Results that are shown with code, at most.
const MAX_WITH_CODE: usize = 3;
/// Lines of code of one result, at most. The rest is a call of `vec_read` away.
const MAX_CODE_LINES: usize = 25;
/// Fewer lines than these say no more than the signature.
const MIN_CODE_LINES: usize = 4;
/// The part of the budget, in percent, that one-line results take before the code of the best gets its part.
const LISTED_PERCENT: usize = 60;
/// Places that the line of folded tests or documents names.
const MAX_FOLDED: usize = 4;
/// Room for the lines around the results.
const FRAME_TOKENS: usize = 60;
/// Below this score of the best result, the answer says that it is probably not there.
const WEAK_SCORE: f32 = 0.4;

/// One page of search results.
pub(crate) struct SearchPage<'a> {
    pub(crate) request: &'a SearchRequest,
    pub(crate) words: QueryWords,
    pub(crate) max_tokens: usize,
    pub(crate) response: &'a SearchResponse,
}

/// What of a page is shown, and how.
struct Layout<'a> {
    with_code: Vec<(&'a Hit, Range<usize>)>,
    listed: Vec<&'a Hit>,
    /// The results that did not fit come on the next page: how many, and where the first stands on this one.
    cut: usize,
    cut_at: Option<usize>,
    folded: Vec<Folded<'a>>,
}

/// Tests, documents or settings, of which only places are shown.
struct Folded<'a> {
    what: &'static str,
    hits: Vec<&'a Hit>,
}

impl SearchPage<'_> {
    pub(crate) fn render(&self, format: AnswerFormat) -> ToolAnswer {
        ToolAnswer::of(format, || self.text(&self.layout()), || self.value())
    }

    fn start(&self) -> usize {
        self.request.cursor.map_or(0, |cursor| cursor.0)
    }

    fn layout(&self) -> Layout<'_> {
        let (main, folded) = self.folded();
        let frame = FRAME_TOKENS
            + tokens(&banner(&self.response.hits))
            + tokens(&self.notes())
            + folded.iter().map(|folded| tokens(&folded.line())).sum::<usize>();
        let mut left = self.max_tokens.saturating_sub(frame);
        let costs: Vec<usize> = main.iter().map(|hit| tokens(&self.line(hit)) + 1).collect();
        let mut count = fitting(&costs, left * LISTED_PERCENT / 100).max(1).min(main.len());
        left = left.saturating_sub(costs[..count].iter().sum());
        let mut with_code = Vec::new();
        for (hit, cost) in main.iter().zip(&costs).take(self.max_with_code().min(count)) {
            // Its own line is part of the code's heading.
            left += cost;
            let Some(range) = self.code_within(hit, left) else {
                left -= cost;
                break;
            };
            left = left.saturating_sub(tokens(&code_block(hit, &range)) + 2);
            with_code.push((*hit, range));
        }
        count += fitting(&costs[count..], left);
        let listed = main[with_code.len()..count].to_vec();
        let cut_at =
            main.get(count).and_then(|cut| self.response.hits.iter().position(|hit| std::ptr::eq(hit, *cut)));
        Layout { with_code, listed, cut: main.len() - count, cut_at, folded }
    }

    /// Code that is probably not what was asked for is not worth its tokens.
    fn max_with_code(&self) -> usize {
        if self.response.weak { 0 } else { MAX_WITH_CODE }
    }

    /// A result without code on one line.
    fn line(&self, hit: &Hit) -> String {
        if self.response.weak { scored(hit) } else { summary(hit) }
    }

    /// The lines of a result that fit; `None` where they would be too few.
    fn code_within(&self, hit: &Hit, left: usize) -> Option<Range<usize>> {
        let lines = hit.content.trim_end().lines().count();
        let mut wanted = lines.min(MAX_CODE_LINES);
        loop {
            let range = self.words.window(&hit.content, wanted);
            if tokens(&code_block(hit, &range)) <= left {
                return Some(range);
            }
            wanted = wanted * 3 / 4;
            if wanted < MIN_CODE_LINES.min(lines) || wanted == 0 {
                return None;
            }
        }
    }

    /// Tests, documents and settings apart from code, unless they were asked for or are all there is.
    fn folded(&self) -> (Vec<&Hit>, Vec<Folded<'_>>) {
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
        let mut folded: Vec<Folded<'_>> = Vec::new();
        for hit in rest {
            let Some(what) = kind_of(hit) else { continue };
            match folded.iter_mut().find(|folded| folded.what == what) {
                Some(folded) => folded.hits.push(hit),
                None => folded.push(Folded { what, hits: vec![hit] }),
            }
        }
        (main, folded)
    }

    fn text(&self, layout: &Layout<'_>) -> String {
        let mut text = banner(&self.response.hits);
        text.push_str(&self.heading(layout));
        for (hit, range) in &layout.with_code {
            let _ = write!(text, "\n{}\n", code_block(hit, range));
        }
        for hit in &layout.listed {
            let _ = write!(text, "\n{}", self.line(hit));
        }
        for folded in &layout.folded {
            let _ = write!(text, "\n{}", folded.line());
        }
        text.push_str(&self.next_step(layout));
        text.push_str(&self.notes());
        text
    }

    fn heading(&self, layout: &Layout<'_>) -> String {
        let total = self.response.total;
        let shown = self.response.hits.len() - layout.cut;
        let first = self.response.hits.first().map_or(0.0, |hit| hit.score);
        let weak = if first < WEAK_SCORE && !self.response.weak {
            "; weak, probably not what you look for"
        } else {
            ""
        };
        match (total, self.start()) {
            (0, _) => self.no_results(),
            (_, start) if start >= total => format!(
                "The cursor \"{start}\" is beyond the end: there are {total} results. Without a cursor they start with the best."
            ),
            _ if self.response.weak => format!(
                "No result reaches the threshold {:.2}. The nearest, probably not what you look for:",
                self.request.threshold
            ),
            (1, _) => format!("1 result{weak}"),
            (_, 0) if shown == total => format!("{total} results, best first{weak}"),
            (_, 0) => format!("{shown} of {total} results, best first{weak}"),
            (_, start) => format!("Results {} to {} of {total}", start + 1, start + shown),
        }
    }

    /// A threshold that the caller did not set is not why there are none: the nearest results would be shown.
    fn no_results(&self) -> String {
        let threshold = self.request.threshold;
        let is_own = threshold > SearchConfig::default().default_threshold as f32;
        let above = if is_own { format!(" above the threshold {threshold:.2}") } else { String::new() };
        format!("No results{above}. Try other words or fewer filters.")
    }

    /// What to ask next: more of a place, or more places.
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
    fn next_cursor(&self, cut_at: Option<usize>) -> Option<usize> {
        let after_page = || self.response.next.map(|cursor| cursor.0);
        let start = cut_at.map(|place| self.start() + place).or_else(after_page);
        start.filter(|start| *start < self.response.total)
    }

    fn notes(&self) -> String {
        let mut text = String::new();
        if let Some(coverage) = self.response.semantic_coverage.filter(|coverage| *coverage < 1.0) {
            let _ = write!(
                text,
                "\nNote: {:.0} % of the index has embeddings; ranking improves as the rest follows.",
                (coverage * 100.0).floor()
            );
        }
        text + &note_lines(&self.response.notes)
    }

    /// The page for programs: results with their code as far as the budget goes, then by their signature.
    fn value(&self) -> Value {
        let hits = &self.response.hits;
        let cost = |value: &Value| tokens(&value.to_string()) + 1;
        let short: Vec<Value> = hits.iter().map(|hit| value(hit, false)).collect();
        let costs: Vec<usize> = short.iter().map(cost).collect();
        let mut left = self.max_tokens.saturating_sub(FRAME_TOKENS + tokens(&self.notes()));
        let count = fitting(&costs, left).max(1).min(hits.len());
        left = left.saturating_sub(costs[..count].iter().sum());
        let mut results: Vec<Value> = short.into_iter().take(count).collect();
        let mut is_cut = count < hits.len();
        for (result, hit) in results.iter_mut().zip(hits).filter(|_| !self.response.weak) {
            let whole = value(hit, true);
            let extra = cost(&whole).saturating_sub(cost(result));
            if extra > left {
                is_cut = true;
                break;
            }
            *result = whole;
            left -= extra;
        }
        let mut page = json!({
            "total": self.response.total,
            "weak": self.response.weak,
            "results": results,
            "truncated": is_cut,
            "notes": self.response.notes,
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

impl Folded<'_> {
    /// `tests: tests/retry.rs:5-20, tests/pay.rs:7-9, +3`.
    fn line(&self) -> String {
        let mut places: Vec<String> = self.hits.iter().take(MAX_FOLDED).map(|hit| place(hit)).collect();
        if let Some(more) = self.hits.len().checked_sub(MAX_FOLDED).filter(|more| *more > 0) {
            places.push(format!("+{more}"));
        }
        format!("{}: {}", self.what, places.join(", "))
    }
}

/// How many of `costs`, from the first, fit into `budget`.
pub(super) fn fitting(costs: &[usize], budget: usize) -> usize {
    costs
        .iter()
        .scan(0, |sum, cost| {
            *sum += cost;
            Some(*sum)
        })
        .take_while(|sum| *sum <= budget)
        .count()
}

/// The warning above results whose files changed and are not indexed yet.
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
    use vectorcode_core::api::Cursor;

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
            freshness: Freshness::Fresh,
            signals: Vec::new(),
            neighbours: None,
        }
    }

    fn response(hits: Vec<Hit>, total: usize) -> SearchResponse {
        let next = (hits.len() < total).then_some(Cursor(hits.len()));
        SearchResponse {
            hits,
            total,
            next,
            semantic_coverage: Some(1.0),
            took_ms: 1.0,
            ..SearchResponse::default()
        }
    }

    fn text(request: &SearchRequest, response: &SearchResponse, max_tokens: usize) -> String {
        let words = QueryWords::of("payment retry logic");
        match (SearchPage { request, words, max_tokens, response }).render(AnswerFormat::Text) {
            ToolAnswer::Text(text) => text,
            ToolAnswer::Value(value) => panic!("not a text: {value}"),
        }
    }

    fn value(response: &SearchResponse, max_tokens: usize) -> Value {
        let request = &SearchRequest::query("payment retry logic");
        let page = SearchPage { request, words: QueryWords::default(), max_tokens, response };
        match page.render(AnswerFormat::Json) {
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
        assert!(folded.contains(", +3\n") && folded.contains("\ndocs: README.md:45-50"), "{folded}");
        let asked = SearchRequest { tests: TestFilter::Include, ..SearchRequest::query("payment") };
        assert!(text(&asked, &page, 1000).contains("## src/payment/retry_2.ts:45-49"));
    }

    #[test]
    fn stale_files_stand_in_the_banner_once_each() {
        let stale = |number| Hit { freshness: Freshness::Stale { modified_secs_ago: 1 }, ..hit(number, 1) };
        let answer = rendered(&response(vec![stale(1), stale(1), hit(2, 1)], 3), 4000);
        insta::assert_snapshot!(answer);
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
    fn a_weak_answer_says_so_first_and_shows_no_code() {
        let plain = Hit { symbol: None, score: 0.1234, ..hit(2, 3) };
        let weak = SearchResponse { weak: true, ..response(vec![hit(1, 3), plain], 2) };
        insta::assert_snapshot!(rendered(&weak, 4000), @r"
        No result reaches the threshold 0.30. The nearest, probably not what you look for:
        src/payment/retry_1.ts:45-50 RetryHandler.handle1 (0.86)
        src/payment/retry_2.ts:45-50 async handle2(attempt: number) (0.12)
        ");
        let value = value(&weak, 4000);
        assert_eq!((&value["weak"], &value["results"][0]["content"]), (&true.into(), &Value::Null));
    }

    #[test]
    fn an_empty_answer_says_what_may_help() {
        let mut empty = response(Vec::new(), 0);
        empty.semantic_coverage = Some(0.62);
        empty.notes.push("The provider cannot be reached.".into());
        insta::assert_snapshot!(rendered(&empty, 4000));
    }

    #[test]
    fn a_cursor_beyond_the_end_says_where_the_end_is() {
        let request = SearchRequest { cursor: Some(Cursor(500)), ..SearchRequest::query("payment") };
        let beyond = SearchResponse { next: None, ..response(Vec::new(), 20) };
        let text = text(&request, &beyond, 900);
        assert!(text.starts_with("The cursor \"500\" is beyond the end: there are 20 results."), "{text}");
    }
}
