#!/usr/bin/env bash
# Replays the first minutes of somebody who has just installed vectorcode, on copies of real repositories, and prints what
# each step prints. Read it as that person: what is confusing, silent or wrong is a defect.
#
#   scripts/first-minutes.sh BINARY REPOSITORY...
#
# Nothing outside of a scratch folder is touched. The exit code is 1 if a step ends otherwise than it should.
set -uo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
binary=$(realpath "$1")
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/home/.config" XDG_CACHE_HOME="$scratch/home/.cache"
export XDG_DATA_HOME="$scratch/home/.local/share" EDITOR="echo would open:"
unset VISUAL
mkdir -p "$HOME"
failures=0

# step EXPECTED-EXIT-CODES ARGUMENTS...: runs the binary in the current directory.
step() {
    local expected=$1 code
    shift
    printf '\n\033[1m%s $ vectorcode' "${PWD#"$scratch/"}"
    printf ' %q' "$@"
    printf '\033[0m\n'
    timeout 300 "$binary" "$@" < /dev/null 2>&1 | cut -c 1-200 | head -n 40
    code=${PIPESTATUS[0]}
    # `head` may close the pipe before everything is written.
    case " $expected 141 " in
        *" $code "*) ;;
        *)
            printf '\033[31mexit code %s, expected %s\033[0m\n' "$code" "$expected"
            failures=$((failures + 1))
            ;;
    esac
}

# Nothing of ours may be in what git lists.
clean_git() {
    if git status --porcelain 2> /dev/null | grep -q '\.vectorcode'; then
        printf '\033[31mgit status lists .vectorcode\033[0m\n'
        failures=$((failures + 1))
    fi
}

journey() {
    local folder file symbol
    step 2 "where is the configuration read"
    step 0 index --dry-run
    step "0 1" search "where is the configuration read"
    clean_git
    step 0 status
    step "0 1" search -e 'return' "parse the input" -n 2
    step 2 search -e '(' "parse the input"
    step "0 1" search "parse the input" nosuchdir -n 1
    step 0 graph impact --diff
    step 0 sync --fast
    step 2 init --dims 5000
    step 0 init
    step 0 config show
    clean_git
    step "0 1" search -n 3 --lines 3 "retry after a failure" -p '!**/*test*'
    step "0 1" search -k function,method -n 2 "parse the input"
    step 2 search -k functoin "parse the input"
    step 2 search -l klingon "parse the input"
    step "0 1" search -f -n 5 "write to a file"
    step "0 1" search --vimgrep -n 5 "write to a file"
    step "0 1" search --open "parse the input"
    step 1 search -p no/such/folder "parse the input"
    step 0 graph stats
    file=$("$binary" search -q -f -n 1 --class code "parse the input" 2> /dev/null | head -n 1)
    if [ -n "$file" ]; then
        folder=$(dirname "$file")
        step "0 1" graph dependents "$file"
        step "0 1" similar -n 2 "$PWD/$file:5"
        symbol=$("$binary" symbols -q --json -n 1 parse 2> /dev/null | sed -n 's/.*"qualified": "\(.*\)".*/\1/p' | head -n 1)
        [ -n "$symbol" ] && step "0 1" graph callers "$symbol"
        pushd "$folder" > /dev/null || return
        step "0 1" search -n 2 -p . "parse the input"
        step "0 1" graph deps "$(basename "$file")"
        popd > /dev/null || return
    fi
    step 0 index --fast
    step 0 doctor
    step 0 remove --yes
}

step 0 --help
step 0 token list
step 0 install --dry-run --project-path "$scratch"
step 2 serve --http --port 7901
step 2 search "in the home directory" --project-path "$HOME"
for repository in "$@"; do
    name=$(basename "$repository")
    printf '\n\033[1;36m== %s\033[0m\n' "$name"
    cp -r "$repository" "$scratch/$name"
    rm -rf "$scratch/$name/.vectorcode"
    [ -e "$scratch/$name/.git" ] || mkdir "$scratch/$name/.git"
    cd "$scratch/$name" && journey
    cd / && rm -rf "${scratch:?}/$name"
done
printf '\n%s steps ended otherwise than they should\n' "$failures"
[ "$failures" -eq 0 ]
