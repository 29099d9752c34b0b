//! A page of search results within the token budget: the best results in full, the others by their signature, and how
//! to get the rest.

use std::fmt::Write;

use serde_json::{Value, json};
use vectorcode_core::api::{Freshness, Hit, SearchResponse};
use vectorcode_core::visible_line;

use super::hit::{Form, beginning, block, cost, file_name, fitting, result, rounded};
use super::units::short_age;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::budget::tokens;

/// Room for the lines around the results.
const FRAME_TOKENS: usize = 60;

/// One page of search results.
pub(crate) struct SearchPage<'a> {
    /// What was searched for, as the first line names it.
    pub(crate) subject: &'a str,
    pub(crate) threshold: f32,
    /// Number of results on the previous pages.
    pub(crate) start: usize,
    pub(crate) max_tokens: usize,
    pub(crate) response: &'a SearchResponse,
}

impl SearchPage<'_> {
    pub(crate) fn render(&self) -> ToolAnswer {
        let forms = self.forms();
        let shown: Vec<(&Hit, Form)> = self.response.hits.iter().zip(forms).collect();
        ToolAnswer { text: self.text(&shown), structured: self.structured(&shown) }
    }

    /// A form for each result that fits; the results after the last one go to the next page.
    fn forms(&self) -> Vec<Form> {
        let hits = &self.response.hits;
        let signatures: Vec<usize> = hits.iter().map(|hit| cost(hit, Form::Signature)).collect();
        let mut left = self.max_tokens.saturating_sub(FRAME_TOKENS + self.cost_of_frame());
        let count = fitting(&signatures, left).max(1).min(hits.len());
        left = left.saturating_sub(signatures[..count].iter().sum());
        let mut forms = vec![Form::Signature; count];
        for ((form, hit), signature) in forms.iter_mut().zip(hits).zip(&signatures) {
            let extra = cost(hit, Form::Full).saturating_sub(*signature);
            if extra > left {
                break;
            }
            *form = Form::Full;
            left -= extra;
        }
        if let (Some(first @ Form::Signature), Some(hit)) = (forms.first_mut(), hits.first()) {
            *first = beginning(hit, left);
        }
        forms
    }

    fn cost_of_frame(&self) -> usize {
        tokens(self.subject)
            + tokens(&banner(&self.response.hits.iter().collect::<Vec<_>>()))
            + tokens(&self.notes())
    }

    fn text(&self, shown: &[(&Hit, Form)]) -> String {
        let hits: Vec<&Hit> = shown.iter().map(|(hit, _)| *hit).collect();
        let mut text = banner(&hits);
        text.push_str(&self.heading());
        for (position, (hit, form)) in shown.iter().enumerate() {
            let _ = write!(text, "\n\n[{}] {}", self.start + position + 1, block(hit, *form));
        }
        text.push_str(&self.rest(shown.len()));
        text.push_str(&self.notes());
        text
    }

    fn heading(&self) -> String {
        let count = match self.response.total {
            0 => "No results".to_owned(),
            1 => "Found 1 result".to_owned(),
            total => format!("Found {total} results"),
        };
        format!("{count} for {} (threshold: {:.2})", visible_line(self.subject), self.threshold)
    }

    fn rest(&self, shown: usize) -> String {
        match self.next_cursor(shown) {
            Some(cursor) => {
                let more = self.response.total.saturating_sub(cursor);
                let plural = if more == 1 { "" } else { "s" };
                format!("\n\n({more} more result{plural})\nNext page: the same call with cursor \"{cursor}\"")
            }
            None if self.response.total == 0 && self.threshold > 0.0 => {
                "\n\nTry a lower threshold, other words or fewer filters.".to_owned()
            }
            None => String::new(),
        }
    }

    /// Where the next page starts, if there is one.
    fn next_cursor(&self, shown: usize) -> Option<usize> {
        let cut = shown < self.response.hits.len();
        let start = if cut { Some(self.start + shown) } else { self.response.next.map(|cursor| cursor.0) };
        start.filter(|start| *start < self.response.total)
    }

    fn notes(&self) -> String {
        let coverage = self.response.semantic_coverage.filter(|coverage| *coverage < 1.0).map(|coverage| {
            format!(
                "\n\nSemantic coverage: {:.0} % (the rest is being embedded, or waits for the provider)",
                coverage * 100.0
            )
        });
        let mut text = coverage.unwrap_or_default();
        for (position, note) in self.response.notes.iter().enumerate() {
            let gap = if position == 0 && text.is_empty() { "\n\n" } else { "\n" };
            let _ = write!(text, "{gap}Note: {note}");
        }
        text
    }

    fn structured(&self, shown: &[(&Hit, Form)]) -> Value {
        let next = self.next_cursor(shown.len());
        let cut = shown.len() < self.response.hits.len() || shown.iter().any(|(_, form)| *form != Form::Full);
        let mut value = json!({
            "total": self.response.total,
            "results": shown.iter().map(|(hit, form)| result(hit, *form)).collect::<Vec<_>>(),
            "truncated": cut,
            "notes": self.response.notes,
            "took_ms": rounded(self.response.took_ms, 10.0),
        });
        if let Some(cursor) = next {
            value["next_cursor"] = cursor.to_string().into();
        }
        if let Some(coverage) = self.response.semantic_coverage {
            value["semantic_coverage"] = rounded(f64::from(coverage), 1000.0).into();
        }
        value
    }
}

