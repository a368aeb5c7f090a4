import { sql } from 'kysely';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { pass, waiting } from '../../../test/support/processes/queue.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { breachesOf, judge, newTraffic } from '../../../test/support/processes/traffic.js';
import { type Reply, waitFor } from '../../../test/support/receiver.js';
import { expectThat, type Fault, type Finding, type Run } from '../fault.js';

const HOUR = 3_600;

/**
 * A sender is suspended with requests under way until another has taken its lanes over, and goes on then. At that moment
 * the other one waits for the answers of half of the receivers, and the other half has put it off for an hour.
 */
export async function suspendSender(
  { stage }: Pick<Run, 'stage'>,
  endpoints: number,
  leaseEnds: () => Promise<unknown>,
): Promise<Finding> {
  const receiver = await stage.openReceiver();
  const first = gate();
  receiver.answer(() => first.opened);
  const world = await newEndpoints(stage, receiver, { endpoints });
  const traffic = newTraffic(stage.db);
  const suspended = await stage.start('worker', [receiver.port]);
  await traffic.move(world);
  await waitFor(() => receiver.arrivals.length === endpoints, 'all requests', 10_000);
  await suspended.signal('SIGSTOP');

  const second = gate();
  const puttingOff = new Set(world.filter((_, number) => number % 2 === 0).map(({ path }) => path));
  receiver.answer(({ path }) =>
    puttingOff.has(path) ? { status: 503, headers: { 'retry-after': String(HOUR) } } : second.opened,
  );
  await stage.start('worker', [receiver.port]);
  await traffic.move(world);
  await leaseEnds();
  await waitFor(() => receiver.arrivals.length === 2 * endpoints, 'the takeover', 60_000);
  await waitFor(async () => (await count(stage, `state = 'waiting'`)) === puttingOff.size, 'half put off', 5_000);

  const before = await state(stage);
  // What it finds is an answer, or that its deadline is over, whichever it looks at first.
  first.open();
  await suspended.signal('SIGCONT');
  const written = async () => (await lostLeases(stage)) >= endpoints;
  const late = await waitFor(written, 'the results of the one suspended', 20_000).catch(
    (error: Error) => error.message,
  );
  const after = await state(stage);
  const stale = before.filter((row, place) => row !== after[place]).length;
  if (stale > 0 || late) {
    const breaches = [...expectThat(stale === 0, `the stale sender changed ${stale} rows`), ...(late ? [late] : [])];
    return { figures: `${endpoints} results after their lease: stale writes ${stale}`, breaches };
  }

  receiver.answer(() => ({ status: 200 }));
  second.open();
  await waitFor(async () => (await waiting(stage.db)) === 2 * puttingOff.size, 'the answered half', 20_000);
  await pass(stage.db, HOUR);
  await waitFor(async () => (await waiting(stage.db)) === 0, 'an empty queue', 30_000);
  const judgement = judge(traffic.committed, receiver.arrivals);
  return {
    figures: `${endpoints} results after their lease: stale writes 0, lost ${judgement.lost}, inversions ${judgement.inversions}`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(before.length === after.length, 'the stale sender removed or added rows'),
      ...expectThat(suspended.runs(), 'the suspended sender did not go on'),
    ],
  };
}

/** What receivers answer 200 behind, once it is open. */
function gate(): { opened: Promise<Reply>; open(): void } {
  let open = () => {};
  const opened = new Promise<Reply>((resolve) => {
    open = () => resolve({ status: 200 });
  });
  return { opened, open };
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
