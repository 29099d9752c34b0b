#!/usr/bin/env bash
# Runs cargo for another system from Linux on x86-64; what it builds for arm64 runs under qemu, for Windows under wine.
#
#   scripts/cross.sh arm64 test -p vectorcode-store
#   scripts/cross.sh windows build -p vectorcode
#   scripts/cross.sh macos build -p vectorcode
#
# Each needs the target's standard library (`rustup target add`) and:
#
#   arm64    gcc-aarch64-linux-gnu and qemu-user. Programs that start each other need qemu as the system's interpreter of arm64
#            (qemu-user-binfmt). Linked statically, as a release is.
#   windows  mingw-w64, wine and git. A release is built with Microsoft's linker instead. Programs run with a Windows of their own
#            below `target`, whose temporary folder is on drive Z: there the git of Linux finds its files.
#   macos    `pip install cargo-zigbuild ziglang`. For Apple silicon; macos-x86_64 for Intel. Apple's frameworks are replaced by empty
#            stubs, so the linker does not check which functions they have. What is built cannot run here.
set -euo pipefail
cd "$(dirname "$0")/.."

system=${1:?arm64, windows, macos or macos-x86_64}
shift
tools=${CARGO_TARGET_DIR:-$PWD/target}/cross
mkdir -p "$tools"
cargo=cargo

# What cargo reads for a target is named after it: `TARGET`'s own variable, and its value.
set_for_target() {
    export "CARGO_TARGET_$(tr '[:lower:]-' '[:upper:]_' <<<"$target")_$1=$2"
}

use_compiler() {
    set_for_target LINKER "$1"
    export "CC_${target//-/_}=$1"
}

# A Windows that has what tests need and wine lacks: the DLL of random numbers that Rust's standard library asks for, and a git.
prepare_wine() {
    export WINEDEBUG=${WINEDEBUG:--all} WINEPREFIX=$tools/wine
    # Outside of this repository, which the tests' projects would belong to.
    temp=/tmp/vectorcode-wine
    mkdir -p "$tools/bin" "$temp"
    # A program that starts while the server of the last one ends fails at once.
    wineserver -p30 2>/dev/null || true
    [ -e "$WINEPREFIX/system.reg" ] || wine wineboot --init 2>/dev/null
    x86_64-w64-mingw32-gcc-posix -shared -O2 -x c -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" - -ladvapi32 <<<'
        #include <windows.h>
        #include <ntsecapi.h>
        __declspec(dllexport) BOOL ProcessPrng(PBYTE bytes, SIZE_T length) { return RtlGenRandom(bytes, (ULONG)length); }'
    x86_64-w64-mingw32-gcc-posix -O2 -o "$tools/bin/git.exe" scripts/git-for-wine.c -lshell32
    for name in TEMP TMP; do
        wine reg add 'HKCU\Environment' /v "$name" /d "$(winepath -w "$temp" 2>/dev/null)" /f >/dev/null 2>&1
    done
    WINEPATH=$(winepath -w "$tools/bin" 2>/dev/null)
    export WINEPATH
}

# Writes a stub without functions for a library of Apple's SDK: PATH NAME-ON-MACOS
write_empty_library() {
    mkdir -p "$(dirname "$tools/apple/$1")"
    printf -- "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos, x86_64-macos ]\ninstall-name: '%s'\n...\n" "$2" >"$tools/apple/$1"
}

# Symbols that no library of zig has are left to the dynamic linker.
link_without_sdk() {
    cargo="cargo-zigbuild"
    for framework in CoreFoundation CoreServices Foundation Security SystemConfiguration; do
        write_empty_library "$framework.framework/$framework.tbd" "/System/Library/Frameworks/$framework.framework/Versions/A/$framework"
    done
    write_empty_library libobjc.tbd /usr/lib/libobjc.A.dylib
    set_for_target RUSTFLAGS "-L native=$tools/apple -L framework=$tools/apple -C link-arg=-Wl,-undefined,dynamic_lookup"
}

case "$system" in
    arm64)
        target=aarch64-unknown-linux-gnu
        use_compiler aarch64-linux-gnu-gcc
        set_for_target RUNNER qemu-aarch64
        set_for_target RUSTFLAGS "-C target-feature=+crt-static"
        ;;
    windows)
        target=x86_64-pc-windows-gnu
        use_compiler x86_64-w64-mingw32-gcc-posix
        set_for_target RUNNER wine
        prepare_wine
        ;;
    macos)
        target=aarch64-apple-darwin
        link_without_sdk
        ;;
    macos-x86_64)
        target=x86_64-apple-darwin
        link_without_sdk
        ;;
    *)
        echo "no such system: $system (arm64, windows, macos or macos-x86_64)" >&2
        exit 2
        ;;
esac

# Its own `build` has another name.
[ "$cargo $1" != "cargo-zigbuild build" ] || set -- zigbuild "${@:2}"
CARGO_BUILD_TARGET=$target exec "$cargo" "$@"
