#!/usr/bin/env bash
# Checks that the packages install and run, without a network:
#
#   packaging/check.sh [BINARY]
#
# Packs BINARY as a release would, makes npm packages, wheels and bundles from it, installs them into scratch folders and runs a
# search with each. Without BINARY, `/bin/echo` takes its place: that is enough to see that arguments, output and exit codes get
# through. A part whose tool (npm, pip) is missing is skipped with a note. Prints a table: channel, installed, answered.
# Also runs the tests of the GitHub action, and the checks of workflows that need no runner.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# No settings of the user, and no registry that could deliver the packages instead.
export HOME=$work/home XDG_CONFIG_HOME=$work/home/.config XDG_CACHE_HOME=$work/home/.cache
export npm_config_offline=true npm_config_update_notifier=false PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
mkdir "$work/home" "$work/project"
printf 'def call_with_backoff(request):\n    """Tries again after a failure, waiting longer each time."""\n' >"$work/project/retry.py"

main() {
    python3 -c 'import tomllib' 2>/dev/null || { echo "packages: skipped: no Python 3.11"; exit 0; }
    check_versions
    action/check.py 2>"$work/action" || { cat "$work/action" >&2; exit 1; }
    check_pinned_actions
    packaging/archive.py "$(uname -s | tr '[:upper:]' '[:lower:]')-$(arch)" "${1:-/bin/echo}" "$work/archives" >/dev/null
    printf '%-8s %-10s %s\n' channel installed answered
    if command -v npm >/dev/null; then check_npm; else echo "npm      skipped: no npm"; fi
    if python3 -c 'import ensurepip, venv' 2>/dev/null; then check_pypi; else echo "pypi     skipped: no venv"; fi
    check_mcpb
}

arch() {
    case "$(uname -m)" in
        arm64 | aarch64) echo aarch64 ;;
        *) echo x86_64 ;;
    esac
}

# Each manifest that a client reads from the repository must have the version of Cargo.toml.
check_versions() {
    python3 - <<'PYTHON'
import json, sys
sys.path.insert(0, "packaging")
from release import facts
version = facts()["version"]
wrong = []
for path in ["server.json", "crates/vectorcode/plugin/.claude-plugin/plugin.json", "crates/vectorcode/plugin/gemini-extension.json",
             "packaging/mcpb/manifest.json", "packaging/devcontainer/vectorcode/devcontainer-feature.json", "editors/vscode/package.json"]:
    manifest = json.load(open(path))
    found = [manifest["version"], *(package["version"] for package in manifest.get("packages", []))]
    wrong += [f"{path} has {other}, Cargo.toml {version}" for other in found if other != version]
sys.exit("\n".join(wrong) or 0)
PYTHON
}

# Actions must be pinned to a commit, because a tag can be moved to other code. actionlint runs too if it is installed.
check_pinned_actions() {
    ! grep -nE '^ *(- )?uses: ' .github/workflows/*.yml action/action.yml | grep -vE 'uses: (\./|[^@]+@[0-9a-f]{40} # v[0-9.]+$)' ||
        { echo "error: pin actions to a commit, with the version as a comment" >&2; exit 1; }
    if command -v actionlint >/dev/null; then actionlint; fi
}

# Runs a search with a command in the project and prints the line of the table.
report() {
    channel=$1
    shift
    answer=$(cd "$work/project" && "$@" search "try again after a failure" 2>"$work/errors") || true
    case "$answer" in
        *retry.py* | "search try again after a failure") printf '%-8s %-10s %s\n' "$channel" yes yes ;;
        *)
            printf '%-8s %-10s %s\n' "$channel" yes "no: $answer"
            cat "$work/errors" >&2
            exit 1
            ;;
    esac
}

check_npm() {
    packaging/npm/build.py "$work/archives" "$work/npm"
    (cd "$work" && for package in npm/*; do npm pack --silent "./$package" >/dev/null; done)
    mkdir "$work/app"
    (cd "$work/app" && npm init -y >/dev/null && npm install --silent --ignore-scripts --no-audit --no-fund "$work"/*.tgz)
    report npm npx --prefix "$work/app" vectorcode
    # The error if the package manager did not install the optional dependency.
    rm -r "$work/app/node_modules/@vectorcode"
    "$work/app/node_modules/.bin/vectorcode" search x 2>"$work/errors" && exit 1
    grep -q '@vectorcode/.* is not installed' "$work/errors"
}

check_pypi() {
    packaging/pypi/build.py "$work/archives" "$work/wheels" >/dev/null
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --find-links "$work/wheels" vectorcode-cli
    report pypi "$work/venv/bin/vectorcode"
    report uvx "$work/venv/bin/vectorcode-cli"
}

check_mcpb() {
    packaging/mcpb/build.py "$work/archives" "$work/bundles" >/dev/null
    mkdir "$work/bundle"
    python3 -m zipfile -e "$work"/bundles/*.mcpb "$work/bundle"
    # Python's unzip drops the permissions that Claude Desktop keeps.
    chmod +x "$work/bundle/server/vectorcode"
    report mcpb "$work/bundle/server/vectorcode"
}

main "$@"
