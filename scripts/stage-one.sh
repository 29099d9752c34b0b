#!/bin/sh
# Compares stage one of one or more builds with semble (PyPI) on the same projects, in turns: processor and wall-clock seconds (the
# least of several runs), and how many times as fast as semble that is. Measured until the project is searchable, and with the
# structure of all files. semble indexes in process, without the start of Python.
# Usage: scripts/stage-one.sh --binary NAME=PATH [--binary NAME=PATH]... [--runs 3] PROJECT...
set -eu
python=$("$(dirname "$0")/semble-python.sh")
exec "$python" "$(dirname "$0")/stage_one.py" "$@"
