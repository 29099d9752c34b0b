#!/bin/sh
# Prints the path of a Python with semble (PyPI), and creates its virtual environment if needed.
set -eu
cd "$(dirname "$0")/.."
environment=${SEMBLE_ENVIRONMENT:-${CARGO_TARGET_DIR:-target}/semble}
if [ ! -x "$environment/bin/python" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet semble tokenizers
fi
echo "$(cd "$environment" && pwd)/bin/python"
