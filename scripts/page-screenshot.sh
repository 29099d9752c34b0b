#!/bin/sh
# Makes docs/images/page-search.webp and page-start.webp, pictures of the web page, from this repository itself.
# Usage: scripts/page-screenshot.sh [path to the binary, default target/release/vectorcode]
# Use a release build, because the picture shows how long the search took.
# PROJECT=folder shows a project that is already indexed. Needs the same programs as scripts/browser-check.sh.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
binary=${1:-$target/release/vectorcode}
. scripts/browser-tools.sh
mkdir -p docs/images
exec node scripts/page-screenshot.mjs "$(realpath "$binary")" "$browser" "$(realpath "$tools")"
