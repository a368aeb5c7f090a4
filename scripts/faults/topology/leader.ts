import { setTimeout as sleep } from 'node:timers/promises';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import type { Random } from '../../../test/support/random.js';
import { between } from '../../../test/support/random.js';
import type { Machine } from '../../cluster/machine.js';
import { postgresOf, signalAll } from '../../cluster/members.js';
import type { TopologyFault } from './fault.js';
import { type Load, startLoad } from './load.js';
import { PATH, settle, type Topology, unexpected } from './topology.js';

const WARM_UP_MS = 5_000;
/** For the service to go on after it came back. */
const AFTER_MS = 4_000;
const BACK_MS = 60_000;

/** The name and the machine of the leader, and the other one. */
async function pair({ cluster }: Topology): Promise<[Machine, Machine]> {
  const leader = await cluster.members.leader();
  const follower = ['postgres-a', 'postgres-b'].map(cluster.machine).find(({ name }) => name !== leader?.name);
  if (!leader || !follower) throw new Error('the cluster has no leader');
  return [leader, follower];
}

/** Does something to the leader under load, so many times; longest is that until each of A, B and D was acknowledged again. */
async function underLoad(topology: Topology, times: number, trouble: (load: Load) => Promise<void>) {
  const { cluster, url, customer } = topology;
  const load = await startLoad(url, customer, PATH);
  const outages: number[] = [];
  for (let time = 0; time < times; time += 1) {
    await sleep(WARM_UP_MS);
    const from = performance.now();
    await trouble(load);
    await back(load, from);
    await sleep(AFTER_MS);
    outages.push(load.longestGap(from));
    await cluster.members.whole();
  }
  return { outages, load };
}

/** Resolves when an order was acknowledged that was sent after the trouble and after the outage that it made. */
async function back(load: Load, from: number): Promise<void> {
  await sleep(500);
  const asked = performance.now();
  for (const end = from + BACK_MS; !load.waits.some(({ sentAt }) => sentAt > asked); ) {
    if (performance.now() > end) throw new Error(`nothing was acknowledged for ${BACK_MS / 1_000} s`);
    await sleep(20);
  }
}

async function judged(
  topology: Topology,
  { outages, load }: { outages: number[]; load: Load },
  mostMs: number,
): Promise<Finding> {
  const finding = await settle(topology, load);
  const seconds = outages.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
  return {
    figures: `back after ${seconds} s; ${finding.figures}`,
    breaches: [
      ...finding.breaches,
      ...unexpected(load, /^. (0|409|502|503|504)$/),
      ...expectThat(Math.max(...outages) <= mostMs, `it took ${seconds} s until the service was back`),
    ],
  };
}

export const killedLeader: TopologyFault = {
  what: "the leader's PostgreSQL killed (SIGKILL) 3 times, its follower frozen for the second before",
  promise: 'nothing acknowledged is lost, no process of ours ends, back ≤ 20 s',
  run: async (topology) => {
    const tried = await underLoad(topology, 3, async () => {
      const [leader, follower] = await pair(topology);
      // What only the leader has is what a takeover could lose.
      const hung = postgresOf(follower);
      signalAll(hung, 'SIGSTOP');
      await sleep(1_000);
      signalAll(postgresOf(leader), 'SIGKILL');
      signalAll(hung, 'SIGCONT');
    });
    return judged(topology, tried, 20_000);
  },
};

export const frozenLeader: TopologyFault = {
  what: "the leader's PostgreSQL and Patroni frozen (SIGSTOP) twice until the follower leads, then let go on",
  promise: 'the same; back ≤ 25 s, of which 20 s are the lease',
  run: async (topology, { random }) => {
    const tried = await underLoad(topology, 2, async (load) => {
      await freeze(topology, load, random);
    });
    return judged(topology, tried, 25_000);
  },
};

async function freeze(topology: Topology, load: Load, random: Random): Promise<void> {
  // Patroni renews its lease every 10 s: how much of it is left is a matter of chance.
  await sleep(between(random, 0, 10_000));
  const [leader] = await pair(topology);
  const from = performance.now();
  const frozen = [...leader.pids(), ...postgresOf(leader)];
  signalAll(frozen, 'SIGSTOP');
  await back(load, from);
  signalAll(frozen, 'SIGCONT');
}

export const switchover: TopologyFault = {
  what: 'a planned switchover under load, 3 times',
  promise: 'the same; back ≤ 3 s',
  run: async (topology) => {
    const tried = await underLoad(topology, 3, () => topology.cluster.members.switchOver());
    return judged(topology, tried, 3_000);
  },
};
