//! libFuzzer over sources in any language; see `vectorcode_torture::fuzz::source`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vectorcode_torture::fuzz::source(bytes));
