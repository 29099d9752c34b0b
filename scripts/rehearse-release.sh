#!/usr/bin/env bash
# Rehearses a release of the last commit, without publishing anything:
#
#   scripts/rehearse-release.sh [--binary [PLATFORM=]PATH]...      PLATFORM such as windows-x86_64; default: this machine's
#
# Makes a throw-away key and puts it into a clone, as a maintainer does once; builds the binary for this machine, unless one is
# given; packs, signs and serves the release on loopback; then installs it through each channel and runs a search. Prints a
# table: channel, installed, answered. A platform without a binary gets an archive with a placeholder script, so that names,
# checksums and signatures can be checked, but not the program.
#
# Needs git, Python 3.11, curl and minisign. A channel whose tool is missing (npm, verdaccio, pypi-server, twine, uvx) is skipped
# with a note; `npm install verdaccio` and `pip install pypiserver twine uv` install them.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
work=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
table=$work/table
failed=no
declare -A binaries=()

main() {
    while [ $# -gt 0 ]; do
        [ "$1" = --binary ] && [ $# -gt 1 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
        case "$2" in
            *-*=*) binaries[${2%%=*}]=$(realpath "${2#*=}") ;;
            *) binaries[$(this_platform)]=$(realpath "$2") ;;
        esac
        shift 2
    done
    make_clone
    cd "$work/clone"
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
    [ -n "${binaries[$(this_platform)]:-}" ] || build
    make_release
    isolate
    serve_release
    for channel in install_sh upgrade binstall homebrew feature mcpb npm pypi install_ps1; do "try_$channel"; done
    packaging/check.sh "${binaries[$(this_platform)]}" >"$work/check" || failed=yes
    print_table
    [ "$failed" = no ]
}

this_platform() {
    case "$(uname -s)-$(uname -m)" in
        Linux-aarch64) echo linux-aarch64 ;;
        Linux-*) echo linux-x86_64 ;;
        Darwin-arm64) echo darwin-aarch64 ;;
        Darwin-*) echo darwin-x86_64 ;;
    esac
}

make_clone() {
    git clone --quiet --no-hardlinks "$root" "$work/clone"
    [ -z "$(git status --porcelain)" ] || echo "note: uncommitted changes are not part of the rehearsal" >&2
    minisign -G -W -p "$work/minisign.pub" -s "$work/minisign.key" >/dev/null
    "$work/clone/scripts/set-release-key.sh" "$work/minisign.pub"
}

build() {
    binaries[$(this_platform)]=$(CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target} scripts/build-release.sh "$(rustc -vV | sed -n 's/^host: //p')")
}

# The layout of GitHub's releases.
make_release() {
    release=$work/releases/download/v$version
    mkdir -p "$release" "$work/real" "$work/again" "$work/releases/latest"
    printf '#!/bin/sh\necho "the rehearsal had no binary for this platform" >&2\nexit 1\n' >"$work/stand-in"
    for platform in linux-x86_64 linux-aarch64 darwin-x86_64 darwin-aarch64 windows-x86_64; do
        packaging/archive.py "$platform" "${binaries[$platform]:-$work/stand-in}" "$release" >/dev/null
        [ -z "${binaries[$platform]:-}" ] || cp "$release/vectorcode-$platform".* "$work/real"
    done
    packaging/archive.py "$(this_platform)" "${binaries[$(this_platform)]}" "$work/again" >/dev/null
    diff -rq "$work/again" "$work/real" | grep differ && { echo "error: packing twice gives different archives" >&2; exit 1; }
    MINISIGN_SECRET_KEY=$(cat "$work/minisign.key") scripts/assemble-release.sh "$version" "$release" >/dev/null
    ln -s "$release" "$work/releases/latest/download"
}

# Without the user's settings, and without a registry or proxy that could answer instead.
isolate() {
    unset "${!npm_config_@}" "${!PIP_@}" "${!UV_@}" "${!VECTORCODE_@}" http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
    export HOME=$work/home XDG_CONFIG_HOME=$work/home/.config XDG_CACHE_HOME=$work/home/.cache XDG_DATA_HOME=$work/home/.local/share
    export npm_config_update_notifier=false PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1 UV_NO_CONFIG=1
    mkdir -p "$HOME" "$work/project"
    printf 'def call_with_backoff(request):\n    """Tries again after a failure, waiting longer each time."""\n' >"$work/project/retry.py"
}

