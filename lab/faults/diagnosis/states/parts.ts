import { execFile } from 'node:child_process';
import { mkdir, open, rename, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { waitFor } from '../../../../test/support/receiver.js';
import { type Machine, signalAll } from '../../../cluster/machine.js';
import { postgresOf } from '../../../cluster/members.js';
import type { Scene } from '../scene.js';
import type { State } from '../state.js';

const execute = promisify(execFile);

const killed = (part: string, unit: string): State => ({
  what: `${part} is killed`,
  inject: ({ cluster }) => cluster.machine(part).signal('SIGKILL'),
  remedy: [{ says: `systemctl start ${unit}`, run: ({ cluster }) => cluster.machine(part).start() }],
});

export const killedPooler = killed('pgbouncer', 'pgbouncer');
export const killedRedis = killed('redis', 'redis-server');

/** The lost member, to be started again. */
let lost: Machine | undefined;

async function lose(member: Machine): Promise<void> {
  lost = member;
  signalAll(postgresOf(member), 'SIGKILL');
  await member.signal('SIGKILL');
}

const startPatroni = {
  says: 'systemctl start patroni',
  run: async ({ cluster }: Scene) => {
    await lost?.start();
    await cluster.members.whole();
  },
};

export const killedLeader: State = {
  what: 'PostgreSQL and Patroni of the leader are killed',
  inject: async ({ cluster }) => lose((await cluster.members.pair()).leader),
  names: /postgres-/,
  remedy: [startPatroni],
};

export const lostStandby: State = {
  what: 'PostgreSQL and Patroni of the standby are killed',
  inject: async ({ cluster }) => lose((await cluster.members.pair()).follower),
  remedy: [startPatroni],
};

export const noQuorum: State = {
  what: 'two of three etcd are killed',
  inject: async ({ cluster }) => {
    for (const name of ['etcd-2', 'etcd-3']) await cluster.machine(name).signal('SIGKILL');
  },
  remedy: [
    {
      says: 'systemctl start etcd',
      run: async ({ cluster }) => {
        for (const name of ['etcd-2', 'etcd-3']) await cluster.machine(name).start();
      },
    },
  ],
};

const archive = ({ cluster }: Scene) => join(cluster.folder, 'archive');

async function configure({ cluster }: Scene, parameters: object): Promise<void> {
  const { leader, follower } = await cluster.members.pair();
  const ask = async (machine: Machine, method: string, path: string, body: object) => {
    const url = `http://${machine.address}:8008${path}`;
    const answer = await fetch(url, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    if (!answer.ok) throw new Error(`Patroni: ${await answer.text()}`);
  };
  await ask(leader, 'PATCH', '/config', { postgresql: { parameters } });
  for (const machine of [follower, leader]) {
    await ask(machine, 'POST', '/restart', {});
    await cluster.members.whole();
  }
}

export const archiveRefusing: State = {
  what: "the archive of the database's log takes nothing",
  prepare: async (scene) => {
    const folder = archive(scene);
    const { uid, gid } = await stat(`${(await scene.cluster.members.pair()).leader.root}/var/lib/postgresql`);
    await mkdir(folder, { recursive: true });
    await execute('chown', [`${uid}:${gid}`, folder]);
    await configure(scene, { archive_mode: 'on', archive_command: `cp %p ${folder}/%f`, archive_timeout: '20s' });
  },
  inject: (scene) => rename(archive(scene), `${archive(scene)}.away`),
  remedy: [
    {
      says: 'Mend the archive',
      run: (scene) => rename(`${archive(scene)}.away`, archive(scene)),
    },
  ],
};

const DISK_BYTES = 2 * 1_073_741_824;

const disk = ({ cluster }: Scene) => join(cluster.folder, 'disk');
let onDisk: Machine | undefined;

export const diskFilling: State = {
  what: "the standby's disk is 92 % full",
  prepare: async (scene) => {
    const { follower } = await scene.cluster.members.pair();
    onDisk = follower;
    const folder = join(follower.root, 'var/lib/postgresql');
    const { uid, gid } = await stat(folder);
    await follower.signal('SIGTERM');
    await (await open(disk(scene), 'w')).close();
    await truncate(disk(scene), DISK_BYTES);
    await execute('mkfs.ext4', ['-q', '-m', '0', disk(scene)]);
    await execute('mount', ['-o', 'loop', disk(scene), folder]);
    await execute('chown', [`${uid}:${gid}`, folder]);
    await execute('chmod', ['700', folder]);
    // The folder is empty, so Patroni copies the leader.
    await follower.start();
    await scene.cluster.members.whole();
  },
  inject: async () => {
    const folder = join(onDisk?.root ?? '', 'var/lib/postgresql');
    const { stdout } = await execute('df', ['--output=size,used', '-B1', folder]);
    const [size = 0, used = 0] = stdout.split('\n')[1]?.trim().split(/\s+/).map(Number) ?? [];
    await execute('fallocate', ['-l', String(Math.floor(0.92 * size - used)), join(folder, 'ballast')]);
  },
  names: /postgres-/,
  remedy: [
    {
      says: 'Enlarge the disk',
      run: async (scene) => {
        const folder = join(onDisk?.root ?? '', 'var/lib/postgresql');
        // The disk is enlarged after a stop, because a container may not do it while PostgreSQL runs.
        await onDisk?.signal('SIGTERM');
        await execute('umount', [folder]);
        await truncate(disk(scene), 2 * DISK_BYTES);
        await execute('e2fsck', ['-fp', disk(scene)]);
        await execute('resize2fs', [disk(scene)]);
        await execute('mount', ['-o', 'loop', disk(scene), folder]);
        await onDisk?.start();
        await scene.cluster.members.whole();
      },
    },
  ],
  restore: async ({ cluster }) => {
    const member = onDisk;
    if (!member) return;
    await member.signal('SIGTERM');
    // The remedy may have failed between umount and mount.
    await execute('umount', [join(member.root, 'var/lib/postgresql')]).catch(() => undefined);
    await member.start();
    await cluster.members.whole();
  },
};

/** Opens a transaction in Malote's database, at the leader or the given member, and keeps it busy. */
async function hold({ cluster, stage }: Scene, application_name: string, select: string, host?: string): Promise<void> {
  const url = new URL(cluster.adminUrl);
  if (host !== undefined) url.hostname = host;
  url.pathname = new URL(stage.databaseUrl).pathname;
  const holder = new pg.Client({ connectionString: url.href, application_name });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('begin isolation level repeatable read');
  await holder.query(select);
  // Like a long query.
  void holder.query('select pg_sleep(3600)').catch(() => undefined);
}

const terminate = (name: string, hostOf: (scene: Scene) => Promise<string | undefined>) => ({
  says: 'select pg_terminate_backend(<pid>)',
  run: async (scene: Scene) =>
    scene.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}'`,
      await hostOf(scene),
    ),
});

