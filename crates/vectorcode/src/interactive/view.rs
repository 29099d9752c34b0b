//! Draws the state: the question, the results, the code of the selected one, and the keys. Fits into 80 columns and 24 lines.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;
use vectorcode_core::api::Hit;
use vectorcode_core::{Markup, visible_line};

use super::ansi;
use super::state::State;
use crate::output::excerpt::Excerpt;
use crate::shell_paths::ShellPaths;

const PROMPT: &str = "> ";
const KEYS: &str = "↑↓ select  enter open  ^y copy path  ^l content  ^t tests  esc leave";
/// From this width on, results and code stand side by side.
const WIDE: u16 = 120;
/// Columns before the code of a line: its number and a bar.
const MARGIN: usize = 8;

pub fn draw(state: &State, paths: &ShellPaths, has_colors: bool, frame: &mut Frame<'_>) {
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(1),
    ]);
    let [question, about, body, keys] = rows.areas(frame.area());
    draw_question(state, question, frame);
    frame.render_widget(Paragraph::new(summary(state)).style(dim()), about);
    let (list, code) = split(body);
    draw_hits(state, paths, list, frame);
    if let Some(hit) = state.selected() {
        let markup = state.markups.get(state.selection).cloned().unwrap_or_default();
        frame.render_widget(Paragraph::new(preview(hit, &markup, state.scroll, code, has_colors)), code);
    }
    frame.render_widget(Paragraph::new(KEYS).style(dim()), keys);
}

fn split(body: Rect) -> (Rect, Rect) {
    if body.width >= WIDE {
        let [list, code] =
            Layout::horizontal([Constraint::Percentage(45), Constraint::Percentage(55)]).areas(body);
        return (list, code);
    }
    let [list, code] = Layout::vertical([Constraint::Percentage(40), Constraint::Percentage(60)]).areas(body);
    (list, code)
}

fn draw_question(state: &State, area: Rect, frame: &mut Frame<'_>) {
    let query = visible_line(&state.query);
    frame.render_widget(Paragraph::new(format!("{PROMPT}{query}")), area);
    let column = (PROMPT.width() + query.width()).min(area.width.saturating_sub(1).into());
    frame.set_cursor_position(Position { x: area.x + column as u16, y: area.y });
}

/// `12 results  content: all  tests: demote`, or what happened last.
fn summary(state: &State) -> String {
    if !state.message.is_empty() {
        return visible_line(&state.message).into_owned();
    }
    let filters = format!("content: {}  tests: {}", state.class.as_str(), state.tests.as_str());
    let response = &state.response;
    let found = match response.hits.len() {
        _ if state.request().is_none() => "What does the code do? Type a few words.".to_owned(),
        0 => "Nothing found.".to_owned(),
        1 => "1 result".to_owned(),
        count if response.weak => format!("{count} results, none of which fits well"),
        count => format!("{count} results"),
    };
    format!("{found}  {filters}")
}

fn draw_hits(state: &State, paths: &ShellPaths, area: Rect, frame: &mut Frame<'_>) {
    let height = usize::from(area.height).max(1);
    // The selected one stays in sight.
    let first = (state.selection + 1).saturating_sub(height);
    let hits = state.response.hits.iter().enumerate().skip(first).take(height);
    let lines: Vec<Line<'_>> = hits.map(|(place, hit)| row(hit, paths, place == state.selection)).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

/// Readable without colors: the selected row begins with a mark.
fn row(hit: &Hit, paths: &ShellPaths, is_selected: bool) -> Line<'static> {
    let path = paths.openable(&paths.file_of(hit));
    let symbol =
        hit.symbol.as_deref().map_or_else(String::new, |symbol| format!("  {}", visible_line(symbol)));
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let style = if is_selected { bold } else { Style::new() };
    Line::from(vec![
        Span::styled(if is_selected { "▶ " } else { "  " }, style),
        Span::styled(format!("{:.2} ", hit.score), dim()),
        Span::styled(format!("{}:{}", visible_line(&path), hit.start_line), style),
        Span::styled(symbol, style),
    ])
}

/// The code of a hit from the scrolled line on, with the colors of other searches.
fn preview(hit: &Hit, markup: &Markup, scroll: usize, area: Rect, has_colors: bool) -> Vec<Line<'static>> {
    let excerpt = Excerpt::new(&hit.content, markup);
    let columns = usize::from(area.width).saturating_sub(MARGIN);
    let line = |index: usize| {
        let number = Span::styled(format!("{:>5} │ ", hit.start_line as usize + index), dim());
        let code = ansi::spans(&excerpt.line(index, columns), has_colors);
        Line::from(std::iter::once(number).chain(code).collect::<Vec<_>>())
    };
    (scroll..excerpt.len()).take(area.height.into()).map(line).collect()
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// The six colors that output uses.
pub fn color(code: u8) -> Option<Color> {
    Some(match code {
        31 => Color::Red,
        32 => Color::Green,
        33 => Color::Yellow,
        34 => Color::Blue,
        35 => Color::Magenta,
        36 => Color::Cyan,
        _ => return None,
    })
}
