#!/usr/bin/env bash
# Runs cargo for Windows or for musl from a Linux machine; what it builds for Windows runs under wine.
#
#   scripts/cross.sh windows build -p vectorcode
#   scripts/cross.sh windows test -p vectorcode-store
#   scripts/cross.sh musl run -p vectorcode -- --version
#
# Needs mingw-w64 and wine, or musl-tools, and the target's standard library: `rustup target add`, or its sources in
# RUST_SRC (the `library` directory of the Rust repository at the compiler's commit, with its submodule `backtrace`),
# from which cargo builds it; for musl that also takes LLVM's libunwind (`libunwind-14-dev` or a newer one).
set -euo pipefail
cd "$(dirname "$0")/.."

system=${1:?windows or musl}
shift
case "$system" in
    windows)
        target=x86_64-pc-windows-gnu
        export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc-posix
        export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine
        export CC_x86_64_pc_windows_gnu=x86_64-w64-mingw32-gcc-posix
        export WINEDEBUG=${WINEDEBUG:--all}
        ;;
    musl)
        target=x86_64-unknown-linux-musl
        export CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=musl-gcc
        export CC_x86_64_unknown_linux_musl=musl-gcc
        ;;
    *)
        echo "no such system: $system (windows or musl)" >&2
        exit 2
        ;;
esac

if [ -n "${RUST_SRC:-}" ]; then
    # Neither is stable: building the standard library, and naming the place of its sources.
    export RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT=$RUST_SRC
    export CARGO_UNSTABLE_BUILD_STD=std,panic_unwind,test
    # What rustc links into every program, and cargo does not build.
    startup=${CARGO_TARGET_DIR:-$PWD/target}/startup
    mkdir -p "$startup"
    if [ "$system" = windows ]; then
        for object in rsbegin rsend; do
            [ -e "$startup/$object.o" ] || rustc --target "$target" --emit=obj --edition 2021 -O \
                "$RUST_SRC/rtstartup/$object.rs" -o "$startup/$object.o"
        done
    else
        # LLVM's unwinder was compiled for glibc, and lacks one name of it here.
        cp /usr/lib/llvm-*/lib/libunwind.a "$startup"
        (
            cd "$startup"
            musl-gcc -O2 -x c -c -o fprintf_chk.o - <<<'
                #include <stdarg.h>
                #include <stdio.h>
                int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
                    (void)flag;
                    va_list values;
                    va_start(values, format);
                    int written = vfprintf(file, format, values);
                    va_end(values);
                    return written;
                }'
            ar rs libunwind.a fprintf_chk.o 2>/dev/null
        )
    fi
    flags="-L native=$startup -C link-self-contained=no"
    name=CARGO_TARGET_$(tr '[:lower:]-' '[:upper:]_' <<<"$target")_RUSTFLAGS
    export "$name=$flags"
fi

CARGO_BUILD_TARGET=$target exec cargo "$@"
