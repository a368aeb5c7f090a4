import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { systemClock } from '../../src/base/clock.js';
import { ServiceError } from '../../src/base/errors.js';
import { cancelPackage } from '../../src/orders/changes/cancel-package.js';
import { changeAddress } from '../../src/orders/changes/change-address.js';
import { type RequestInput, requestForPackage } from '../../src/orders/changes/request-package.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { getPackage } from '../../src/packages/queries.js';
import { possibleIn } from '../../src/packages/requests.js';
import { between, randomFrom } from '../support/random.js';
import { ownDatabase } from '../support/services.js';
import { makeOrdered, movement, operator, planDeps, secondsFromNow } from './orders-fixtures.js';

const { db } = await ownDatabase();

const ROUNDS = 200;

/** Resolves to `done`, or to the reason of the refusal. */
const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof ServiceError) return error.reason;
      throw error;
    },
  );

const elsewhere = { address: 'Rua XV de Novembro, 77 - Centro, São Paulo - SP' };
const requests: readonly RequestInput[] = [
  { kind: 'correct_recipient', recipient: { name: 'Bruna' } },
  { kind: 'hold' },
];

test(`a request, a cancellation, a scan and a new address at once end as if they came one by one, ${ROUNDS} times`, async () => {
  const random = randomFrom(52);
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { owner, order, keys } = await makeOrdered(db);
    const [key = ''] = keys;
    const input = requests[round % 2] ?? { kind: 'hold' };
    const preview = await (await changeAddress(planDeps(db), owner, key, { address: elsewhere }))(db);
    const { totalCentavos } = preview.order.pricing;
    const works = {
      request: async () => (await requestForPackage({ db, clock: systemClock }, owner, key, input))(db),
      cancellation: async () => (await cancelPackage(planDeps(db), owner, key))(db),
      scan: async () => {
        // The clock of the scan is ahead, so the scan counts from its receipt, never from before the cancellation.
        const scan = movement(key, 11, { happenedAt: secondsFromNow(60) });
        const [outcome] = (await recordMovements(db, [scan])).outcomes;
        if (outcome?.result === 'refused') throw new ServiceError(outcome.code, outcome.reason, outcome.message);
      },
      address: async () => (await changeAddress(planDeps(db), owner, key, { address: elsewhere, totalCentavos }))(db),
    };
    const shuffled = Object.entries(works).sort(() => between(random, 0, 2) - 1);
    const outcomes = Object.fromEntries(
      await Promise.all(shuffled.map(async ([name, work]) => [name, await outcomeOf(work())] as const)),
    );
    seen.add(`${input.kind} ${outcomes['request']}`);

    const after = await getPackage(db, operator, key);
    const { rows } = await sql<{ completed_at: Date | null }>`
      select completed_at from package_answers where loggi_key = ${key}`.execute(db);
    const { rows: versions } = await sql<{
      version: number;
    }>`select version from orders where id = ${order.id}`.execute(db);
    const isDone = (name: string) => outcomes[name] === 'done';
    const [wasScanned, wasCancelled] = [isDone('scan'), isDone('cancellation')];
    // A scan and a cancellation exclude each other, whichever came first.
    expect([round, outcomes, wasScanned !== wasCancelled]).toEqual([round, outcomes, true]);
    expect(after?.status.code).toBe(wasCancelled ? 2 : 11);
    expect(after?.seq).toBe(2);
    expect(after?.address.address).toBe(isDone('address') ? elsewhere.address : order.packages[0]?.address.address);
    // The request was decided in a status that allows it or not. It did all of its work, or nothing.
    const statuses = wasCancelled ? [1, 2] : [1, 11];
    const possible = statuses.map((code) => possibleIn[input.kind].includes(code));
    expect(possible).toContain(isDone('request'));
    expect(rows).toHaveLength(isDone('request') ? 1 : 0);
    const isCorrected = isDone('request') && input.kind === 'correct_recipient';
    expect(after?.recipient.name).toBe(isCorrected ? 'Bruna' : order.packages[0]?.recipient.name);
    if (rows[0] && !rows[0].completed_at) expect(wasScanned).toBe(true);
    const counted = Object.values(outcomes).filter((outcome) => outcome === 'done').length;
    expect(versions[0]?.version).toBeGreaterThanOrEqual(1 + counted);
  }
  // There was more than one outcome. The number depends on the machine.
  expect(seen.size).toBeGreaterThanOrEqual(2);
}, 240_000);
