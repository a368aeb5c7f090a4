import { sql } from 'kysely';
import type { Arrival, CheckingReceiver } from '../../../test/support/processes/checking-receiver.js';
import { type Endpoint, newEndpoints } from '../../../test/support/processes/endpoints.js';
import { pass, waiting } from '../../../test/support/processes/queue.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { breachesOf, judge, newTraffic } from '../../../test/support/processes/traffic.js';
import { type Reply, waitFor } from '../../../test/support/receiver.js';
import { expectThat, type Fault, type Finding, type Run } from '../fault.js';
import { disconnected } from './stopped-senders.js';

/** Kills senders that were answered 200: half of them before they read it, half while they write it down. */
export async function killBeforeRecord({ stage }: Pick<Run, 'stage'>, endpoints: number): Promise<Finding> {
  const receiver = await stage.openReceiver();
  const world = await newEndpoints(stage, receiver, { endpoints: 2 * endpoints });
  const traffic = newTraffic(stage.db);
  const move = (half: readonly Endpoint[]) => traffic.move(half);
  await underWay(stage, receiver, () => move(world.slice(0, endpoints)), killUnread);
  await underWay(stage, receiver, () => move(world.slice(endpoints)), killUnwritten);
  await pass(stage.db, 31);
  const answered = receiver.arrivals.length;
  const last = await stage.start('worker', [receiver.port]);
  await waitFor(async () => (await waiting(stage.db)) === 0, 'an empty queue', 60_000);
  await last.signal('SIGTERM');
  const judgement = judge(traffic.committed, receiver.arrivals);
  const times = timesById(receiver.arrivals);
  const twice = times.filter((count) => count === 2).length;
  return {
    figures: `${answered} bodies answered and not recorded: redelivered once ${twice}, lost ${judgement.lost}, altered ${judgement.altered}`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(answered === 2 * endpoints, `${answered} bodies were sent, not ${2 * endpoints}`),
      ...expectThat(
        twice === times.length,
        `redelivered otherwise than once: ${times.filter((count) => count !== 2).join()} requests`,
      ),
    ],
  };
}

type Kill = (held: Held) => Promise<void>;

interface Held {
  stage: Stage;
  pid: number;
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Lets the receiver answer 200 to all that it holds; resolves when it has. */
  answer(): Promise<void>;
}

/** A sender whose requests have all come and none is answered, and what is done to it then. */
async function underWay(
  stage: Stage,
  receiver: CheckingReceiver,
  move: () => Promise<void>,
  kill: Kill,
): Promise<void> {
  let release = () => {};
  const gate = new Promise<Reply>((resolve) => {
    release = () => resolve({ status: 200 });
  });
  receiver.answer(() => gate);
  const sender = await stage.start('worker', [receiver.port]);
  await move();
  await waitFor(async () => receiver.open() === (await unsettled(stage, receiver)), 'all requests', 10_000);
  const answer = async () => {
    release();
    await waitFor(() => receiver.open() === 0, 'all answers', 5_000);
  };
  await kill({ stage, pid: sender.pid, signal: sender.signal, answer });
  await disconnected(stage);
  receiver.answer(() => ({ status: 200 }));
}

/** How many bodies wait that the receiver was not asked to take before. */
async function unsettled({ db }: Stage, receiver: CheckingReceiver): Promise<number> {
  return (await waiting(db)) - (timesById(receiver.arrivals).length - receiver.open());
}

/** The answers lie in the sender's sockets when it dies. */
const killUnread: Kill = async ({ signal, answer }) => {
  await signal('SIGSTOP');
  await answer();
  await signal('SIGKILL');
};

/** The sender has read the answers, and the database keeps it from writing them down until it dies. */
const killUnwritten: Kill = async ({ stage, signal, answer }) => {
  await stage.db.transaction().execute(async (trx) => {
    await sql`lock table webhook_attempts in access exclusive mode`.execute(trx);
    await answer();
    await waitFor(
      async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted`.execute(trx);
        return rows.length > 0;
      },
      'records that wait',
      5_000,
    );
    await signal('SIGKILL');
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'malote' and datname = current_database()`.execute(trx);
  });
};

function timesById(arrivals: readonly Arrival[]): number[] {
  const times = new Map<string, number>();
  for (const { webhookId } of arrivals) times.set(webhookId, (times.get(webhookId) ?? 0) + 1);
  return [...times.values()];
}

export const unrecordedAnswer: Fault = {
  number: 2,
  name: "kill -9 between the receiver's 200 and its record",
  promise: 'exactly one redelivery, same bytes',
  run: (run) => killBeforeRecord(run, 50),
};
