import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CatalogueStatus } from '../../src/packages/catalogue.js';
import { type BatchContext, decideMovements } from '../../src/packages/decide-movements.js';
import type { NewMovement, PackageState } from '../../src/packages/movement.js';

const status = (code: number, more: Partial<CatalogueStatus> = {}): [number, CatalogueStatus] => [
  code,
  {
    code,
    name: `Status ${code}`,
    description: '',
    requirement: null,
    final: false,
    stage: 'processing',
    public_title: null,
    ...more,
  },
];
const statuses = new Map([
  status(1, { stage: 'created' }),
  status(2, { final: true, stage: 'cancelled' }),
  status(3),
  status(5, { final: true, stage: 'completed' }),
  status(6, { requirement: 'action_required' }),
  status(8, { final: true, stage: 'completed' }),
  status(9),
  status(10, { requirement: 'pickup_agency' }),
  status(11, { stage: 'out_for_delivery' }),
]);

const uuid = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const time = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 12, 0, seconds)).toISOString().replace('Z', '000Z');

const state = (key: number, more: Partial<PackageState> = {}): PackageState => ({
  loggiKey: uuid(key),
  accountId: uuid(900),
  orderId: uuid(800 + key),
  seq: 1,
  statusCode: 1,
  since: time(0),
  currentMovementId: uuid(700 + key),
  attemptCount: 0,
  attemptOutcome: null,
  attemptNextOn: null,
  attemptedAt: null,
  createdAt: time(0),
  earliest: time(-300),
  ...more,
});

function contextOf(...packages: PackageState[]): BatchContext {
  const byKey = new Map(packages.map((each) => [each.loggiKey, each]));
  return { statuses, packages: byKey, recorded: new Map(), pins: new Map(), now: time(3300), latest: time(3600) };
}

const report = (id: number, statusCode: number, seconds: number, more: Partial<NewMovement> = {}): NewMovement => ({
  id: uuid(id),
  loggiKey: uuid(1),
  statusCode,
  happenedAt: time(seconds),
  location: { city: 'Campinas', state: 'SP' },
  ...more,
});

const endOf = (items: readonly NewMovement[]) => decideMovements(items, contextOf(state(1)));
const latestOf = (movements: readonly { happenedAt: string }[]) =>
  movements.map(({ happenedAt }) => happenedAt).reduce((one, other) => (one > other ? one : other));

const agency = { address: 'Rua A, 1', city: 'Campinas', state: 'SP', postalCode: '13010000' };
const action = { reasonLabel: 'Endereço', reasonDescription: 'Falta o número.' };

const refusal = (item: NewMovement, before: BatchContext = contextOf(state(1))) => {
  const [outcome] = decideMovements([item], before).outcomes;
  return outcome?.result === 'refused' ? `${outcome.code} ${outcome.field}` : outcome?.result;
};

describe('a movement', () => {
  test('becomes the current status and touches the order', () => {
    const { packages, accepted, orderIds } = endOf([report(11, 3, 10)]);
    expect(packages).toEqual([state(1, { seq: 2, statusCode: 3, since: time(10), currentMovementId: uuid(11) })]);
    expect(accepted).toMatchObject([
      { id: uuid(11), seq: 2, statusCode: 3, moved_city: 'Campinas', reason_label: null },
    ]);
    expect(orderIds).toEqual([uuid(801)]);
  });

  test('that happened at the same instant as the current status comes after it', () => {
    expect(endOf([report(11, 3, 0)]).packages).toMatchObject([{ statusCode: 3 }]);
  });

  test.each<[outcome: string, code: number, seconds: number, more?: Partial<NewMovement>]>([
    ['NOT_FOUND loggiKey', 3, 1, { loggiKey: uuid(2) }],
    ['NOT_FOUND loggiKey', 3, 1, { loggiKey: 'x' }],
    ['NOT_FOUND statusCode', 99, 1],
    ['VALIDATION_ERROR statusCode', 1, 1],
    ['VALIDATION_ERROR happenedAt', 3, 0, { happenedAt: 'now' }],
    ['VALIDATION_ERROR id', 3, 0, { id: 'x' }],
    ['VALIDATION_ERROR actionRequired', 6, 1],
    ['recorded', 6, 1, { actionRequired: action }],
    ['VALIDATION_ERROR actionRequired', 3, 1, { actionRequired: action }],
    ['VALIDATION_ERROR pickupAgency', 10, 1],
    ['recorded', 10, 1, { pickupAgency: agency }],
    ['VALIDATION_ERROR pickupAgency', 6, 1, { actionRequired: action, pickupAgency: agency }],
  ])('must be possible and have the parts that its status needs: %s', (outcome, code, seconds, more = {}) => {
    expect(refusal(report(11, code, seconds, more))).toBe(outcome);
  });
});