export const heldSnapshot: State = {
  what: 'a dump holds a snapshot open',
  inject: (scene) => hold(scene, 'pg_dump', 'select count(*) from orders'),
  names: /pg_dump/,
  remedy: [terminate('pg_dump', async () => undefined)],
};

const standbyOf = async ({ cluster }: Scene) => (await cluster.members.pair()).follower.address;

async function alterStandby(scene: Scene, change: string): Promise<void> {
  const standby = await standbyOf(scene);
  await scene.sql(`alter system ${change}`, standby);
  await scene.sql('select pg_reload_conf()', standby);
}

export const replicaBehind: State = {
  what: 'a query on the standby holds up its replay',
  prepare: (scene) => alterStandby(scene, 'set max_standby_streaming_delay = -1'),
  inject: async (scene) => {
    const standby = await standbyOf(scene);
    await scene.sql('create table reported ()');
    const isThere = async () =>
      (await scene.sql(`select to_regclass('reported') as name`, standby))[0]?.['name'] !== null;
    await waitFor(isThere, 'the table on the standby');
    await hold(scene, 'report', 'select from reported', standby);
    await scene.sql('drop table reported');
  },
  remedy: [terminate('report', standbyOf)],
  restore: (scene) => alterStandby(scene, 'reset max_standby_streaming_delay'),
};
