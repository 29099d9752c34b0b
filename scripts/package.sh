#!/usr/bin/env bash
# Packages the published crates, from the last commit:
#
#   scripts/package.sh DIRECTORY
#
# DIRECTORY must not exist. It becomes a copy of the commit with two additional crates, each with one half of the model: the
# registry accepts at most 10 MB per crate, and the repository has the model as one file. The packages are written to
# DIRECTORY/target/package; `cargo publish --workspace` in DIRECTORY publishes them (docs/notes/releasing.md).
set -euo pipefail
cd "$(dirname "$0")/.."

export=${1:?usage: scripts/package.sh DIRECTORY}
[ ! -e "$export" ] || { echo "error: $export exists" >&2; exit 2; }
mkdir -p "$export"
git archive HEAD | tar -x -C "$export"
cd "$export"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
embed=crates/vectorcode-embed
model=$embed/models/code-minilm-l4/model.onnx
half=$(($(wc -c <"$model") / 2))

# write_part NUMBER: writes a crate with the half of the model that is on standard input.
write_part() {
    local part=crates/vectorcode-model-part$1
    mkdir -p "$part/src"
    cat >"$part/model.part"
    cp $embed/models/LICENSE-APACHE-2.0 "$part"
    cat >"$part/Cargo.toml" <<TOML
[package]
name = "vectorcode-model-part$1"
description = "Half $1 of the embedding model that is bundled with vectorcode"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license = "Apache-2.0"
repository.workspace = true
TOML
    cat >"$part/src/lib.rs" <<RUST
//! Half $1 of \`code-minilm-l4\`, the transformer that is bundled with vectorcode.

/// Bytes of an ONNX file.
pub const PART: &[u8] = include_bytes!("../model.part");
RUST
    echo "vectorcode-model-part$1 = { path = \"../vectorcode-model-part$1\", version = \"$version\" }" >>$embed/Cargo.toml
}

printf '\n[build-dependencies]\n' >>$embed/Cargo.toml
head -c "$half" "$model" | write_part 1
tail -c "+$((half + 1))" "$model" | write_part 2
cat crates/vectorcode-model-part{1,2}/model.part | cmp - "$model"
cat >$embed/build/model.rs <<'RUST'
//! Joins the bundled transformer from the two crates that hold a half of it each.

pub(crate) fn read() -> Vec<u8> {
    [vectorcode_model_part1::PART, vectorcode_model_part2::PART].concat()
}
RUST

unpublished=()
for manifest in $(grep -l '^publish = false' crates/*/Cargo.toml); do
    unpublished+=(--exclude "$(basename "$(dirname "$manifest")")")
done
# No build here: scripts/package-check.sh builds the packages, once for all crates instead of once for each.
CARGO_TARGET_DIR=target cargo package --workspace "${unpublished[@]}" --no-verify

limit=$((10 * 1024 * 1024))
for package in target/package/*.crate; do
    size=$(wc -c <"$package")
    printf '%9d bytes  %s\n' "$size" "$(basename "$package")"
    [ "$size" -le "$limit" ] || { echo "error: the registry takes at most $limit bytes" >&2; exit 1; }
done
