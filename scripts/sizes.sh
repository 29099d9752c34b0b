#!/bin/sh
# Times indexing, cold and warm searches and memory of one or more builds, on projects laid side by side to several sizes,
# and of semble (PyPI) on the same trees. Prints a table of all sizes, and how each figure grows. docs/notes/speed.md has the figures.
# Usage: scripts/sizes.sh --binary NAME=PATH... (--project DIRECTORY... [--sizes 8000,50000,250000,1000000] [--both] |
#        --indexed DIRECTORY...) [--semble]
#
# Figures of one run can be compared with each other, not with those of another machine or hour. --both also runs stage
# two, which takes an hour for 250,000 chunks on two cores; --indexed measures directories that have an index already, as they
# are, and leaves them so.
set -eu
cd "$(dirname "$0")/.."
python=python3
case " $* " in
*" --semble "*) python=$(scripts/semble-python.sh) ;;
esac
exec "$python" scripts/sizes.py "$@"
