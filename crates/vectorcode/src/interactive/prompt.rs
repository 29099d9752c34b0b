//! The input line of the query, with a cursor.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Debug, Default)]
pub struct Prompt {
    text: String,
    /// Byte offset of the cursor.
    cursor: usize,
}

/// What a key did to the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The key has no meaning here.
    None,
    Moved,
    Changed,
}

impl Prompt {
    pub fn new(text: String) -> Self {
        Self { cursor: text.len(), text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before and after the cursor.
    pub fn split(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// Handles a key as shells do.
    pub fn press(&mut self, key: KeyEvent) -> Edit {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('u') if is_control => self.delete(0, self.cursor),
            KeyCode::Char('w') if is_control => self.delete(self.word_start(), self.cursor),
            KeyCode::Char('a') if is_control => self.go(0),
            KeyCode::Char('e') if is_control => self.go(self.text.len()),
            KeyCode::Char(letter) if !is_control => self.insert(letter.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace => self.delete(self.before(), self.cursor),
            KeyCode::Delete => self.delete(self.cursor, self.after()),
            KeyCode::Left if is_control => self.go(self.word_start()),
            KeyCode::Left => self.go(self.before()),
            KeyCode::Right => self.go(self.after()),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(self.text.len()),
            _ => Edit::None,
        }
    }

    /// Inserts pasted text, with several lines joined into one.
    pub fn paste(&mut self, text: &str) -> Edit {
        let line = text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        self.insert(&line)
    }

    fn insert(&mut self, text: &str) -> Edit {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        Edit::Changed
    }

    fn delete(&mut self, start: usize, end: usize) -> Edit {
        self.text.replace_range(start..end, "");
        self.cursor = start;
        if start == end { Edit::Moved } else { Edit::Changed }
    }

    fn go(&mut self, place: usize) -> Edit {
        self.cursor = place;
        Edit::Moved
    }

    fn before(&self) -> usize {
        self.split().0.char_indices().next_back().map_or(0, |(place, _)| place)
    }

    fn after(&self) -> usize {
        self.cursor + self.split().1.chars().next().map_or(0, char::len_utf8)
    }

    fn word_start(&self) -> usize {
        self.split().0.trim_end().rfind(char::is_whitespace).map_or(0, |space| space + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(prompt: &mut Prompt, code: KeyCode) -> Edit {
        prompt.press(KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn control(prompt: &mut Prompt, letter: char) -> Edit {
        prompt.press(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
    }

    #[test]
    fn letters_go_where_the_cursor_is() {
        let mut prompt = Prompt::new("größe".into());
        for _ in 0..3 {
            assert_eq!(press(&mut prompt, KeyCode::Left), Edit::Moved);
        }
        press(&mut prompt, KeyCode::Char('x'));
        assert_eq!(prompt.split(), ("grx", "öße"));
        assert_eq!(press(&mut prompt, KeyCode::Delete), Edit::Changed);
        assert_eq!(press(&mut prompt, KeyCode::Backspace), Edit::Changed);
        assert_eq!(prompt.split(), ("gr", "ße"));
        control(&mut prompt, 'e');
        assert_eq!(press(&mut prompt, KeyCode::Delete), Edit::Moved, "nothing is behind the end");
    }

    #[test]
    fn words_and_lines_are_deleted_as_in_a_shell() {
        let mut prompt = Prompt::new("retry it now".into());
        control(&mut prompt, 'w');
        assert_eq!(prompt.text(), "retry it ");
        press(&mut prompt, KeyCode::Left);
        control(&mut prompt, 'w');
        assert_eq!(prompt.text(), "retry  ");
        assert_eq!(control(&mut prompt, 'u'), Edit::Changed);
        assert_eq!(prompt.text(), " ");
    }

    #[test]
    fn a_pasted_line_break_is_a_space() {
        let mut prompt = Prompt::new("at ".into());
        prompt.paste("open()\r\n\tin a.rs\n");
        assert_eq!(prompt.text(), "at open() in a.rs");
    }
}