describe('clocks', () => {
  const timeOf = (seconds: number, before: BatchContext = contextOf(state(1))) => {
    const { accepted, packages } = decideMovements([report(11, 3, seconds)], before);
    return [accepted[0]?.happenedAt, packages[0]?.since];
  };

  test('that are up to 5 minutes ahead count as the time of receipt', () => {
    expect(timeOf(3300)).toEqual([time(3300), time(3300)]);
    expect(timeOf(3301)).toEqual([time(3300), time(3300)]);
    expect(timeOf(3600)).toEqual([time(3300), time(3300)]);
    expect(refusal(report(11, 3, 3601))).toBe('VALIDATION_ERROR happenedAt');
  });

  test('that are up to 5 minutes behind the order count as its time', () => {
    expect(timeOf(-1)).toEqual([time(0), time(0)]);
    expect(timeOf(-300)).toEqual([time(0), time(0)]);
    expect(refusal(report(11, 3, -301))).toBe('VALIDATION_ERROR happenedAt');
  });

  test('never bring a package to a status that is older than the one it has', () => {
    const ahead = contextOf(state(1, { statusCode: 17, since: time(3400) }));
    expect(timeOf(3500, ahead)).toEqual([time(3400), time(3400)]);
  });

  test.each([-200, 100, 3500])('that are %i s off do not hide a repetition at any later time', (seconds) => {
    const first = endOf([report(11, 3, seconds)]);
    expect(first.accepted).toMatchObject([{ reportedAt: time(seconds) }]);
    const later: BatchContext = {
      ...contextOf(...first.packages),
      recorded: new Map(first.accepted.map((each) => [each.id, { ...each, proof: null }])),
      now: time(90_000),
      latest: time(90_300),
    };
    expect(refusal(report(11, 3, seconds), later)).toBe('duplicate');
    expect(refusal(report(11, 3, seconds + 1), later)).toBe('CONFLICT id');
  });
});

describe('a batch', () => {
  test('of any movements keeps the rules of movements', () => {
    const item = fc
      .record({
        id: fc.integer({ min: 10, max: 20 }),
        key: fc.integer({ min: 1, max: 3 }),
        code: fc.constantFrom(1, 2, 3, 5, 8, 9, 11, 99),
        seconds: fc.integer({ min: -5, max: 15 }),
      })
      .map(({ id, key, code, seconds }) => report(id, code, seconds, { loggiKey: uuid(key) }));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 30 }), (items) => {
        const before = contextOf(state(1), state(2));
        const { outcomes, accepted, packages } = decideMovements(items, before);
        expect(outcomes).toHaveLength(items.length);
        expect(new Set(accepted.map(({ id }) => id)).size).toBe(accepted.length);
        for (const after of packages) {
          const own = accepted.filter(({ loggiKey }) => loggiKey === after.loggiKey);
          expect(own.map(({ seq }) => seq)).toEqual(own.map((_, at) => at + 2));
          const finals = own.filter(({ statusCode }) => statuses.get(statusCode)?.final);
          expect(finals.length).toBeLessThanOrEqual(1);
          expect(after.since).toBe(finals[0]?.happenedAt ?? latestOf(own));
          if (finals[0]) expect(after.statusCode).toBe(finals[0].statusCode);
        }
      }),
    );
  });

  const way = fc.uniqueArray(fc.integer({ min: 1, max: 3000 }), { minLength: 2, maxLength: 12 }).chain((times) =>
    fc.record({
      items: fc.constant(times.map((seconds, at) => report(20 + at, [3, 9, 11][at % 3] ?? 3, seconds))),
      ends: fc.nat(times.length - 1),
      final: fc.constantFrom(2, 5, 8),
    }),
  );
  /** The outcomes of the same movements in two orders of arrival, with a final movement if one is given. */
  const twice = (items: NewMovement[], final?: NewMovement) => {
    const shuffled = fc.shuffledSubarray(items, { minLength: items.length });
    return fc.record({ one: shuffled, other: shuffled, final: fc.constant(final) });
  };
  const open = way.chain(({ items }) => twice(items));
  const arrivals = way.chain(({ items, ends, final }) => {
    const all = items.map((item, at) => (at === ends ? { ...item, statusCode: final } : item));
    return twice(all, all[ends]);
  });

  test('with one final movement ends in it in any order of arrival', () => {
    fc.assert(
      fc.property(arrivals, ({ one, other, final }) => {
        const ends = [one, other].map(endOf);
        for (const { packages, orderIds } of ends) {
          const { statusCode, happenedAt: since, id: currentMovementId } = final ?? {};
          expect(packages).toMatchObject([{ statusCode, since, currentMovementId }]);
          expect(orderIds).toEqual([uuid(801)]);
        }
        // No movement from before the end is lost.
        const isEarlier = ({ happenedAt }: { happenedAt: string }) => happenedAt < (final?.happenedAt ?? '');
        const [first, second] = ends.map(({ accepted }) => accepted.filter(isEarlier).map(({ id }) => id));
        expect(first?.toSorted()).toEqual(second?.toSorted());
      }),
    );
  });

  test('without a final movement ends in the latest one in any order of arrival', () => {
    fc.assert(
      fc.property(open, ({ one, other }) => {
        const [end] = endOf(one).packages;
        expect(endOf(other).packages).toEqual([end]);
        expect(end?.since).toBe(latestOf(one));
      }),
    );
  });
});
