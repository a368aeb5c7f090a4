import { sql } from 'kysely';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { breachesOf, expectThat, judge } from '../../../test/support/processes/judgement.js';
import { newTraffic } from '../../../test/support/processes/traffic.js';
import { countOf, drainedWithoutPauses, endPauses, pending } from '../../../test/support/queue.js';
import { waitFor } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';

const statuses = [202, 203, 204, 206, 300, 301, 302, 303, 304, 307, 308];
const ROUNDS = 3;

export const otherAnswers: Fault = {
  what: 'receiver answers 202, 204, 301, 302, 307 and their like',
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
    const refused = () => countOf(stage.db, 'webhook_attempts', sql`outcome = 'refused'`);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await waitFor(async () => (await refused()) === round * world.length, `round ${round}`, 20_000);
      await endPauses(stage.db);
    }
    const waiting = await pending(stage.db);
    receiver.answer(() => ({ status: 201 }));
    await endPauses(stage.db);
    await drainedWithoutPauses(stage.db, 20_000);
    const acknowledged = world.length - waiting;
    const leaks = elsewhere.connections();
    return {
      figures: `${ROUNDS * world.length} such answers: taken for acknowledgements ${acknowledged}, connections elsewhere ${leaks}`,
      breaches: [
        ...breachesOf(judge(traffic.committed, receiver.arrivals)),
        ...expectThat(acknowledged === 0, `${acknowledged} bodies were taken for acknowledged`),
        ...expectThat(leaks === 0, `a redirect was followed ${leaks} times`),
      ],
    };
  },
};
