#!/usr/bin/env bash
# For CI: indexes the checked-out commit and pushes its vectors for the team to pull. See docs/sharing-vectors.md.
#
#   scripts/share-index.sh URL [OPTION...]      e.g. s3://team-bucket/indexes --keep 50
#
# Needs `vectorcode` on the path and the credentials of the bucket in the environment. If VECTORCODE_SHARE_SIGNING_KEY is set,
# the bundle is signed. The vectors of earlier runs are pulled first, so that only new texts are embedded.
set -euo pipefail

if [ $# -lt 1 ]; then
    echo "usage: $0 URL [OPTION...]" >&2
    exit 2
fi
url=$1
shift

# Without history, the earlier bundle that the commit builds on cannot be found. The push works, but may upload more.
if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    echo "note: this is a shallow clone; fetch the whole history to build on the bundle of an earlier commit" >&2
fi

# The first index pulls from `share.url`: here, the same URL.
exec vectorcode index push "$url" "$@"
