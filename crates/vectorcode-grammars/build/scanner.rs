//! Patches the bugs in the grammars' external scanners that a source file can trigger.
//!
//! A scanner is C code that comes with a grammar. It has its own state, which tree-sitter stores with every token in
//! a buffer of 1024 bytes. A scanner that writes more, or that fails an assertion, ends the process. A scanner that
//! waits at the end of the text for a character that never comes does not return, and no time limit interrupts it.
//! Every `serialize`, every assertion and every loop of the pinned versions was reviewed, and each grammar was fuzzed
//! under AddressSanitizer. The patches fix what was found.
//!
//! A patch that no longer matches fails the build, because the scanner of a new grammar version must be reviewed
//! again.

use std::fs;
use std::path::Path;

use crate::catalogue::Entry;

struct Patch {
    grammar: &'static str,
    /// Must occur exactly once in the scanner.
    before: &'static str,
    after: &'static str,
}

/// All memory of a scanner comes from tree-sitter's allocator. It then counts toward the memory limit of a parse, and
/// is not leaked when a parse is aborted. Not every scanner uses the names that `alloc.h` defines for this.
const ALLOCATOR: &str = "\
#include <stdlib.h>
#include \"tree_sitter/alloc.h\"
#define malloc ts_malloc
#define calloc ts_calloc
#define realloc ts_realloc
#define free ts_free
";

const PATCHES: [Patch; 6] = [
    // Four bytes are written for each indentation level. The last of them may be past the end of the buffer.
    Patch {
        grammar: "yaml",
        before: "typ_itr != typ_end && size < TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
        after: "typ_itr != typ_end && size + 2 * sizeof(int16_t) <= TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
    },
    // Two bytes per level, starting at an odd offset when an odd number of strings is open.
    Patch {
        grammar: "python",
        before: "iter < scanner->indents.size && size < TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
        after: "iter < scanner->indents.size && size + 1 < TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
    },
    // Four bytes come before the word, not two, and one of them is its length.
    Patch {
        grammar: "ruby",
        before: "if (size + 2 + heredoc->word.size >= TREE_SITTER_SERIALIZATION_BUFFER_SIZE) {",
        after: "if (heredoc->word.size > UINT8_MAX ||\n\
            size + 4 + heredoc->word.size >= TREE_SITTER_SERIALIZATION_BUFFER_SIZE) {",
    },
    // An annotation at the end of the text: no white space ever follows.
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
    // A directive at the end of the text: the zero after it was treated as the terminator of a C string, and the
    // strings that follow in memory were read.
    Patch {
        grammar: "swift",
        before: "if (expected_char != lexer->lookahead) {",
        after: "if (expected_char == '\\0' || expected_char != lexer->lookahead) {",
    },
];

/// The patched scanner of a grammar. `None` if the grammar has no scanner.
pub fn patched(entry: &Entry, source: &Path) -> Option<String> {
    let scanner = fs::read_to_string(source.join("scanner.c")).ok()?;
    let patches = PATCHES.iter().filter(|patch| patch.grammar == entry.name);
    Some(patches.fold(format!("{ALLOCATOR}{scanner}"), |scanner, patch| patch.apply(&scanner)))
}

impl Patch {
    fn apply(&self, scanner: &str) -> String {
        let Self { grammar, before, after } = self;
        let matches = scanner.matches(before).count();
        assert_eq!(matches, 1, "the scanner of {grammar} has changed: review it, and its patch {before:?}");
        scanner.replacen(before, after, 1)
    }
}
