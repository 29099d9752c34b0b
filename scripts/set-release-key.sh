#!/usr/bin/env bash
# Writes the public release key to the four places that need it:
#
#   scripts/set-release-key.sh PATH/TO/minisign.pub
#
# These are the binary, both install scripts and the metadata for `cargo binstall`. A unit test (`every_copy_of_the_key_is_the_same`)
# compares them. docs/notes/releasing.md says how to make the key.
set -euo pipefail

public_key=$(realpath "${1:?usage: scripts/set-release-key.sh PATH/TO/minisign.pub}")
cd "$(dirname "$0")/.."
key=$(sed -n 2p "$public_key")
[[ "$key" =~ ^RW[A-Za-z0-9+/=]{54}$ ]] || { echo "error: $public_key is not a public key of minisign" >&2; exit 2; }

[ "$public_key" -ef crates/vectorcode/minisign.pub ] || cp "$public_key" crates/vectorcode/minisign.pub
sed -i.old "s|^release_key='.*'\$|release_key='$key'|" install.sh
sed -i.old "s|^\\\$ReleaseKey = '.*'|\$ReleaseKey = '$key'|" install.ps1
rm install.sh.old install.ps1.old

manifest=crates/vectorcode/Cargo.toml
if grep -q '^\[package.metadata.binstall.signing\]' "$manifest"; then
    sed -i.old "s|^pubkey = \".*\"|pubkey = \"$key\"|" "$manifest"
    rm "$manifest.old"
else
    cat >>"$manifest" <<TOML

[package.metadata.binstall.signing]
algorithm = "minisign"
pubkey = "$key"
file = "{ url }.minisig"
TOML
fi
grep -qF "release_key='$key'" install.sh && grep -qF "\$ReleaseKey = '$key'" install.ps1 && grep -qF "pubkey = \"$key\"" "$manifest" ||
    { echo "error: one of the places for the key was not found" >&2; exit 1; }
