#!/usr/bin/env bash
# Runs tests for another system from Linux and prints what passed, as a table for docs/notes/systems.md:
#
#   scripts/cross-tests.sh windows|arm64 [FILTER]      which tests, as nextest writes it; default: all but the torture's
#   scripts/cross-tests.sh windows 'package(vectorcode-store) and not test(killed)'
#
# Needs what scripts/cross.sh needs, and cargo-nextest. A test that takes three minutes is ended and counts as one that did not end.
set -euo pipefail
cd "$(dirname "$0")/.."

system=${1:?windows or arm64}
filter=${2:-all()}
report=${CARGO_TARGET_DIR:-target}/nextest/cross/junit.xml
rm -f "$report"
# The libraries of half a thousand crates take a third of the space without it.
export CARGO_PROFILE_DEV_DEBUG=false CARGO_PROFILE_TEST_DEBUG=false CARGO_INCREMENTAL=0
# No cargo can be asked for it there.
export INSTA_WORKSPACE_ROOT=$PWD INSTA_UPDATE=no
scripts/cross.sh "$system" nextest run --profile cross --locked --workspace --exclude vectorcode-torture -E "$filter" || [ -e "$report" ]
python3 - "$report" <<'PYTHON'
import sys
import xml.etree.ElementTree as xml

print("| tests | passed | failed | did not end |\n|---|---|---|---|")
others = []
for suite in sorted(xml.parse(sys.argv[1]).getroot(), key=lambda suite: suite.get("name")):
    cases = {case.get("name"): case.find("failure") for case in suite}
    failed = {name: "timeout" in failure.get("type") for name, failure in cases.items() if failure is not None}
    did_not_end = sum(failed.values())
    print(f"| `{suite.get('name')}` | {len(cases) - len(failed)} | {len(failed) - did_not_end or ''} | {did_not_end or ''} |")
    others += [f"{suite.get('name')} {name}{' (did not end)' if ended_late else ''}" for name, ended_late in failed.items()]
print("", *others, sep="\n")
PYTHON
