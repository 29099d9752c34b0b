#!/bin/sh
# How many questions that were never asked before a server answers a second, of eight connections, with wrk (Debian's package) as
# the client: on two cores a client in Python takes a seventh of the time from the server.
# Usage: scripts/question-rate.sh BINARY PROJECT [seconds, default 10]
set -eu
exec python3 "$(dirname "$0")/question_rate.py" "$@"