# Starts a server in the background and waits until its address answers: ADDRESS COMMAND...
start() {
    address=$1
    shift
    "$@" >"$work/server.log" 2>&1 &
    servers+=($!)
    curl -fsS --retry 60 --retry-delay 1 --retry-connrefused -o /dev/null "$address" 2>>"$work/server.log" || { cat "$work/server.log" >&2; exit 1; }
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

serve_release() {
    port=$(free_port)
    served=http://127.0.0.1:$port
    start "$served/latest/download/release.json" python3 -m http.server "$port" --bind 127.0.0.1 --directory "$work/releases"
}

# A line of the table: CHANNEL INSTALLED ANSWERED
line() {
    printf '%-22s %-11s %s\n' "$1" "$2" "$3" >>"$table"
    echo "$1: $2, $3" >&2
    case "$2 $3" in *"no: "*) failed=yes ;; esac
}

# Runs a search with the installed command in the project: CHANNEL COMMAND...
ask() {
    channel=$1
    shift
    rm -rf "$work/project/.vectorcode"
    answer=$(cd "$work/project" && "$@" search "try again after a failure" 2>"$work/errors") || true
    case "$answer" in
        *retry.py*) line "$channel" yes yes ;;
        *) line "$channel" yes "no: ${answer:0:80} $(head -c 300 "$work/errors")" ;;
    esac
}

try_install_sh() {
    VECTORCODE_BASE_URL=$served VECTORCODE_INSTALL_DIR=$work/bin ./install.sh 2>"$work/errors" ||
        { line install.sh "no: $(tail -1 "$work/errors")" -; return; }
    ask install.sh "$work/bin/vectorcode"
}

# A binary that was passed with --binary does not have the throw-away key, so the environment sets it.
try_upgrade() {
    cp "${binaries[$(this_platform)]}" "$work/old-vectorcode"
    before=$(stat -c %i "$work/old-vectorcode" 2>/dev/null || stat -f %i "$work/old-vectorcode")
    VECTORCODE_RELEASES_URL=$served VECTORCODE_RELEASES_KEY=$(sed -n 2p "$work/minisign.pub") \
        "$work/old-vectorcode" upgrade --force >"$work/errors" 2>&1 || { line upgrade "no: $(tail -1 "$work/errors")" -; return; }
    after=$(stat -c %i "$work/old-vectorcode" 2>/dev/null || stat -f %i "$work/old-vectorcode")
    [ "$before" != "$after" ] || { line upgrade "no: the file is the old one" -; return; }
    ask upgrade "$work/old-vectorcode"
}

# The dev-container feature as published: two scripts in a folder, with its options in the environment.
try_feature() {
    cp -r packaging/devcontainer/vectorcode "$work/feature"
    cp install.sh "$work/feature/install-vectorcode.sh"
    VERSION=$version RELEASES=$served VECTORCODE_INSTALL_DIR=$work/feature-bin sh "$work/feature/install.sh" 2>"$work/errors" ||
        { line "dev-container feature" "no: $(tail -1 "$work/errors")" -; return; }
    ask "dev-container feature" "$work/feature-bin/vectorcode"
}

# What `cargo binstall` would do with the metadata of the crate, for all targets, without running `cargo binstall`.
try_binstall() {
    packaging/binstall.py >"$work/addresses"
    while read -r platform address program; do
        archive=$work/binstall-$platform
        for suffix in "" .minisig; do
            curl -fsS -o "$archive$suffix" "${address/#*\/releases/$served}$suffix" || { line "cargo binstall" "no: $address$suffix" -; return; }
        done
        minisign -V -q -P "$(sed -n 2p "$work/minisign.pub")" -m "$archive" || { line "cargo binstall" "no: $address is not signed" -; return; }
        [ "$platform" != "$(this_platform)" ] || { mkdir "$work/binstall" && tar -xzf "$archive" -C "$work/binstall" "$program"; }
    done <"$work/addresses"
    ask "cargo binstall" "$work/binstall/vectorcode"
}

# The URL and checksum in the formula for this machine, and the commands of its `install`.
try_homebrew() {
    archive=vectorcode-$(this_platform).tar.gz
    formula=$work/releases/latest/download/vectorcode.rb
    address=$(sed -n "s|.*url \"\(.*$archive\)\"|\1|p" "$formula" | sed "s/#{version}/$version/")
    digest=$(grep -A1 "$archive" "$formula" | sed -n 's/.*sha256 "\(.*\)"/\1/p')
    mkdir "$work/cellar"
    curl -fsS -o "$work/cellar/$archive" "${address/#*\/releases/$served}" && echo "$digest  $work/cellar/$archive" | sha256sum --quiet -c &&
        tar -xzf "$work/cellar/$archive" -C "$work/cellar" && (cd "$work/cellar" && ./vectorcode completions zsh >completions && ./vectorcode man --out man >/dev/null 2>&1) ||
        { line Homebrew "no: $address" -; return; }
    command -v ruby >/dev/null && { ruby -c "$formula" >/dev/null || failed=yes; }
    ask Homebrew "$work/cellar/vectorcode"
}

