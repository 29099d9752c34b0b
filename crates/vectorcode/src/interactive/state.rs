//! The state of the screen, and how a key changes it. Nothing here touches the terminal.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use vectorcode_core::api::{ClassFilter, Hit, SearchRequest, SearchResponse, SearchTarget, TestFilter};
use vectorcode_core::{Choice, Markup};

use super::prompt::{Edit, Prompt};
use super::searcher::Found;
use crate::output::excerpt::Excerpt;

/// What a key triggers outside the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    Search,
    Open,
    CopyPath,
    Leave,
}

#[derive(Debug)]
pub struct State {
    /// The filters of the command line, which apply to every query.
    base: SearchRequest,
    pub prompt: Prompt,
    pub class: ClassFilter,
    pub tests: TestFilter,
    /// Only results in this language, taken from a hit.
    pub language: Option<String>,
    pub response: SearchResponse,
    pub markups: Vec<Markup>,
    /// The index of the selected hit.
    pub selection: usize,
    /// Number of preview lines scrolled out above the top.
    pub scroll: usize,
    /// Number of preview lines that are visible at once.
    pub page: usize,
    /// The results for the current text have not arrived yet.
    pub is_waiting: bool,
    /// A one-line message about the last event.
    pub message: String,
    /// What is being done to the index, such as `embedding 34 %`.
    pub work: Option<String>,
}

impl State {
    pub fn new(query: String, base: SearchRequest) -> Self {
        Self {
            prompt: Prompt::new(query),
            class: base.class,
            tests: base.tests,
            base,
            language: None,
            response: SearchResponse::default(),
            markups: Vec::new(),
            selection: 0,
            scroll: 0,
            page: 1,
            is_waiting: false,
            message: String::new(),
            work: None,
        }
    }

    /// `None` for an empty query.
    pub fn request(&self) -> Option<SearchRequest> {
        let query = self.prompt.text().trim();
        let languages = self.language.as_ref().map(|language| vec![language.clone()]);
        (!query.is_empty()).then(|| SearchRequest {
            target: SearchTarget::Query(query.to_owned()),
            class: self.class,
            tests: self.tests,
            languages: languages.unwrap_or_else(|| self.base.languages.clone()),
            ..self.base.clone()
        })
    }

    pub fn selected(&self) -> Option<&Hit> {
        self.response.hits.get(self.selection)
    }

    pub fn say(&mut self, message: String) {
        self.message = message;
    }

    /// Shows results. Results for an older query are shown until newer ones arrive; otherwise somebody who types faster than
    /// results arrive would see none.
    pub fn show(&mut self, found: Found) {
        let Some(request) = self.request() else { return };
        self.is_waiting = request != found.request;
        self.message.clear();
        match found.response {
            Ok((response, markups)) => (self.response, self.markups) = (response, markups),
            Err(error) => {
                self.clear();
                self.message = error;
            }
        }
        self.select(0);
    }

    pub fn press(&mut self, key: KeyEvent) -> Effect {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => Effect::Leave,
            KeyCode::Char('c' | 'd') if is_control => Effect::Leave,
            KeyCode::Enter => Effect::Open,
            KeyCode::Char('y') if is_control => Effect::CopyPath,
            KeyCode::Char('t') if is_control => self.filter(|state| state.tests = next(state.tests)),
            KeyCode::Char('l') if is_control => self.filter(|state| state.class = next(state.class)),
            KeyCode::Char('g') if is_control => self.filter(Self::toggle_language),
            KeyCode::Up | KeyCode::BackTab => self.select(self.selection.saturating_sub(1)),
            KeyCode::Down | KeyCode::Tab => self.select(self.selection + 1),
            KeyCode::Char('p' | 'k') if is_control => self.select(self.selection.saturating_sub(1)),
            KeyCode::Char('n' | 'j') if is_control => self.select(self.selection + 1),
            KeyCode::PageUp => self.scroll_to(self.scroll.saturating_sub(self.step())),
            KeyCode::PageDown => self.scroll_to(self.scroll + self.step()),
            _ => {
                let edit = self.prompt.press(key);
                self.edited(edit)
            }
        }
    }

    pub fn paste(&mut self, text: &str) -> Effect {
        let edit = self.prompt.paste(text);
        self.edited(edit)
    }

    fn edited(&mut self, edit: Edit) -> Effect {
        if edit != Edit::Changed {
            return Effect::None;
        }
        if self.request().is_none() {
            self.clear();
            self.message.clear();
        }
        self.search()
    }

    fn filter(&mut self, change: impl FnOnce(&mut Self)) -> Effect {
        change(self);
        self.search()
    }

    /// Searches for the initial text.
    pub fn start(&mut self) -> Effect {
        self.search()
    }

    fn search(&mut self) -> Effect {
        self.is_waiting = self.request().is_some();
        Effect::Search
    }

    fn toggle_language(&mut self) {
        let of_hit = self.selected().map(|hit| hit.language.clone());
        self.language = if self.language.is_some() { None } else { of_hit };
    }

    fn clear(&mut self) {
        (self.response, self.markups) = (SearchResponse::default(), Vec::new());
        (self.selection, self.scroll) = (0, 0);
    }

    /// Selects a hit. The preview of a long one starts where it matches best.
    fn select(&mut self, place: usize) -> Effect {
        self.selection = place.min(self.response.hits.len().saturating_sub(1));
        let Some(hit) = self.response.hits.get(self.selection) else { return Effect::None };
        let markup = self.markups.get(self.selection).cloned().unwrap_or_default();
        let excerpt = Excerpt::new(&hit.content, &markup);
        let chosen = excerpt.chosen(self.page, excerpt.signature(hit.symbol.as_deref()));
        let densest = chosen.into_iter().max_by_key(ExactSizeIterator::len);
        self.scroll_to(densest.map_or(0, |lines| lines.start))
    }

    fn scroll_to(&mut self, line: usize) -> Effect {
        let lines = self.selected().map_or(0, |hit| hit.content.lines().count());
        self.scroll = line.min(lines.saturating_sub(self.page));
        Effect::None
    }

    /// How far a page key scrolls: two lines stay visible.
    fn step(&self) -> usize {
        self.page.saturating_sub(2).max(1)
    }
}

