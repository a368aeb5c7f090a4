#!/bin/sh
# Makes a backup: `backup.sh full` or `backup.sh diff`, as postgres. It runs on every member by a timer; only the leader backs up.
set -eu
kind=${1:?full or diff}
socket=${PGHOST:-/run/postgresql}
if [ "$(psql -X -A -t --host="$socket" --command='select pg_is_in_recovery()' postgres)" = t ]; then
  echo 'a standby: the leader makes the backup'
  exit 0
fi
pgbackrest --stanza=malote --type="$kind" backup
