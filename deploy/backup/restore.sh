#!/bin/sh
# Restores the data directory of this member to a point: restore.sh '2026-11-22 07:46:48+00', as postgres. Patroni and the service
# are stopped before, on all machines (docs/backup.md#in-the-cluster). PostgreSQL runs alone until it has come to the point, skips
# package numbers so that none is given twice, and ends in good order. Patroni then starts on that data.
set -eu
point=${1:?the time to restore to}
data=${DATA:-/var/lib/postgresql/data}
socket=$(mktemp -d)
run() { "${BIN:-/usr/lib/postgresql/15/bin}/$@"; }
ask() { psql -X -A -t -v ON_ERROR_STOP=1 --host="$socket" --command="$1" "$2"; }

if [ -e "$data/postmaster.pid" ] && run pg_ctl status --pgdata="$data" > /dev/null; then
  echo 'PostgreSQL runs here: stop Patroni first' >&2
  exit 1
fi
pgbackrest --stanza=malote --delta --type=time --target="$point" --target-action=promote restore
# Alone: no archive, no standby to wait for, no clients.
run pg_ctl start --wait --timeout=86400 --silent --pgdata="$data" --log="$socket/log" --options="-c listen_addresses='' \
  -c unix_socket_directories=$socket -c archive_mode=off -c synchronous_standby_names=''"
while [ "$(ask 'select pg_is_in_recovery()' postgres)" != f ]; do sleep 1; done
ask "select setval('package_number', (select last_value from package_number) + 10000000)" "${DATABASE:-malote}" > /dev/null
echo "restored; the newest order is of $(ask 'select max(created_at) from orders' "${DATABASE:-malote}")"
echo 'package numbers: 10000000 were skipped'
run pg_ctl stop --wait --silent --pgdata="$data" --mode=fast
rm -rf "$socket"
echo 'next: start Patroni here, then the other members with empty data directories, then the service'
