import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { getOrder } from '../../src/orders/order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { getPackage, historyOf } from '../../src/packages/queries.js';
import { trackingRecords } from '../../src/packages/tracking.js';
import { ownDatabase } from '../support/services.js';
import { age, counting, makeOrdered, movement, operator, secondsFromNow } from './orders-fixtures.js';

const { db } = await ownDatabase();

const page = { page: 1, pageSize: 100 };

const actionRequired = { reasonLabel: 'Endereço "incompleto"', reasonDescription: 'Falta o número.' };
const pickupAgency = { address: 'Rua A, 1', city: 'Campinas', state: 'SP', postalCode: '13010000' };

async function one() {
  const { owner, order, keys } = await makeOrdered(db);
  await age(db, order.id, 7200);
  const [key = ''] = keys;
  return { owner, id: order.id, key };
}

describe('recording movements', () => {
  test('changes the package, its order and the version, once for each visible change', async () => {
    const { owner, id, key } = await one();
    const read = async () => {
      const order = await getOrder(db, owner, id);
      return [order?.status, order?.version, order?.packages[0]?.status.code, order?.packages[0]?.seq];
    };
    await recordMovements(db, [movement(key, 3)]);
    expect(await read()).toEqual(['processing', 2, 3, 2]);
    await recordMovements(db, [movement(key, 14, { happenedAt: secondsFromNow(-3600) })]);
    expect(await read()).toEqual(['processing', 2, 3, 3]);
    await recordMovements(db, [movement(key, 11), movement(key, 5)]);
    expect(await read()).toEqual(['completed', 3, 5, 5]);
  });

  test('stores when each movement was recorded, in the order of the movements, even within a batch', async () => {
    const { key } = await one();
    for (let batch = 0; batch < 2; batch += 1) {
      const times = Array.from({ length: 20 }, (_, at) => secondsFromNow(at - 60));
      const movements = times.map((happenedAt) => movement(key, 3, { id: randomUUID(), happenedAt }));
      await recordMovements(db, movements);
    }
    const { rows } = await historyOf(db, key, page);
    const recordedAt = rows.toSorted((a, b) => a.seq - b.seq).map((row) => row.recordedAt);
    expect(recordedAt).toEqual([...new Set(recordedAt)].sort());
  });

  test('enqueues one notification for each movement, in the same transaction', async () => {
    const { keys } = await makeOrdered(db, 2);
    await sql`alter table movements add constraint poison check (reason_label is distinct from 'poison')`.execute(db);
    const poison = { reasonLabel: 'poison', reasonDescription: 'x' };
    const poisoned = [movement(keys[0] ?? '', 3), movement(keys[1] ?? '', 6, { actionRequired: poison })];
    await expect(recordMovements(db, poisoned)).rejects.toThrow('poison');
    expect((await getPackage(db, operator, keys[0] ?? ''))?.seq).toBe(1);
    await sql`alter table movements drop constraint poison`.execute(db);
  });

  test('takes the same number of statements for a hundred packages as for one', async () => {
    const { keys } = await makeOrdered(db, 100);
    const statements = async (count: number) => {
      const counted = counting(db);
      const movements = keys.slice(0, count).map((key) => movement(key, 3));
      await recordMovements(counted.db, movements);
      return counted.statements();
    };
    expect([await statements(1), await statements(100)]).toEqual([9, 9]);
  });
});

