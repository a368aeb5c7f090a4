import { sql } from 'kysely';
import { updateEndpoint } from '../../../src/endpoints/endpoints.js';
import { enqueueAll, newEndpoints } from '../../../test/support/processes/endpoints.js';
import { breachesOf, expectThat, judge } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import type { Committed } from '../../../test/support/processes/traffic.js';
import { countOf, drainedWithoutPauses, endPauses } from '../../../test/support/queue.js';
import { type Reply, waitFor } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';

const LANES = 4;
const PACKAGES = 2_500;
const MOVEMENTS = 21;
const MAX_PACKAGES = 50;

export const backlog: Fault = {
  what: 'receiver down for hours, 50 000 in the backlog',
  promise: 'drains in order, never more requests at once than it has lanes',
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    let reply: Reply = 'reset';
    receiver.answer(() => reply);
    const [endpoint] = await newEndpoints(stage, receiver, { endpoints: 1, packages: PACKAGES, movements: MOVEMENTS });
    if (!endpoint) throw new Error('no endpoint');
    const destination = { url: new URL(endpoint.url), username: 'bench' };
    await updateEndpoint(stage.db, stage.ring, endpoint.id, { destination, lanes: LANES });
    await stage.start('worker', [receiver.port]);
    await waitFor(
      async () => (await stage.db.selectFrom('webhook_lanes').select('id').execute()).length === LANES + 1,
      'the lanes',
      10_000,
    );
    const total = await enqueueAll(stage.db, 2);
    const pausing = (attempts: number) =>
      countOf(stage.db, 'webhook_lanes', sql`state = 'waiting' and attempt = ${attempts}`);
    // Three failed attempts, which stand for two hours with their pauses.
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await waitFor(async () => (await pausing(attempt)) === LANES, `attempt ${attempt}`, 20_000);
      await endPauses(stage.db);
    }
    reply = { status: 200, afterMs: 5 };
    await endPauses(stage.db);
    const started = performance.now();
    await drainedWithoutPauses(stage.db, 180_000);
    const seconds = (performance.now() - started) / 1000;
    const judgement = judge(await committedIn(stage, endpoint.path), receiver.arrivals);
    const largest = Math.max(...receiver.arrivals.map(({ entries }) => entries.length));
    const peak = receiver.maxOpen();
    return {
      figures:
        `${total} notifications drained in ${seconds.toFixed(0)} s: at most ${peak} requests at once of ${LANES}, ` +
        `${largest} packages in one, lost ${judgement.lost}, inversions ${judgement.inversions}`,
      breaches: [
        ...breachesOf(judgement),
        ...expectThat(peak <= LANES, `${peak} requests were under way at once`),
        ...expectThat(largest <= MAX_PACKAGES, `a body carried ${largest} packages`),
      ],
    };
  },
};

/** Everything that was enqueued: all movements except the first of each package. */
async function committedIn({ db }: Stage, path: string): Promise<Committed[]> {
  const { rows } = await sql<{ loggiKey: string; updatedTime: string }>`
    select loggi_key as "loggiKey",
      to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "updatedTime"
    from movements where seq > 1`.execute(db);
  return rows.map((row) => ({ ...row, path, at: 0 }));
}
