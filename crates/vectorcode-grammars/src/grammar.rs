//! A grammar that unpacks itself.

use std::io::Read as _;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;
use tree_sitter::Language;
use tree_sitter::ffi::TSLanguage;

/// Fills a grammar's language in with its tables and returns it.
type Join = unsafe extern "C" fn(*const u16, *const u16, *const u32, *const u16) -> *const TSLanguage;

/// A grammar, if this build has it.
pub struct Grammar {
    packed: Option<(Join, &'static [u8])>,
    language: OnceLock<Language>,
}

impl Grammar {
    pub(crate) const fn new(packed: Option<(Join, &'static [u8])>) -> Self {
        Self { packed, language: OnceLock::new() }
    }

    /// Whether this build has the grammar. Unpacks nothing.
    pub fn is_included(&self) -> bool {
        self.packed.is_some()
    }

    /// The language, unpacked on the first call; `None` in a build without the feature of the grammar.
    pub fn language(&'static self) -> Option<&'static Language> {
        let (join, tables) = self.packed?;
        Some(self.language.get_or_init(|| unpack(join, tables)))
    }
}

#[allow(unsafe_code)]
fn unpack(join: Join, packed: &[u8]) -> Language {
    let tables = Tables::unpack(packed);
    // SAFETY: `join` is the function that `build/lexer.rs` made of the grammar, these are the tables that
    // `build/tables.rs` took out of it, leaked so that they live as long as the language. `OnceLock` sees to it that
    // `join`, which writes to a static, runs once.
    unsafe {
        let language = join(
            tables.dense.leak().as_ptr(),
            tables.sparse.leak().as_ptr(),
            tables.sparse_starts.leak().as_ptr(),
            tables.actions.leak().as_ptr(),
        );
        Language::from_raw(language)
    }
}

/// See `build/tables.rs`, which packs them.
struct Tables {
    dense: Vec<u16>,
    sparse: Vec<u16>,
    sparse_starts: Vec<u32>,
    /// Each is four numbers wide.
    actions: Vec<u16>,
}

impl Tables {
    fn unpack(packed: &[u8]) -> Self {
        let (head, body) = packed.split_at(4 * size_of::<u32>());
        let [dense, sparse, sparse_starts, actions] = [0, 1, 2, 3].map(|at| number(&head[at * 4..]) as usize);
        let mut tables = DeflateDecoder::new(body);
        let mut take = |length: usize| {
            let mut bytes = vec![0; length];
            tables.read_exact(&mut bytes).expect("the build packed whole tables");
            bytes
        };
        Self {
            dense: halves(&take(dense * 2)),
            sparse: halves(&take(sparse * 2)),
            sparse_starts: take(sparse_starts * 4).chunks_exact(4).map(number).collect(),
            actions: halves(&take(actions * 8)),
        }
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
