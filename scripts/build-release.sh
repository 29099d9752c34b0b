#!/usr/bin/env bash
# Builds the binary of a release and prints its path:
#
#   scripts/build-release.sh TARGET [PROFILE]      such as x86_64-unknown-linux-gnu; default: dist
#
# With the C library inside on Linux and Windows. No path of this machine gets in, so that a commit gives the same bytes in any folder
# (scripts/compare-builds.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?a target of rustc}
profile=${2:-dist}
folder=${CARGO_TARGET_DIR:-target}
mkdir -p "$folder"
registry=${CARGO_HOME:-$HOME/.cargo}
outputs=$(cd "$folder" && pwd)

# As the compiler sees it: on Windows not as bash does.
native() {
    if command -v cygpath >/dev/null; then cygpath -w "$1"; else echo "$1"; fi
}

# The standard library's own files, where their source is installed; otherwise they have this name already.
library=$(rustc --print sysroot)/lib/rustlib/src/rust
library_name=/rustc/$(rustc -vV | sed -n 's/^commit-hash: //p')

flags="--remap-path-prefix=$(native "$registry")=cargo --remap-path-prefix=$(native "$outputs")=target"
flags+=" --remap-path-prefix=$(native "$library")=$library_name"
case "$target" in
    *-apple-*) ;;
    *) flags="-C target-feature=+crt-static $flags" ;;
esac
# 1.1 MB less. The program relocates itself, so this needs glibc 2.36 and binutils 2.38 here, and nothing where it runs.
case "$target" in
    *-linux-gnu) flags+=" -C link-arg=-Wl,-z,pack-relative-relocs" ;;
esac
case "$target" in
    *-msvc) ;;
    *) export CFLAGS="${CFLAGS:-} -ffile-prefix-map=$registry=cargo -ffile-prefix-map=$outputs=target" ;;
esac
RUSTFLAGS=$flags cargo build --profile "$profile" --locked --package vectorcode --target "$target" >&2
outputs=$folder/$target/${profile/#dev/debug}
ls "$outputs/vectorcode" 2>/dev/null || ls "$outputs/vectorcode.exe"
