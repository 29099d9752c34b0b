#!/bin/sh
# Stage one of one or more builds and of semble (PyPI) on the same projects, in turns: processor seconds and seconds by the clock,
# the least of some runs, and how many times as fast as semble that is; until a project can be searched, and with its structure
# read at once. semble indexes in process, without the start of Python.
# Usage: scripts/stage-one.sh --binary NAME=PATH [--binary NAME=PATH]... [--runs 3] PROJECT...
set -eu
python=$("$(dirname "$0")/semble-python.sh")
exec "$python" "$(dirname "$0")/stage_one.py" "$@"
