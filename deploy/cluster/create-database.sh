#!/bin/sh
# Patroni runs this once, on the first member, with the address of the new cluster as argument.
set -eu
psql -X -v ON_ERROR_STOP=1 -v password="$DATABASE_PASSWORD" "$1" <<'SQL'
create role malote login password :'password';
create database malote owner malote;
-- It sees the state of standbys and what others do, for metrics and malote doctor.
grant pg_monitor to malote;
SQL
# From here on the log is archived.
pgbackrest --stanza=malote stanza-create
