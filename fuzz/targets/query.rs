//! libFuzzer over queries; see `vectorcode_torture::fuzz::query`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vectorcode_torture::fuzz::query(bytes));
