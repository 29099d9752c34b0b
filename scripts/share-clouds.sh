#!/usr/bin/env bash
# Tests push and pull over the protocols of S3 and Azure: servers on loopback, one bucket each, two clones.
#
#   scripts/share-clouds.sh VECTORCODE [REPOSITORY]
#
# Installs moto's S3 server (PyPI) and Microsoft's Azurite (npm) into a cache directory, once. With REPOSITORY (one with history),
# also runs share-bench.sh on it over S3. Google's protocol is not tested: no server in the registries supports HEAD requests.
set -euo pipefail

if [ $# -lt 1 ]; then
    echo "usage: $0 VECTORCODE [REPOSITORY]" >&2
    exit 2
fi
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vectorcode-team-clouds
scratch=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null; rm -rf "$scratch"' EXIT
port=$((20000 + RANDOM % 20000))

if ! "$cache/python/bin/python" -c 'import azure.storage.blob, moto' 2>/dev/null; then
    echo "Installing the servers into $cache" >&2
    python3 -m venv "$cache/python"
    "$cache/python/bin/pip" install --quiet --disable-pip-version-check 'moto[server]' azure-storage-blob
fi
[ -x "$cache/node_modules/.bin/azurite-blob" ] || npm install --silent --no-audit --no-fund --prefix "$cache" azurite

# until_done COMMAND...: repeats the command until the server has started.
until_done() {
    for _ in $(seq 300); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    "$@"
}

start_s3() {
    "$cache/python/bin/moto_server" -H 127.0.0.1 -p "$port" >"$scratch/s3.log" 2>&1 &
    servers+=($!)
    export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_REGION=us-east-1
    until_done curl -sf -X PUT "$AWS_ENDPOINT_URL/team"
}

start_azure() {
    "$cache/node_modules/.bin/azurite-blob" --silent --inMemoryPersistence --skipApiVersionCheck --blobPort $((port + 1)) \
        >"$scratch/azure.log" 2>&1 &
    servers+=($!)
    export AZURE_STORAGE_USE_EMULATOR=true AZURITE_BLOB_STORAGE_URL=http://127.0.0.1:$((port + 1))
    # The default account and key of Azurite.
    local account=devstoreaccount1
    local key=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==
    until_done "$cache/python/bin/python" -c "
from azure.storage.blob import BlobServiceClient
BlobServiceClient('$AZURITE_BLOB_STORAGE_URL/$account', credential='$key').create_container('team')"
}

small_repository() {
    git init -q "$1"
    for number in $(seq 40); do
        printf '/// Counts the parts of kind %s.\npub fn count_%s(parts: &[u8]) -> usize {\n    parts.iter().filter(|part| **part == %s).count()\n}\n' \
            "$number" "$number" "$number" >"$1/part$number.rs"
    done
    git -C "$1" add . && git -C "$1" -c user.name=a -c user.email=a@example.com commit -qm first
    git -C "$1" remote add origin https://example.com/team/shop.git
}

# vc HOME COMMAND...: runs vectorcode in the clone with a separate home directory, so that no vector comes from a cache.
vc() { HOME=$scratch/home-$1 XDG_CACHE_HOME=$scratch/home-$1/c XDG_CONFIG_HOME=$scratch/home-$1/s XDG_DATA_HOME=$scratch/home-$1/d \
    "$program" --project-path "$scratch/$1" "${@:2}"; }

# round_trip SCHEME: one clone pushes; a fresh one pulls and must have nothing left to embed.
round_trip() {
    local scheme=$1 puller=$1-puller
    cp -r "$scratch/repository" "$scratch/$scheme"
    cp -r "$scratch/repository" "$scratch/$puller"
    mkdir "$scratch/home-$scheme" "$scratch/home-$puller"
    echo "== $scheme: push, and push again"
    vc "$scheme" index push "$scheme://team/indexes" --quiet
    vc "$scheme" index push "$scheme://team/indexes" --quiet
    echo "== $scheme: pull"
    vc "$puller" index pull "$scheme://team/indexes" --quiet --json >"$scratch/pull.json"
    grep -q '"filled": 40' "$scratch/pull.json" && grep -q '"embedded": 0' "$scratch/pull.json" || { echo "FAILED: texts in the bundle were embedded again"; exit 1; }
    echo "== $scheme: a bucket that does not exist"
    if vc "$scheme" index push "$scheme://nobody/indexes" --quiet; then echo "FAILED: the push was not refused"; exit 1; fi
}

small_repository "$scratch/repository"
start_s3
start_azure

echo "== plain HTTP to S3 is refused unless the environment allows it"
cp -r "$scratch/repository" "$scratch/plain"
mkdir "$scratch/home-plain"
if vc plain index push s3://team/indexes --quiet; then echo "FAILED: it was not refused"; exit 1; fi
export AWS_ALLOW_HTTP=true

round_trip s3
round_trip az
if [ $# -ge 2 ]; then
    "$here/share-bench.sh" "$program" "$2" s3://team/bench
fi
echo "== done"
