import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isId } from '../../src/base/ids.js';
import type { CatalogueStatus } from '../../src/packages/catalogue.js';
import { decideMovements } from '../../src/packages/decide-movements.js';
import { courseOf, type SandboxPackage } from '../../src/packages/sandbox/course.js';

const finals = [2, 5, 8];
const requirements: Readonly<Record<number, CatalogueStatus['requirement']>> = {
  6: 'action_required',
  10: 'pickup_agency',
};
const statuses = new Map(
  [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 14, 17, 18].map((code): [number, CatalogueStatus] => {
    const final = finals.includes(code);
    const stage = final ? 'completed' : 'processing';
    const requirement = requirements[code] ?? null;
    return [code, { code, name: `Status ${code}`, description: '', requirement, final, stage, public_title: null }];
  }),
);

const place = fc.constantFrom({ city: 'São Paulo', state: 'SP' }, { city: 'Campinas', state: 'SP' });
const packages: fc.Arbitrary<SandboxPackage> = fc.record({
  loggiKey: fc.uuid(),
  origin: place,
  destination: place,
  postalCode: fc.option(fc.stringMatching(/^[0-9]{8}$/)),
});
const codes = (source: SandboxPackage) => courseOf(source).map(({ statusCode }) => statusCode);
const time = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 12, 0, seconds)).toISOString().replace('Z', '000Z');

describe('the course of a package in the sandbox', () => {
  test('takes only steps that the rules of movements allow, with all required parts', () => {
    fc.assert(
      fc.property(packages, (source) => {
        const items = courseOf(source).map(({ pause: _, ...step }, at) => ({ ...step, happenedAt: time(at + 1) }));
        const noAttempts = { attemptCount: 0, attemptOutcome: null, attemptNextOn: null, attemptedAt: null };
        const clocks = { since: time(0), createdAt: time(0), earliest: time(-300) };
        const start = {
          accountId: 'a',
          orderId: 'o',
          seq: 1,
          statusCode: 1,
          currentMovementId: 'm',
          ...clocks,
          ...noAttempts,
        };
        const states = new Map([[source.loggiKey, { ...start, loggiKey: source.loggiKey }]]);
        const clocksNow = { now: time(3600), latest: time(3900) };
        const context = { statuses, packages: states, recorded: new Map(), pins: new Map(), ...clocksNow };
        const { outcomes } = decideMovements(items, context);
        expect(outcomes.map(({ result }) => result)).toEqual(items.map(() => 'recorded'));
      }),
    );
  });

  test('begins with the collection, and only its last status is final', () => {
    fc.assert(
      fc.property(packages, (source) => {
        const way = codes(source);
        expect(way.slice(0, 3)).toEqual([14, 17, 3]);
        expect(way.map((code) => finals.includes(code))).toEqual(way.map((_, at) => at === way.length - 1));
      }),
    );
  });

  test('goes from the city of the pickup to the city of the recipient, and back when it is returned', () => {
    fc.assert(
      fc.property(packages, (source) => {
        const { origin, destination } = source;
        const steps = courseOf(source);
        expect(steps[0]?.location).toEqual(origin);
        expect(steps.at(-1)?.location).toEqual(steps.at(-1)?.statusCode === 8 ? origin : destination);
        for (const { statusCode, location, pickupAgency } of steps) {
          if (statusCode === 11) expect(location).toBe(destination);
          const postalCode = expect.stringMatching(/^[0-9]{5}970$/);
          if (pickupAgency) expect(pickupAgency).toMatchObject({ ...destination, postalCode });
        }
      }),
    );
  });

  test('follows only from the key, and so do its pauses and the unique ids of its movements', () => {
    fc.assert(
      fc.property(packages, (source) => {
        const steps = courseOf(source);
        expect(courseOf({ ...source, loggiKey: source.loggiKey.toLowerCase() }).map(({ id }) => id)).toEqual(
          steps.map(({ id }) => id),
        );
        expect(courseOf({ ...source })).toEqual(steps);
        expect(steps.every(({ id, pause }) => isId(id) && pause >= 0.5 && pause < 1.5)).toBe(true);
        expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
      }),
    );
  });

  test('is sometimes plain, sometimes with an absence, a problem, an agency or a return; pauses are 1 on average', () => {
    const many = fc.sample(packages, { numRuns: 2000, seed: 7 });
    const share = (code: number) => many.filter((source) => codes(source).includes(code)).length / many.length;
    expect(many.filter((source) => codes(source).length <= 6).length / many.length).toBeGreaterThan(0.4);
    for (const [code, least] of [
      [18, 0.25],
      [6, 0.1],
      [10, 0.05],
      [8, 0.05],
    ] as const)
      expect(share(code)).toBeGreaterThan(least);
    const pauses = many.flatMap((source) => courseOf(source).map(({ pause }) => pause));
    expect(pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length).toBeCloseTo(1, 1);
  });
});
