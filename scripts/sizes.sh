#!/bin/sh
# Measures indexing, cold and warm searches and memory of one or more builds, on trees of several sizes made from the given
# projects, and optionally of semble (PyPI) on the same trees. Prints a table of all sizes, and how each figure grows.
# docs/notes/speed.md has the figures.
# Usage: scripts/sizes.sh --binary NAME=PATH... (--project DIRECTORY... [--sizes 8000,50000,250000,1000000] [--both] |
#        --indexed DIRECTORY...) [--semble]
#
# Figures of one run can be compared with each other, but not with those of another machine or hour. --both also runs stage two,
# which takes an hour for 250,000 chunks on two cores. --indexed measures directories that already have an index, without
# changing them.
set -eu
cd "$(dirname "$0")/.."
python=python3
case " $* " in
*" --semble "*) python=$(scripts/semble-python.sh) ;;
esac
exec "$python" scripts/sizes.py "$@"
