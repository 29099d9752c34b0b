#!/usr/bin/env bash
# Builds the last commit twice, in other folders and with other folders of crates, and compares the two binaries:
#
#   scripts/compare-builds.sh [PROFILE]      default: dist, as a release is built, which takes up to an hour
#
# Exits with 0 if they are the same and name no folder of this machine; otherwise says which parts and texts differ.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
profile=${1:-dist}
target=$(rustc -vV | sed -n 's/^host: //p')
commit=$(git rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
crates=${CARGO_HOME:-$HOME/.cargo}/registry
# Cargo has other folders; rustup's stay.
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} CARGO_INCREMENTAL=0

# FOLDER: a clone below it, whose binary becomes `$work/NAME.bin`. What was built is deleted before the next.
build() {
    folder=$work/$1
    git clone --quiet --no-hardlinks "$root" "$folder/code"
    git -C "$folder/code" checkout --quiet "$commit"
    mkdir -p "$folder/cargo"
    cp -al "$crates" "$folder/cargo/registry" 2>/dev/null || cp -a "$crates" "$folder/cargo/registry"
    binary=$(cd "$folder/code" && CARGO_HOME=$folder/cargo CARGO_TARGET_DIR=$folder/built scripts/build-release.sh "$target" "$profile")
    cp "$binary" "$work/${1##*/}.bin"
    rm -rf "$folder"
}

list_parts() {
    readelf --wide --sections "$1" | sed -n 's/^ *\[ *[0-9]*\] \(\.[^ ]*\).*/\1/p' | while read -r part; do
        echo "$part $(objcopy --dump-section "$part=/dev/stdout" "$1" /dev/null 2>/dev/null | sha256sum | cut -c1-16)"
    done
}

build first
build another/second

names=$(strings -n 6 "$work/first.bin" | grep -cE "$work|$HOME/|$root/|$RUSTUP_HOME" || true)
echo "texts that name a folder of this machine: $names"
if cmp -s "$work/first.bin" "$work/second.bin"; then
    echo "the same: $(stat -c %s "$work/first.bin") bytes, SHA-256 $(sha256sum <"$work/first.bin" | cut -c1-64)"
    [ "$names" = 0 ]
else
    diff <(list_parts "$work/first.bin") <(list_parts "$work/second.bin") || true
    diff <(strings -n 8 "$work/first.bin") <(strings -n 8 "$work/second.bin") | head -40 || true
    exit 1
fi
