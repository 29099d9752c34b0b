#!/bin/sh
# Checks whether coding agents see our server: installs it into a scratch home directory, runs the `mcp list` of each
# agent there, without network, and again after `uninstall`. Prints one line per agent:
#
#   <agent>  <version>  connected | listed | not listed | still listed | unavailable
#
# `connected`: the agent started the server and spoke to it. `listed`: it read our entry. `still listed`: the entry was
# still there after `uninstall`.
#
# Usage: scripts/agents-check.sh [claude-code gemini-cli codex opencode qwen-code copilot-cli]
#
# VECTORCODE   the binary to test (default: target/release, target/debug, then the search path)
# SCOPE        user (default) or project
# VERBOSE      if set, prints the output of the agents
# AGENTS_DIR   directory for the agents' npm packages, kept between runs (default: in the user's cache)
set -u

repo=$(cd "$(dirname "$0")/.." && pwd)
agents_dir=${AGENTS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/vectorcode/agents}

main() {
    vectorcode=$(find_vectorcode) || { echo "error: no vectorcode binary; run cargo build first" >&2; exit 2; }
    [ $# -gt 0 ] || set -- claude-code gemini-cli codex opencode qwen-code copilot-cli
    failed=0
    for agent in "$@"; do
        check "$agent" || failed=1
    done
    exit $failed
}

find_vectorcode() {
    for candidate in "${VECTORCODE:-}" "$repo/target/release/vectorcode" "$repo/target/debug/vectorcode"; do
        [ -n "$candidate" ] && [ -x "$candidate" ] && { echo "$candidate"; return; }
    done
    command -v vectorcode
}

# Prints the npm package and the program of an agent.
package() {
    case "$1" in
        claude-code) echo "@anthropic-ai/claude-code claude" ;;
        gemini-cli) echo "@google/gemini-cli gemini" ;;
        codex) echo "@openai/codex codex" ;;
        opencode) echo "opencode-ai opencode" ;;
        qwen-code) echo "@qwen-code/qwen-code qwen" ;;
        copilot-cli) echo "@github/copilot copilot" ;;
        *) return 1 ;;
    esac
}

check() {
    names=$(package "$1") || { report "$1" - "unavailable (not an agent from npm)"; return 1; }
    program="$agents_dir/$1/node_modules/.bin/${names#* }"
    [ -x "$program" ] || fetch "$1" "${names% *}" || { report "$1" - "unavailable (npm)"; return 1; }

    home=$(mktemp -d)
    mkdir "$home/project"
    version=$(in_home "$home" "$program" --version 2>/dev/null | grep -Eo '[0-9]+(\.[0-9]+)+' | head -n 1)
    change install "$1" "$home"
    trust "$1" "$home"
    list "$1" "$home" "$program" >"$home/colours.txt" 2>&1
    plain <"$home/colours.txt" >"$home/list.txt"
    answer=$(judge "$home/list.txt")
    change uninstall "$1" "$home"
    list "$1" "$home" "$program" 2>&1 | grep -q "vectorcode.*serve\|vectorcode (local)" && answer="still listed"
    report "$1" "${version:--}" "$answer"
    [ -z "${VERBOSE:-}" ] || sed 's/^/    /' "$home/list.txt"
    rm -rf "$home"
    [ "$answer" = connected ] || [ "$answer" = listed ]
}

change() {
    in_home "$3" "$vectorcode" "$1" --quiet --target "$2" --scope "${SCOPE:-user}" >/dev/null || echo "$1 failed for $2" >&2
}

fetch() {
    command -v npm >/dev/null 2>&1 || return 1
    mkdir -p "$agents_dir/$1"
    npm install --no-audit --no-fund --prefix "$agents_dir/$1" "$2" >"$agents_dir/$1/npm.log" 2>&1
}

# Runs a command with the scratch home directory, and without network if the system allows that.
in_home() {
    scratch=$1
    shift
    set -- env -i HOME="$scratch" PATH="$PATH" TERM=dumb NO_COLOR=1 CI=1 timeout 60 "$@"
    if unshare -rn true 2>/dev/null; then
        set -- unshare -rn "$@"
    fi
    (cd "$scratch/project" && "$@" </dev/null)
}

# Some agents do not start servers in folders that are not trusted yet.
trust() {
    case "$1" in
        gemini-cli) trust_folder "$2/.gemini" "$2/project" ;;
        qwen-code) trust_folder "$2/.qwen" "$2/project" ;;
        codex) write "$2/.codex/config.toml" "[projects.\"$2/project\"]
trust_level = \"trusted\"" ;;
        copilot-cli) write "$2/.copilot/config.json" "{\"trusted_folders\": [\"$2/project\"]}" ;;
    esac
}

trust_folder() {
    write "$1/trustedFolders.json" "{\"$2\": \"TRUST_FOLDER\"}"
}

# Appends, because the file may already contain our entry.
write() {
    mkdir -p "${1%/*}"
    echo "$2" >>"$1"
}

list() {
    case "$1" in
        codex) in_home "$2" "$3" mcp list --json ;;
        *) in_home "$2" "$3" mcp list ;;
    esac
}

# Removes colours, because they split words.
plain() {
    sed "s/$(printf '\033')\[[0-9;]*m//g"
}

judge() {
    if ! grep -q vectorcode "$1"; then
        echo "not listed"
    elif grep vectorcode "$1" | grep -Eiq '(^|[^a-z])connected' && ! grep vectorcode "$1" | grep -Eiq 'disconnected|not connected|failed'; then
        echo connected
    else
        echo listed
    fi
}

report() {
    printf '%-12s  %-12s  %s\n' "$1" "$2" "$3"
}

main "$@"
