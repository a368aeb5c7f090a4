# Everything else of the cluster, from the packages of Debian 12 and PyPI that `make cluster` installs too.
FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates etcd-server haproxy pgbackrest pgbouncer postgresql-15 python3-venv redis-server \
  && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/*
RUN python3 -m venv /opt/patroni && /opt/patroni/bin/pip install --no-cache-dir 'patroni[etcd3,psycopg3]==4.1.5' 'psycopg[binary]'
ENV PATH=/opt/patroni/bin:/usr/lib/postgresql/15/bin:$PATH
RUN install --directory --owner=postgres --mode=700 /var/lib/etcd /var/lib/postgresql /var/lib/pgbackrest
USER postgres
