import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { between, type Random } from '../../../test/support/random.js';
import { signalAll } from '../../cluster/machine.js';
import { postgresOf } from '../../cluster/members.js';
import type { TopologyFault } from './fault.js';
import type { Load } from './load.js';
import { back, outages } from './outage.js';
import type { Topology } from './topology.js';

/** HAProxy answers itself if no process is ready. */
const ANSWERS = /^. (0|409|502|503|504)$/;

export const killedLeader: TopologyFault = {
  what: "the leader's PostgreSQL killed (SIGKILL) 3 times, its follower frozen for the second before",
  promise: 'nothing acknowledged is lost, no process of ours ends, back ≤ 20 s',
  run: (topology) =>
    outages({ topology, times: 3, maxMs: 20_000, answers: ANSWERS }, async () => {
      const { leader, follower } = await topology.cluster.members.pair();
      // A failover could lose changes that only the leader has.
      const hung = postgresOf(follower);
      signalAll(hung, 'SIGSTOP');
      await sleep(1_000);
      // It would read the changes that the leader sent meanwhile and that wait in its socket.
      signalAll(hung.filter(receivesWal), 'SIGTERM');
      signalAll(postgresOf(leader), 'SIGKILL');
      signalAll(hung, 'SIGCONT');
    }),
};

const receivesWal = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walreceiver');

export const frozenLeader: TopologyFault = {
  what: "the leader's PostgreSQL and Patroni frozen (SIGSTOP) twice until the follower leads, then let go on",
  promise: 'the same; back ≤ 25 s, of which 20 s are the lease',
  run: (topology, { random }) =>
    outages({ topology, times: 2, maxMs: 25_000, answers: ANSWERS }, (load) => freeze(topology, load, random)),
};

async function freeze({ cluster }: Topology, load: Load, random: Random): Promise<void> {
  // Patroni renews its lease every 10 s, so the remaining time is random.
  await sleep(between(random, 0, 10_000));
  const { leader } = await cluster.members.pair();
  const frozen = [...leader.pids(), ...postgresOf(leader)];
  signalAll(frozen, 'SIGSTOP');
  await back(load);
  signalAll(frozen, 'SIGCONT');
}

export const switchover: TopologyFault = {
  what: 'a planned switchover under load, 3 times',
  promise: 'the same; back ≤ 3 s',
  run: (topology) =>
    outages({ topology, times: 3, maxMs: 3_000, answers: ANSWERS }, () => topology.cluster.members.switchOver()),
};
