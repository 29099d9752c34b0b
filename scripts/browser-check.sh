#!/bin/sh
# Walks through the web page in a real browser: Chromium, driven by `playwright-core`, with `axe-core` for accessibility.
# Usage: scripts/browser-check.sh [path to the binary, default target/debug/vectorcode]
# Screenshots are left in target/browser-check/shots. Needs node, npm and chromium (Debian: apt-get install chromium).
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
binary=${1:-$target/debug/vectorcode}
tools=$target/browser-check
mkdir -p "$tools/shots"
if [ ! -d "$tools/node_modules/axe-core" ]; then
    npm install --silent --no-audit --no-fund --prefix "$tools" playwright-core@1 axe-core@4
fi
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ]; then
    echo "no chromium found; name one with CHROMIUM=" >&2
    exit 2
fi
exec node scripts/browser-check.mjs "$(realpath "$binary")" "$browser" "$(realpath "$tools")"
