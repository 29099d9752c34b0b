#!/bin/sh
# Run as root by the tool that builds a dev container, with the options of the feature in the environment. install.sh of the
# repository does the work; the release puts a copy next to this script, as install-vectorcode.sh.
set -eu

if [ "${VERSION:-latest}" != latest ]; then
    export VECTORCODE_VERSION="$VERSION"
fi
if [ -n "${RELEASES:-}" ]; then
    export VECTORCODE_BASE_URL="$RELEASES"
fi
export VECTORCODE_INSTALL_DIR="${VECTORCODE_INSTALL_DIR:-/usr/local/bin}"

if ! command -v curl >/dev/null 2>&1 && ! command -v wget >/dev/null 2>&1; then
    if command -v apt-get >/dev/null 2>&1; then
        apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
    elif command -v apk >/dev/null 2>&1; then
        apk add --no-cache curl
    fi
fi
exec sh "$(dirname "$0")/install-vectorcode.sh"
