//! libFuzzer over a project's settings; see `vectorcode_torture::fuzz::config`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vectorcode_torture::fuzz::config(bytes));
