//! Text in, syntax tree out, within a time limit.

use std::borrow::Cow;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::time::Duration;

use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

use crate::arena;

/// A file that takes more of a processor is pathological for its grammar; it is worth its lines, not the wait.
const TIME_LIMIT: Duration = Duration::from_secs(1);
/// Asking for the time costs as much as some tokens.
const CALLS_PER_LOOK: u32 = 16;

/// Reads the tree of a text, from its root; `None` when the grammar does not load or the time limit passes.
///
/// The tree is gone afterwards: nothing of it may be in what `read` answers.
#[expect(unsafe_code, reason = "trees live in an arena, which asks for a promise")]
pub(crate) fn with_tree<T>(
    text: &str,
    language: &Language,
    read: impl for<'tree> FnOnce(Node<'tree>) -> T,
) -> Option<T> {
    // SAFETY: the parser ends with `parse`, and the tree is forgotten. Nodes and cursors cannot leave `read`, which takes trees
    // of any lifetime; this crate walks them on the thread that parsed.
    unsafe {
        arena::scope(|| {
            // The arena frees all nodes at once.
            let tree = ManuallyDrop::new(parse(text, language)?);
            Some(read(tree.root_node()))
        })
    }
}

fn parse(text: &str, language: &Language) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let deadline = processor_time() + TIME_LIMIT;
    let mut calls = 0_u32;
    let mut watch = |_: &tree_sitter::ParseState| {
        calls += 1;
        let is_late = calls.is_multiple_of(CALLS_PER_LOOK) && processor_time() > deadline;
        if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let shadow = ascii_shadow(text);
    let bytes = shadow.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// The time that this thread has worked: a busy machine must not change what the index holds.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// The text with every character outside ASCII replaced by as many letters (or spaces) as it has bytes.
///
/// Some grammars' scanners hand whatever character comes next to C's `isdigit` and its kin, which read memory out
/// of bounds for large ones. Structure hardly ever depends on such characters, offsets stay true, and names are
/// cut from the real text.
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

    #[test]
    fn a_shadow_keeps_offsets_and_letters() {
        assert_eq!(ascii_shadow("let größe = '→';"), "let grxxxxe = '   ';");
        assert!(matches!(ascii_shadow("plain"), Cow::Borrowed("plain")));
    }
}
