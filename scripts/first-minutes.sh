#!/usr/bin/env bash
# Replays the first minutes of a new user on copies of real repositories, and prints the output of each step. Read the output
# as that user: anything confusing, silent or wrong is a defect.
#
#   scripts/first-minutes.sh BINARY REPOSITORY...
#
# Works in a scratch folder only. The exit code is 1 if a step does not end as expected.
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
    # `head` may close the pipe before all output is written.
    case " $expected 141 " in
        *" $code "*) ;;
        *)
            printf '\033[31mexit code %s, expected %s\033[0m\n' "$code" "$expected"
            failures=$((failures + 1))
            ;;
    esac
}

# wrong WHAT: reports a problem with a step whose exit code was right.
wrong() {
    printf '\033[31m%s\033[0m\n' "$1"
    failures=$((failures + 1))
}

# says PATTERN ARGUMENTS...: checks that the output of the binary has a line with the pattern.
says() {
    local pattern=$1
    shift
    printf '\n\033[1m%s $ vectorcode' "${PWD#"$scratch/"}"
    printf ' %q' "$@"
    printf '\033[0m (must print: %s)\n' "$pattern"
    grep -m 1 -e "$pattern" < <(timeout 300 "$binary" "$@" < /dev/null 2>&1) || wrong "no line of the output matches $pattern"
}

# Without a terminal, progress is printed every ten seconds, on a busy machine somewhat later. The first minute and a half is
# enough.
never_silent() {
    local longest=0 last=$SECONDS line
    printf '\n\033[1m%s $ vectorcode %s\033[0m (never silent for long)\n' "${PWD#"$scratch/"}" "$*"
    while read -r line; do
        [ $((SECONDS - last)) -gt "$longest" ] && longest=$((SECONDS - last))
        last=$SECONDS
        printf '%s\n' "$line"
    done < <(timeout 90 "$binary" "$@" < /dev/null 2>&1)
    [ "$longest" -le 15 ] || wrong "silent for $longest seconds"
}

# The interactive search, in a pseudo-terminal, if `script` can make one.
interactive() {
    local screen="$scratch/screen"
    command -v script > /dev/null || return
    printf '\n\033[1m%s $ vectorcode\033[0m, and typing\n' "${PWD#"$scratch/"}"
    : > "$screen"
    {
        sleep 3
        printf 'parse the input'
        # Marks the selected result.
        for _ in $(seq 1 60); do
            sleep 1
            grep -q ▶ "$screen" && break
        done
        printf '\033'
        sleep 1
    } | TERM=xterm timeout 90 script -qfec "stty cols 80 rows 24; exec '$binary'" /dev/null >> "$screen"
    grep -q ▶ "$screen" && printf 'results while typing\n' || wrong "no results while typing"
}

# Folders that are not projects, or contain more than expected.
unusual_folders() {
    local n
    mkdir -p "$scratch/many" "$scratch/shop/src" "$scratch/shop/docs/api"
    for n in $(seq 1 21); do
        mkdir "$scratch/many/$n"
        (cd "$scratch/many/$n" && seq -f '%g.c' 1 1000 | xargs touch)
    done
    cd "$scratch/many" || return
    says 'is not a project' index --fast
    step 2 search "anything"
    cd "$scratch/shop" || return
    printf '{}\n' > package.json
    printf 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n' > src/total.js
    printf '<html></html>\n' | tee docs/api/index.html docs/api/index-all.html > docs/api/Invoice.html
    printf 'com.shop\n' > docs/api/element-list
    says 'docs/api/  generated documentation' index --dry-run
    (cd src && says 'looks like the project' search "sum of prices")
    step 0 index --fast
    printf '// more\n' >> src/total.js
    says 'Changed: 0 files added, 1 updated, 0 removed' sync --fast
    VECTORCODE_PROVIDER=ollama OLLAMA_URL=http://127.0.0.1:9 step 3 index
    VECTORCODE_INDEXING_EMBED_AFTER_SEARCH=true says 'in the background' search "sum of prices"
    cd /
}

# git must not list any of our files.
clean_git() {
    if git status --porcelain 2> /dev/null | grep -q '\.vectorcode'; then
        wrong "git status lists .vectorcode"
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
    step "0 1" search -e 'return' -e 'yield' --not 'TODO' "parse the input" -n 2
    says 'no file or folder' search "parse the input" nosuchdir -n 1
    interactive
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
    never_silent index
    never_silent index
    says '"pending": \[\]' status --json
    step 0 doctor
    step 0 remove --yes
}

step 0 --help
step 0 token list
step 0 install --dry-run --project-path "$scratch"
step 2 serve --http --port 7901
step 2 search "in the home directory" --project-path "$HOME"
unusual_folders
for repository in "$@"; do
    name=$(basename "$repository")
    printf '\n\033[1;36m== %s\033[0m\n' "$name"
    cp -r "$repository" "$scratch/$name"
    rm -rf "$scratch/$name/.vectorcode"
    [ -e "$scratch/$name/.git" ] || mkdir "$scratch/$name/.git"
    cd "$scratch/$name" && journey
    cd / && rm -rf "${scratch:?}/$name"
done
printf '\n%s steps did not end as expected\n' "$failures"
[ "$failures" -eq 0 ]
