import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import * as countedPackages from '../../src/db/migrations/0068-counted-packages.js';
import { keepDays } from '../../src/orders/days/keep-days.js';
import { operatorOf } from '../cli/malote.js';
import { ownService } from '../support/services.js';
import { bodyOf, movement, newPackages, record } from './fixtures.js';

/** The figures of today: present counts, counts after a day, and the results of past days. */

const service = await ownService({});
const { db } = service;
const { operator: api } = service.operator;
const [ana, rui] = [await service.customer(), await service.customer()];
const keys = [...(await newPackages(ana, 6)), ...(await newPackages(rui, 2))];
const key = (at: number) => keys[at] ?? '';

const today = () => bodyOf(api.GET('/operator/v1/today', {}));
const promise = (at: number, days: number) =>
  sql`update packages set promised_date = (now() at time zone 'America/Sao_Paulo')::date + ${days}::integer
    where loggi_key = ${key(at)}`.execute(db);
const santos = { city: 'Santos', state: 'SP' };

/** Simulates midnight: moves everything that was recorded to the day before. */
async function passDay(): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Triggers are off, because midnight itself changes no package.
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`
      update packages set promised_date = promised_date - 1, status_since = status_since - interval '1 day',
        attempted_at = attempted_at - interval '1 day'`.execute(trx);
    await sql`
      update counted_packages set promised_date = promised_date - 1, status_since = status_since - interval '1 day',
        changed_on = changed_on - 1, missed_on = missed_on - 1, missed_on_before = missed_on_before - 1`.execute(trx);
    await sql`update day_results set date = date - 1`.execute(trx);
    await sql`update day_end_counts set date = date - 1`.execute(trx);
  });
}

const moved = [
  movement(key(1), { status_code: 17, location: santos }),
  movement(key(2), { status_code: 11, location: santos }),
  movement(key(3), { status_code: 5 }),
  movement(key(4), { status_code: 2 }),
  movement(key(5), { status_code: 11, attempt: { outcome: 'refused' }, location: santos }),
  movement(key(6), { status_code: 18 }),
];

describe('the figures of today', () => {
  test('count packages to collect, in bases, on the road, late, planned and delivered', async () => {
    for (const [at, days] of [0, -1, -40, 0, 0, 0, 3, 3].entries()) await promise(at, days);
    await record(service.operator, ...moved);
    const { today: counts, yesterday } = await today();
    expect(counts).toEqual({
      to_collect: 2,
      in_bases: 1,
      on_the_road: 3,
      late: 2,
      planned: 5,
      delivered_of_planned: 1,
      delivered: 1,
    });
    expect(yesterday).toMatchObject({ to_collect: 0, in_bases: 0, on_the_road: 0, late: 0, planned: 0, delivered: 0 });
  });

  test('name statuses, missed attempts, days late, bases and customers', async () => {
    const { statuses, missed, late, bases, customers } = await today();
    expect(statuses).toEqual([
      { code: 1, today: 2, yesterday: 0 },
      { code: 11, today: 2, yesterday: 0 },
      { code: 17, today: 1, yesterday: 0 },
      { code: 18, today: 1, yesterday: 0 },
    ]);
    expect(missed).toEqual([
      { outcome: 'absent', today: 1, yesterday: 0 },
      { outcome: 'refused', today: 1, yesterday: 0 },
    ]);
    expect(late).toEqual([
      { days: 1, today: 1, yesterday: 0 },
      { days: 30, today: 1, yesterday: 0 },
    ]);
    expect(bases.find(({ city }) => city === 'Santos')?.today).toEqual({
      to_collect: 0,
      in_bases: 1,
      on_the_road: 2,
      late: 2,
    });
    expect(
      customers.map(({ user_id, today: { to_collect, late: lateOnes } }) => [user_id, to_collect, lateOnes]),
    ).toEqual([
      [ana.id, 1, 2],
      [rui.id, 1, 0],
    ]);
  });

  test('are shown by the command', async () => {
    const { out } = await operatorOf(service).run(['figures', 'today']);
    expect(out).toMatch(/today +2 +1 +3 +2 +1 \/ 5 +1\n/);
    expect(out).toMatch(/Santos +SP/);
  });
});

