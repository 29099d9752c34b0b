#!/usr/bin/env bash
# Makes the other files of a release from its archives:
#
#   MINISIGN_SECRET_KEY=... scripts/assemble-release.sh VERSION DIRECTORY
#
# DIRECTORY has the archives of all platforms (packaging/archive.py) and optionally a bill of materials. This adds the bundles for
# Claude Desktop, signatures, checksums, the file that `vectorcode upgrade` reads, and the Homebrew formula. Everything in DIRECTORY
# is then published. The release workflow and the rehearsal both call this script.
set -euo pipefail

version=${1:?usage: scripts/assemble-release.sh VERSION DIRECTORY}
directory=$(realpath "${2:?usage: scripts/assemble-release.sh VERSION DIRECTORY}")
cd "$(dirname "$0")/.."
shopt -s nullglob

packaging/mcpb/build.py "$directory" "$directory"
scripts/sign-release.sh "$version" "$directory"
(cd "$directory" && sha256sum -- *.tar.gz *.zip *.mcpb *.cdx.json >SHA256SUMS)
echo "{\"version\": \"$version\"}" >"$directory/release.json"
scripts/homebrew-formula.sh "$version" "$directory/SHA256SUMS" >"$directory/vectorcode.rb"
