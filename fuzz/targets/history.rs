//! libFuzzer over repositories that no git would write; see `vectorcode_torture::fuzz::history`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vectorcode_torture::fuzz::history(bytes));