try_mcpb() {
    curl -fsS -O --output-dir "$work" "$served/latest/download/vectorcode-$(node_platform).mcpb" || { line mcpb "no: no bundle" -; return; }
    if packaging/mcpb/ask.py "$work/vectorcode-$(node_platform).mcpb" "$work/project" "try again after a failure" >"$work/errors" 2>&1 &&
        grep -q retry.py "$work/errors"; then line "mcpb (over MCP)" yes yes; else line mcpb yes "no: $(tail -1 "$work/errors")"; fi
}

node_platform() {
    this_platform | sed 's/x86_64/x64/; s/aarch64/arm64/'
}

try_npm() {
    command -v npm >/dev/null && command -v verdaccio >/dev/null || { line npm "skipped" "npm or verdaccio is missing"; return; }
    packaging/npm/build.py "$work/real" "$work/npm"
    registry=http://127.0.0.1:$(free_port)
    printf 'storage: %s\npackages:\n  "**": { access: $all, publish: $anonymous }\nlog: { type: stdout, level: error }\nmax_body_size: 500mb\n' \
        "$work/npm-storage" >"$work/verdaccio.yaml"
    start "$registry/-/ping" verdaccio --config "$work/verdaccio.yaml" --listen "${registry#http://}"
    export npm_config_registry=$registry
    npm config set "${registry#http:}/:_authToken" none
    for package in "$work"/npm/*-* "$work/npm/vectorcode"; do
        npm publish --silent --access public "$package" >/dev/null 2>"$work/errors" || { line npm "no: $(tail -1 "$work/errors")" -; return; }
    done
    ask "npx" npm exec --yes --ignore-scripts -- vectorcode
    npm install --silent --global --ignore-scripts --prefix "$work/npm-global" vectorcode
    ask "npm install -g" "$work/npm-global/bin/vectorcode"
}

try_pypi() {
    command -v pypi-server >/dev/null && command -v twine >/dev/null || { line pip "skipped" "pypi-server or twine is missing"; return; }
    packaging/pypi/build.py "$work/real" "$work/wheels" >/dev/null
    mkdir "$work/index"
    index=http://127.0.0.1:$(free_port)
    start "$index/simple/" pypi-server run -i 127.0.0.1 -p "${index##*:}" -P . -a . --disable-fallback "$work/index"
    twine upload --non-interactive -u none -p none --repository-url "$index/" "$work"/wheels/*.whl >"$work/errors" 2>&1 ||
        { line pip "no: $(tail -1 "$work/errors")" -; return; }
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --index-url "$index/simple/" vectorcode-cli
    ask "pip install" "$work/venv/bin/vectorcode"
    if command -v uvx >/dev/null; then
        ask uvx uvx --quiet --no-python-downloads --index-url "$index/simple/" vectorcode-cli
    else
        line uvx skipped "uvx is missing"
    fi
}

# Without Windows, this only checks that the files requested by the script exist under these names and match each other.
try_install_ps1() {
    archive=$(sed -n "s/^ *'\(vectorcode-windows.*\.zip\)'/\1/p" install.ps1)
    (cd "$work" && curl -fsS -O "$served/latest/download/SHA256SUMS" -O "$served/latest/download/$archive" -O "$served/latest/download/$archive.minisig" &&
        grep " $archive\$" SHA256SUMS | sha256sum --quiet -c && minisign -V -q -P "$(sed -n "s/^\$ReleaseKey = '\(.*\)'/\1/p" clone/install.ps1)" -m "$archive" &&
        [ "$(sed -n 3p "$archive.minisig")" = "trusted comment: vectorcode $version $archive" ] &&
        python3 -m zipfile -l "$archive" | grep -q '^vectorcode.exe ') || { line install.ps1 "no: $archive" -; return; }
    line install.ps1 "files fit" "not run: no Windows here"
}

print_table() {
    printf '%-22s %-11s %s\n' channel installed answered
    cat "$table"
    tail -n +2 "$work/check" |
        while read -r channel installed answered; do printf '%-22s %-11s %s\n' "$channel, from files" "$installed" "$answered"; done
}

main "$@"
