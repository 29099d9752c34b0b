//! A grammar whose parse tables are unpacked on first use.
//!
//! Unpacked tables are private memory: a process that parses all 28 languages peaks at 131 MB, one that parses a
//! single language at 25 MB (`index --fast` on the language samples). Packing reduces the binary by 34 MB (from 84 to
//! 50). Few projects use more than a handful of languages, so packing is worth this cost.

use std::io::Read as _;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;
use tree_sitter::Language;
use tree_sitter::ffi::TSLanguage;

/// Sets the table pointers of a grammar's language and returns the language.
type Join = unsafe extern "C" fn(*const u16, *const u16, *const u32, *const u16, u32) -> *const TSLanguage;

/// Sparse states with at least `LEAST_WIDENED` symbols are made dense, up to `WIDENED_BYTES` of memory.
const LEAST_WIDENED: usize = 8;
const WIDENED_BYTES: usize = 5 << 20;

/// A grammar. It is empty if this build does not include it.
pub struct Grammar {
    packed: Option<(Join, &'static [u8])>,
    language: OnceLock<Language>,
}

impl Grammar {
    pub(crate) const fn new(packed: Option<(Join, &'static [u8])>) -> Self {
        Self { packed, language: OnceLock::new() }
    }

    /// Whether this build includes the grammar. Does not unpack it.
    pub fn is_included(&self) -> bool {
        self.packed.is_some()
    }

    /// The language, unpacked on the first call. `None` if the grammar's feature is not enabled in this build.
    pub fn language(&'static self) -> Option<&'static Language> {
        let (join, tables) = self.packed?;
        Some(self.language.get_or_init(|| unpack(join, tables)))
    }
}

#[allow(unsafe_code)]
fn unpack(join: Join, packed: &[u8]) -> Language {
    let mut tables = Tables::unpack(packed);
    tables.widen();
    let dense_states = (tables.dense.len() / tables.symbols) as u32;
    // SAFETY: `join` is the function that `build/lexer.rs` generated from the grammar, and these are the tables that
    // `build/tables.rs` extracted from it. They are leaked so that they live as long as the language. `join` writes
    // to a static, and `OnceLock` ensures that it runs only once.
    unsafe {
        let language = join(
            tables.dense.leak().as_ptr(),
            tables.sparse.leak().as_ptr(),
            tables.sparse_starts.leak().as_ptr(),
            tables.actions.leak().as_ptr(),
            dense_states,
        );
        Language::from_raw(language)
    }
}

/// The unpacked tables. See `build/tables.rs`, which packs them.
struct Tables {
    symbols: usize,
    dense: Vec<u16>,
    sparse: Vec<u16>,
    sparse_starts: Vec<u32>,
    /// Each action is four numbers wide.
    actions: Vec<u16>,
}

impl Tables {
    fn unpack(packed: &[u8]) -> Self {
        let (head, body) = packed.split_at(5 * size_of::<u32>());
        let [symbols, dense, sparse, sparse_starts, actions] =
            [0, 1, 2, 3, 4].map(|at| number(&head[at * 4..]) as usize);
        let mut tables = DeflateDecoder::new(body);
        let mut take = |length: usize| {
            let mut bytes = vec![0; length];
            tables.read_exact(&mut bytes).expect("the build packed whole tables");
            bytes
        };
        Self {
            symbols,
            dense: halves(&take(dense * 2)),
            sparse: halves(&take(sparse * 2)),
            sparse_starts: take(sparse_starts * 4).chunks_exact(4).map(number).collect(),
            actions: halves(&take(actions * 8)),
        }
    }

    /// Makes the largest sparse states dense. For a sparse state, tree-sitter does a linear search for the symbol at
    /// every token; without this change, parsing C++ took a tenth longer. States are sorted by size, so the largest
    /// come first.
    fn widen(&mut self) {
        let most = WIDENED_BYTES / (self.symbols * size_of::<u16>());
        let is_large = |start: &&u32| Self::entries(&self.sparse, **start).count() >= LEAST_WIDENED;
        let count = self.sparse_starts.iter().take(most).take_while(is_large).count();
        let starts: Vec<u32> = self.sparse_starts.drain(..count).collect();
        self.dense.reserve_exact(count * self.symbols);
        for start in starts {
            let row = self.dense.len();
            self.dense.resize(row + self.symbols, 0);
            for (symbol, value) in Self::entries(&self.sparse, start) {
                self.dense[row + usize::from(symbol)] = value;
            }
        }
    }

    /// The symbols of a sparse state and their values. The table holds the number of groups, then for each group its
    /// value, the number of its symbols, and the symbols.
    fn entries(sparse: &[u16], start: u32) -> impl Iterator<Item = (u16, u16)> {
        let state = &sparse[start as usize..];
        let mut rest = &state[1..];
        (0..state[0]).flat_map(move |_| {
            let (head, symbols) = rest.split_at(2);
            let (symbols, after) = symbols.split_at(usize::from(head[1]));
            rest = after;
            symbols.iter().map(move |symbol| (*symbol, head[0]))
        })
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn halves(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|half| u16::from_ne_bytes([half[0], half[1]])).collect()
}

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grammar").field("is_unpacked", &self.language.get().is_some()).finish_non_exhaustive()
    }
}
