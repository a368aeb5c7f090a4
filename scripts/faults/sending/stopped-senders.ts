import { sql } from 'kysely';
import type { Arrival } from '../../../test/support/processes/checking-receiver.js';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { leased, pass, waiting } from '../../../test/support/processes/queue.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { breachesOf, judge, newTraffic } from '../../../test/support/processes/traffic.js';
import { between } from '../../../test/support/random.js';
import { waitFor } from '../../../test/support/receiver.js';
import { expectThat, type Fault, type Finding, type Run } from '../fault.js';

export interface Size {
  /** In each round two senders are killed at the same moment. */
  rounds: number;
  endpoints: number;
}

/** Kills senders in the midst of their work, again and again. Each endpoint gets a body of its own in every round. */
export async function killSenders(
  { stage, random }: Pick<Run, 'stage' | 'random'>,
  { rounds, endpoints }: Size,
): Promise<Finding> {
  const receiver = await stage.openReceiver();
  receiver.answer(() => ({ status: 200, afterMs: between(random, 0, 40) }));
  const world = await newEndpoints(stage, receiver, { endpoints });
  const traffic = newTraffic(stage.db);
  const inFlight = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const senders = await Promise.all([stage.start('worker', [receiver.port]), stage.start('worker', [receiver.port])]);
    const before = receiver.arrivals.length;
    await traffic.move(world);
    const enough = before + between(random, 1, Math.ceil(endpoints * 0.8));
    await waitFor(() => receiver.arrivals.length >= enough, 'requests under way', 30_000);
    await Promise.all(senders.map((sender) => sender.signal('SIGKILL')));
    await disconnected(stage);
    for (const { webhookId } of await leased(stage.db)) {
      if (webhookId) inFlight.set(webhookId, (inFlight.get(webhookId) ?? 0) + 1);
    }
    await pass(stage.db, 31);
  }
  const last = await stage.start('worker', [receiver.port]);
  await waitFor(async () => (await waiting(stage.db)) === 0, 'an empty queue', 60_000);
  await last.signal('SIGTERM');
  const judgement = judge(traffic.committed, receiver.arrivals);
  const inFlightAll = [...inFlight.values()].reduce((sum, times) => sum + times, 0);
  const unexplained = unexplainedIn(receiver.arrivals, inFlight);
  const { lost, altered, inversions, duplicates } = judgement;
  return {
    figures:
      `${traffic.committed.length} deliveries, ${2 * rounds} kills: lost ${lost}, altered ${altered}, ` +
      `inversions ${inversions}, duplicates ${duplicates} of ${inFlightAll} in flight`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(unexplained === 0, `${unexplained} duplicates of bodies that no killed sender had under way`),
    ],
  };
}

/** A statement that a killed sender had begun may still be committed, until its connection is gone. */
export const disconnected = ({ db }: Stage): Promise<void> =>
  waitFor(
    async () => {
      const { rows } = await sql`
      select pid from pg_stat_activity where application_name = 'malote' and datname = current_database()`.execute(db);
      return rows.length === 0;
    },
    'the end of the connections',
    30_000,
  );

/** Arrivals beyond the first under a webhook-id, and beyond one for each kill that found it under way. */
function unexplainedIn(arrivals: readonly Arrival[], inFlight: ReadonlyMap<string, number>): number {
  const counts = new Map<string, number>();
  for (const { webhookId } of arrivals) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
  let unexplained = 0;
  for (const [id, count] of counts) unexplained += Math.max(0, count - 1 - (inFlight.get(id) ?? 0));
  return unexplained;
}

export const killedSender: Fault = {
  number: 1,
  name: 'kill -9 of the sender',
  promise: 'lost 0; same id, same bytes; duplicates ≤ in flight at the kills',
  run: (run) => killSenders(run, { rounds: 25, endpoints: 400 }),
};
