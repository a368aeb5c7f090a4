#!/usr/bin/env bash
# The three real servers that the planner can ask, in one scratch directory: install | load | start | stop
# (start_database: what load begins with).
# Needs Debian 12 or newer, root, Python 3.12 as $PYTHON, and the package registries of Debian and PyPI.
# usage: servers.sh COMMAND DIRECTORY   (load reads DIRECTORY/towns.osm)
set -euo pipefail

command=$1
dir=$(realpath -m "$2")
bin=$dir/venv/bin
python=${PYTHON:-python3.12}
pgbin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1 || true)
export NOMINATIM_DATABASE_DSN="pgsql:host=$dir/pg;port=${PG_PORT:-5499};user=postgres;dbname=nominatim"
osrm() { "$bin/python" -c 'import osrm, sys; print(osrm.__path__[0])'; }
as_postgres() { su postgres -s /bin/sh -c "$1"; }

install() {
  mkdir -p "$dir"
  apt-get install -y --no-install-recommends osm2pgsql postgresql postgresql-15-postgis-3 libicu-dev pkg-config g++
  "$python" -m venv "$dir/venv"
  "$bin/pip" install osrm-bindings==26.10.0 pyvroom==1.15.2 'nominatim-db==5.3.3' 'nominatim-api==5.3.3' \
    falcon==4.4.0 uvicorn==0.54.0 'psycopg[binary]==3.3.9'
}

# PostgreSQL refuses to run as root, and listens on a socket in the scratch directory alone.
start_database() {
  chmod a+x "$dir"
  mkdir -p "$dir/pg" && chown postgres "$dir/pg"
  [ -f "$dir/pg/data/PG_VERSION" ] || as_postgres "$pgbin/initdb -D $dir/pg/data -A trust -E UTF8 --locale=C.UTF-8"
  as_postgres "$pgbin/pg_ctl -D $dir/pg/data status" >/dev/null && return
  as_postgres "$pgbin/pg_ctl -w -D $dir/pg/data -l $dir/pg/log -o \"-p ${PG_PORT:-5499} -k $dir/pg -c listen_addresses=\" start"
}

load() {
  local profiles
  profiles=$(osrm)/share/profiles
  mkdir -p "$dir/osrm" "$dir/nominatim"
  cp "$dir/towns.osm" "$dir/osrm/"
  "$(osrm)/bin/osrm-extract" -p "$profiles/car.lua" "$dir/osrm/towns.osm"
  "$(osrm)/bin/osrm-partition" "$dir/osrm/towns.osrm"
  "$(osrm)/bin/osrm-customize" "$dir/osrm/towns.osrm"
  as_postgres "$pgbin/createuser -h $dir/pg -p ${PG_PORT:-5499} www-data" || true
  as_postgres "$pgbin/dropdb -h $dir/pg -p ${PG_PORT:-5499} --if-exists nominatim"
  "$bin/nominatim" import --project-dir "$dir/nominatim" --osm-file "$dir/towns.osm" --threads 2 --offline
}

# Each server runs in the background and leaves its process id.
serve() {
  local name=$1
  shift
  "$@" >"$dir/$name.log" 2>&1 &
  echo $! >"$dir/$name.pid"
}

start() {
  serve osrm "$(osrm)/bin/osrm-routed" --algorithm mld --ip 127.0.0.1 --port "${OSRM_PORT:-5001}" "$dir/osrm/towns.osrm"
  serve nominatim "$bin/nominatim" serve --project-dir "$dir/nominatim" --engine falcon --server "127.0.0.1:${NOMINATIM_PORT:-5002}"
  serve vroom "$bin/python" "$(dirname "$0")/vroom_bridge.py" "${VROOM_PORT:-5003}"
}

stop() {
  local pid
  for pid in "$dir"/*.pid; do
    [ -f "$pid" ] || continue
    kill "$(cat "$pid")" 2>/dev/null || true
    rm "$pid"
  done
  as_postgres "$pgbin/pg_ctl -D $dir/pg/data -m fast stop" || true
}

case $command in
  install) install ;;
  start_database) start_database ;;
  load) start_database && load ;;
  start) start ;;
  stop) stop ;;
  *) echo "unknown command: $command" >&2 && exit 2 ;;
esac
