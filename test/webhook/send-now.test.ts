import { beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { getEndpoint, listEndpoints } from '../../src/endpoints/endpoint-queries.js';
import { disableEndpoint } from '../../src/endpoints/endpoints.js';
import { getDelivery } from '../../src/queue/delivery-queries.js';
import { type SendNowSelection, sendNow } from '../../src/queue/replay.js';
import { standardSchedule } from '../../src/queue/schedule.js';
import { rowsRead } from '../domain/orders-fixtures.js';
import { waitFor } from '../support/receiver.js';
import { eachScene, emptyQueue, move, pending, register, type Scene, shipped } from './support.js';

const pausesMs = { ...standardSchedule.pausesMs, delivery: [60_000, 300_000] };
const schedule = { ...standardSchedule, pausesMs };

const db = await emptyQueue();
let scene: Scene;
eachScene(
  (opened) => {
    scene = opened;
  },
  { packages: 2, endpoints: 2, settings: { schedule } },
);
beforeEach(() => scene.worker.start());

/** Moves the packages. Their deliveries fail once, and then wait for a minute. */
async function fail(moving: readonly string[], deliveries: number): Promise<void> {
  const before = scene.receiver.received.length;
  scene.receiver.always({ status: 503 });
  await move(db, moving);
  await scene.receiver.until(before + deliveries);
  await waitFor(async () => (await waitingLanes()).length >= deliveries, 'the lanes to wait');
  scene.receiver.always({ status: 200 });
}

const waitingLanes = () =>
  db.selectFrom('webhook_lanes').selectAll().where('state', '=', 'waiting').orderBy('id').execute();

const first = () => scene.endpoint.id;

test('send-now sends the waiting bodies of one endpoint, and keeps the count of attempts', async () => {
  await fail(scene.keys, 2);
  expect(await sendNow(db, { endpointId: first() })).toEqual({ bodies: 1, notifications: 2, more: false });
  await scene.receiver.until(3);
  const webhookId = String(scene.receiver.received[2]?.headers['webhook-id']);
  await waitFor(async () => (await getDelivery(db, webhookId)).state === 'delivered', 'the delivery');
  expect(await waitingLanes()).toHaveLength(1);
  const delivery = await getDelivery(db, webhookId);
  expect(delivery).toMatchObject({ endpointId: first(), attemptCount: 2 });
  expect(delivery.attempts.map(({ number }) => number)).toEqual([2, 1]);
});

test('a delivery that fails again waits for the next pause of its schedule', async () => {
  await fail(scene.keys, 2);
  scene.receiver.always({ status: 503 });
  await sendNow(db, { accountId: scene.accountId });
  await waitFor(async () => (await waitingLanes()).filter(({ attempt }) => attempt === 2).length === 2, 'both to fail');
  const [lane] = await waitingLanes();
  expect((lane?.due_at.getTime() ?? 0) - Date.now()).toBeGreaterThan(200_000);
});

test('send-now works for an account or for all accounts, and leaves disabled endpoints alone', async () => {
  const other = await shipped(db, 1);
  await register(db, other.accountId, { url: `${scene.receiver.url}/on` });
  const { id: off } = await register(db, other.accountId, { url: `${scene.receiver.url}/off` });
  await fail([...scene.keys, ...other.keys], 4);
  await disableEndpoint(db, off);
  const expectForward = async (selection: SendNowSelection, bodies: number) =>
    expect(await sendNow(db, selection)).toMatchObject({ bodies, more: false });
  await expectForward({ accountId: scene.accountId }, 2);
  await waitFor(async () => (await getEndpoint(db, first())).pendingCount === 0, 'the endpoint to be drained');
  await expectForward('all', 1);
  await waitFor(async () => (await pending(db)) === 1, 'all but the disabled');
  await expectForward('all', 0);
  await expect(sendNow(db, { endpointId: off })).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('send-now spreads a thousand bodies over time, and the next call takes the others', async () => {
  await scene.worker.stop();
  await sql`
    insert into webhook_lanes (endpoint_id, generation, number, state, attempt, due_at)
    select ${first()}, generation, 0, 'waiting', 1, now() + interval '1 hour' + generation * interval '1 second'
    from generate_series(2, 1302) as generation`.execute(db);
  expect(await sendNow(db, 'all')).toEqual({ bodies: 1_000, notifications: 0, more: true });
  const due = (await waitingLanes()).map(({ due_at }) => due_at.getTime()).sort((one, two) => one - two);
  expect((due[999] ?? 0) - (due[0] ?? 0)).toBe(9_990);
  expect(await sendNow(db, 'all')).toEqual({ bodies: 301, notifications: 0, more: false });
  expect(await sendNow(db, 'all')).toEqual({ bodies: 0, notifications: 0, more: false });
});

test('an endpoint shows its last failure while it is failing', async () => {
  expect(await getEndpoint(db, first())).toMatchObject({ failingSince: null, lastFailure: null });
  await fail(scene.keys, 2);
  const { rows } = await listEndpoints(db, { accountId: scene.accountId }, { page: 1, pageSize: 20 });
  expect(rows).toHaveLength(2);
  for (const { failingSince, lastFailure, pendingCount } of rows) {
    expect(failingSince).toBeInstanceOf(Date);
    expect(lastFailure).toMatchObject({ outcome: 'refused', statusCode: 503, error: null });
    expect(pendingCount).toBe(2);
  }
  await scene.receiver.close();
  await sendNow(db, 'all');
  await waitFor(async () => (await getEndpoint(db, first())).lastFailure?.outcome === 'not_sent', 'another failure');
  const refused = { statusCode: null, error: expect.stringContaining('ECONNREFUSED') };
  expect((await getEndpoint(db, first())).lastFailure).toMatchObject(refused);
});

test('showing an endpoint reads only a part of its waiting bodies and attempts', async () => {
  await scene.worker.stop();
  const [lane] = await db.selectFrom('webhook_lanes').select('id').where('number', '=', 0).execute();
  await sql`
    insert into webhook_notifications (lane_id, loggi_key, seq)
    select ${lane?.id}, gen_random_uuid(), 1 from generate_series(1, 15000)`.execute(db);
  await sql`
    insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, duration_ms, outcome, lease_lost)
    select gen_random_uuid(), endpoint.id, 1, false, now(), 1, case when number = 15000 then 'no_answer' else 'acknowledged' end, false
    from webhook_endpoints endpoint, generate_series(1, 15000) as number order by number`.execute(db);
  await db.updateTable('webhook_endpoints').set({ failing_since: new Date() }).execute();
  await sql`analyze`.execute(db);
  const { shown, read } = await db.transaction().execute(async (trx) => {
    const { rows } = await listEndpoints(trx, {}, { page: 1, pageSize: 20 });
    return { shown: rows, read: await rowsRead(trx, 'webhook_attempts', 'webhook_notifications') };
  });
  expect(shown.map(({ lastFailure }) => lastFailure?.outcome)).toEqual(['no_answer', 'no_answer']);
  expect(shown.map(({ pendingCount }) => pendingCount).sort((one, two) => one - two)).toEqual([0, 10_000]);
  expect(read).toBeLessThan(10_100);
});
