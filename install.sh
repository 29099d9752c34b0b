#!/bin/sh
# Installs vectorcode for this user or this machine:
#
#   curl -fsSL https://raw.githubusercontent.com/alejandro-technology/vectorcode/main/install.sh | sh
#
# VECTORCODE_VERSION      a release such as 0.2.0 (default: the newest)
# VECTORCODE_INSTALL_DIR  where the binary goes (default: /usr/local/bin, or ~/.local/bin if that is not writable)
# VECTORCODE_BASE_URL     a mirror with the layout of GitHub's releases
set -eu

main() {
    base=${VECTORCODE_BASE_URL:-https://github.com/alejandro-technology/vectorcode/releases}
    archive="vectorcode-$(os)-$(arch).tar.gz"
    files=$(release_url "${base%/}")

    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM

    say "downloading $files/$archive"
    download "$files/SHA256SUMS" "$work/SHA256SUMS"
    download "$files/$archive" "$work/$archive"
    verify "$work" "$archive"
    tar -xzf "$work/$archive" -C "$work" || fail "$archive cannot be unpacked"
    [ -f "$work/vectorcode" ] || fail "$archive holds no binary"
    chmod 755 "$work/vectorcode"
    version=$("$work/vectorcode" --version) || fail "the downloaded binary does not run on this machine"

    dir=$(install_dir)
    mkdir -p "$dir" || fail "cannot create $dir" "set VECTORCODE_INSTALL_DIR to a directory of your own"
    place "$work/vectorcode" "$dir"
    say "$version installed to $dir/vectorcode"
    case ":$PATH:" in
        *":$dir:"*) ;;
        *) say "hint: add it to your search path: export PATH=\"$dir:\$PATH\"" ;;
    esac
}

os() {
    case "$(uname -s)" in
        Linux) echo linux ;;
        Darwin) echo darwin ;;
        *) fail "there is no release for $(uname -s)" "on Windows use install.ps1; elsewhere build with cargo" ;;
    esac
}

arch() {
    case "$(uname -m)" in
        x86_64 | amd64) echo x86_64 ;;
        arm64 | aarch64) echo aarch64 ;;
        *) fail "there is no release for $(uname -m)" "build it with cargo" ;;
    esac
}

release_url() {
    if [ -n "${VECTORCODE_VERSION:-}" ]; then
        echo "$1/download/v${VECTORCODE_VERSION#v}"
    else
        echo "$1/latest/download"
    fi
}

download() {
    if command -v curl >/dev/null 2>&1; then
        curl -fsSL --retry 2 -o "$2" "$1" || fail "cannot download $1"
    elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$2" "$1" || fail "cannot download $1"
    else
        fail "neither curl nor wget is installed"
    fi
}

# Compares the archive with the line of SHA256SUMS that names it.
verify() {
    expected=$(awk -v name="$2" '{ sub(/\r$/, ""); sub(/^\*/, "", $2) } $2 == name { print $1; exit }' "$1/SHA256SUMS")
    [ -n "$expected" ] || fail "SHA256SUMS does not list $2"
    found=$(sha256 "$1/$2")
    [ "$found" = "$expected" ] || fail "the checksum of $2 is $found, but $expected was published" "try again; if it stays, report it"
}

sha256() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum "$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 "$1" | cut -d ' ' -f 1
    elif command -v openssl >/dev/null 2>&1; then
        openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
    else
        fail "sha256sum, shasum and openssl are all missing, so the download cannot be verified"
    fi
}

install_dir() {
    if [ -n "${VECTORCODE_INSTALL_DIR:-}" ]; then
        echo "$VECTORCODE_INSTALL_DIR"
    elif [ -d /usr/local/bin ] && [ -w /usr/local/bin ]; then
        echo /usr/local/bin
    else
        echo "${HOME:?HOME is not set}/.local/bin"
    fi
}

# A rename in one directory, so that a vectorcode which is running, or starting just now, is never half a file.
place() {
    cp "$1" "$2/.vectorcode.$$" && mv -f "$2/.vectorcode.$$" "$2/vectorcode" || {
        rm -f "$2/.vectorcode.$$"
        fail "cannot write to $2" "set VECTORCODE_INSTALL_DIR to a directory of your own"
    }
}

say() {
    echo "$1" >&2
}

fail() {
    say "error: $1"
    [ -z "${2:-}" ] || say "hint: $2"
    exit 2
}

# Called last, so that a script that was cut off on its way does nothing.
main
