import { sql } from 'kysely';
import { expectThat, type Fault, type Finding, type Run } from './common/fault.js';
import { pass, waiting } from './common/queue.js';
import type { Reply } from './common/receiver.js';
import type { Stage } from './common/stage.js';
import { breachesOf, judge, newTraffic, until } from './common/traffic.js';
import { newEndpoints } from './common/world.js';

const hour = 3_600;

/**
 * A sender is suspended with requests under way until another has taken its lanes over, and goes on then. At that moment
 * the other one waits for the answers of half of the receivers, and the other half has put it off for an hour.
 */
export async function suspendSender(
  { stage }: Run,
  endpoints: number,
  leaseEnds: () => Promise<unknown>,
): Promise<Finding> {
  const receiver = await stage.openReceiver();
  receiver.answer(() => 'hang');
  const world = await newEndpoints(stage, receiver, { endpoints });
  const traffic = newTraffic(stage.db);
  const suspended = await stage.start('worker', [receiver.port]);
  await traffic.move(world);
  await until('all requests', 10_000, () => receiver.arrivals.length === endpoints);
  await suspended.signal('SIGSTOP');

  let release = () => {};
  const gate = new Promise<Reply>((resolve) => {
    release = () => resolve({ status: 200 });
  });
  const puttingOff = new Set(world.filter((_, number) => number % 2 === 0).map(({ path }) => path));
  receiver.answer(({ path }) =>
    puttingOff.has(path) ? { status: 503, headers: { 'retry-after': String(hour) } } : gate,
  );
  await stage.start('worker', [receiver.port]);
  await traffic.move(world);
  await leaseEnds();
  await until('the takeover', 60_000, () => receiver.arrivals.length === 2 * endpoints);
  await until('half put off', 5_000, async () => (await count(stage, `state = 'waiting'`)) === puttingOff.size);

  const before = await state(stage);
  await suspended.signal('SIGCONT');
  await until('the results of the one suspended', 20_000, async () => (await lostLeases(stage)) >= endpoints);
  const after = await state(stage);
  const stale = before.filter((row, place) => row !== after[place]).length;

  receiver.answer(() => ({ status: 200 }));
  release();
  await until('the answered half', 20_000, async () => (await waiting(stage.db)) === 2 * puttingOff.size);
  await pass(stage.db, hour);
  await until('an empty queue', 30_000, async () => (await waiting(stage.db)) === 0);
  const judgement = judge(traffic.committed, receiver.arrivals);
  return {
    figures: `${endpoints} results after their lease: stale writes ${stale}, lost ${judgement.lost}, inversions ${judgement.inversions}`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(stale === 0 && before.length === after.length, `${stale} rows were changed by the stale sender`),
      ...expectThat(suspended.runs(), 'the suspended sender did not go on'),
    ],
  };
}

async function count({ db }: Stage, condition: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from webhook_lanes where ${sql.raw(condition)}`.execute(db);
  return rows[0]?.count ?? 0;
}

async function lostLeases({ db }: Stage): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from webhook_attempts where lease_lost`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Every row that a sender may write, but for the log of attempts, which tells what the stale one saw. */
async function state({ db }: Stage): Promise<string[]> {
  const { rows } = await sql<{ row: string }>`
    select lane::text as row, 1 as part from webhook_lanes lane
    union all select notification::text, 2 from webhook_notifications notification
    union all select delivery::text, 3 from webhook_deliveries delivery
    union all select (endpoint.id, failing_since is null, disabled_at)::text, 4 from webhook_endpoints endpoint
    order by part, row`.execute(db);
  return rows.map(({ row }) => row);
}

export const suspendedSender: Fault = {
  number: 5,
  name: 'SIGSTOP of the sender past its lease, then SIGCONT',
  promise: 'stale writes 0',
  run: (run) => suspendSender(run, 40, async () => undefined),
};
