#!/bin/sh
# A long run of mixed MCP calls while files change: no error, flat memory, latencies printed.
# Usage: scripts/soak.sh [path to the binary, default target/release/vectorcode] [calls, default 10000]
set -eu
cd "$(dirname "$0")/.."
binary=${1:-${CARGO_TARGET_DIR:-target}/release/vectorcode}
exec python3 scripts/soak.py "$(realpath "$binary")" "${2:-10000}"
