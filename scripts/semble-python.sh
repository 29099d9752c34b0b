#!/bin/sh
# Prints the Python that has semble (PyPI), in an environment that is made where there is none yet.
set -eu
cd "$(dirname "$0")/.."
environment=${SEMBLE_ENVIRONMENT:-${CARGO_TARGET_DIR:-target}/semble}
if [ ! -x "$environment/bin/python" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet semble tokenizers
fi
echo "$(cd "$environment" && pwd)/bin/python"
