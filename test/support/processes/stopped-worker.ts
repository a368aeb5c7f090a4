import { sql } from 'kysely';
import { failureOf } from '../database.js';
import { countOf, drained, pass, pending } from '../queue.js';
import { type Reply, waitFor } from '../receiver.js';
import type { Arrival, CheckingReceiver } from './checking-receiver.js';
import type { Child } from './child.js';
import { type Endpoint, newEndpoints } from './endpoints.js';
import { breachesOf, expectThat, type Finding, judge } from './judgement.js';
import type { Stage } from './stage.js';
import { newTraffic } from './traffic.js';

const HOUR = 3_600;

/** Kills workers that were answered 200: half of them before they read it, half while they write it down. */
export async function killBeforeRecord(stage: Stage, endpoints: number): Promise<Finding> {
  const receiver = await stage.openReceiver();
  const all = await newEndpoints(stage, receiver, { endpoints: 2 * endpoints });
  const traffic = newTraffic(stage.db);
  const move = (half: readonly Endpoint[]) => traffic.move(half);
  await underWay(stage, receiver, () => move(all.slice(0, endpoints)), killUnread);
  await underWay(stage, receiver, () => move(all.slice(endpoints)), killUnwritten);
  await pass(stage.db, 31);
  const answered = receiver.arrivals.length;
  const last = await stage.start('worker', [receiver.port]);
  await drained(stage.db);
  await last.signal('SIGTERM');
  const judgement = judge(traffic.committed, receiver.arrivals);
  const times = [...timesById(receiver.arrivals).values()];
  const others = times.filter((count) => count !== 2);
  return {
    figures: `${answered} bodies answered and not recorded: redelivered once ${times.length - others.length}, lost ${judgement.lost}, altered ${judgement.altered}`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(answered === 2 * endpoints, `${answered} bodies were sent, not ${2 * endpoints}`),
      ...expectThat(others.length === 0, `redelivered otherwise than once: ${others.join()} requests`),
    ],
  };
}

export function timesById(arrivals: readonly Arrival[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { webhookId } of arrivals) times.set(webhookId, (times.get(webhookId) ?? 0) + 1);
  return times;
}

interface UnderWay {
  stage: Stage;
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Lets the receiver answer 200 to all that is under way; resolves when it has. */
  answer(): Promise<void>;
}

type Kill = (worker: UnderWay) => Promise<void>;

/** A worker whose requests have all arrived without an answer, and the trouble that follows. */
async function underWay(
  stage: Stage,
  receiver: CheckingReceiver,
  move: () => Promise<void>,
  kill: Kill,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  receiver.answer(() => promise);
  const { signal } = await stage.start('worker', [receiver.port]);
  await move();
  await waitFor(async () => receiver.open() === (await unsettled(stage, receiver)), 'all requests');
  const answer = async () => {
    resolve({ status: 200 });
    await waitFor(() => receiver.open() === 0, 'all answers');
  };
  await kill({ stage, signal, answer });
  await disconnected(stage);
  receiver.answer(() => ({ status: 200 }));
}

/** Number of waiting bodies that the receiver was not asked to take before. */
async function unsettled({ db }: Stage, receiver: CheckingReceiver): Promise<number> {
  return (await pending(db)) - (timesById(receiver.arrivals).size - receiver.open());
}

/** The answers lie in the worker's sockets when it dies. */
const killUnread: Kill = async ({ signal, answer }) => {
  await signal('SIGSTOP');
  await answer();
  await signal('SIGKILL');
};

/** The worker has read the answers, and the database keeps it from writing them down until it dies. */
const killUnwritten: Kill = async ({ stage, signal, answer }) => {
  await stage.db.transaction().execute(async (trx) => {
    await sql`lock table webhook_attempts in access exclusive mode`.execute(trx);
    await answer();
    const isWaiting = async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted`.execute(trx);
      return rows.length > 0;
    };
    await waitFor(isWaiting, 'records that wait');
    await signal('SIGKILL');
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'malote service' and datname = current_database()`.execute(trx);
  });
};

