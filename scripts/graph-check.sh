#!/bin/sh
# Compares imports, calls and uses of the graph with those of independent tools, on public packages.
# Usage: scripts/graph-check.sh [javascript python rust go c calls uses]
#
# WORKSPACES  clones of larger TypeScript projects for `uses`: NAME=PATH,NAME=PATH
#
# EDGES    the program that prints edges (default: the example `edges` of vectorcode-graph, release build)
# SCRATCH  directory for tools and packages (default: graph-check in the target directory)
#
# Needs npm, Python, cargo, gcc, and Go with its sources; a comparison whose tool is missing is skipped with a note.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
scratch=${SCRATCH:-$target/graph-check}
mkdir -p "$scratch"
if [ -z "${EDGES:-}" ]; then
    cargo build --quiet --release -p vectorcode-graph --example edges
    EDGES=$target/release/examples/edges
fi
if [ ! -x "$scratch/python/bin/python" ]; then
    python3 -m venv "$scratch/python"
    "$scratch/python/bin/pip" install --quiet "grimp==3.*" "jedi==0.19.*"
fi
exec "$scratch/python/bin/python" scripts/graph_check.py "$(realpath "$EDGES")" "$(realpath "$scratch")" "$@"
