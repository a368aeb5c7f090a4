import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { getOrder } from '../../src/orders/order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { moveDuePackages, startSandbox } from '../../src/orders/sandbox.js';
import { setOrderStatus } from '../../src/orders/set-status.js';
import { getProof } from '../../src/packages/proof/proofs.js';
import { getPackage, historyOf } from '../../src/packages/queries.js';
import { courseOf, type SandboxPackage, stepId, stepIdIn } from '../../src/packages/sandbox/course.js';
import { waitFor } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';
import { codeRing, makeOrdered, movement, operator } from './orders-fixtures.js';

const { db } = await ownDatabase();

const page = { page: 1, pageSize: 100 };
/** The movements of a package after its creation, in the order in which they were recorded. */
async function way(key: string) {
  const { rows } = await historyOf(db, key, page);
  return rows.sort((one, other) => one.seq - other.seq).slice(1);
}

async function sandboxPackage(key: string): Promise<SandboxPackage> {
  const at = await getPackage(db, operator, key);
  const first = (await historyOf(db, key, page)).rows.at(-1);
  if (!at || !first?.location) throw new Error('no package');
  const { city, state, postalCode = null } = at.place;
  return { loggiKey: key, origin: first.location, destination: { city, state }, postalCode };
}

async function exhaust(): Promise<void> {
  while ((await moveDuePackages(db, codeRing, 0)) > 0);
}

test('every package of an order takes its whole course, one step at a time, until the order is completed', async () => {
  const { owner, order, keys } = await makeOrdered(db, 8);
  expect(await moveDuePackages(db, codeRing, 0)).toBe(8);
  expect((await getOrder(db, owner, order.id))?.status).toBe('processing');
  await exhaust();
  for (const key of keys) {
    const steps = await way(key);
    const planned = courseOf(await sandboxPackage(key)).map(({ id, statusCode, location, actionRequired = null }) => ({
      id,
      statusCode,
      location,
      actionRequired,
    }));
    expect(steps).toMatchObject(planned);
    expect(steps).toHaveLength(planned.length);
  }
  expect((await getOrder(db, owner, order.id))?.status).toBe('completed');
  const delivered = (await Promise.all(keys.map(way))).findIndex((steps) => steps.at(-1)?.statusCode === 5);
  const proof = await getProof(db, operator, codeRing, keys[delivered] ?? '');
  expect(proof.recipientName).toBe(order.packages[delivered]?.recipient.name);
});

test('a step waits for its pause', async () => {
  const { keys } = await makeOrdered(db);
  expect(await moveDuePackages(db, codeRing, 3)).toBe(0);
  const shift = sql`update packages set status_since = status_since - interval '1499 milliseconds'`;
  await sql`${shift} where loggi_key = ${keys[0]}`.execute(db);
  const [step] = courseOf(await sandboxPackage(keys[0] ?? ''));
  const pace = 1.499 / (step?.pause ?? 0);
  expect(await moveDuePackages(db, codeRing, pace * 1.5)).toBe(0);
  expect(await moveDuePackages(db, codeRing, pace)).toBe(1);
  await exhaust();
});

test('packages that were moved, cancelled or left for a week by others stay where they are', async () => {
  const [moved, cancelled, old, free] = await Promise.all([1, 2, 3, 4].map(() => makeOrdered(db)));
  if (!moved || !cancelled || !old || !free) throw new Error('no orders');
  await recordMovements(db, [movement(moved.keys[0] ?? '', 11)]);
  await setOrderStatus(db, cancelled.owner, cancelled.order.id, 'cancelled');
  await sql`update packages set created_at = now() - interval '8 days' where loggi_key = ${old.keys[0]}`.execute(db);
  await exhaust();
  expect(await Promise.all([moved, cancelled, old].map(async ({ keys }) => (await way(keys[0] ?? '')).length))).toEqual(
    [1, 1, 0],
  );
  expect([5, 8]).toContain((await way(free.keys[0] ?? '')).at(-1)?.statusCode);
});

test('a package waits until its order is ready, and its first pause begins then, even after weeks', async () => {
  const { order, keys } = await makeOrdered(db);
  const readyIn = (seconds: number) =>
    sql`update orders set ready_at = now() + make_interval(secs => ${seconds}) where id = ${order.id}`.execute(db);
  await sql`update packages set created_at = now() - interval '20 days', status_since = now() - interval '20 days'
    where order_id = ${order.id}`.execute(db);
  await readyIn(60);
  expect(await moveDuePackages(db, codeRing, 0)).toBe(0);
  await readyIn(-60);
  const [step] = courseOf(await sandboxPackage(keys[0] ?? ''));
  expect(await moveDuePackages(db, codeRing, 61 / (step?.pause ?? 0))).toBe(0);
  expect(await moveDuePackages(db, codeRing, 59 / (step?.pause ?? 0))).toBe(1);
  await exhaust();
  expect([5, 8]).toContain((await way(keys[0] ?? '')).at(-1)?.statusCode);
});

test('the database and the process compute the same ids of steps', async () => {
  const { keys } = await makeOrdered(db, 3);
  for (const [at, key] of keys.entries()) {
    const { rows } = await sql<{ id: string }>`
      select ${stepIdIn(sql`${key}::uuid`, sql.raw(`(${at} + 1)`))} as id`.execute(db);
    expect(rows[0]?.id).toBe(stepId(key, at + 1));
  }
  await exhaust();
});

test('several processes take each step once; a later process continues; a stop waits for the running round', async () => {
  const { keys } = await makeOrdered(db, 10);
  const start = () => startSandbox({ db: db, log: createLog({ level: 'silent' }), keys: codeRing, paceSeconds: 0 });
  const stops = [start(), start(), start()];
  await waitFor(async () => (await way(keys[0] ?? '')).length >= 2, 'two steps');
  await Promise.all(stops.map((stop) => stop()));
  const before = (await way(keys[0] ?? '')).length;
  expect(await way(keys[0] ?? '')).toHaveLength(before);
  const later = start();
  const ended = async () =>
    (await Promise.all(keys.map(way))).every((steps) => [5, 8].includes(steps.at(-1)?.statusCode ?? 0));
  await waitFor(ended, 'the ends of all courses');
  await later();
  for (const key of keys)
    expect((await way(key)).map(({ id }) => id)).toEqual(courseOf(await sandboxPackage(key)).map(({ id }) => id));
});
