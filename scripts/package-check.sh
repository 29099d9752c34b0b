#!/usr/bin/env bash
# Tests that `cargo install vectorcode` works: packages the crates, makes an offline registry with them and all their
# dependencies, installs from it in an empty directory, and runs a search with the installed binary.
#
#   scripts/package-check.sh [PROFILE]      the profile to install with (default: release); `dev` is faster
#
# It downloads the dependencies of all platforms (600 MB unpacked) and compiles everything: a minute to package, then a full
# build, about 15 minutes of processor time. Crates from a registry have no profile of their own, so cargo's default release
# profile is used.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${1:-release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

scripts/package.sh "$work/export"

echo "== a registry of directories"
registry=$work/registry
(cd "$work/export" && cargo vendor --quiet --locked --versioned-dirs "$registry" >/dev/null)
for package in "$work"/export/target/package/*.crate; do
    tar -xzf "$package" -C "$registry"
    digest=$(sha256sum "$package" | cut -d ' ' -f 1)
    echo "{\"files\":{},\"package\":\"$digest\"}" >"$registry/$(basename "$package" .crate)/.cargo-checksum.json"
done

echo "== install, offline, in an empty directory"
mkdir "$work/home" "$work/cargo-home" "$work/empty"
cat >"$work/cargo-home/config.toml" <<CONFIG
[source.crates-io]
replace-with = "packaged"
[source.packaged]
directory = "$registry"
CONFIG
cd "$work/empty"
time CARGO_HOME=$work/cargo-home CARGO_TARGET_DIR=$work/target \
    cargo install vectorcode --offline --locked --profile "$profile" --root "$work/root"

echo "== first search"
mkdir "$work/project"
cat >"$work/project/retry.py" <<'PYTHON'
import time


def call_with_backoff(request, attempts=5):
    for attempt in range(attempts):
        try:
            return request()
        except ConnectionError:
            time.sleep(2**attempt)
PYTHON
cd "$work/project"
vectorcode() {
    env -i HOME="$work/home" PATH="$PATH" "$work/root/bin/vectorcode" "$@"
}
vectorcode index
answer=$(vectorcode search "try again after a failure, waiting longer each time")
echo "$answer"
grep -q "retry.py" <<<"$answer" || { echo "error: the installed binary does not find the function" >&2; exit 1; }
