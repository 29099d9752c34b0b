//! Emulates a terminal of 80 columns and 24 lines, with the sequences that the interactive search uses. The program only writes
//! cells that change, so its latest output is not what is on the screen.

use unicode_width::UnicodeWidthChar;

const COLUMNS: usize = 80;
const ROWS: usize = 24;

pub struct Screen {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    pub fn of(written: &str) -> Self {
        let mut screen = Self { rows: blank(), row: 0, column: 0 };
        let mut rest = written;
        while let Some(letter) = rest.chars().next() {
            rest = if letter == '\u{1b}' {
                screen.escape(&rest[1..])
            } else {
                screen.put(letter);
                &rest[letter.len_utf8()..]
            };
        }
        screen
    }

    /// Its lines, without trailing blanks.
    pub fn text(&self) -> String {
        let line = |row: &Vec<char>| row.iter().collect::<String>().trim_end().to_owned();
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn put(&mut self, letter: char) {
        match letter {
            '\r' => self.column = 0,
            '\n' => self.row = (self.row + 1).min(ROWS - 1),
            _ => {
                let width = letter.width().unwrap_or(0);
                if self.column + width > COLUMNS {
                    self.column = 0;
                    self.row = (self.row + 1).min(ROWS - 1);
                }
                if let Some(cell) = self.rows[self.row].get_mut(self.column).filter(|_| width > 0) {
                    *cell = letter;
                }
                self.column += width;
            }
        }
    }

    /// Handles the sequence after an escape character, and returns the text after it.
    fn escape<'t>(&mut self, text: &'t str) -> &'t str {
        if let Some(command) = text.strip_prefix(']') {
            return command.split_once('\u{7}').map_or("", |(_, rest)| rest);
        }
        let Some(sequence) = text.strip_prefix('[') else { return text.get(1..).unwrap_or("") };
        let Some(end) = sequence.find(|letter: char| ('@'..='~').contains(&letter)) else { return "" };
        self.control(&sequence[..end], sequence.as_bytes()[end]);
        &sequence[end + 1..]
    }

    fn control(&mut self, parameters: &str, command: u8) {
        let mut numbers = parameters.split(';').map(|number| number.parse::<usize>().unwrap_or(1));
        match command {
            b'H' => {
                self.row = numbers.next().unwrap_or(1).clamp(1, ROWS) - 1;
                self.column = numbers.next().unwrap_or(1).clamp(1, COLUMNS) - 1;
            }
            b'J' => self.rows = blank(),
            b'h' | b'l' if parameters == "?1049" => self.rows = blank(),
            _ => {}
        }
    }
}

fn blank() -> Vec<Vec<char>> {
    vec![vec![' '; COLUMNS]; ROWS]
}
