#!/bin/sh
# Makes docs/images/page-search.webp and page-start.webp, pictures of the web page, from this repository itself.
# Usage: scripts/page-screenshot.sh [path to the binary, default target/release/vectorcode]
# A release build: the time that a search took is in the picture.
# With PROJECT=folder it shows a project that is indexed already. Needs what scripts/browser-check.sh needs.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
binary=${1:-$target/release/vectorcode}
. scripts/browser-tools.sh
mkdir -p docs/images
exec node scripts/page-screenshot.mjs "$(realpath "$binary")" "$browser" "$(realpath "$tools")"
