import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '../../../../test/support/receiver.js';
import { lastRelease, releasedBuild } from '../../surroundings/released.js';
import type { ServiceName } from '../../topology/topology.js';
import type { Scene } from '../scene.js';
import type { State } from '../state.js';
import { runAsUnit } from '../unit.js';

export const killedApi: State = {
  what: 'a process of the API is killed, and nobody starts it again',
  inject: async ({ topology }) => topology.processes.get('api-1')?.signal('SIGKILL'),
  names: /api-1/,
  remedy: [{ says: 'systemctl start malote-api@3000', run: ({ topology }) => topology.start('api-1') }],
};

export const killedWorker: State = {
  what: 'a worker is killed, and nobody starts it again',
  inject: async ({ topology }) => topology.processes.get('worker-1')?.signal('SIGKILL'),
  names: /worker-1/,
  remedy: [{ says: 'systemctl start malote-worker@13100', run: ({ topology }) => topology.start('worker-1') }],
};

let unit: Awaited<ReturnType<typeof runAsUnit>> | undefined;

export const hungProcess: State = {
  what: 'a worker that runs as its unit of systemd hangs (SIGSTOP)',
  prepare: async (scene) => {
    unit = await runAsUnit(scene, 'worker-1');
  },
  inject: async ({ topology }) => topology.processes.get('worker-1')?.signal('SIGSTOP'),
  names: /worker-1/,
  remedy: [
    {
      says: 'replaced by itself within half a minute',
      run: () => waitFor(() => unit?.replaced() === 1, 'the unit to replace it'),
    },
  ],
  restore: async () => unit?.stop(),
};

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** Restarts a process on a machine whose clock can be set. */
export async function clockOf({ cluster, restart }: Scene, name: ServiceName) {
  const file = join(cluster.folder, `clock-of-${name}`);
  const set = (ahead: string) => writeFile(file, ahead);
  await set('+0');
  await restart(name, {
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  return { set };
}

let clock: Awaited<ReturnType<typeof clockOf>> | undefined;

export const wrongClock: State = {
  what: "a worker's clock is 20 minutes ahead",
  prepare: async (scene) => {
    clock = await clockOf(scene, 'worker-1');
  },
  inject: async () => clock?.set('+20m'),
  names: /worker-1/,
  remedy: [{ says: 'chronyc makestep', run: async () => clock?.set('+0') }],
};

export const oldBinary: State = {
  what: `a worker of release ${lastRelease.version} is started beside processes of this build`,
  inject: async (scene) => {
    await scene.restart('worker-2', {}, 'SIGTERM', await releasedBuild(lastRelease));
  },
  names: /worker-2/,
  remedy: [{ says: 'systemctl restart malote-worker@13100', run: (scene) => scene.restart('worker-2') }],
};

export const wrongKey: State = {
  what: 'a worker is started with other bytes in ENCRYPTION_KEYS, under the same id',
  inject: (scene) => scene.restart('worker-1', { ENCRYPTION_KEYS: `faults:${randomBytes(32).toString('base64url')}` }),
  names: /worker-1/,
  remedy: [{ says: 'ENCRYPTION_KEYS', run: (scene) => scene.restart('worker-1') }],
};
