#!/usr/bin/env bash
# For CI: index the commit that is checked out, and push its vectors for the team to pull. See docs/teams.md.
#
#   scripts/share-index.sh URL [OPTION...]      e.g. s3://team-bucket/indexes --keep 50
#
# Needs `vectorcode` on the path and the credentials of the store in the environment. With VECTORCODE_SHARE_SIGNING_KEY the
# bundle is signed. What an earlier run pushed is pulled first, so that only new texts are embedded.
set -euo pipefail

if [ $# -lt 1 ]; then
    echo "usage: $0 URL [OPTION...]" >&2
    exit 2
fi
url=$1
shift

# Without its history a checkout does not know which bundle it comes from. The push works; it may upload more.
if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    echo "note: this is a shallow clone; fetch the whole history to build on the bundle of an earlier commit" >&2
fi

# A first index pulls from `share.url`, here from the same place.
exec vectorcode index push "$url" "$@"
