#!/usr/bin/env bash
# Tests the `openai` provider and the reranker `server` against a real server that speaks their protocols.
#
#   scripts/real-server.sh
#
# Installs llama.cpp's server from PyPI into a cache directory (about 250 MB, once), converts the bundled model to
# its format, serves it on loopback, and embeds the reference texts through our provider. Every vector must have a
# cosine of at least 0.97 to the reference, and texts that the server finds too long must be handled one by one.
# Then it serves the same model as a reranker, and our order must be that of the scores that the server sends.
# Needs Python 3.10 or newer, curl and cargo.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vectorcode-real-server
work=$(mktemp -d)
server=

stop_server() {
    # The server stops when its standard input is closed.
    exec 3>&- || true
    if [ -n "$server" ]; then wait "$server" || true; fi
    server=
}
trap 'stop_server; rm -rf "$work"' EXIT

# start_server COMMAND MODEL: sets $address.
start_server() {
    rm -f "$work/stdin" "$work/address"
    mkfifo "$work/stdin"
    "$python" "$root/scripts/real_server.py" "$1" "$2" "$work/address" <"$work/stdin" >"$work/log" 2>&1 &
    server=$!
    exec 3>"$work/stdin"
    until [ -s "$work/address" ]; do
        if ! kill -0 "$server" 2>/dev/null; then
            cat "$work/log" >&2
            exit 1
        fi
        sleep 0.1
    done
    address=$(cat "$work/address")
}

python=$cache/bin/python
if ! "$python" -c 'import gguf, numpy, onnx, xllamacpp' 2>/dev/null; then
    echo "Installing the server into $cache" >&2
    python3 -m venv "$cache"
    "$python" -m pip install --quiet --disable-pip-version-check xllamacpp gguf onnx numpy
fi

"$python" "$root/scripts/real_server.py" convert "$root/crates/vectorcode-embed/models/code-minilm-l4" "$work/model.gguf"

start_server serve "$work/model.gguf"
echo "llama.cpp serves the bundled model at $address" >&2

cat >"$work/config.toml" <<EOF
[provider]
name = "openai"
[provider.openai]
base_url = "$address"
model = "code-minilm-l4"
dimensions = 384
EOF
cd "$root"
example=(cargo run --quiet --package vectorcode-embed --example provider -- "$work/config.toml")
"${example[@]}" crates/vectorcode-embed/tests/it/reference.json

# The server accepts 512 tokens: the first text fits when it is halved, the second does not, the third must not be affected.
words() { printf 'word %.0s' $(seq "$1"); }
"${example[@]}" "$(words 700)" "$(words 3000)" "fn main() {}" | tee "$work/long"
[ "$(cut -d' ' -f1 "$work/long" | tr '\n' ' ')" = "cosine refused: cosine " ]
echo "Texts that are too long are shortened or refused one by one" >&2

stop_server
"$python" scripts/real_server.py convert-reranker crates/vectorcode-embed/models/code-minilm-l4 "$work/reranker.gguf"
start_server serve-reranker "$work/reranker.gguf"
cat >"$work/config.toml" <<EOF
[rerank]
name = "server"
[rerank.server]
url = "$address/v1"
EOF
texts=("fn open(file, mode)" "struct Door;" "fn close(door)" "open the file and read it")
ours=$(cargo run --quiet --package vectorcode-embed --example reranker -- "$work/config.toml" "open a file" "${texts[@]}")
body=$("$python" -c 'import json, sys; print(json.dumps({"query": sys.argv[1], "documents": sys.argv[2:]}))' "open a file" "${texts[@]}")
theirs=$(curl -sf "$address/v1/rerank" -d "$body" | "$python" -c '
import json, sys
results = json.load(sys.stdin)["results"]
print(*(row["index"] for row in sorted(results, key=lambda row: -row["relevance_score"])))')
if [ "$ours" != "$theirs" ]; then
    echo "The reranker's order is $ours, but by the server's scores it should be $theirs" >&2
    exit 1
fi
echo "The reranker's order matches the server's scores: $ours" >&2
