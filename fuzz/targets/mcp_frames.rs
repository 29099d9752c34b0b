//! libFuzzer over frames of MCP clients; see `vectorcode_torture::fuzz::mcp_frames`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vectorcode_torture::fuzz::mcp_frames(bytes));
