#!/bin/sh
# Compares the speed of the bundled transformer with ONNX Runtime: same model file, texts and number of threads, in turns.
# Usage: scripts/bench-embed.sh [rounds, default 20]
#
# Prints sequences per second (the best of all rounds) and the ratio. Our time includes tokenisation; ONNX Runtime gets
# token ids.
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
