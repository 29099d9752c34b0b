#!/usr/bin/env bash
# Builds the binary of a release and prints its path:
#
#   scripts/build-release.sh TARGET      such as x86_64-unknown-linux-gnu
#
# With the C library inside on Linux and Windows. No path of this machine gets in, so that a commit gives the same bytes in any folder.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?a target of rustc}
folder=${CARGO_TARGET_DIR:-target}
mkdir -p "$folder"
registry=${CARGO_HOME:-$HOME/.cargo}
outputs=$(cd "$folder" && pwd)

# As the compiler sees it: on Windows not as bash does.
native() {
    if command -v cygpath >/dev/null; then cygpath -w "$1"; else echo "$1"; fi
}

flags="--remap-path-prefix=$(native "$registry")=cargo --remap-path-prefix=$(native "$outputs")=target"
case "$target" in
    *-apple-*) ;;
    *) flags="-C target-feature=+crt-static $flags" ;;
esac
case "$target" in
    *-msvc) ;;
    *) export CFLAGS="${CFLAGS:-} -ffile-prefix-map=$registry=cargo -ffile-prefix-map=$outputs=target" ;;
esac
RUSTFLAGS=$flags cargo build --profile dist --locked --package vectorcode --target "$target" >&2
ls "$folder/$target/dist/vectorcode" 2>/dev/null || ls "$folder/$target/dist/vectorcode.exe"
