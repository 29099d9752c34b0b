#!/bin/sh
# Times how soon an edit can be found while a server embeds, a switch of many files, a burst of edits, and what an idle
# server costs. Works on a copy of PROJECT. docs/notes/speed.md has the figures.
# Usage: scripts/sync-speed.sh BINARY PROJECT [--edits 40] [--switch 2000] [--burst 1000]
set -eu
exec python3 "$(dirname "$0")/sync_speed.py" "$@"
