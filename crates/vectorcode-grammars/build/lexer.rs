//! Compiles what is code in a grammar: its `parser.c` without the parse tables, and its scanner, mended ([`scanner`]).
//!
//! `parser.c` is written by `tree-sitter generate` and always has the same shape: tables, lexers, more tables, and at the end
//! one function that returns a `static const TSLanguage`. Here the large tables are left out and become parameters of that
//! function, and two things are changed in the lexers that make them faster.

use std::fs;
use std::path::Path;

use crate::catalogue::Entry;
use crate::{scanner, write};

/// The tables that are packed, as they are declared, in the order in which `tree_sitter_x` takes them.
const PACKED: [&str; 4] = [
    "const uint16_t ts_parse_table[",
    "const uint16_t ts_small_parse_table[",
    "const uint32_t ts_small_parse_table_map[",
    "const TSParseActionEntry ts_parse_actions[",
];

/// What is written in the last function, and what it becomes.
const EDITS: [(&str, &str); 4] = [
    (
        "(void) {",
        "(const uint16_t *ts_parse_table, const uint16_t *ts_small_parse_table, \
         const uint32_t *ts_small_parse_table_map, const TSParseActionEntry *ts_parse_actions, \
         uint32_t large_state_count) {",
    ),
    (".large_state_count = LARGE_STATE_COUNT", ".large_state_count = large_state_count"),
    ("static const TSLanguage language = {", "static TSLanguage language; language = (TSLanguage) {"),
    ("&ts_parse_table[0][0]", "ts_parse_table"),
];

const HEADER: &str = "#include \"tree_sitter/parser.h\"\n";

/// Sets of characters are ranges in order, hundreds of them where all of Unicode may be in a name. Those of ASCII come first,
/// and nearly every character is one.
const ASCII_FIRST: &str = "\
static inline bool set_contains_ascii(const TSCharacterRange *ranges, uint32_t len, int32_t lookahead) {
  for (uint32_t i = 0; i < len && ranges[i].start <= lookahead; i++) {
    if (lookahead <= ranges[i].end) return true;
  }
  return false;
}
#define set_contains(ranges, len, lookahead) \\
  ((lookahead) < 128 ? set_contains_ascii(ranges, len, lookahead) : (set_contains)(ranges, len, lookahead))
";

/// At each character the lexer is asked, through a pointer, whether the text ends. At its end the character is zero.
const END: (&str, &str) = ("eof = lexer->eof(lexer);", "eof = lookahead == 0 && lexer->eof(lexer);");

pub fn compile(entry: &Entry, source: &Path, out: &Path) {
    let parser = out.join(format!("{}.c", entry.name));
    let original = fs::read_to_string(source.join("parser.c")).expect("a grammar has a parser.c");
    write(&parser, without_tables(&original).as_bytes());

    let mut compiler = cc::Build::new();
    compiler
        .include(source)
        .file(parser)
        .warnings(false)
        .define("TREE_SITTER_HIDE_SYMBOLS", None)
        .define("TREE_SITTER_REUSE_ALLOCATOR", None)
        .flag_if_supported("-utf-8");
    if let Some(text) = scanner::mended(entry, source) {
        let scanner = out.join(format!("{}_scanner.c", entry.name));
        write(&scanner, text.as_bytes());
        compiler.file(scanner);
    }
    compiler.compile(&format!("vectorcode-grammar-{}", entry.name));
}

fn without_tables(parser: &str) -> String {
    let (body, last) =
        parser.rsplit_once("TS_PUBLIC const TSLanguage *").expect("parser.c ends with its language");
    let body = PACKED.iter().fold(body.to_owned(), |body, table| without_table(&body, table));
    let body = with_fast_lexer(&body);
    let last = EDITS.iter().fold(last.to_owned(), |last, (before, after)| {
        assert!(last.contains(before), "the language function has {before:?}");
        last.replacen(before, after, 1)
    });
    format!("{body}const TSLanguage *{last}")
}

/// The lexer reads every character of every file: what it asks of each is asked in a cheaper way.
fn with_fast_lexer(body: &str) -> String {
    let body = body.replace(END.0, END.1);
    if body.contains("set_contains(") {
        body.replacen(HEADER, &[HEADER, ASCII_FIRST].concat(), 1)
    } else {
        body
    }
}

fn without_table(body: &str, declared: &str) -> String {
    let (before, from) =
        body.split_once(&format!("static {declared}")).unwrap_or_else(|| panic!("parser.c has {declared}"));
    let (_, after) = from.split_once("\n};\n").expect("a table ends");
    format!("{before}{after}")
}
