//! libFuzzer over highlighting; see `vectorcode_torture::fuzz::markup`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vectorcode_torture::fuzz::markup(bytes));
