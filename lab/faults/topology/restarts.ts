import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../../test/support/http.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Machine } from '../../cluster/machine.js';
import { quantile } from '../../figures.js';
import { patient, type TopologyFault } from './fault.js';
import { fewClients, startLoad } from './load.js';
import { outages } from './outage.js';
import { isInFront, PATH, serviceNames, settleLoad, type Topology } from './topology.js';

async function killAndStart(machine: Machine): Promise<void> {
  await machine.signal('SIGKILL');
  await sleep(200);
  await machine.start();
}

export const restartedPgbouncer: TopologyFault = {
  what: 'PgBouncer, and the HAProxy between it and PostgreSQL, killed and started again, 3 times each',
  promise: 'nothing acknowledged is lost, no process of ours ends, only 503 meanwhile, back ≤ 3 s',
  run: (topology) =>
    outages({ topology, times: 3, maxMs: 3_000, answers: /^. (409|503)$/ }, async () => {
      await killAndStart(topology.cluster.machine('pgbouncer'));
      await sleep(3_000);
      await killAndStart(topology.cluster.machine('leader'));
    }),
};

export const restartedHaproxy: TopologyFault = {
  what: 'the HAProxy before the API killed and started again, 3 times',
  promise: 'nothing acknowledged is lost or done twice, back ≤ 3 s',
  run: (topology) =>
    outages({ topology, times: 3, maxMs: 3_000, answers: /^. (0|409|503)$/ }, () =>
      killAndStart(topology.cluster.machine('haproxy')),
    ),
};

const REDIS_MS = 6_000;
const ADDED_MS = 150;

export const lostRedis: TopologyFault = {
  what: 'Redis gone (SIGKILL), then there again, then hung (SIGSTOP), under load',
  promise: `no request fails, 95 of 100 wait at most ${ADDED_MS} ms longer`,
  settings: patient,
  run: async (topology) => {
    const { cluster, url, customer } = topology;
    const load = await startLoad(url, customer, PATH, fewClients);
    const redis = cluster.machine('redis');
    const waited = async (): Promise<number> => {
      const from = load.waits.length;
      await sleep(REDIS_MS);
      return quantile(
        load.waits.slice(from).map(({ ms }) => ms),
        0.95,
      );
    };
    await sleep(3_000);
    const usual = await waited();
    await redis.signal('SIGKILL');
    const gone = await waited();
    await redis.start();
    const again = await waited();
    await redis.signal('SIGSTOP');
    const hung = await waited();
    await redis.signal('SIGCONT');
    const finding = await settleLoad(topology, load);
    const usually = Math.max(usual, again);
    const figures = [usual, gone, again, hung].map((ms) => ms.toFixed(0)).join(', ');
    return {
      figures: `p95 usual, gone, there, hung: ${figures} ms; ${finding.figures}`,
      breaches: [
        ...finding.breaches,
        ...expectThat(load.others.size === 0, 'requests failed'),
        ...expectThat(
          Math.max(gone, hung) <= usually + ADDED_MS,
          `requests waited ${Math.max(gone, hung).toFixed(0)} ms`,
        ),
      ],
    };
  },
};

/** Requests that are not repeated, because people see their failures. */
function startOnce(url: string) {
  const failures = new Map<string, number>();
  let sent = 0;
  let isStopped = false;
  const client = async (path: string, body?: object): Promise<void> => {
    while (!isStopped) {
      sent += 1;
      const { status } = await ask(url, body ? 'POST' : 'GET', path, { body }).catch(() => ({ status: 0 }));
      // A working service answers 401 to a wrong login.
      if (![200, 401].includes(status)) failures.set(`${path} ${status}`, (failures.get(`${path} ${status}`) ?? 0) + 1);
      await sleep(20);
    }
  };
  const wrong = { query: '{ me { id } }' };
  const running = [client('/health'), client('/health'), client('/graphql', wrong), client('/graphql', wrong)];
  const stop = async () => {
    isStopped = true;
    await Promise.all(running);
    return { sent, failures: [...failures].map(([what, times]) => `${times} × ${what}`) };
  };
  return { stop };
}

async function restart(topology: Topology, name: (typeof serviceNames)[number]): Promise<void> {
  await topology.processes.get(name)?.signal('SIGTERM');
  await topology.start(name);
  await isInFront(topology.cluster, ['api-1', 'api-2']);
}

export const rollingRestart: TopologyFault = {
  what: 'all processes of the service restarted (SIGTERM) one after the other, under load',
  promise: 'no request fails, not even one that nobody repeats',
  settings: patient,
  run: async (topology) => {
    const load = await startLoad(topology.url, topology.customer, PATH);
    const once = startOnce(topology.url);
    await sleep(2_000);
    for (const name of serviceNames) await restart(topology, name);
    await sleep(2_000);
    const { sent, failures } = await once.stop();
    const finding = await settleLoad(topology, load);
    return {
      figures: `${sent} requests that nobody repeats, failed ${failures.join(', ') || 'none'}; ${finding.figures}`,
      breaches: [
        ...finding.breaches,
        ...expectThat(failures.length === 0, `failed: ${failures.join(', ')}`),
        ...expectThat(load.others.size === 0, 'requests were repeated by their clients'),
      ],
    };
  },
};
