//! Arbitrary bytes, read as some language, never panic and keep every span inside the text.
//!
//! `cargo +nightly fuzz run parse_source` in the folder of the crate. The first byte picks the language.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vectorcode_core::FileFlags;
use vectorcode_source::{all, decode, parse_source};

fuzz_target!(|bytes: &[u8]| {
    let Some((pick, rest)) = bytes.split_first() else { return };
    let languages: Vec<_> = all().collect();
    let language = languages[usize::from(*pick) % languages.len()];
    let text = decode(rest);
    let file = parse_source("fuzz", language, &text, FileFlags::default());
    for chunk in &file.chunks {
        assert_eq!(text.get(chunk.span.bytes()), Some(chunk.content.as_str()));
        assert!(chunk.content.len() <= 2000);
    }
    for definition in &file.definitions {
        assert!(text.get(definition.span.bytes()).is_some());
    }
});
