# Sourced by the scripts that drive a browser, from the root of the repository. Installs `playwright-core` and `axe-core` once,
# into $tools below $target, and finds Chromium ($browser).
# shellcheck shell=bash disable=SC2154
tools=$target/browser-check
mkdir -p "$tools"
if [ ! -d "$tools/node_modules/axe-core" ]; then
    npm install --silent --no-audit --no-fund --prefix "$tools" playwright-core@1 axe-core@4
fi
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ]; then
    echo "no chromium found; set CHROMIUM to its path" >&2
    exit 2
fi
