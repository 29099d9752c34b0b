//! libFuzzer over damaged databases; see `vectorcode_torture::fuzz::store_open`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vectorcode_torture::fuzz::store_open(bytes));
