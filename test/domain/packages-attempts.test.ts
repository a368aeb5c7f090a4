import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { type DeliveryOutcome, deliveryOutcomes } from '../../src/db/tables/movements.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import type { Attempts } from '../../src/packages/attempts.js';
import type { NewMovement } from '../../src/packages/movement.js';
import { getPackage } from '../../src/packages/queries.js';
import { trackingRecords } from '../../src/packages/tracking.js';
import { bodyOf } from '../../src/webhook/body.js';
import { ownDatabase } from '../support/services.js';
import { age, makeOrdered, movement, operator, secondsFromNow } from './orders-fixtures.js';

const { db } = await ownDatabase();

async function newPackage(): Promise<string> {
  const { order, keys } = await makeOrdered(db);
  await age(db, order.id, 7200);
  return keys[0] ?? '';
}

const refusalOf = async (item: NewMovement) => {
  const [outcome] = (await recordMovements(db, [item])).outcomes;
  return outcome?.result === 'refused' ? [outcome.field, outcome.fieldCode] : outcome?.result;
};

/** The attempts of movements, computed independently: their number, and the one that happened last. */
function expectedAttempts(
  movements: readonly { at: number; outcome: DeliveryOutcome | null; day: string | null }[],
): Attempts | null {
  const tried = movements.filter(({ outcome }) => outcome !== null).sort((one, other) => one.at - other.at);
  const last = tried.at(-1);
  if (!last?.outcome) return null;
  const count = tried.filter(({ outcome }) => outcome !== 'not_attempted').length;
  return { count, lastOutcome: last.outcome, nextOn: last.day };
}

describe('attempts of a package', () => {
  test('follow from its movements, in any order and any batches of arrival', async () => {
    const reported = fc.record({
      at: fc.integer({ min: 1, max: 3_000 }),
      code: fc.constantFrom(3, 9, 11, 17, 18),
      outcome: fc.option(fc.constantFrom(...deliveryOutcomes)),
      day: fc.constantFrom(null, '2040-01-01', '2040-01-02'),
    });
    const story = fc.uniqueArray(reported, { selector: ({ at }) => at, maxLength: 8 });
    const cut = fc.integer({ min: 0, max: 8 });
    await fc.assert(
      fc.asyncProperty(story, cut, async (movements, first) => {
        const key = await newPackage();
        // Future days have a bound, so these are moved to the days after the movements.
        const dayOf = (day: string | null) => day && secondsFromNow(Number(day.slice(-1)) * 86_400).slice(0, 10);
        const items = movements.map(({ at, code, outcome, day }) =>
          movement(key, code, {
            id: randomUUID(),
            happenedAt: secondsFromNow(at - 3_600),
            ...(outcome && { attempt: { outcome, nextOn: dayOf(day) } }),
          }),
        );
        for (const batch of [items.slice(0, first), items.slice(first)])
          if (batch.length > 0) await recordMovements(db, batch);
        const expected = expectedAttempts(movements);
        const shown = (await getPackage(db, operator, key))?.attempts;
        expect(shown).toEqual(expected && { ...expected, nextOn: dayOf(expected.nextOn) });
      }),
      { numRuns: 40 },
    );
  });

  test('are refused with a final status, and with a next day or hours that are over or too far ahead', async () => {
    const key = await newPackage();
    const day = (days: number) => secondsFromNow(days * 86_400).slice(0, 10);
    const tried = (nextOn: string) => movement(key, 18, { attempt: { outcome: 'absent', nextOn } });
    const window = (from: number, to: number) => ({ from: secondsFromNow(from), to: secondsFromNow(to) });
    const within = (from: number, to: number) => movement(key, 18, { expected: window(from, to) });
    const outcome = 'absent';
    expect(await refusalOf(movement(key, 5, { attempt: { outcome, nextOn: null } }))).toEqual([
      'attempt',
      'not_allowed',
    ]);
    expect(await refusalOf(movement(key, 5, { expected: window(1, 2) }))).toEqual(['expected', 'not_allowed']);
    expect(await refusalOf(tried(day(-2)))).toEqual(['attempt.nextOn', 'too_early']);
    expect(await refusalOf(tried(day(62)))).toEqual(['attempt.nextOn', 'too_late']);
    expect(await refusalOf(within(60, 60))).toEqual(['expected.to', 'contradiction']);
    expect(await refusalOf(within(-7200, -3600))).toEqual(['expected.to', 'too_early']);
    expect(await refusalOf(within(60, 62 * 86_400))).toEqual(['expected.to', 'too_late']);
    expect(await refusalOf(tried(day(1)))).toBe('recorded');
  });

  test('distinguish a repetition from a different movement with the same id', async () => {
    const key = await newPackage();
    const first = movement(key, 18, {
      id: randomUUID(),
      happenedAt: secondsFromNow(-60),
      attempt: { outcome: 'absent', nextOn: secondsFromNow(86_400).slice(0, 10) },
      expected: { from: secondsFromNow(86_400), to: secondsFromNow(90_000) },
    });
    expect(await refusalOf(first)).toBe('recorded');
    expect(await refusalOf(first)).toBe('duplicate');
    expect(await refusalOf({ ...first, attempt: { outcome: 'closed', nextOn: null } })).toEqual(['id', 'taken']);
    const { expected: _, ...without } = first;
    expect(await refusalOf(without)).toEqual(['id', 'taken']);
    expect((await getPackage(db, operator, key))?.attempts).toMatchObject({ count: 1 });
  });

  test('change no byte of the body of a webhook', async () => {
    const key = await newPackage();
    const tried = { attempt: { outcome: 'refused', nextOn: null } } as const;
    const hours = { expected: { from: secondsFromNow(3_600), to: secondsFromNow(7_200) } };
    const earlier = { happenedAt: secondsFromNow(-600) };
    await recordMovements(db, [movement(key, 18, { ...tried, ...earlier }), movement(key, 17, { ...tried, ...hours })]);
    const bytes = async () => bodyOf(await trackingRecords(db, [{ loggiKey: key, seq: 3 }])).bytes;
    const withAttempts = await bytes();
    await sql`
      update movements set attempt_outcome = null, attempt_next_on = null, expected_from = null, expected_to = null
      where loggi_key = ${key}`.execute(db);
    expect(withAttempts.equals(await bytes())).toBe(true);
    expect(JSON.parse(withAttempts.toString()).packages[0].trackingHistory).toHaveLength(2);
  });
});

describe('the hours in which a package is expected', () => {
  const expectedOf = async (key: string) => (await getPackage(db, operator, key))?.expected;

  test('end with its next status, and a late movement does not set its own', async () => {
    const key = await newPackage();
    const expected = { from: secondsFromNow(3_600), to: secondsFromNow(7_200) };
    await recordMovements(db, [movement(key, 18, { expected })]);
    expect(await expectedOf(key)).toEqual({ from: new Date(expected.from), to: new Date(expected.to) });
    await recordMovements(db, [movement(key, 3, { happenedAt: secondsFromNow(-3_600) })]);
    expect(await expectedOf(key)).not.toBeNull();
    await recordMovements(db, [movement(key, 17)]);
    expect(await expectedOf(key)).toBeNull();
    await recordMovements(db, [movement(key, 3, { happenedAt: secondsFromNow(-1_800), expected })]);
    expect(await expectedOf(key)).toBeNull();
  });
});
