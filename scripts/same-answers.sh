#!/bin/sh
# Asks 21 questions twice in each state of an index, beside processes that keep the machine busy, and counts the answers that
# change. Then checks a branch with other files out and back, and compares the part of the index that has vectors.
# Works on a copy of PROJECT. Usage: scripts/same-answers.sh BINARY PROJECT [--busy 13] [--switch 2000]
set -eu
exec python3 "$(dirname "$0")/same_answers.py" "$@"
