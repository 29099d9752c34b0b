#!/usr/bin/env bash
# Times stage one (`index --fast`) of a project on 1, 2, 4, 8 and 16 cores, if the machine has them: the median of three
# runs, in wall-clock and processor seconds. Indexes a copy of PROJECT, in memory if /dev/shm has room, so that the disk is
# not measured. Needs taskset. docs/notes/speed.md has the figures. For a large project only words are indexed; set
# VECTORCODE_INDEXING_WORDS_FIRST_FROM=1000000000000 to include the structure.
# Usage: scripts/cores.sh BINARY PROJECT [RUNS]
set -eu
binary=$(realpath "$1")
project=$(realpath "$2")
runs=${3:-3}
scratch_root=${TMPDIR:-/tmp}
needed_kib=$((4 * $(du -sk "$project" | cut -f1)))
if [ -w /dev/shm ] && [ "$(df -k --output=avail /dev/shm | tail -1)" -gt "$needed_kib" ]; then
    scratch_root=/dev/shm
fi
scratch=$(mktemp -d "$scratch_root/cores.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/home"
cp -r "$project" "$scratch/tree"
rm -rf "$scratch/tree/.git" "$scratch/tree/.vectorcode"
export HOME=$scratch/home XDG_CACHE_HOME=$scratch/home XDG_CONFIG_HOME=$scratch/home XDG_DATA_HOME=$scratch/home

# Prints "seconds processor-seconds" of one run on the first $1 cores.
one_run() {
    rm -rf "$scratch/tree/.vectorcode"
    TIMEFORMAT='%R %U %S'
    { time taskset -c "0-$(($1 - 1))" "$binary" index --fast --project-path "$scratch/tree" \
        >"$scratch/out" 2>&1 || echo failed >"$scratch/failed"; } 2>"$scratch/time"
    if [ -e "$scratch/failed" ]; then
        cat "$scratch/out" >&2
        exit 1
    fi
    awk '{ printf "%.3f %.3f\n", $1, $2 + $3 }' "$scratch/time"
}

echo "$(uname -m), $(nproc) cores, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs || true), in $scratch_root"
one_run 1 >/dev/null
tail -2 "$scratch/out"
echo "| cores | seconds | processor seconds | times one core |"
echo "|---|---|---|---|"
for cores in 1 2 4 8 16; do
    [ "$cores" -le "$(nproc)" ] || continue
    for _ in $(seq "$runs"); do one_run "$cores"; done | sort -n >"$scratch/runs"
    middle=$(sed -n "$(((runs + 1) / 2))p" "$scratch/runs")
    [ "$cores" -gt 1 ] || alone=${middle% *}
    echo "$cores ${middle} $alone" | awk '{ printf "| %d | %.2f | %.2f | %.1f |\n", $1, $2, $3, $4 / $2 }'
done
