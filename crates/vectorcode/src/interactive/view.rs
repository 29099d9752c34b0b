//! Draws the state: the question, the results, the code of the selected one, and the keys. Fits into 80 columns and 24 lines.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect, Size};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;
use vectorcode_core::api::{ClassFilter, Hit, TestFilter};
use vectorcode_core::{Markup, visible_line};

use super::ansi;
use super::state::State;
use crate::output::excerpt::Excerpt;
use crate::shell_paths::ShellPaths;

const PROMPT: &str = "> ";
const KEYS: &str = "↑↓ select  enter open  ^y copy path  ^l content  ^t tests  ^g language  esc";
/// From this width on, results and code stand side by side.
const WIDE: u16 = 120;
/// Columns before the code of a line: its number and a bar.
const MARGIN: usize = 8;

pub fn draw(state: &State, paths: &ShellPaths, has_colors: bool, frame: &mut Frame<'_>) {
    let areas = Areas::of(frame.area());
    draw_question(state, areas.question, frame);
    frame.render_widget(Paragraph::new(summary(state)).style(dim()), areas.summary);
    draw_hits(state, paths, areas.list, frame);
    if let Some(hit) = state.selected() {
        let markup = state.markups.get(state.selection).cloned().unwrap_or_default();
        let lines = preview(hit, &markup, state.scroll, areas.code, has_colors);
        frame.render_widget(Paragraph::new(lines), areas.code);
    }
    frame.render_widget(Paragraph::new(KEYS).style(dim()), areas.keys);
}

/// How many lines of code are seen at once.
pub fn preview_height(screen: Size) -> usize {
    Areas::of(Rect::from((Position::ORIGIN, screen))).code.height.into()
}

struct Areas {
    question: Rect,
    summary: Rect,
    list: Rect,
    code: Rect,
    keys: Rect,
}

impl Areas {
    fn of(screen: Rect) -> Self {
        let rows = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Min(3),
            Constraint::Length(1),
        ]);
        let [question, summary, body, keys] = rows.areas(screen);
        let [list, code] = if body.width >= WIDE {
            Layout::horizontal([Constraint::Percentage(45), Constraint::Percentage(55)])
                .spacing(1)
                .areas(body)
        } else {
            Layout::vertical([Constraint::Percentage(40), Constraint::Percentage(60)]).areas(body)
        };
        Self { question, summary, list, code, keys }
    }
}

/// The end of a long question, as far as the cursor.
fn draw_question(state: &State, area: Rect, frame: &mut Frame<'_>) {
    let (before, after) = state.prompt.split();
    let (before, after) = (format!("{PROMPT}{}", visible_line(before)), visible_line(after));
    let last_column = area.width.saturating_sub(1);
    let column = u16::try_from(before.width()).unwrap_or(u16::MAX);
    let hidden = column.saturating_sub(last_column);
    frame.render_widget(Paragraph::new(format!("{before}{after}")).scroll((0, hidden)), area);
    frame.set_cursor_position(Position { x: area.x + column.min(last_column), y: area.y });
}

/// `12 results  content: code  embedding 34 %`, or what happened last.
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
