#!/usr/bin/env bash
# Signs the archives of a release:
#
#   MINISIGN_SECRET_KEY=... scripts/sign-release.sh VERSION DIRECTORY
#
# The signed comment is `vectorcode VERSION FILE`. `vectorcode upgrade` and the install scripts check it, so that an old release
# or the archive of another platform cannot be served under a new name. Every signature is verified with the key in the
# repository.
set -euo pipefail

version=${1:?usage: scripts/sign-release.sh VERSION DIRECTORY}
directory=${2:?usage: scripts/sign-release.sh VERSION DIRECTORY}
public_key=$(realpath "$(dirname "$0")/../crates/vectorcode/minisign.pub")
[ "$(wc -l <"$public_key")" -eq 2 ] || { echo "error: $public_key has no key: see docs/notes/releasing.md" >&2; exit 2; }
command -v minisign >/dev/null || { sudo apt-get update -qq && sudo apt-get install -y -qq minisign; }

secret_key=$(mktemp)
trap 'rm -f "$secret_key"' EXIT
printf '%s\n' "${MINISIGN_SECRET_KEY:?the secret key, see docs/notes/releasing.md}" >"$secret_key"

cd "$directory"
for archive in *.tar.gz *.zip; do
    minisign -S -W -s "$secret_key" -m "$archive" -t "vectorcode $version $archive"
    minisign -V -q -p "$public_key" -m "$archive"
done
