//! Parses text into a syntax tree, with limits on time and memory.

use std::borrow::Cow;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Point, Range as ParserRange, Tree};
use vectorcode_grammars::Grammar;

use crate::arena;
use crate::lines::Lines;
use crate::processor_time::processor_time;

/// Maximum CPU time of one parse. A file that takes longer is a pathological case for its grammar, and is chunked by lines.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// Minimum time between two checks of the CPU time.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Why there is no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoTree {
    TooSlow,
    /// The grammar could not be loaded.
    NoGrammar,
}

/// Parses a text without its `hidden` parts, and passes the root node of the tree to `read`.
///
/// The tree is freed before this function returns, so the result of `read` must not refer to it.
pub(crate) fn with_tree<T>(
    text: &str,
    hidden: &[Range<usize>],
    grammar: &'static Grammar,
    read: impl for<'tree> FnOnce(Node<'tree>) -> T,
) -> Result<T, NoTree> {
    let mut shadow = ascii_shadow(text);
    for part in hidden {
        shadow.to_mut().replace_range(part.clone(), &" ".repeat(part.len()));
    }
    with_parsed(&ParserInput { text: &shadow, ranges: &[], time: TIME_LIMIT }, grammar, read)
}

/// A text whose parts are parsed separately.
pub(crate) struct PartedText<'l, 't> {
    lines: &'l Lines<'t>,
    /// Computed once for all parts.
    shadow: Cow<'t, str>,
    /// The rest of [`TIME_LIMIT`], which all parts share.
    time: Cell<Duration>,
}

impl<'l, 't> PartedText<'l, 't> {
    pub fn new(lines: &'l Lines<'t>) -> Self {
        Self { lines, shadow: ascii_shadow(lines.text), time: Cell::new(TIME_LIMIT) }
    }

    /// Hides the lines in `range` for which `is_hidden` is true, by turning each into a comment: its first byte becomes a
    /// `#`.
    pub fn hide_lines(&mut self, range: &Range<usize>, is_hidden: impl Fn(&str) -> bool) {
        let lines = self.lines;
        let hidden: Vec<usize> = lines
            .touched(range)
            .filter(|line| is_hidden(lines.line(*line)))
            .map(|line| lines.start(line))
            .filter(|start| self.shadow.is_char_boundary(start + 1))
            .collect();
        for start in hidden {
            self.shadow.to_mut().replace_range(start..=start, "#");
        }
    }

    /// Parses only these ranges of the text, as if the rest were not there. Positions in the tree refer to the whole text.
    pub fn with_tree<T>(
        &self,
        ranges: &[Range<usize>],
        grammar: &'static Grammar,
        read: impl for<'tree> FnOnce(Node<'tree>) -> T,
    ) -> Result<T, NoTree> {
        let point = |byte: usize| {
            let row = self.lines.line_of(byte);
            Point { row, column: byte - self.lines.start(row) }
        };
        let ranges: Vec<ParserRange> = ranges
            .iter()
            .map(|range| ParserRange {
                start_byte: range.start,
                end_byte: range.end,
                start_point: point(range.start),
                end_point: point(range.end),
            })
            .collect();
        let time = self.time.get();
        if time.is_zero() {
            return Err(NoTree::TooSlow);
        }
        let start = processor_time();
        let read = with_parsed(&ParserInput { text: &self.shadow, ranges: &ranges, time }, grammar, read);
        self.time.set(time.saturating_sub(processor_time().saturating_sub(start)));
        read
    }
}

struct ParserInput<'t> {
    text: &'t str,
    /// The ranges to parse; empty for the whole text.
    ranges: &'t [ParserRange],
    time: Duration,
}

#[expect(unsafe_code, reason = "trees live in an arena, which asks for a promise")]
fn with_parsed<T>(
    input: &ParserInput<'_>,
    grammar: &'static Grammar,
    read: impl for<'tree> FnOnce(Node<'tree>) -> T,
) -> Result<T, NoTree> {
    // SAFETY: the tree is never dropped: `ManuallyDrop` forgets it inside the scope. Nodes and cursors cannot leave `read`,
    // because it must accept any tree lifetime. This crate walks trees on the thread that parsed them.
    unsafe {
        arena::scope(|| {
            // No drop is needed: the arena frees all nodes together.
            let tree =
                grammar.with_tables(|language| parse(input, language)).unwrap_or(Err(NoTree::NoGrammar))?;
            Ok(read(ManuallyDrop::new(tree).root_node()))
        })
    }
}

fn parse(input: &ParserInput<'_>, language: &Language) -> Result<Tree, NoTree> {
    // The arena frees its memory, like that of the tree.
    let mut parser = ManuallyDrop::new(Parser::new());
    parser.set_language(language).map_err(|_| NoTree::NoGrammar)?;
    parser.set_included_ranges(input.ranges).map_err(|_| NoTree::NoGrammar)?;
    let deadline = processor_time() + input.time;
    let mut next_look = Instant::now();
    let mut is_over = |_: &ParseState| {
        // Reading the wall clock needs no system call and is ten times as fast.
        let now = Instant::now();
        if now < next_look {
            return ControlFlow::Continue(());
        }
        next_look = now + BETWEEN_LOOKS;
        if processor_time() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut is_over);
    let bytes = input.text.as_bytes();
    arena::set_deadline(Some(deadline));
    let tree =
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    arena::set_deadline(None);
    tree.ok_or(NoTree::TooSlow)
}

/// The text with each non-ASCII character replaced by ASCII letters or spaces, one for each of its bytes.
///
/// The scanners of some grammars pass any character to C's `isdigit` and similar functions, which read out of
/// bounds for large values. The replacement is safe: the structure of code rarely depends on such characters, byte
/// offsets do not change, and names are taken from the original text.
fn ascii_shadow(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut shadow = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() => shadow.push(c),
            c if c.is_alphanumeric() => shadow.extend(std::iter::repeat_n('x', c.len_utf8())),
            c => shadow.extend(std::iter::repeat_n(' ', c.len_utf8())),
        }
    }
    Cow::Owned(shadow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::{Structure, by_name};

    #[test]
    fn tables_that_are_dropped_between_parses_are_unpacked_again() {
        let Structure::Tree(syntax) = &by_name("ruby").unwrap().structure else { panic!("ruby has a tree") };
        let table = syntax.table().unwrap();
        let read =
            |root: Node<'_>| (root.child_count(), root.child(0).is_some_and(|node| node.kind() == "method"));
        let parse = || with_tree("def a\n  1\nend\nb = 2\n", &[], table.grammar, read);
        std::thread::scope(|scope| {
            let parsers: Vec<_> =
                (0..3).map(|_| scope.spawn(|| (0..100).all(|_| parse() == Ok((2, true))))).collect();
            while parsers.iter().any(|parser| !parser.is_finished()) {
                vectorcode_grammars::unload_unused(Duration::ZERO);
            }
            assert!(parsers.into_iter().all(|parser| parser.join().unwrap()));
        });
    }

    #[test]
    fn a_shadow_keeps_offsets_and_letters() {
        assert_eq!(ascii_shadow("let größe = '→';"), "let grxxxxe = '   ';");
        assert!(matches!(ascii_shadow("plain"), Cow::Borrowed("plain")));
    }
}
