#!/bin/sh
# Tells Prometheus when backups ended: asks pgBackRest, and writes a file for node_exporter (--collector.textfile.directory).
set -eu
folder=${1:?the folder of the text files of node_exporter}
pgbackrest --stanza=malote --output=json info | python3 -c '
import json, sys
newest = {}
for backup in json.load(sys.stdin)[0]["backup"]:
    newest[backup["type"]] = max(newest.get(backup["type"], 0), backup["timestamp"]["stop"])
print("# HELP malote_backup_end_timestamp_seconds When the newest backup of a type ended")
print("# TYPE malote_backup_end_timestamp_seconds gauge")
for kind, end in newest.items():
    print("malote_backup_end_timestamp_seconds{type=\"%s\"} %d" % (kind, end))
' > "$folder/malote_backup.prom.new"
mv "$folder/malote_backup.prom.new" "$folder/malote_backup.prom"
