//! What is on the screen, and how a key changes it. Nothing here touches the terminal.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use vectorcode_core::api::{ClassFilter, Hit, SearchRequest, SearchResponse, SearchTarget, TestFilter};
use vectorcode_core::{Choice, Markup};

use super::searcher::Found;

/// More results than anybody looks at one by one.
const LIMIT: usize = 50;
/// Lines by which the preview scrolls.
const SCROLL: usize = 8;

/// What a key asks for outside of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    Search,
    Open,
    CopyPath,
    Leave,
}

#[derive(Debug, Default)]
pub struct State {
    pub query: String,
    pub class: ClassFilter,
    pub tests: TestFilter,
    pub response: SearchResponse,
    pub markups: Vec<Markup>,
    /// The place of the selected hit.
    pub selection: usize,
    /// How many lines of the preview are above its top.
    pub scroll: usize,
    /// One line about what happened last.
    pub message: String,
}

impl State {
    pub fn new(query: String) -> Self {
        Self { query, ..Self::default() }
    }

    /// `None` for an empty question.
    pub fn request(&self) -> Option<SearchRequest> {
        (!self.query.trim().is_empty()).then(|| SearchRequest {
            limit: LIMIT,
            class: self.class,
            tests: self.tests,
            ..SearchRequest::new(SearchTarget::Query(self.query.trim().to_owned()))
        })
    }

    pub fn selected(&self) -> Option<&Hit> {
        self.response.hits.get(self.selection)
    }

    pub fn say(&mut self, message: String) {
        self.message = message;
    }

    /// Takes an answer, unless it is one to a question that has been changed since.
    pub fn show(&mut self, found: Found) {
        if self.request() != Some(found.request) {
            return;
        }
        (self.selection, self.scroll) = (0, 0);
        self.message.clear();
        match found.response {
            Ok((response, markups)) => (self.response, self.markups) = (response, markups),
            Err(error) => {
                (self.response, self.markups) = (SearchResponse::default(), Vec::new());
                self.message = error;
            }
        }
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
            KeyCode::Char('u') if is_control => self.edit(String::clear),
            KeyCode::Char('w') if is_control => self.edit(delete_word),
            KeyCode::Backspace => self.edit(|query| {
                query.truncate(query.len() - query.chars().next_back().map_or(0, char::len_utf8))
            }),
            KeyCode::Up | KeyCode::BackTab => self.select(self.selection.saturating_sub(1)),
            KeyCode::Down | KeyCode::Tab => self.select(self.selection + 1),
            KeyCode::Char('p' | 'k') if is_control => self.select(self.selection.saturating_sub(1)),
            KeyCode::Char('n' | 'j') if is_control => self.select(self.selection + 1),
            KeyCode::PageUp => self.scroll_to(self.scroll.saturating_sub(SCROLL)),
            KeyCode::PageDown => self.scroll_to(self.scroll + SCROLL),
            KeyCode::Char(letter) if !is_control => self.edit(|query| query.push(letter)),
            _ => Effect::None,
        }
    }

    fn edit(&mut self, change: impl FnOnce(&mut String)) -> Effect {
        change(&mut self.query);
        if self.request().is_none() {
            *self = Self {
                query: std::mem::take(&mut self.query),
                class: self.class,
                tests: self.tests,
                ..Self::default()
            };
        }
        Effect::Search
    }

    fn filter(&mut self, change: impl FnOnce(&mut Self)) -> Effect {
        change(self);
        Effect::Search
    }

    fn select(&mut self, place: usize) -> Effect {
        self.selection = place.min(self.response.hits.len().saturating_sub(1));
        self.scroll = 0;
        Effect::None
    }

    fn scroll_to(&mut self, line: usize) -> Effect {
        let lines = self.selected().map_or(0, |hit| hit.content.lines().count());
        self.scroll = line.min(lines.saturating_sub(1));
        Effect::None
    }
}

fn delete_word(query: &mut String) {
    let kept = query.trim_end().rfind(char::is_whitespace).map_or(0, |space| space + 1);
    query.truncate(kept);
}

/// The choice after this one; after the last, the first.
fn next<C: Choice + PartialEq + Copy>(choice: C) -> C {
    let place = C::CHOICES.iter().position(|known| *known == choice).unwrap_or(0);
    C::CHOICES[(place + 1) % C::CHOICES.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(state: &mut State, code: KeyCode, modifiers: KeyModifiers) -> Effect {
        state.press(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn letters_make_the_question_and_filters_go_round() {
        let mut state = State::new("retry".into());
        for letter in " it".chars() {
            assert_eq!(press(&mut state, KeyCode::Char(letter), KeyModifiers::NONE), Effect::Search);
        }
        assert_eq!(state.query, "retry it");
        press(&mut state, KeyCode::Char('w'), KeyModifiers::CONTROL);
        assert_eq!(state.query, "retry ");
        for _ in ClassFilter::CHOICES {
            press(&mut state, KeyCode::Char('l'), KeyModifiers::CONTROL);
        }
        assert_eq!(state.class, ClassFilter::default());
        press(&mut state, KeyCode::Char('u'), KeyModifiers::CONTROL);
        assert_eq!(state.request(), None);
        assert_eq!(press(&mut state, KeyCode::Esc, KeyModifiers::NONE), Effect::Leave);
    }

    #[test]
    fn an_answer_to_an_earlier_question_is_not_shown() {
        let mut state = State::new("retry".into());
        let request = state.request().unwrap();
        press(&mut state, KeyCode::Char('s'), KeyModifiers::NONE);
        state.show(Found { request, response: Err("late".into()) });
        assert_eq!(state.message, "");
    }
}
