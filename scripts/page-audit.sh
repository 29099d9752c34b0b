#!/bin/sh
# Opens each kind of page of real projects in Chromium: wide, 390 pixels wide, light and dark. Takes screenshots, and has
# `axe-core` look for barriers. Fails on a serious or critical one, on a page that is too wide, and on an error in the console.
# Usage: scripts/page-audit.sh BINARY PROJECT... ; each project is indexed if it is not yet, so give it a copy.
# Screenshots are left in target/browser-check/pages. QUESTION= is what is searched for. Needs what browser-check.sh needs.
set -eu
if [ $# -lt 2 ]; then
    sed -n '2,5s/^# //p' "$0"
    exit 2
fi
binary=$(realpath "$1")
shift
projects=$(for project in "$@"; do realpath "$project"; done)
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
. scripts/browser-tools.sh
mkdir -p "$tools/pages"
# shellcheck disable=SC2086
exec node scripts/page-audit.mjs "$binary" "$browser" "$(realpath "$tools")" $projects
