#!/usr/bin/env bash
# Measures what push and pull save on a real repository with history. docs/notes/teams.md has the figures.
#
#   scripts/share-bench.sh VECTORCODE REPOSITORY [URL]
#
# REPOSITORY is cloned into a scratch folder. Each simulated user has a separate home directory, so that no vector comes from a
# cache. Without URL, a scratch folder is the bucket. Prints one line per step: step, wall-clock seconds, processor seconds, result.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: $0 VECTORCODE REPOSITORY [URL]" >&2
    exit 2
fi
program=$(realpath "$1")
source=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
url=${3:-$scratch/shared}
origin=https://example.com/team/project.git
behind=200

# clone NAME COMMIT [ORIGIN]: makes a separate checkout with the URL of the team's repository.
clone() {
    git clone -q "$source" "$scratch/$1"
    git -C "$scratch/$1" -c advice.detachedHead=false checkout -q -B work "$2"
    git -C "$scratch/$1" remote set-url origin "${3:-$origin}"
    mkdir -p "$scratch/home-$1"
}

# run NAME WHAT COMMAND...: runs and times a command in the clone, with its home directory.
run() {
    local name=$1 what=$2 result
    shift 2
    TIMEFORMAT='%R s, %U s of processor time'
    {
        time result=$(cd "$scratch/$name" && HOME=$scratch/home-$name XDG_CACHE_HOME=$scratch/home-$name/cache \
            XDG_CONFIG_HOME=$scratch/home-$name/config XDG_DATA_HOME=$scratch/home-$name/data \
            "$program" "$@" --quiet --json 2>"$scratch/$name.err")
    } 2>"$scratch/time" || { cat "$scratch/$name.err" >&2; exit 1; }
    printf '%s: %s\n    %s\n' "$what" "$(cat "$scratch/time")" "$(figures "$result")"
}

# Prints the numbers of a report on one line.
figures() {
    tr -d ' \n"' <<<"$1" | grep -oE '(files|files_matched|files_new|chunks|embedded|reused|pending|missing|filled|vectors|vectors_new|packs|packs_new|bytes):[0-9]+' \
        | tr '\n' ' '
}

git -C "$source" rev-parse HEAD >/dev/null
head=$(git -C "$source" rev-parse HEAD)
base=$(git -C "$source" rev-parse "HEAD~$behind")
size() { du -sb "$scratch/shared" 2>/dev/null | cut -f1; }

clone ci "$base"
run ci "first full index of HEAD~$behind" index
run ci "push of HEAD~$behind" index push "$url"
echo "    stored: $(size) bytes"
run ci "push of the same commit again" index push "$url"

clone same "$base"
run same "colleague at the same commit: pull" index pull "$url"

clone ahead "$head"
run ahead "colleague $behind commits ahead: pull and delta" index pull "$url"
run ahead "push of what is ahead" index push "$url"
echo "    stored: $(size) bytes"

clone branch "$base"
file=$(git -C "$scratch/branch" ls-files '*.py' '*.rb' '*.go' '*.rs' '*.ts' '*.java' | sed -n 1p)
printf '\n# A branch of its own.\n' >>"$scratch/branch/$file"
git -C "$scratch/branch" -c user.name=b -c user.email=b@example.com commit -qam branch
run branch "a branch with a commit of its own: pull and delta" index pull "$url"

clone fork "$head" https://example.com/me/fork.git
git -C "$scratch/fork" remote add upstream "$origin"
run fork "a fork of the newest commit: pull" index pull "$url"

clone one "$(git -C "$source" rev-parse HEAD~10)"
clone two "$(git -C "$source" rev-parse HEAD~5)"
run one "first pusher: pull and delta" index pull "$url"
run two "second pusher: pull and delta" index pull "$url"
run one "two pushers at once, the first" index push "$url" >"$scratch/one.out" &
first=$!
run two "two pushers at once, the second" index push "$url"
wait "$first"
cat "$scratch/one.out"
for name in one two; do
    clone "after-$name" "$(git -C "$scratch/$name" rev-parse HEAD)"
    run "after-$name" "colleague at the commit of pusher $name: pull" index pull "$url"
done
