#!/bin/sh
# Makes docs/images/page-search.webp and page-start.webp, pictures of the web page, from this repository itself.
# Usage: scripts/page-screenshot.sh [path to the binary, default target/release/vectorcode]
# A release build: the time that a search took is in the picture.
# With PROJECT=folder it shows a project that is indexed already. Needs what scripts/browser-check.sh needs.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
binary=${1:-$target/release/vectorcode}
tools=$target/browser-check
mkdir -p "$tools" docs/images
if [ ! -d "$tools/node_modules/playwright-core" ]; then
    npm install --silent --no-audit --no-fund --prefix "$tools" playwright-core@1 axe-core@4
fi
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ]; then
    echo "no chromium found; name one with CHROMIUM=" >&2
    exit 2
fi
exec node scripts/page-screenshot.mjs "$(realpath "$binary")" "$browser" "$(realpath "$tools")"
