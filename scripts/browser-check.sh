#!/bin/sh
# Tests the web page in a real browser: Chromium, driven by `playwright-core`, with `axe-core` for accessibility.
# Usage: scripts/browser-check.sh [path to the binary, default target/debug/vectorcode]
# Writes screenshots to target/browser-check/shots. Needs node, npm and chromium (Debian: apt-get install chromium).
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
binary=${1:-$target/debug/vectorcode}
. scripts/browser-tools.sh
mkdir -p "$tools/shots"
exec node scripts/browser-check.mjs "$(realpath "$binary")" "$browser" "$(realpath "$tools")"
