//! Parses text into a syntax tree, with limits on time and memory.

use std::borrow::Cow;
use std::mem::ManuallyDrop;
use std::time::Duration;

use tree_sitter::{Language, Node};

use crate::arena::{self, Unparsed};

/// Maximum CPU time of one parse. A file that takes longer is pathological for its grammar, and is chunked by lines.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// Parses a text and passes the root node of its tree to `read`.
///
/// The tree is freed before this function returns, so the result of `read` must not refer to it.
#[expect(unsafe_code, reason = "trees live in an arena, which asks for a promise")]
pub(crate) fn with_tree<T>(
    text: &str,
    language: &Language,
    read: impl for<'tree> FnOnce(Node<'tree>) -> T,
) -> Result<T, Unparsed> {
    // SAFETY: the tree is never dropped: `ManuallyDrop` forgets it inside the scope. Nodes and cursors cannot
    // leave `read`, because it must accept any tree lifetime. This crate walks trees on the thread that parsed them.
    unsafe {
        arena::scope(|| {
            // No drop is needed: the arena frees all nodes together.
            let tree = arena::parse(&ascii_shadow(text), language, TIME_LIMIT)?;
            Ok(read(ManuallyDrop::new(tree).root_node()))
        })
    }
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

    /// Invalid code that makes tree-sitter copy stacks of quadratic size in the text length, in a single step.
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
