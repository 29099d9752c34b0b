//! Text in, syntax tree out, within a time limit.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::languages::Table;

/// A file that takes longer is pathological for its grammar; it is worth its lines, not the wait.
const TIME_LIMIT: Duration = Duration::from_secs(1);

thread_local! {
    /// One parser a thread: it keeps its buffers from file to file.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The tree of a text; `None` when the grammar does not load or the time limit passes.
pub(crate) fn parse(text: &str, table: &Table) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&table.language).ok()?;
        let deadline = Instant::now() + TIME_LIMIT;
        let mut watch = |_: &tree_sitter::ParseState| match Instant::now() > deadline {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        let bytes = text.as_bytes();
        let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            // A stopped parse would otherwise be resumed with the next text.
            parser.reset();
        }
        tree
    })
}
