#!/usr/bin/env bash
# Push and pull over the S3 protocol: a server of its own on loopback (`moto_server` from PyPI), a bucket, two clones.
#
#   scripts/share-s3.sh VECTORCODE MOTO_SERVER [REPOSITORY]
#
# MOTO_SERVER: `python3 -m venv v && v/bin/pip install 'moto[server]'`, then v/bin/moto_server.
# REPOSITORY: one with history to run share-bench.sh on; else a small one is made.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: $0 VECTORCODE MOTO_SERVER [REPOSITORY]" >&2
    exit 2
fi
program=$(realpath "$1")
moto=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
port=$((20000 + RANDOM % 20000))
"$moto" -H 127.0.0.1 -p "$port" >"$scratch/moto.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT

export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_REGION=us-east-1
for _ in $(seq 100); do
    curl -sf -X PUT "$AWS_ENDPOINT_URL/team" >/dev/null 2>&1 && break
    sleep 0.1
done

small_repository() {
    git init -q "$1"
    for number in $(seq 40); do
        printf '/// Counts the parts of kind %s.\npub fn count_%s(parts: &[u8]) -> usize {\n    parts.iter().filter(|part| **part == %s).count()\n}\n' \
            "$number" "$number" "$number" >"$1/part$number.rs"
    done
    git -C "$1" add . && git -C "$1" -c user.name=a -c user.email=a@example.com commit -qm first
    git -C "$1" remote add origin https://example.com/team/shop.git
}

vc() { HOME=$scratch/home-$1 XDG_CACHE_HOME=$scratch/home-$1/c XDG_CONFIG_HOME=$scratch/home-$1/s XDG_DATA_HOME=$scratch/home-$1/d \
    "$program" --project-path "$scratch/$1" "${@:2}"; }

small_repository "$scratch/a"
cp -r "$scratch/a" "$scratch/b"
mkdir "$scratch/home-a" "$scratch/home-b"

echo "== plain HTTP is refused unless the environment allows it"
if vc a index push s3://team/indexes --quiet; then echo "FAILED: it was not refused"; exit 1; fi
export AWS_ALLOW_HTTP=true

echo "== push"
vc a index push s3://team/indexes --quiet
echo "== push again"
vc a index push s3://team/indexes --quiet
echo "== pull"
vc b index pull s3://team/indexes --quiet --json | tee "$scratch/pull.json"
grep -q '"embedded": 0' "$scratch/pull.json" || { echo "FAILED: texts were embedded that the bundle has"; exit 1; }

echo "== a bucket that is not there"
if vc a index push s3://nobody/indexes --quiet; then echo "FAILED"; exit 1; fi

if [ $# -ge 3 ]; then
    echo "== a repository"
    "$here/share-bench.sh" "$program" "$3" s3://team/bench
fi
echo "== done"
