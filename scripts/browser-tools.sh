# For the scripts that drive a browser, which source it from the root of the repository: installs `playwright-core` and
# `axe-core` into $tools below $target, once, and finds a Chromium, $browser.
# shellcheck shell=bash disable=SC2154
tools=$target/browser-check
mkdir -p "$tools"
if [ ! -d "$tools/node_modules/axe-core" ]; then
    npm install --silent --no-audit --no-fund --prefix "$tools" playwright-core@1 axe-core@4
fi
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ]; then
    echo "no chromium found; name one with CHROMIUM=" >&2
    exit 2
fi
