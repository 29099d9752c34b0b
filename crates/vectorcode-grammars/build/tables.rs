//! Reads the parse tables of a grammar that is linked into this script, and packs them.
//!
//! A language says how long two of its tables are; how long the other two are follows from what the first two refer to
//! (see `ts_language_lookup` in tree-sitter's `language.h`).
#![allow(unsafe_code)]

use std::io::Write as _;
use std::slice;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use tree_sitter_language::LanguageFn;

/// How tree-sitter's `TSLanguage` begins, in all versions of its ABI that grammars are written in (14 and 15).
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
}

/// A `TSParseActionEntry`: the header of a list of actions, whose first byte is their number, or an action.
type Action = [u8; 8];

struct Tables {
    symbols: usize,
    /// For the first states: what to do at each symbol.
    dense: &'static [u16],
    /// For the others: groups of symbols at which the same is done.
    sparse: &'static [u16],
    /// Where in `sparse` each of those states begins.
    sparse_starts: &'static [u32],
    actions: &'static [Action],
}

/// The number of symbols, the numbers of elements of the four tables, then the tables, deflated. All numbers in the byte order
/// of this machine.
pub fn pack(language: LanguageFn) -> Vec<u8> {
    let Tables { symbols, dense, sparse, sparse_starts, actions } = Tables::of(language);
    let lengths = [symbols, dense.len(), sparse.len(), sparse_starts.len(), actions.len()];
    let mut packed: Vec<u8> = lengths.into_iter().flat_map(|length| (length as u32).to_ne_bytes()).collect();
    let mut encoder = DeflateEncoder::new(&mut packed, Compression::best());
    for table in [bytes(dense), bytes(sparse), bytes(sparse_starts), bytes(actions)] {
        encoder.write_all(table).expect("a vector takes bytes");
    }
    encoder.finish().expect("a vector takes bytes");
    packed
}

impl Tables {
    fn of(language: LanguageFn) -> Self {
        // SAFETY: the function of a grammar crate returns its static `TSLanguage`, whose head `Language` describes.
        let language = unsafe { &*language.into_raw()().cast::<Language>() };
        assert!(
            matches!(language.abi_version, 14 | 15),
            "a grammar in the unknown ABI {}",
            language.abi_version
        );

        let symbols = language.symbol_count as usize;
        let tokens = language.token_count as usize;
        let sparse_states = (language.state_count - language.large_state_count) as usize;
        // SAFETY: by tree-sitter's contract the dense table has a row of symbols for each large state, and each other state
        // has an entry in the map.
        let (dense, sparse_starts) = unsafe {
            (
                slice::from_raw_parts(language.parse_table, language.large_state_count as usize * symbols),
                slice::from_raw_parts(language.small_parse_table_map, sparse_states),
            )
        };
        let mut reach = Reach::default();
        for row in dense.chunks_exact(symbols) {
            reach.see_actions(&row[..tokens]);
        }
        for &start in sparse_starts {
            reach.see_state(language.small_parse_table, start as usize, tokens);
        }
        // SAFETY: every state's groups, and so the whole table, lie before the farthest end seen.
        let sparse = unsafe { slice::from_raw_parts(language.small_parse_table, reach.sparse) };
        // SAFETY: a list of actions begins at every number seen, and its first byte tells how many follow.
        let actions = unsafe {
            let following = (*language.parse_actions.add(reach.action))[0];
            slice::from_raw_parts(language.parse_actions, reach.action + 1 + usize::from(following))
        };
        Self { symbols, dense, sparse, sparse_starts, actions }
    }
}

/// How far into the tables without a length their users point.
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

    /// Follows the groups of a state: a number of groups, and for each its value, a number of symbols and the symbols. At
    /// symbols that are tokens the value is the number of an action, at others that of a state.
    fn see_state(&mut self, table: *const u16, start: usize, tokens: usize) {
        // SAFETY: `start` comes from the map of this table, and groups are followed exactly as tree-sitter does.
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
    // SAFETY: the tables are of plain numbers without padding.
    unsafe { slice::from_raw_parts(table.as_ptr().cast(), size_of_val(table)) }
}
