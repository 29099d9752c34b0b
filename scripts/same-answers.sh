#!/bin/sh
# Asks 21 questions twice in each state of an index, while other processes keep the machine busy, and counts answers that
# change. Then it checks out a branch with other files, and the first one again, and compares the share of chunks with vectors.
# Works on a copy of PROJECT. Usage: scripts/same-answers.sh BINARY PROJECT [--busy 13] [--switch 2000]
set -eu
exec python3 "$(dirname "$0")/same_answers.py" "$@"
