#!/bin/sh
# Opens each kind of page of real projects in Chromium: wide and 390 pixels wide, light and dark. Takes screenshots and checks
# accessibility with `axe-core`. Fails on a serious or critical violation, on horizontal overflow and on an error in the console.
# Usage: scripts/page-audit.sh BINARY PROJECT... ; a project without an index is indexed, so pass copies.
# Writes screenshots to target/browser-check/pages. QUESTION sets the query. Needs the same programs as browser-check.sh.
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
