#!/bin/sh
# Proves that the newest backup can be restored: restore-trial.sh <folder of node_exporter's text files>, as postgres, each week.
# Restores into a folder of its own up to the end of the archived log, counts the orders and movements of the last days there and
# in the service's database, and removes it. Ends with 1 where they differ. It needs as much room as the data directory has.
set -eu
folder=${1:?the folder of the text files of node_exporter}
live=${PGHOST:-/run/postgresql}
scratch=$(mktemp -d "${TRIAL_FOLDER:-/var/lib/postgresql}/restore-trial-XXXXXX")
run() { "${BIN:-/usr/lib/postgresql/15/bin}/$@"; }
end() {
  run pg_ctl stop --silent --pgdata="$scratch/data" --mode=immediate > /dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap end EXIT
ask() { psql -X -A -t -v ON_ERROR_STOP=1 --host="$1" --command="$2" "${DATABASE:-malote}"; }

# Rows of just now may not be archived yet.
until=$(ask "$live" "select now() - interval '${TRIAL_MINUTES:-10} minutes'")
mkdir -m 700 "$scratch/data"
pgbackrest --stanza=malote --pg1-path="$scratch/data" --archive-mode=off restore
run pg_ctl start --wait --timeout=86400 --silent --pgdata="$scratch/data" --log="$scratch/log" --options="-c listen_addresses='' \
  -c unix_socket_directories=$scratch -c archive_mode=off -c synchronous_standby_names='' -c hba_file=$scratch/data/pg_hba.conf"
while [ "$(ask "$scratch" 'select pg_is_in_recovery()')" != f ]; do sleep 1; done
counts="select (select count(*) from orders where created_at between timestamptz '$until' - interval '7 days' and '$until'),
  (select count(*) from movements where recorded_at between timestamptz '$until' - interval '7 days' and '$until')"
restored=$(ask "$scratch" "$counts")
expected=$(ask "$live" "$counts")
if [ "$restored" != "$expected" ]; then
  echo "counts differ: restored $restored, in the database $expected (orders|movements)" >&2
  exit 1
fi
echo "restored and compared: $restored (orders|movements of seven days)"
printf '# HELP malote_restore_tried_timestamp_seconds When a backup was last restored and compared\n# TYPE malote_restore_tried_timestamp_seconds gauge\nmalote_restore_tried_timestamp_seconds %s\n' "$(date +%s)" > "$folder/malote_restore.prom.new"
mv "$folder/malote_restore.prom.new" "$folder/malote_restore.prom"