/// The warning above results whose files changed and are not indexed yet.
fn banner(hits: &[&Hit]) -> String {
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
    use vectorcode_core::ContentClass;
    use vectorcode_core::api::Cursor;

    use super::*;

    fn hit(number: usize, lines: usize) -> Hit {
        let body = "    step(attempt);\n".repeat(lines);
        Hit {
            project: None,
            artifact: None,
            path: format!("src/payment/retry_{number}.ts"),
            start_line: 45,
            end_line: 46 + lines as u32,
            symbol: Some(format!("RetryHandler.handle{number}")),
            kind: "method_definition".into(),
            language: "typescript".into(),
            class: ContentClass::Code,
            parent_context: Some("class RetryHandler".into()),
            content: format!("/** Retries. */\nasync handle{number}(attempt: number) {{\n{body}}}"),
            score: 0.87 - number as f32 / 100.0,
            freshness: Freshness::Fresh,
            signals: Vec::new(),
            neighbours: None,
        }
    }

    fn response(hits: Vec<Hit>, total: usize) -> SearchResponse {
        let next = (hits.len() < total).then_some(Cursor(hits.len()));
        SearchResponse { hits, total, next, semantic_coverage: Some(1.0), notes: Vec::new(), took_ms: 1.0 }
    }

    fn render(response: &SearchResponse, max_tokens: usize) -> ToolAnswer {
        let subject = "\"payment retry logic\"";
        SearchPage { subject, threshold: 0.3, start: 0, max_tokens, response }.render()
    }

    #[test]
    fn a_page_looks_as_specified() {
        let answer = render(&response(vec![hit(1, 2), hit(2, 1)], 5), 4000);
        insta::assert_snapshot!(answer.text);
    }

    #[test]
    fn stale_files_stand_in_the_banner_once_each() {
        let stale = |number| Hit { freshness: Freshness::Stale { modified_secs_ago: 1 }, ..hit(number, 1) };
        let answer = render(&response(vec![stale(1), stale(1), hit(2, 1)], 3), 4000);
        insta::assert_snapshot!(answer.text);
    }

    #[test]
    fn text_and_value_both_fit_every_budget() {
        let response = response((0..30).map(|number| hit(number, number * 2)).collect(), 99);
        for max_tokens in [200, 400, 1000, 4000, 10_000] {
            let answer = render(&response, max_tokens);
            assert!(tokens(&answer.text) <= max_tokens, "{max_tokens}: {}", tokens(&answer.text));
            let structured = tokens(&answer.structured.to_string());
            assert!(structured <= max_tokens, "{max_tokens}: {structured}");
        }
    }

    #[test]
    fn full_results_come_before_signatures_and_the_cursor_follows_what_was_shown() {
        let response = response((0..10).map(|number| hit(number, 20)).collect(), 10);
        let answer = render(&response, 1000);
        let results = answer.structured["results"].as_array().unwrap();
        let whole = results.iter().take_while(|result| result.get("content").is_some()).count();
        assert!(whole >= 1 && whole < results.len());
        assert!(results[whole..].iter().all(|result| result.get("signature").is_some()));
        assert_eq!(answer.structured["truncated"], true);

        let tight = render(&response, 300);
        let shown = tight.structured["results"].as_array().unwrap().len();
        assert!(shown < 10);
        assert_eq!(tight.structured["next_cursor"], shown.to_string());
        assert!(tight.text.contains(&format!("({} more results)", 10 - shown)));
    }

    #[test]
    fn a_single_result_beyond_the_budget_shows_its_beginning() {
        let answer = render(&response(vec![hit(1, 2000)], 1), 500);
        assert!(answer.text.contains("more lines)"), "{}", answer.text);
        assert!(tokens(&answer.text) <= 500);
    }

    #[test]
    fn an_empty_answer_says_what_may_help() {
        let mut empty = response(Vec::new(), 0);
        empty.semantic_coverage = Some(0.62);
        empty.notes.push("The provider cannot be reached.".into());
        insta::assert_snapshot!(render(&empty, 4000).text);
    }
}
