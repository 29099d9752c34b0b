//! The tree-sitter grammars, one [`Grammar`] each. Their parse tables stay compressed until a language is first used.
//!
//! Most of a grammar is parse tables, which give the action for each state and symbol. They are mostly zeros: 41 MB
//! in 28 grammars. `build/` extracts them from the grammars and compresses them to 3 MB. [`Grammar::with_tables`]
//! unpacks those of one language in a few milliseconds; [`unload_unused`] drops what was not used for a while. Detecting
//! the language of a file and interpreting its nodes is left to `vectorcode-source`.

mod grammar;

pub use grammar::{Grammar, unload_unused};

macro_rules! grammar {
    ($name:ident) => {
        /// Not included in this build.
        pub static $name: Grammar = Grammar::new(None);
    };
    ($name:ident, $function:ident, $tables:literal) => {
        #[doc = concat!("What `", stringify!($function), "` is in the grammar's own crate.")]
        pub static $name: Grammar = {
            #[allow(unsafe_code)] // A function of the grammar's C, as `build/lexer.rs` writes it.
            unsafe extern "C" {
                fn $function(
                    dense: *const u16,
                    sparse: *const u16,
                    sparse_starts: *const u32,
                    actions: *const u16,
                    lex_modes: *const u16,
                    dense_states: u32,
                ) -> *const tree_sitter::ffi::TSLanguage;
            }
            Grammar::new(Some(($function, include_bytes!(concat!(env!("OUT_DIR"), "/", $tables)))))
        };
    };
}

include!(concat!(env!("OUT_DIR"), "/grammars.rs"));