/// The next choice; after the last, the first again.
fn next<C: Choice + PartialEq + Copy>(choice: C) -> C {
    let place = C::CHOICES.iter().position(|known| *known == choice).unwrap_or(0);
    C::CHOICES[(place + 1) % C::CHOICES.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(query: &str) -> State {
        State::new(query.into(), SearchRequest::new(SearchTarget::Query(String::new())))
    }

    fn press(state: &mut State, code: KeyCode, modifiers: KeyModifiers) -> Effect {
        state.press(KeyEvent::new(code, modifiers))
    }

    fn control(state: &mut State, letter: char) -> Effect {
        press(state, KeyCode::Char(letter), KeyModifiers::CONTROL)
    }

    fn answer(state: &mut State, hits: Vec<Hit>) {
        let response = SearchResponse { hits, ..SearchResponse::default() };
        state.show(Found { request: state.request().unwrap(), response: Ok((response, Vec::new())) });
    }

    fn hit(lines: usize) -> Hit {
        let text = "a line\n".repeat(lines);
        serde_json::from_value(serde_json::json!({
            "file_path": "a.rs", "start_line": 1, "end_line": lines, "symbol": null, "kind": "function", "language": "rust",
            "class": "code", "parent_context": null, "content": text, "score": 0.5, "freshness": {"state": "fresh"}
        }))
        .unwrap()
    }

    #[test]
    fn letters_make_the_question_and_filters_go_round() {
        let mut state = state("retry");
        for letter in " it".chars() {
            assert_eq!(press(&mut state, KeyCode::Char(letter), KeyModifiers::NONE), Effect::Search);
        }
        assert_eq!(state.prompt.text(), "retry it");
        for _ in ClassFilter::CHOICES {
            control(&mut state, 'l');
        }
        assert_eq!(state.class, ClassFilter::default());
        control(&mut state, 'u');
        assert_eq!(state.request(), None);
        assert_eq!(press(&mut state, KeyCode::Esc, KeyModifiers::NONE), Effect::Leave);
    }

    #[test]
    fn the_language_of_a_hit_becomes_a_filter_and_ceases_to_be_one() {
        let mut state = state("retry");
        control(&mut state, 'g');
        assert!(state.request().unwrap().languages.is_empty(), "there is no hit yet");
        answer(&mut state, vec![hit(1)]);
        assert_eq!(control(&mut state, 'g'), Effect::Search);
        assert_eq!(state.request().unwrap().languages, ["rust"]);
        control(&mut state, 'g');
        assert!(state.request().unwrap().languages.is_empty());
    }

    #[test]
    fn the_preview_scrolls_between_its_first_and_its_last_page() {
        let mut state = state("retry");
        state.page = 10;
        answer(&mut state, vec![hit(25)]);
        for _ in 0..5 {
            press(&mut state, KeyCode::PageDown, KeyModifiers::NONE);
        }
        assert_eq!(state.scroll, 15);
        press(&mut state, KeyCode::PageUp, KeyModifiers::NONE);
        assert_eq!(state.scroll, 7, "one press is enough to go back");
    }

    #[test]
    fn whoever_types_on_sees_the_answer_to_the_question_before_until_the_next_comes() {
        let mut state = state("retry");
        let request = state.request().unwrap();
        press(&mut state, KeyCode::Char('s'), KeyModifiers::NONE);
        let response = SearchResponse { hits: vec![hit(1)], ..SearchResponse::default() };
        state.show(Found { request: request.clone(), response: Ok((response, Vec::new())) });
        assert!(state.is_waiting && state.selected().is_some());
        answer(&mut state, Vec::new());
        assert!(!state.is_waiting && state.selected().is_none());
        control(&mut state, 'u');
        state.show(Found { request, response: Err("late".into()) });
        assert!(state.message.is_empty(), "there is no query now");
    }
}