describe('tracking records', () => {
  type TrackingRecord = Awaited<ReturnType<typeof trackingRecords>>[number];
  /** Codes of the status, and of those before it. */
  const codesIn = ({ status, trackingHistory }: TrackingRecord) =>
    [status.code, trackingHistory.map((event) => event.status.code)] as const;

  test('show the state at a movement, even when others came later', async () => {
    const { key } = await one();
    const times = [-30, -10, -20].map(secondsFromNow).map((time) => time.replace('Z', '001Z'));
    const codes = [3, 11, 9];
    const before = movement(key, 14, { happenedAt: secondsFromNow(-60), location: null });
    const items = codes.map((code, at) => movement(key, code, { happenedAt: times[at] ?? '' }));
    await recordMovements(db, [...items, before]);
    const trackingKeys = [5, 2, 4, 3, 9].map((seq) => ({ loggiKey: key, seq }));
    const records = await trackingRecords(db, trackingKeys);
    expect(records.map((record) => [record.seq, ...codesIn(record)])).toEqual([
      [5, 11, [9, 3, 14, 1]],
      [2, 3, [1]],
      [4, 11, [9, 3, 1]],
      [3, 11, [3, 1]],
    ]);
    expect(records[0]).toMatchObject({ loggiKey: key, status: { updatedTime: times[1], actionRequired: null } });
    expect(records[0]?.requestTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(records[0]?.trackingHistory[2]?.location).toBeNull();
  });

  test('show a late final status as current with its own time, before statuses that happened after it', async () => {
    const { key } = await one();
    const times = [-300, -200, -100, -250].map(secondsFromNow);
    const items = [3, 9, 11, 5].map((code, at) => movement(key, code, { happenedAt: times[at] ?? '' }));
    for (const item of items) await recordMovements(db, [item]);
    await recordMovements(db, [movement(key, 14, { happenedAt: secondsFromNow(-400) })]);
    const trackingKeys = [4, 5, 6].map((seq) => ({ loggiKey: key, seq }));
    const records = await trackingRecords(db, trackingKeys);
    const [, , third, late] = times.map((time) => time.replace('Z', '000Z'));
    expect(records.map((record) => [record.status.updatedTime, ...codesIn(record)])).toEqual([
      [third, 11, [9, 3, 1]],
      [late, 5, [11, 9, 3, 1]],
      [late, 5, [11, 9, 3, 14, 1]],
    ]);
  });

  test('show a late final status even if the package has more movements than a body holds', async () => {
    const { key } = await one();
    const at = (seconds: number) => ({ happenedAt: secondsFromNow(seconds) });
    const many = Array.from({ length: 1005 }, (_, number) => movement(key, 17, at(number / 1000 - 60)));
    await recordMovements(db, many);
    await recordMovements(db, [movement(key, 5, at(-600))]);
    const [record] = await trackingRecords(db, [{ loggiKey: key, seq: 1007 }]);
    expect(record?.status.code).toBe(5);
    expect(record?.trackingHistory).toHaveLength(1000);
  });

  test('show all parts of a movement, with times in UTC in any time zone of the session', async () => {
    const { key } = await one();
    const plain = await one();
    const [first, second, third] = [-3, -2, -1].map((later) => secondsFromNow(later).slice(0, 19));
    await recordMovements(db, [
      movement(key, 6, { happenedAt: `${first}Z`, actionRequired, location: null }),
      movement(key, 10, { happenedAt: `${second}.25Z`, pickupAgency }),
      movement(key, 11, { happenedAt: `${third}.000001Z` }),
    ]);
    const records = await db.connection().execute(async (session) => {
      await sql`set timezone = 'America/Sao_Paulo'`.execute(session);
      const asked = Object.entries({ [key]: 4, [newId()]: 1 }).map(([loggiKey, seq]) => ({ loggiKey, seq }));
      const ofPlain = [2, 1].map((seq) => ({ loggiKey: plain.key, seq }));
      const read = await trackingRecords(session, [...asked, ...ofPlain]);
      await sql`reset timezone`.execute(session);
      return read;
    });
    expect(records.map(({ loggiKey, seq }) => [loggiKey, seq])).toEqual([
      [key, 4],
      [plain.key, 1],
    ]);
    const [record] = records;
    const agency = { highLevelStatus: 'Retirar nos correios', updatedTime: `${second}.250000Z`, pickupAgency };
    expect(record?.status).toEqual({
      isReopening: false,
      code: 11,
      highLevelStatus: 'Saiu para entrega',
      description: 'A caminho do destinatário.',
      public_title: { pt_br: 'Saiu para entrega', en: 'Out for delivery' },
      final: false,
      stage: 'out_for_delivery',
      updatedTime: `${third}.000001Z`,
      actionRequired: null,
    });
    expect(record?.trackingHistory.slice(0, 2)).toMatchObject([
      { status: { ...agency, actionRequired: null }, location: { city: 'Campinas', state: 'SP' } },
      { status: { code: 6, updatedTime: `${first}.000000Z`, actionRequired }, location: null },
    ]);
    expect(record?.trackingHistory[1]?.status).not.toHaveProperty('pickupAgency');
  });

  test('show where the package was last seen when the movement has no location', async () => {
    const { key } = await one();
    await recordMovements(db, [movement(key, 3, { location: null })]);
    const [record] = await trackingRecords(db, [{ loggiKey: key, seq: 2 }]);
    expect(record?.location).toEqual({ city: 'Sorocaba', state: 'SP' });
  });
});
