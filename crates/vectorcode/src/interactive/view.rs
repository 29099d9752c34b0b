//! Lays out the screen for a state: the query, the results, the code of the selected one, and the keys. Fits into 80 columns
//! and 24 lines.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use vectorcode_core::api::{ClassFilter, Hit, TestFilter};
use vectorcode_core::visible_line;

use super::state::State;
use crate::output::excerpt::Excerpt;
use crate::output::style::{DIM, SYMBOL, painted};
use crate::shell_paths::ShellPaths;

const PROMPT: &str = "> ";
const KEYS: &str = "↑↓ select  enter open  ^y copy path  ^l content  ^t tests  ^g language  esc quit";
/// From this width on, results and code are shown side by side.
const WIDE: usize = 120;
/// Columns before the code of a line, for the line number and a bar.
const MARGIN: usize = 8;
/// Lines that are neither results nor code: the query, the summary and the keys.
const FRAME_ROWS: usize = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

/// The lines of a screen, each padded to its width, and the column of the cursor in the first line.
#[derive(Debug)]
pub struct Frame {
    pub lines: Vec<String>,
    pub cursor_column: usize,
}

pub fn render_frame(state: &State, paths: &ShellPaths, has_colors: bool, screen: Size) -> Frame {
    let areas = Areas::of(screen);
    let (question, cursor_column) = question(state, screen.columns);
    let mut lines = vec![question, painted(DIM, summary(state))];
    let hits = filled(hits(state, paths, areas.hits), areas.hits);
    let code = filled(preview(state, has_colors, areas.code), areas.code);
    if areas.are_side_by_side {
        lines.extend(hits.iter().zip(&code).map(|(hit, code)| format!("{hit} {code}")));
    } else {
        let rule = painted(DIM, "─".repeat(screen.columns));
        lines.extend(hits.into_iter().chain([rule]).chain(code));
    }
    lines.push(painted(DIM, KEYS));
    lines.truncate(screen.rows);
    Frame { lines: lines.iter().map(|line| fitted(line, screen.columns)).collect(), cursor_column }
}

/// Number of lines of code that are visible at once.
pub fn preview_height(screen: Size) -> usize {
    Areas::of(screen).code.rows
}

/// The areas for results and code.
struct Areas {
    are_side_by_side: bool,
    hits: Size,
    code: Size,
}

impl Areas {
    fn of(screen: Size) -> Self {
        let rows = screen.rows.saturating_sub(FRAME_ROWS);
        let are_side_by_side = screen.columns >= WIDE;
        let (hits, code) = if are_side_by_side {
            let columns = screen.columns * 45 / 100;
            (Size { columns, rows }, Size { columns: screen.columns - columns - 1, rows })
        } else {
            let hit_rows = rows * 40 / 100;
            // One row is for the rule between them.
            let code_rows = (rows - hit_rows).saturating_sub(1);
            (Size { rows: hit_rows, ..screen }, Size { rows: code_rows, ..screen })
        };
        Self { are_side_by_side, hits, code }
    }
}

/// Pads or cuts the lines to the size of the area.
fn filled(mut lines: Vec<String>, area: Size) -> Vec<String> {
    lines.resize(area.rows, String::new());
    lines.iter().map(|line| fitted(line, area.columns)).collect()
}

/// A line with styles, cut or padded with spaces to this width.
fn fitted(line: &str, columns: usize) -> String {
    let (mut shown, mut used) = (String::new(), 0);
    for (place, part) in line.split("\u{1b}[").enumerate() {
        let (codes, text) = part.split_once('m').filter(|_| place > 0).unwrap_or(("", part));
        if !codes.is_empty() {
            shown.extend(["\u{1b}[", codes, "m"]);
        }
        for letter in text.chars() {
            let width = letter.width().unwrap_or(0);
            if used + width > columns {
                // If a wide letter does not fit, the last column stays empty instead of taking a narrow letter that follows.
                shown.push_str(&" ".repeat(columns - used));
                used = columns;
                break;
            }
            shown.push(letter);
            used += width;
        }
    }
    shown + &" ".repeat(columns - used)
}

/// The input line, and the column of its cursor. If the query is too long, the part before the cursor is shown.
fn question(state: &State, columns: usize) -> (String, usize) {
    let (before, after) = state.prompt.split();
    let before = format!("{PROMPT}{}", visible_line(before));
    let before = end(&before, columns.saturating_sub(1));
    (format!("{before}{}", visible_line(after)), before.width())
}

/// The longest end of a text that fits.
fn end(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, letter) in text.char_indices().rev() {
        used += letter.width().unwrap_or(0);
        if used > columns {
            return &text[at + letter.len_utf8()..];
        }
    }
    text
}

