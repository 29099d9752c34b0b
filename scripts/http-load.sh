#!/bin/sh
# Warm search under load: a rate that is kept for a while, no errors, flat memory.
# Usage: scripts/http-load.sh [path to the binary, default target/release/vectorcode] [project, default this one]
#        [requests a second, default 500] [seconds, default 60]
set -eu
cd "$(dirname "$0")/.."
binary=${1:-${CARGO_TARGET_DIR:-target}/release/vectorcode}
exec python3 scripts/http_load.py "$(realpath "$binary")" "$(realpath "${2:-.}")" "${3:-500}" "${4:-60}"