describe('after a day', () => {
  test('the figures of yesterday stay as they were, even when packages move, and before and after they are stored', async () => {
    const { today: before, bases } = await today();
    await passDay();
    await record(
      service.operator,
      movement(key(1), { status_code: 5 }),
      movement(key(5), {
        status_code: 11,
        attempt: { outcome: 'closed' },
        location: { city: 'Campinas', state: 'SP' },
      }),
    );
    const next = await today();
    expect(next.yesterday).toEqual(before);
    expect(next.bases.find(({ city }) => city === 'Santos')?.yesterday).toEqual(
      bases.find(({ city }) => city === 'Santos')?.today,
    );
    expect(next.today).toMatchObject({
      in_bases: 0,
      on_the_road: 3,
      delivered: 1,
      planned: 4,
      delivered_of_planned: 1,
    });
    expect(next.missed).toEqual([
      { outcome: 'absent', today: 0, yesterday: 1 },
      { outcome: 'closed', today: 1, yesterday: 0 },
      { outcome: 'refused', today: 0, yesterday: 1 },
    ]);
    await keepDays(db);
    const { at: _, ...kept } = await today();
    expect(kept).toEqual({ ...next, at: undefined });
  });
});

describe('the results of past days', () => {
  const results = async () => (await today()).days.filter(({ packages }) => packages > 0);
  const overAll = (days: Awaited<ReturnType<typeof results>>) =>
    days.map(({ packages, delivered, on_time, first_attempt }) => [packages, delivered, on_time, first_attempt]);

  test('show the outcome of the packages promised for each day, before and after they are added up', async () => {
    const counted = [
      [1, 1, 0, 1],
      [3, 1, 1, 1],
    ];
    expect(overAll(await results())).toEqual(counted);
    await passDay();
    await passDay();
    expect(await keepDays(db)).toBe(3);
    expect(overAll(await results())).toEqual(counted);
    expect((await today()).days).toHaveLength(14);
  });

  test('count a package once, even when its final status was a mistake', async () => {
    await sql`update packages set status_code = 11, status_since = now() where loggi_key = ${key(3)}`.execute(db);
    expect((await results()).reduce((sum, { delivered }) => sum + delivered, 0)).toBe(1);
  });
});

test('packages that retention dropped are no longer counted', async () => {
  const { today: before } = await today();
  await sql`
    insert into counted_packages (loggi_key, account_id, promised_date, status_code, status_since, has_missed, changed_on)
    values (uuidv7(), ${ana.id}, '2025-01-01', 9, '2025-01-01', false, '2025-01-01')`.execute(db);
  expect((await today()).today.in_bases).toBe(before.in_bases + 1);
  await keepDays(db);
  expect((await today()).today).toEqual(before);
});

test('all packages are counted, even thousands', async () => {
  const { today: before } = await today();
  await sql`
    insert into packages
    select copy.* from packages p, generate_series(1, 6000) n,
      lateral jsonb_populate_record(p, jsonb_build_object('loggi_key', uuidv7(n * interval '1 microsecond'))) copy
    where p.loggi_key = ${key(0)}`.execute(db);
  expect((await today()).today.to_collect).toBe(before.to_collect + 6000);
});

test('an upgrade counts the existing packages', async () => {
  const columns = sql`loggi_key, account_id, promised_date, status_code, city, state, missed_why, has_missed`;
  const read = async () => (await sql`select ${columns} from counted_packages order by loggi_key`.execute(db)).rows;
  await sql`truncate counted_packages`.execute(db);
  await sql`update packages set seq = seq, status_since = status_since + interval '1 millisecond'`.execute(db);
  const byTrigger = await read();
  await sql`truncate counted_packages`.execute(db);
  const [fill] = countedPackages.steps;
  if (!fill || !('chunk' in fill)) throw new Error('no step');
  for (let after: string | undefined; ; ) {
    const result = await fill.chunk(db, after);
    if (!result) break;
    after = result.after;
  }
  expect(await read()).toEqual(byTrigger);
});
