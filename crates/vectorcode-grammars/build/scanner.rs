//! Mends the faults of the grammars' external scanners that a file of source code can reach.
//!
//! A scanner is C that comes with a grammar. It keeps state of its own, which tree-sitter stores with every token in a buffer
//! of 1024 bytes. A scanner that writes more, or that asserts, ends the process; one that waits for a character that never
//! comes, at the end of the text, never returns, and no time limit interrupts it. Every `serialize`, every assertion and
//! every loop of the pinned versions was read, and each grammar was fuzzed under AddressSanitizer; the patches are what
//! that found.
//!
//! A patch that no longer matches fails the build: with a new version of a grammar, its scanner must be read again.

use std::fs;
use std::path::Path;

use crate::catalogue::Entry;

struct Patch {
    grammar: &'static str,
    /// Exactly once in the scanner.
    before: &'static str,
    after: &'static str,
}

/// All memory of a scanner comes from the allocator of tree-sitter: it counts for the limit of a parse, and is not lost when
/// a parse is left half-way. Not every scanner uses the names that `alloc.h` has for that.
const ALLOCATOR: &str = "\
#include <stdlib.h>
#include \"tree_sitter/alloc.h\"
#define malloc ts_malloc
#define calloc ts_calloc
#define realloc ts_realloc
#define free ts_free
";

const PATCHES: [Patch; 6] = [
    // Four bytes are written for each level of indentation, of which the last may be beyond the end.
    Patch {
        grammar: "yaml",
        before: "typ_itr != typ_end && size < TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
        after: "typ_itr != typ_end && size + 2 * sizeof(int16_t) <= TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
    },
    // Two bytes for each level, after an odd number of bytes when an odd number of strings is open.
    Patch {
        grammar: "python",
        before: "iter < scanner->indents.size && size < TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
        after: "iter < scanner->indents.size && size + 1 < TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
    },
    // Four bytes precede the word, not two, and one of them is its length.
    Patch {
        grammar: "ruby",
        before: "if (size + 2 + heredoc->word.size >= TREE_SITTER_SERIALIZATION_BUFFER_SIZE) {",
        after: "if (heredoc->word.size > UINT8_MAX ||\n\
            size + 4 + heredoc->word.size >= TREE_SITTER_SERIALIZATION_BUFFER_SIZE) {",
    },
    // An annotation at the end of the text: no white space follows, ever.
    Patch {
        grammar: "kotlin",
        before: "while (!iswspace(lexer->lookahead)) {",
        after: "while (!iswspace(lexer->lookahead) && !lexer->eof(lexer)) {",
    },
    Patch {
        grammar: "kotlin",
        before: "while ((saw_paren ? lexer->lookahead != '\\n' : !iswspace(lexer->lookahead))) {",
        after: "while ((saw_paren ? lexer->lookahead != '\\n' : !iswspace(lexer->lookahead)) && !lexer->eof(lexer)) {",
    },
    // A directive at the end of the text: the zero after it was taken for the zero that ends a string of C, and the strings
    // that follow in memory were read.
    Patch {
        grammar: "swift",
        before: "if (expected_char != lexer->lookahead) {",
        after: "if (expected_char == '\\0' || expected_char != lexer->lookahead) {",
    },
];

/// The scanner of a grammar, mended; `None` where the grammar has none.
pub fn mended(entry: &Entry, source: &Path) -> Option<String> {
    let scanner = fs::read_to_string(source.join("scanner.c")).ok()?;
    let patches = PATCHES.iter().filter(|patch| patch.grammar == entry.name);
    Some(patches.fold(format!("{ALLOCATOR}{scanner}"), |scanner, patch| patch.apply(&scanner)))
}

impl Patch {
    fn apply(&self, scanner: &str) -> String {
        let Self { grammar, before, after } = self;
        let matches = scanner.matches(before).count();
        assert_eq!(
            matches, 1,
            "the scanner of {grammar} has changed: read it again, and its patch {before:?}"
        );
        scanner.replacen(before, after, 1)
    }
}
