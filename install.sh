#!/bin/sh
# Installs vectorcode for this user or this machine:
#
#   curl -fsSL https://raw.githubusercontent.com/alejandro-technology/vectorcode/main/install.sh | sh
#
# VECTORCODE_VERSION      a release such as 0.2.0 (default: the newest)
# VECTORCODE_INSTALL_DIR  where the binary goes (default: /usr/local/bin, or ~/.local/bin if that is not writable)
# VECTORCODE_BASE_URL     a mirror with the layout of GitHub's releases
# VECTORCODE_RELEASES_KEY the public key of releases that the project did not sign, only together with VECTORCODE_BASE_URL
#
# The archive must be signed with the project's key. The signature is verified with minisign or OpenSSL 3. If neither is
# installed (macOS), only the checksum is compared, and a note says so.
set -eu

# The second line of crates/vectorcode/minisign.pub; a test compares them.
release_key=''

main() {
    base=${VECTORCODE_BASE_URL:-https://github.com/alejandro-technology/vectorcode/releases}
    archive="vectorcode-$(os)-$(arch).tar.gz"
    files=$(release_url "${base%/}")

    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM

    key=$(public_key)
    say "downloading $files/$archive"
    download "$files/SHA256SUMS" "$work/SHA256SUMS"
    download "$files/$archive" "$work/$archive"
    verify_checksum "$work" "$archive"
    download "$files/$archive.minisig" "$work/$archive.minisig"
    verify_signature "$work" "$archive" "$key"
    tar -xzf "$work/$archive" -C "$work" || fail "$archive cannot be unpacked"
    [ -f "$work/vectorcode" ] || fail "$archive contains no binary"
    chmod 755 "$work/vectorcode"
    version=$("$work/vectorcode" --version) || fail "the downloaded binary does not run on this machine"
    is_signed_as "$work/$archive" "$version $archive"

    dir=$(install_dir)
    mkdir -p "$dir" || fail "cannot create $dir" "set VECTORCODE_INSTALL_DIR to a directory of your own"
    place "$work/vectorcode" "$dir"
    say "$version installed to $dir/vectorcode"
    case ":$PATH:" in
        *":$dir:"*) ;;
        *) say "hint: add it to your PATH: export PATH=\"$dir:\$PATH\"" ;;
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

# A key from the environment is used only together with a base URL, because the project's own releases have the project's key.
public_key() {
    if [ -n "${VECTORCODE_BASE_URL:-}" ] && [ -n "${VECTORCODE_RELEASES_KEY:-}" ]; then
        echo "$VECTORCODE_RELEASES_KEY"
    elif [ -n "$release_key" ]; then
        echo "$release_key"
    else
        fail "this script has no release key, so a download cannot be verified" "build it with cargo"
    fi
}

# Compares the archive with the line of SHA256SUMS that names it.
verify_checksum() {
    expected=$(awk -v name="$2" '{ sub(/\r$/, ""); sub(/^\*/, "", $2) } $2 == name { print $1; exit }' "$1/SHA256SUMS")
    [ -n "$expected" ] || fail "SHA256SUMS does not list $2"
    found=$(sha256 "$1/$2")
    [ "$found" = "$expected" ] || fail "the checksum of $2 is $found, but $expected was published" "try again; if it fails again, report it"
}

# Verifies the minisign signature of the archive. Arguments: DIRECTORY ARCHIVE KEY.
verify_signature() {
    if command -v minisign >/dev/null 2>&1; then
        minisign -V -q -P "$3" -m "$1/$2" || fail "the signature of $2 is not valid" "nothing was installed; report it"
    elif openssl pkeyutl -help 2>&1 | grep -q rawin; then
        verify_with_openssl "$1/$2" "$3" || fail "the signature of $2 is not valid" "nothing was installed; report it"
    else
        say "note: neither minisign nor OpenSSL 3 is installed, so only the checksum was compared"
    fi
    wanted=${VECTORCODE_VERSION:-}
    [ -z "$wanted" ] || is_signed_as "$1/$2" "vectorcode ${wanted#v} $2"
}

# Does what `minisign -V` does. Arguments: FILE KEY. The key and both signatures are raw Ed25519 after a header of ten bytes (the
# second signature has no header). The first signature signs the BLAKE2b hash of the file, the second signs the first signature
# and the comment.
verify_with_openssl() {
    # The header of an Ed25519 public key in DER.
    printf '\060\052\060\005\006\003\053\145\160\003\041\000' >"$1.key" &&
        echo "$2" | openssl base64 -d -A | tail -c 32 >>"$1.key" &&
        sed -n 2p "$1.minisig" | openssl base64 -d -A >"$1.head" &&
        [ "$(head -c 2 "$1.head")" = ED ] &&
        tail -c 64 "$1.head" >"$1.sig" &&
        openssl dgst -blake2b512 -binary "$1" >"$1.hash" &&
        is_signature "$1.key" "$1.hash" "$1.sig" &&
        sed -n 4p "$1.minisig" | openssl base64 -d -A >"$1.sig2" &&
        { cat "$1.sig" && printf %s "$(signed_comment "$1")"; } >"$1.text" &&
        is_signature "$1.key" "$1.text" "$1.sig2"
}

is_signature() {
    openssl pkeyutl -verify -pubin -keyform DER -inkey "$1" -rawin -in "$2" -sigfile "$3" >/dev/null 2>&1
}

# The comment of a signature. It is signed too, and says what was signed.
signed_comment() {
    sed -n '3s/^trusted comment: //p' "$1.minisig"
}

# Refuses a genuine signature of another file or another version.
is_signed_as() {
    [ "$(signed_comment "$1")" = "$2" ] || fail "the signature is for $(signed_comment "$1"), not for $2"
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

# Renames within one directory, so that nobody ever starts a half-written file.
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

# Called on the last line, so that a partly downloaded script does nothing.
main
