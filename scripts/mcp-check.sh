#!/bin/sh
# Checks the MCP server with an independent client: the `mcp` package of PyPI, in its own virtual environment.
# Usage: scripts/mcp-check.sh [path to the binary, default target/debug/vectorcode]
set -eu
cd "$(dirname "$0")/.."
binary=${1:-${CARGO_TARGET_DIR:-target}/debug/vectorcode}
environment=${CARGO_TARGET_DIR:-target}/mcp-client
if [ ! -x "$environment/bin/python" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet "mcp==2.3.*"
fi
exec "$environment/bin/python" scripts/mcp-client-check.py "$(realpath "$binary")"
