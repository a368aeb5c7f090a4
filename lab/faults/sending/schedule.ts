import { sql } from 'kysely';
import { standardSchedule } from '../../../src/queue/schedule.js';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { newTraffic } from '../../../test/support/processes/traffic.js';
import { deadLetters, drained, endPauses } from '../../../test/support/queue.js';
import { type Reply, waitFor } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';

const { jitter, maxRetryAfterMs } = standardSchedule;
const pauses = standardSchedule.pausesMs.delivery;
const attempts = pauses.length + 1;

/** Failures of receivers with the pauses they request, in ms after their answer. */
const manners: readonly { name: string; asksMs: number; reply(): Reply }[] = [
  { name: '500', asksMs: 0, reply: () => ({ status: 500 }) },
  { name: '429 for two hours', asksMs: 7_200_000, reply: () => answer(429, '7200') },
  { name: '503 until a date', asksMs: 10_800_000, reply: () => answer(503, inMs(10_801_000)) },
  { name: '503 for a second', asksMs: 1_000, reply: () => answer(503, '1') },
  { name: '429 for ever', asksMs: maxRetryAfterMs, reply: () => answer(429, '999999999') },
  { name: '503 and nonsense', asksMs: 0, reply: () => answer(503, 'soon') },
];

const answer = (status: number, retryAfter: string): Reply => ({ status, headers: { 'retry-after': retryAfter } });
const inMs = (ms: number): string => new Date(Date.now() + ms).toUTCString();

// A pause begins when the result is stored, shortly after the end of the attempt.
const WRITING_MS = 3_000;

interface Pause {
  path: string;
  attempt: number;
  ms: number;
}

/** The pause of each lane after its attempt `number`. */
async function pausesAfter({ db }: Stage, number: number): Promise<Pause[]> {
  const { rows } = await sql<{ url: string; attempt: number; ms: number }>`
    select url, attempt, (extract(epoch from lane.due_at - attempted_at) * 1000 - duration_ms)::double precision as ms
    from webhook_lanes lane join webhook_endpoints endpoint on endpoint.id = endpoint_id cross join lateral (
      select * from webhook_attempts where webhook_id = lane.webhook_id order by id desc limit 1
    ) latest
    where state = 'waiting' and attempt = ${number}`.execute(db);
  return rows.map(({ url, attempt, ms }) => ({ path: new URL(url).pathname, attempt, ms }));
}

export const schedule: Fault = {
  what: 'receiver answers 500, 429, 503 with Retry-After',
  promise: 'schedule ± jitter, header honoured, then a dead letter',
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    const world = await newEndpoints(stage, receiver, { endpoints: 20 * manners.length });
    const mannerOf = new Map(world.map(({ path }, number) => [path, manners[number % manners.length]]));
    receiver.answer(({ path }) => mannerOf.get(path)?.reply() ?? { status: 200 });
    const traffic = newTraffic(stage.db);
    await traffic.move(world);
    await stage.start('worker', [receiver.port]);
    const pausesMade: Pause[] = [];
    for (let number = 1; number < attempts; number += 1) {
      let latest: Pause[] = [];
      await waitFor(
        async () => {
          latest = await pausesAfter(stage, number);
          return latest.length === world.length;
        },
        `attempt ${number}`,
        20_000,
      );
      pausesMade.push(...latest);
      await endPauses(stage.db);
    }
    await waitFor(async () => (await deadLetters(stage.db)) === world.length, 'dead letters', 20_000);
    receiver.answer(() => ({ status: 200 }));
    await traffic.move(world);
    await drained(stage.db, 20_000);

    const violations = pausesMade.flatMap((pause) => violationOf(pause, mannerOf.get(pause.path)?.asksMs ?? 0));
    const spread = pausesMade.filter(({ path }) => mannerOf.get(path)?.asksMs === 0).map(ratioOf);
    const [least, most] = [Math.min(...spread), Math.max(...spread)];
    const requests = receiver.arrivals.length;
    return {
      figures:
        `${pausesMade.length} pauses, violations ${violations.length}; without Retry-After from ${least.toFixed(2)} to ` +
        `${most.toFixed(2)} of the schedule; ${world.length} dead letters after ${attempts} attempts each`,
      breaches: [
        ...violations.slice(0, 5),
        ...expectThat(least < 0.86 && most > 1.14, 'the pauses are not spread over the jitter'),
        ...expectThat(requests === world.length * (attempts + 1), `${requests} requests came in all`),
      ],
    };
  },
};

const ratioOf = ({ attempt, ms }: Pause): number => ms / (pauses[attempt - 1] ?? Number.NaN);

function violationOf({ path, attempt, ms }: Pause, asksMs: number): string[] {
  const pause = pauses[attempt - 1] ?? Number.NaN;
  // An HTTP date has whole seconds.
  const least = Math.max(pause * (1 - jitter), asksMs) - 1;
  const most = Math.max(pause * (1 + jitter), asksMs + 1_000) + WRITING_MS;
  return expectThat(ms >= least && ms <= most, `${path} was put off by ${ms} ms after attempt ${attempt}`);
}
