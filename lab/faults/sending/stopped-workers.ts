import { sql } from 'kysely';
import type { Arrival } from '../../../test/support/processes/checking-receiver.js';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { breachesOf, expectThat, type Finding, judge } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import {
  disconnected,
  killBeforeRecord,
  suspendWorker,
  timesById,
} from '../../../test/support/processes/stopped-worker.js';
import { newTraffic } from '../../../test/support/processes/traffic.js';
import { drained, pass } from '../../../test/support/queue.js';
import { between } from '../../../test/support/random.js';
import { waitFor } from '../../../test/support/receiver.js';
import type { Fault, Run } from '../fault.js';

const KILL_ROUNDS = 25;
const KILL_ENDPOINTS = 400;

/** Kills two workers at a time during their work. In every round each endpoint gets a body. */
async function killWorkers({ stage, random }: Run): Promise<Finding> {
  const receiver = await stage.openReceiver();
  receiver.answer(() => ({ status: 200, afterMs: between(random, 0, 40) }));
  const endpoints = await newEndpoints(stage, receiver, { endpoints: KILL_ENDPOINTS });
  const traffic = newTraffic(stage.db);
  const inFlight = new Map<string, number>();
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const workers = await Promise.all([stage.start('worker', [receiver.port]), stage.start('worker', [receiver.port])]);
    const before = receiver.arrivals.length;
    await traffic.move(endpoints);
    const enough = before + between(random, 1, Math.ceil(KILL_ENDPOINTS * 0.8));
    await waitFor(() => receiver.arrivals.length >= enough, 'requests under way', 30_000);
    await Promise.all(workers.map((worker) => worker.signal('SIGKILL')));
    await disconnected(stage);
    for (const webhookId of await underWay(stage)) inFlight.set(webhookId, (inFlight.get(webhookId) ?? 0) + 1);
    await pass(stage.db, 31);
  }
  const last = await stage.start('worker', [receiver.port]);
  await drained(stage.db, 60_000);
  await last.signal('SIGTERM');
  const judgement = judge(traffic.committed, receiver.arrivals);
  const inFlightAll = [...inFlight.values()].reduce((sum, times) => sum + times, 0);
  const unexplained = unexplainedIn(receiver.arrivals, inFlight);
  const { lost, altered, inversions, duplicates } = judgement;
  return {
    figures:
      `${traffic.committed.length} deliveries, ${2 * KILL_ROUNDS} kills: lost ${lost}, altered ${altered}, ` +
      `inversions ${inversions}, duplicates ${duplicates} of ${inFlightAll} in flight`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(unexplained === 0, `${unexplained} duplicates of bodies that no killed worker had under way`),
    ],
  };
}

/** The bodies of the lanes that a worker holds. */
async function underWay({ db }: Stage): Promise<string[]> {
  const { rows } = await sql<{ webhookId: string }>`
    select webhook_id as "webhookId" from webhook_lanes where state = 'leased' and webhook_id is not null`.execute(db);
  return rows.map(({ webhookId }) => webhookId);
}

/** Arrivals beyond the first under a webhook-id, without one for each kill during its delivery. */
function unexplainedIn(arrivals: readonly Arrival[], inFlight: ReadonlyMap<string, number>): number {
  let unexplained = 0;
  for (const [id, times] of timesById(arrivals)) unexplained += Math.max(0, times - 1 - (inFlight.get(id) ?? 0));
  return unexplained;
}

const TAKEN_OVER_ENDPOINTS = 50;
const MAX_MS = 45_000;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

async function takeOver({ stage }: Run): Promise<Finding> {
  const receiver = await stage.openReceiver();
  receiver.answer(() => 'hang');
  const endpoints = await newEndpoints(stage, receiver, { endpoints: TAKEN_OVER_ENDPOINTS });
  const traffic = newTraffic(stage.db);
  const first = await stage.start('worker', [receiver.port]);
  await traffic.move(endpoints);
  await waitFor(() => receiver.arrivals.length === endpoints.length, 'all requests');
  await stage.start('worker', [receiver.port]);
  receiver.answer(() => ({ status: 200 }));
  await first.signal('SIGKILL');
  const killedAt = performance.now();
  await drained(stage.db, 90_000);
  const delays = receiver.arrivals.slice(endpoints.length).map(({ at }) => at - killedAt);
  const longest = Math.max(...delays);
  const judgement = judge(traffic.committed, receiver.arrivals);
  return {
    figures: `${endpoints.length} lanes taken over ${seconds(Math.min(...delays))} to ${seconds(longest)} after the kill, lost ${judgement.lost}`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(longest <= MAX_MS, `a lane was taken over after ${seconds(longest)}`),
      ...expectThat(
        delays.length === endpoints.length,
        `${delays.length} requests of the other worker, not ${endpoints.length}`,
      ),
    ],
  };
}

export const killedWorker: Fault = {
  what: 'kill -9 of the worker',
  promise: 'lost 0; same id, same bytes; duplicates ≤ in flight at the kills',
  run: killWorkers,
};

export const unrecordedAnswer: Fault = {
  what: "kill -9 between the receiver's 200 and its record",
  promise: 'exactly one redelivery, same bytes',
  run: ({ stage }) => killBeforeRecord(stage, 50),
};

export const takeover: Fault = {
  what: 'worker killed and not restarted',
  promise: 'another takes over within 45 s',
  run: takeOver,
};

export const suspendedWorker: Fault = {
  what: 'SIGSTOP of the worker past its lease, then SIGCONT',
  promise: 'stale writes 0',
  run: ({ stage }) => suspendWorker(stage, 40, async () => undefined),
};
