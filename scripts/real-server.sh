#!/usr/bin/env bash
# Checks the `openai` provider against a real server of its protocol.
#
#   scripts/real-server.sh
#
# Installs llama.cpp's server from PyPI into a cache directory (about 250 MB, once), converts the bundled model to
# its format, serves it on the loopback device, and embeds the reference texts through our provider. Every vector
# must agree with the reference to a cosine of at least 0.97; texts that the server finds too long must be dealt with
# one by one. Needs Python 3.10 or newer and cargo.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vectorcode-real-server
work=$(mktemp -d)
server=

stop() {
    # The server ends when its standard input does.
    exec 3>&- || true
    if [ -n "$server" ]; then wait "$server" || true; fi
    rm -rf "$work"
}
trap stop EXIT

python=$cache/bin/python
if ! "$python" -c 'import gguf, numpy, onnx, xllamacpp' 2>/dev/null; then
    echo "Installing the server into $cache" >&2
    python3 -m venv "$cache"
    "$python" -m pip install --quiet --disable-pip-version-check xllamacpp gguf onnx numpy
fi

"$python" "$root/scripts/real_server.py" convert "$root/crates/vectorcode-embed/models/code-minilm-l3" "$work/model.gguf"

mkfifo "$work/stdin"
"$python" "$root/scripts/real_server.py" serve "$work/model.gguf" "$work/address" <"$work/stdin" >"$work/log" 2>&1 &
server=$!
exec 3>"$work/stdin"
until [ -s "$work/address" ]; do
    if ! kill -0 "$server" 2>/dev/null; then
        cat "$work/log" >&2
        exit 1
    fi
    sleep 0.1
done
echo "llama.cpp serves the bundled model at $(cat "$work/address")" >&2

cat >"$work/config.toml" <<EOF
[provider]
name = "openai"
[provider.openai]
base_url = "$(cat "$work/address")"
model = "code-minilm-l3"
dimensions = 384
EOF
cd "$root"
example=(cargo run --quiet --package vectorcode-embed --example provider -- "$work/config.toml")
"${example[@]}" crates/vectorcode-embed/tests/it/reference.json

# The server takes 512 tokens: the first text fits when it is halved, the second does not, the third must not suffer.
words() { printf 'word %.0s' $(seq "$1"); }
"${example[@]}" "$(words 700)" "$(words 3000)" "fn main() {}" | tee "$work/long"
[ "$(cut -d' ' -f1 "$work/long" | tr '\n' ' ')" = "cosine refused: cosine " ]
echo "Texts that are too long are shortened or refused one by one" >&2
