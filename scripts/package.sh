#!/usr/bin/env bash
# Packages the crates that are published, from the last commit:
#
#   scripts/package.sh DIRECTORY
#
# DIRECTORY must not exist. It gets a copy of the commit whose two model crates hold a half of the model each: the registry
# takes at most 10 MB a crate, and the repository keeps the model as one file. The packages are in
# DIRECTORY/target/package; `cargo publish --workspace` in DIRECTORY publishes them (docs/notes/releasing.md).
set -euo pipefail
cd "$(dirname "$0")/.."

export=${1:?usage: scripts/package.sh DIRECTORY}
[ ! -e "$export" ] || { echo "error: $export exists" >&2; exit 2; }
mkdir -p "$export"
git archive HEAD | tar -x -C "$export"
cd "$export"

models=crates/vectorcode-embed/models
model=$models/code-minilm-l4/model.onnx
part1=crates/vectorcode-model-part1
part2=crates/vectorcode-model-part2
half=$(($(wc -c <"$model") / 2))
head -c "$half" "$model" >$part1/model.part
tail -c "+$((half + 1))" "$model" >$part2/model.part
cat $part1/model.part $part2/model.part | cmp - "$model"
for part in $part1 $part2; do
    cp $models/LICENSE-APACHE-2.0 "$part"
done

unpublished=()
for manifest in $(grep -l '^publish = false' crates/*/Cargo.toml); do
    unpublished+=(--exclude "$(basename "$(dirname "$manifest")")")
done
# What is packaged is built by scripts/package-check.sh, once for all crates instead of once for each.
CARGO_TARGET_DIR=target cargo package --workspace "${unpublished[@]}" --no-verify

limit=$((10 * 1024 * 1024))
for package in target/package/*.crate; do
    size=$(wc -c <"$package")
    printf '%9d bytes  %s\n' "$size" "$(basename "$package")"
    [ "$size" -le "$limit" ] || { echo "error: the registry takes at most $limit bytes" >&2; exit 1; }
done
