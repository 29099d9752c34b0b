//! Text in, syntax tree out, within limits of time and memory.

use std::borrow::Cow;
use std::mem::ManuallyDrop;
use std::time::Duration;

use tree_sitter::{Language, Node};

use crate::arena::{self, Unparsed};

/// A file that takes more of a processor is pathological for its grammar; it is worth its lines, not the wait.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// Reads the tree of a text, from its root.
///
/// The tree is gone afterwards: nothing of it may be in what `read` answers.
#[expect(unsafe_code, reason = "trees live in an arena, which asks for a promise")]
pub(crate) fn with_tree<T>(
    text: &str,
    language: &Language,
    read: impl for<'tree> FnOnce(Node<'tree>) -> T,
) -> Result<T, Unparsed> {
    // SAFETY: inside of the scope the tree is forgotten. Nodes and cursors cannot leave `read`, which takes trees of any
    // lifetime; this crate walks them on the thread that parsed.
    unsafe {
        arena::scope(|| {
            // The arena frees all nodes at once.
            let tree = arena::parse(&ascii_shadow(text), language, TIME_LIMIT)?;
            Ok(read(ManuallyDrop::new(tree).root_node()))
        })
    }
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
    use crate::languages::{Structure, by_name};

    /// Broken in a way that makes tree-sitter copy stacks that grow with the square of the text, in one single step.
    fn devourer(bytes: usize) -> String {
        "[,a ".repeat(bytes / 4)
    }

    #[test]
    fn a_parse_that_takes_too_much_is_left_and_the_next_one_works() {
        let Structure::Tree(syntax) = &by_name("python").unwrap().structure else {
            panic!("python has a tree")
        };
        let table = syntax.table().unwrap();
        let parse = |text: &str| with_tree(text, table.language, |root| root.child_count());
        assert!(parse(&devourer(20_000)).is_err());
        assert_eq!(parse("a = 1\nb = 2\n"), Ok(2));
    }

    #[test]
    fn a_shadow_keeps_offsets_and_letters() {
        assert_eq!(ascii_shadow("let größe = '→';"), "let grxxxxe = '   ';");
        assert!(matches!(ascii_shadow("plain"), Cow::Borrowed("plain")));
    }
}
