#!/bin/sh
# Times the bundled transformer beside ONNX Runtime: same model file, same texts, same number of threads, taking turns.
# Usage: scripts/bench-embed.sh [rounds, default 20]
#
# Prints sequences a second, the best of all rounds, and the ratio. Ours tokenises within its time; ONNX Runtime is
# given the token ids.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
environment=$target/bench-embed
if [ ! -x "$environment/bin/python" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet onnxruntime numpy tokenizers
fi
cargo build --quiet --release --package vectorcode-embed --example throughput
exec "$environment/bin/python" scripts/bench_embed.py "$target/release/examples/throughput" "${1:-20}"
