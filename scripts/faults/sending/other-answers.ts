import { sql } from 'kysely';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { endPauses, waiting } from '../../../test/support/processes/queue.js';
import { breachesOf, judge, newTraffic } from '../../../test/support/processes/traffic.js';
import { waitFor } from '../../../test/support/receiver.js';
import { expectThat, type Fault } from '../fault.js';

const statuses = [202, 203, 204, 206, 300, 301, 302, 303, 304, 307, 308];
const ROUNDS = 3;

export const otherAnswers: Fault = {
  number: 11,
  name: 'receiver answers 202, 204, 301, 302, 307 and their like',
  promise: 'no acknowledgement, no following, no credential sent elsewhere',
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    const elsewhere = await stage.openReceiver();
    const world = await newEndpoints(stage, receiver, { endpoints: 5 * statuses.length });
    const location = elsewhere.urlOf(0);
    const statusOf = new Map(world.map(({ path }, number) => [path, statuses[number % statuses.length] ?? 202]));
    receiver.answer(({ path }) => ({ status: statusOf.get(path) ?? 202, headers: { location } }));
    const traffic = newTraffic(stage.db);
    await traffic.move(world);
    await stage.start('worker', [receiver.port, elsewhere.port]);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await waitFor(async () => (await refused()) === round * world.length, `round ${round}`, 20_000);
      await endPauses(stage.db);
    }
    async function refused(): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from webhook_attempts where outcome = 'refused'`.execute(stage.db);
      return rows[0]?.count ?? 0;
    }
    const kept = await waiting(stage.db);
    receiver.answer(() => ({ status: 201 }));
    await endPauses(stage.db);
    await waitFor(
      async () => {
        await endPauses(stage.db);
        return (await waiting(stage.db)) === 0;
      },
      'an empty queue',
      20_000,
    );
    const taken = world.length - kept;
    const leaks = elsewhere.connections();
    return {
      figures: `${ROUNDS * world.length} such answers: taken for acknowledgements ${taken}, connections elsewhere ${leaks}`,
      breaches: [
        ...breachesOf(judge(traffic.committed, receiver.arrivals)),
        ...expectThat(taken === 0, `${taken} bodies were taken for acknowledged`),
        ...expectThat(leaks === 0, `a redirect was followed ${leaks} times`),
      ],
    };
  },
};
