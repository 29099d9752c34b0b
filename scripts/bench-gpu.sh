#!/usr/bin/env bash
# Times whole indexes (both stages) with and without the graphics card: seconds by the clock, in turns, the best of RUNS. Needs a binary with
# the feature `gpu`, and a card. docs/notes/speed.md has the figures.
# Usage: scripts/bench-gpu.sh BINARY RUNS PROJECT...
set -eu
binary=$(realpath "$1")
runs=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/home XDG_CONFIG_HOME=$scratch/home XDG_DATA_HOME=$scratch/home HOME=$scratch/home

# Prints "seconds chunks" of a first index; the card is used if $1 is true.
one_run() {
    rm -rf "${scratch:?}/home" "$scratch/tree/.vectorcode"
    mkdir "$scratch/home"
    TIMEFORMAT=%R
    { time VECTORCODE_PROVIDER_ONNX_GPU=$1 "$binary" index --json --verbose --project-path "$scratch/tree" \
        >"$scratch/out" 2>"$scratch/log"; } 2>"$scratch/time"
    if [ "$1" = true ] && ! grep -q "a graphics card computes vectors" "$scratch/log"; then
        grep -m1 "graphics card" "$scratch/log" >&2 || echo "this binary knows no graphics cards" >&2
        exit 1
    fi
    echo "$(cat "$scratch/time") $(grep -o '"embedded": *[0-9]*' "$scratch/out" | grep -o '[0-9]*')"
}

echo "$(nproc) cores, $(nvidia-smi -L 2>/dev/null | head -1 || true)"
echo "| project | vectors | processor, s | graphics card, s | times as fast |"
echo "|---|---|---|---|---|"
for project in "$@"; do
    rm -rf "$scratch/tree"
    cp -r "$project" "$scratch/tree"
    rm -rf "$scratch/tree/.git" "$scratch/tree/.vectorcode"
    for _ in $(seq "$runs"); do
        one_run false >>"$scratch/without"
        one_run true >>"$scratch/with"
    done
    without=$(sort -n "$scratch/without" | head -1)
    with=$(sort -n "$scratch/with" | head -1)
    echo "$without $with" | awk -v name="$(basename "$project")" \
        '{ printf "| %s | %d | %.2f | %.2f | %.1f |\n", name, $2, $1, $3, $1 / $3 }'
    rm "$scratch/without" "$scratch/with"
done
