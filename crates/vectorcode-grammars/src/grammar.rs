//! A grammar whose parse tables are unpacked when a text is parsed, and dropped when they were not used for a while.
//!
//! Unpacked tables are private memory: a process that parses all languages peaks at 131 MB, one that parses a
//! single language at 25 MB (`index --fast` on the language samples). Packing reduces the binary by 34 MB (from 84 to
//! 50). Few projects use more than a handful of languages, so packing is worth this cost.

use std::io::Read as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use flate2::read::DeflateDecoder;
use tree_sitter::Language;
use tree_sitter::ffi::TSLanguage;

/// Sets the table pointers of a grammar's language and returns the language.
type Join = unsafe extern "C" fn(
    *const u16,
    *const u16,
    *const u32,
    *const u16,
    *const u16,
    u32,
) -> *const TSLanguage;

/// Sparse states with at least `LEAST_WIDENED` symbols are made dense, up to `WIDENED_BYTES` of memory.
const LEAST_WIDENED: usize = 8;
const WIDENED_BYTES: usize = 5 << 20;

/// A grammar. It is empty if this build does not include it.
pub struct Grammar {
    packed: Option<(Join, &'static [u8])>,
    language: OnceLock<Language>,
    /// Read-locked while a text is parsed, write-locked to unpack or drop the tables.
    tables: RwLock<Option<Tables>>,
    /// The time of the last parse, in [`milliseconds`].
    last_used: AtomicU64,
}

/// The grammars whose tables were unpacked. Some may be listed more than once.
static UNPACKED: Mutex<Vec<&'static Grammar>> = Mutex::new(Vec::new());

/// Drops the tables of grammars that parsed nothing for at least `since`. The next text in their language unpacks them again,
/// which takes a few milliseconds.
pub fn unload_unused(since: Duration) {
    let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_used = |grammar: &&Grammar| {
        let unused = milliseconds().saturating_sub(grammar.last_used.load(Ordering::Relaxed));
        Duration::from_millis(unused) < since || !grammar.unload()
    };
    unpacked.retain(is_used);
}

impl Grammar {
    pub(crate) const fn new(packed: Option<(Join, &'static [u8])>) -> Self {
        Self { packed, language: OnceLock::new(), tables: RwLock::new(None), last_used: AtomicU64::new(0) }
    }

    /// Whether this build includes the grammar. Does not unpack it.
    pub fn is_included(&self) -> bool {
        self.packed.is_some()
    }

    /// The language, for the names of its nodes; texts are parsed inside [`Self::with_tables`]. `None` if the grammar's feature
    /// is not enabled in this build.
    pub fn language(&'static self) -> Option<&'static Language> {
        let (join, packed) = self.packed?;
        Some(self.language.get().unwrap_or_else(|| self.load(join, packed)))
    }

    /// Runs `parse` while the tables are in memory. Finished trees do not need them. `None` as for [`Self::language`].
    pub fn with_tables<T>(&'static self, parse: impl FnOnce(&'static Language) -> T) -> Option<T> {
        let (join, packed) = self.packed?;
        loop {
            let language = self.load(join, packed);
            let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
            // The tables may have been dropped between the two lines above.
            if tables.is_some() {
                return Some(parse(language));
            }
        }
    }

    /// Unpacks the tables if they are not in memory.
    fn load(&'static self, join: Join, packed: &[u8]) -> &'static Language {
        self.last_used.store(milliseconds(), Ordering::Relaxed);
        let is_loaded = self.tables.read().unwrap_or_else(PoisonError::into_inner).is_some();
        if !is_loaded {
            let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
            if tables.is_none() {
                let language = tables.insert(Tables::unpack(packed)).join(join);
                self.language.get_or_init(|| language);
                UNPACKED.lock().unwrap_or_else(PoisonError::into_inner).push(self);
            }
        }
        self.language.get().expect("tables are joined with their language")
    }

    /// Drops the tables, unless a text is being parsed. Returns whether they are dropped.
    fn unload(&self) -> bool {
        let Ok(mut tables) = self.tables.try_write() else { return false };
        *tables = None;
        true
    }
}

/// Milliseconds since the first call.
fn milliseconds() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_millis() as u64
}

/// The unpacked tables. See `build/tables.rs`, which packs them.
struct Tables {
    symbols: usize,
    dense: Vec<u16>,
    sparse: Vec<u16>,
    sparse_starts: Vec<u32>,
    /// Each action is four numbers wide.
    actions: Vec<u16>,
    /// Two or three numbers per state.
    lex_modes: Vec<u16>,
}

impl Tables {
    fn unpack(packed: &[u8]) -> Self {
        let mut tables = Self::decode(packed);
        tables.widen();
        tables
    }

    /// Makes the language use these tables. They must not be dropped while it parses.
    #[allow(unsafe_code)]
    fn join(&self, join: Join) -> Language {
        let dense_states = (self.dense.len() / self.symbols) as u32;
        // SAFETY: `join` is the function that `build/lexer.rs` generated from the grammar, and these are the tables that
        // `build/tables.rs` extracted from it. `join` writes to a static. The first call writes all of it, and `OnceLock`
        // prevents reads before that. Later calls only write the pointers to the tables. Only parses read these, while they hold
        // the tables' lock for reading; the caller holds it for writing.
        unsafe {
            Language::from_raw(join(
                self.dense.as_ptr(),
                self.sparse.as_ptr(),
                self.sparse_starts.as_ptr(),
                self.actions.as_ptr(),
                self.lex_modes.as_ptr(),
                dense_states,
            ))
        }
    }

    fn decode(packed: &[u8]) -> Self {
        let (head, body) = packed.split_at(6 * size_of::<u32>());
        let [symbols, dense, sparse, sparse_starts, actions, lex_modes] =
            [0, 1, 2, 3, 4, 5].map(|at| number(&head[at * 4..]) as usize);
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
            lex_modes: halves(&take(lex_modes * 2)),
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
        f.debug_struct("Grammar").field("is_included", &self.is_included()).finish_non_exhaustive()
    }
}
