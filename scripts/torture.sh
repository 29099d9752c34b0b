#!/usr/bin/env bash
# Kills, starves and attacks vectorcode for some minutes and prints a table. The exit code is 1 if a guarantee of
# docs/reliability.md is broken.
#   scripts/torture.sh [MINUTES] [option of vectorcode-torture...]     (default: 2 minutes, a debug build)
#   PROFILE=release scripts/torture.sh 60
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-2}
shift || true
profile=${PROFILE:-dev}
folder=$profile
[ "$profile" = dev ] && folder=debug

# Builds the whole workspace, because its tests were built with the same features: building one package would compile its
# dependencies again with fewer features.
cargo build --quiet --workspace --bins --profile "$profile"
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
"$target/$folder/vectorcode-torture" --binary "$target/$folder/vectorcode" --minutes "$minutes" "$@"
