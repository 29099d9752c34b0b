//! Reads the parse tables of a grammar that is linked into this build script, and packs them.
//!
//! A language gives the length of two of its tables. The length of the other two is computed from what the first two
//! refer to (see `ts_language_lookup` in tree-sitter's `language.h`).
#![allow(unsafe_code)]

use std::io::Write as _;
use std::slice;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use tree_sitter_language::LanguageFn;

/// The first fields of tree-sitter's `TSLanguage`, in all ABI versions that the grammars use (14 and 15).
#[repr(C)]
struct Language {
    abi_version: u32,
    symbol_count: u32,
    alias_count: u32,
    token_count: u32,
    external_token_count: u32,
    state_count: u32,
    large_state_count: u32,
    production_id_count: u32,
    field_count: u32,
    max_alias_sequence_length: u16,
    parse_table: *const u16,
    small_parse_table: *const u16,
    small_parse_table_map: *const u32,
    parse_actions: *const Action,
    names_and_fields: [*const u8; 8],
    lex_modes: *const u16,
}

/// A `TSParseActionEntry`: either an action, or the header of an action list, whose first byte is the number of
/// actions.
type Action = [u8; 8];

struct Tables {
    symbols: usize,
    /// For the first states: one value per symbol.
    dense: &'static [u16],
    /// For the other states: groups of symbols that have the same value.
    sparse: &'static [u16],
    /// The offset in `sparse` of each of those states.
    sparse_starts: &'static [u32],
    actions: &'static [Action],
    /// For each state, the lexer state that it starts in and, since ABI 15, the set of reserved words.
    lex_modes: &'static [u16],
}

/// Packs the number of symbols, the lengths of the five tables, then the tables, compressed with deflate. All numbers
/// are in the byte order of this machine.
pub fn pack(language: LanguageFn) -> Vec<u8> {
    let Tables { symbols, dense, sparse, sparse_starts, actions, lex_modes } = Tables::of(language);
    let lengths = [symbols, dense.len(), sparse.len(), sparse_starts.len(), actions.len(), lex_modes.len()];
    let mut packed: Vec<u8> = lengths.into_iter().flat_map(|length| (length as u32).to_ne_bytes()).collect();
    let mut encoder = DeflateEncoder::new(&mut packed, Compression::best());
    for table in [bytes(dense), bytes(sparse), bytes(sparse_starts), bytes(actions), bytes(lex_modes)] {
        encoder.write_all(table).expect("a vector takes bytes");
    }
    encoder.finish().expect("a vector takes bytes");
    packed
}

impl Tables {
    fn of(language: LanguageFn) -> Self {
        // SAFETY: the function of a grammar crate returns its static `TSLanguage`, whose first fields `Language`
        // describes.
        let language = unsafe { &*language.into_raw()().cast::<Language>() };
        assert!(
            matches!(language.abi_version, 14 | 15),
            "a grammar in the unknown ABI {}",
            language.abi_version
        );

        let symbols = language.symbol_count as usize;
        let tokens = language.token_count as usize;
        let sparse_states = (language.state_count - language.large_state_count) as usize;
        let lex_mode = if language.abi_version == 14 { 2 } else { 3 };
        // SAFETY: by tree-sitter's contract the dense table has one row of symbols for each large state, and each
        // other state has an entry in the map. Every state has a mode, `TSLexMode` or, since ABI 15, `TSLexerMode`.
        let (dense, sparse_starts, lex_modes) = unsafe {
            (
                slice::from_raw_parts(language.parse_table, language.large_state_count as usize * symbols),
                slice::from_raw_parts(language.small_parse_table_map, sparse_states),
                slice::from_raw_parts(language.lex_modes, language.state_count as usize * lex_mode),
            )
        };
        let mut reach = Reach::default();
        for row in dense.chunks_exact(symbols) {
            reach.see_actions(&row[..tokens]);
        }
        for &start in sparse_starts {
            reach.see_state(language.small_parse_table, start as usize, tokens);
        }
        // SAFETY: the groups of every state, and so the whole table, end at or before the largest end seen.
        let sparse = unsafe { slice::from_raw_parts(language.small_parse_table, reach.sparse) };
        // SAFETY: an action list starts at every index seen, and its first byte is the number of actions that follow.
        let actions = unsafe {
            let following = (*language.parse_actions.add(reach.action))[0];
            slice::from_raw_parts(language.parse_actions, reach.action + 1 + usize::from(following))
        };
        Self { symbols, dense, sparse, sparse_starts, actions, lex_modes }
    }
}

/// The largest offsets referred to in the tables that have no stored length.
#[derive(Default)]
struct Reach {
    sparse: usize,
    action: usize,
}

impl Reach {
    fn see_actions(&mut self, numbers: &[u16]) {
        let last = numbers.iter().copied().max().unwrap_or_default();
        self.action = self.action.max(usize::from(last));
    }

    /// Reads the groups of a state: the number of groups, and for each its value, the number of symbols and the
    /// symbols. For tokens the value is an action index, for other symbols it is a state.
    fn see_state(&mut self, table: *const u16, start: usize, tokens: usize) {
        // SAFETY: `start` comes from the map of this table, and the groups are read exactly as tree-sitter does.
        let read = |at: usize| usize::from(unsafe { *table.add(at) });
        let mut at = start + 1;
        for _ in 0..read(start) {
            let (value, symbols) = (read(at), at + 2..at + 2 + read(at + 1));
            if symbols.clone().any(|symbol| read(symbol) < tokens) {
                self.action = self.action.max(value);
            }
            at = symbols.end;
        }
        self.sparse = self.sparse.max(at);
    }
}

fn bytes<T: Copy>(table: &[T]) -> &[u8] {
    // SAFETY: the tables contain plain numbers without padding.
    unsafe { slice::from_raw_parts(table.as_ptr().cast(), size_of_val(table)) }
}