/// The longest end of a path that fits and starts at a folder. Contains at least the file name.
fn last_folders(path: &str, columns: usize) -> String {
    if path.width() <= columns {
        return path.to_owned();
    }
    let mut ends = path.match_indices('/').map(|(at, _)| &path[at..]);
    let mut fitting = ends.clone().skip_while(|end| end.width() + 1 > columns);
    let end = fitting.next().or_else(|| ends.next_back());
    end.map_or_else(|| path.to_owned(), |end| format!("…{end}"))
}

/// `12 results  content: code  embedding 34 %`, or the message about the last event.
fn summary(state: &State) -> String {
    if !state.message.is_empty() {
        return visible_line(&state.message).into_owned();
    }
    let mut parts = vec![found(state)];
    if state.class != ClassFilter::default() {
        parts.push(format!("content: {}", state.class.as_str()));
    }
    if state.tests != TestFilter::default() {
        parts.push(format!("tests: {}", state.tests.as_str()));
    }
    parts.extend(state.language.as_ref().map(|language| format!("language: {language}")));
    parts.extend(state.work.clone());
    parts.join("  ")
}

fn found(state: &State) -> String {
    let response = &state.response;
    match response.hits.len() {
        _ if state.request().is_none() => "What does the code do? Type a few words.".to_owned(),
        _ if state.is_waiting => "Searching...".to_owned(),
        0 => "Nothing found.".to_owned(),
        1 => "1 result".to_owned(),
        count if response.weak => format!("{count} results, none of which fits well"),
        count => format!("{count} results"),
    }
}

/// The results around the selected one, which stays visible.
fn hits(state: &State, paths: &ShellPaths, area: Size) -> Vec<String> {
    let rows = area.rows.max(1);
    let first = (state.selection + 1).saturating_sub(rows);
    let hits = state.response.hits.iter().enumerate().skip(first).take(rows);
    hits.map(|(place, hit)| row(hit, paths, place == state.selection, area.columns)).collect()
}

/// Readable without colors: the selected row starts with a mark. If a row is too long, the first folders are left out, because
/// the last ones tell results apart.
fn row(hit: &Hit, paths: &ShellPaths, is_selected: bool, columns: usize) -> String {
    let (mark, style) = if is_selected { ("▶ ", SYMBOL) } else { ("  ", Style::new()) };
    let path = paths.openable(&paths.file_of(hit));
    let symbol =
        hit.symbol.as_deref().map_or_else(String::new, |symbol| format!("  {}", visible_line(symbol)));
    let place = format!(":{}{symbol}", hit.start_line);
    let score = format!("{:.2} ", hit.score);
    let room = columns.saturating_sub(mark.width() + score.width() + place.width());
    let place = format!("{}{place}", last_folders(&visible_line(&path), room));
    format!("{}{}{}", painted(style, mark), painted(DIM, score), painted(style, place))
}

/// The code of the selected hit from the scroll position on, in the same colors as other searches.
fn preview(state: &State, has_colors: bool, area: Size) -> Vec<String> {
    let Some(hit) = state.selected() else { return Vec::new() };
    let markup = state.markups.get(state.selection).cloned().unwrap_or_default();
    let excerpt = Excerpt::new(&hit.content, &markup);
    let columns = area.columns.saturating_sub(MARGIN);
    let line = |index: usize| {
        let number = painted(DIM, format!("{:>5} │ ", hit.start_line as usize + index));
        let code = excerpt.line(index, columns);
        let code = if has_colors { code } else { anstream::adapter::strip_str(&code).to_string() };
        number + &code
    };
    (state.scroll..excerpt.len()).take(area.rows).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_filled_by_columns_and_keep_their_styles() {
        let line = format!("let {} = 1;", painted(SYMBOL, "名前"));
        assert_eq!(fitted(&line, 14), format!("{line} "));
        assert_eq!(fitted(&line, 7), format!("let {}", painted(SYMBOL, "名 ")));
        assert_eq!(fitted("", 2), "  ");
    }

    #[test]
    fn of_a_long_question_the_end_is_shown() {
        assert_eq!(end("> retry", 80), "> retry");
        assert_eq!(end("> 名前の", 5), "前の");
    }

    #[test]
    fn of_a_long_path_the_last_folders_are_shown() {
        let path = "gson/src/main/java/Date.java";
        assert_eq!(last_folders(path, 28), path);
        assert_eq!(last_folders(path, 20), "…/java/Date.java");
        assert_eq!(last_folders(path, 3), "…/Date.java");
        assert_eq!(last_folders("Date.java", 3), "Date.java");
    }

    #[test]
    fn a_small_terminal_has_room_for_nothing_else() {
        assert_eq!(preview_height(Size { columns: 80, rows: 24 }), 12);
        assert_eq!(preview_height(Size { columns: 160, rows: 24 }), 21);
        assert_eq!(preview_height(Size { columns: 10, rows: 2 }), 0);
    }
}