/** A statement that a killed worker had begun may still be committed, until its connection is gone. */
export async function disconnected({ db }: Stage): Promise<void> {
  const isDisconnected = async () => {
    const { rows } = await sql`
      select pid from pg_stat_activity
      where application_name = 'malote service' and datname = current_database()`.execute(db);
    return rows.length === 0;
  };
  await waitFor(isDisconnected, 'the end of the connections');
}

/** Suspends a worker until another has its lanes (half wait for answers, half are put off), and lets it go on. */
export async function suspendWorker(
  stage: Stage,
  endpoints: number,
  leaseEnds: () => Promise<unknown>,
): Promise<Finding> {
  const receiver = await stage.openReceiver();
  const [first, second] = [Promise.withResolvers<Reply>(), Promise.withResolvers<Reply>()];
  receiver.answer(() => first.promise);
  const all = await newEndpoints(stage, receiver, { endpoints });
  const traffic = newTraffic(stage.db);
  const suspended = await stage.start('worker', [receiver.port]);
  await traffic.move(all);
  await waitFor(() => receiver.arrivals.length === endpoints, 'all requests');
  await suspended.signal('SIGSTOP');

  const puttingOff = new Set(all.filter((_, number) => number % 2 === 0).map(({ path }) => path));
  receiver.answer(({ path }) =>
    puttingOff.has(path) ? { status: 503, headers: { 'retry-after': String(HOUR) } } : second.promise,
  );
  await stage.start('worker', [receiver.port]);
  await traffic.move(all);
  await leaseEnds();
  await waitFor(() => receiver.arrivals.length === 2 * endpoints, 'the takeover');
  const putOff = () => countOf(stage.db, 'webhook_lanes', sql`state = 'waiting'`);
  await waitFor(async () => (await putOff()) === puttingOff.size, 'half put off');

  // It finds an answer, or that its deadline is over, whichever it looks at first.
  first.resolve({ status: 200 });
  const { stale, breaches } = await changesOf(stage, suspended, endpoints);
  if (breaches.length > 0)
    return { figures: `${endpoints} results after their lease: stale writes ${stale}`, breaches };

  receiver.answer(() => ({ status: 200 }));
  second.resolve({ status: 200 });
  await waitFor(async () => (await pending(stage.db)) === 2 * puttingOff.size, 'the answered half');
  await pass(stage.db, HOUR);
  await drained(stage.db);
  const judgement = judge(traffic.committed, receiver.arrivals);
  return {
    figures: `${endpoints} results after their lease: stale writes 0, lost ${judgement.lost}, inversions ${judgement.inversions}`,
    breaches: breachesOf(judgement),
  };
}

/** Lets the suspended worker go on until it has written down what it can, and says what it changed. */
async function changesOf(
  stage: Stage,
  suspended: Child,
  results: number,
): Promise<{ stale: number; breaches: string[] }> {
  const before = await rowsOf(stage);
  await suspended.signal('SIGCONT');
  const lost = () => countOf(stage.db, 'webhook_attempts', sql`lease_lost`);
  const late = await failureOf(waitFor(async () => (await lost()) >= results, 'the results of the one suspended'));
  const after = await rowsOf(stage);
  const stale = before.filter((row, place) => row !== after[place]).length;
  const breaches = [
    ...(late instanceof Error ? [late.message] : []),
    ...expectThat(stale === 0, `the stale worker changed ${stale} rows`),
    ...expectThat(before.length === after.length, 'the stale worker removed or added rows'),
    ...expectThat(suspended.runs(), 'the suspended worker did not go on'),
  ];
  return { stale, breaches };
}

/** Every row that a worker may write, except the log of attempts, which tells the view of the stale worker. */
async function rowsOf({ db }: Stage): Promise<string[]> {
  const { rows } = await sql<{ row: string }>`
    select lane::text as row, 1 as part from webhook_lanes lane
    union all select notification::text, 2 from webhook_notifications notification
    union all select delivery::text, 3 from webhook_deliveries delivery
    union all select (endpoint.id, failing_since is null, disabled_at)::text, 4 from webhook_endpoints endpoint
    order by part, row`.execute(db);
  return rows.map(({ row }) => row);
}
