import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import request from 'supertest';
import { conflict } from '../../src/base/errors.js';
import type { Handler } from '../../src/http/handler.js';
import { fingerprintOf, once } from '../../src/idempotency/once.js';
import { type Scope, sweepIdempotencyKeys } from '../../src/idempotency/stored-answers.js';
import { gateOf } from '../support/gate.js';
import { ownDatabase } from '../support/services.js';
import { customer, ID, keys, notesApp, operator } from './http-notes-app.js';
import type { operations, routes } from './http-notes-contract.js';

const database = await ownDatabase();
let api: ReturnType<typeof request>;
let decided = 0;
/** Two gates for held notes. `begun` opens when one is written, and `released` lets it go on. */
const [begun, released] = [gateOf(), gateOf()];

/** The second stage of a note writes its effect: a payment method with its title. */
const createNote: Handler<operations, typeof routes, 'createNote'> = async ({ body, ctx }) => {
  decided += 1;
  if (body.title === 'unplaceable')
    throw conflict('sku_taken', 'Nowhere.', {
      details: [{ field: 'lines.0.ownerId', code: 'not_found', message: 'is nobody' }],
    });
  return async (db) => {
    const row = { account_id: ctx.actor.accountId, kind: 'invoice' as const, label: body.title };
    const { id } = await db.insertInto('payment_methods').values(row).returning('id').executeTakeFirstOrThrow();
    if (body.title === 'held') {
      begun.open();
      await released.passed();
    }
    if (body.title === 'taken') throw conflict('sku_taken', 'Taken.');
    if (body.title === 'broken') throw new Error('broken');
    const note = { id: ID, title: body.title, received: { z: id, a: 1 } };
    return { status: 201, body: note, headers: { Location: `/notes/${id}`, ETag: `"${id}"` } };
  };
};

const post = (key: string | undefined, title = 'A', token = 'customer') => {
  const sending = api.post('/notes').set('Authorization', `Bearer ${token}`);
  return (key === undefined ? sending : sending.set('Idempotency-Key', key)).send({ title, size: 1, repeats: 0 });
};
const copy = (id: string) =>
  api.post(`/notes/${id}/copy`).set('Authorization', 'Bearer customer').set('Idempotency-Key', 'k');
const effects = async () => (await database.db.selectFrom('payment_methods').select('label').execute()).length;
const errorBody = (code: string) => ({
  error: { code, reason: expect.any(String), message: expect.any(String), details: expect.any(Array) },
});

beforeAll(async () => {
  const account = { name: 'A', phone: '+5511999990000', password_hash: '-' };
  await database.db
    .insertInto('accounts')
    .values([
      { id: customer.accountId, email: 'c@example.com', role: 'customer', ...account },
      { id: operator.accountId, email: 'o@example.com', role: 'operator', ...account },
    ])
    .execute();
  api = request(notesApp({ db: database.db, handlers: { createNote } }).app);
});
beforeEach(async () => {
  decided = 0;
  await database.db.deleteFrom('payment_methods').execute();
  await database.db.deleteFrom('idempotency_keys').execute();
});

test('without a key each request has its effect, in a transaction', async () => {
  expect((await post(undefined)).status).toBe(201);
  expect((await post(undefined)).headers['idempotent-replayed']).toBeUndefined();
  expect((await post(undefined, 'taken')).status).toBe(409);
  expect((await post(undefined, 'broken')).status).toBe(500);
  expect(await effects()).toBe(2);
});

test('the same key gets the same answer, byte for byte', async () => {
  const first = await post('k');
  const second = await post('k');
  expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
  expect([second.status, second.text, second.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
  for (const name of ['location', 'etag', 'content-type']) expect(second.headers[name]).toBe(first.headers[name]);
  expect([await effects(), decided]).toEqual([1, 1]);
});

test('while a request is running, another with its key is refused and has no effect', async () => {
  const first = post('held', 'held').then((answer) => answer);
  await begun.passed();
  const second = await post('held', 'held');
  released.open();
  expect([second.status, second.body]).toEqual([409, errorBody('CONFLICT')]);
  expect([(await first).status, await effects()]).toEqual([201, 1]);
});

test('fifty requests at once have one effect; the others replay it or are told to wait', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => post('race')));
  const fresh = answers.filter((answer) => answer.status === 201 && !answer.headers['idempotent-replayed']);
  const replayed = answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true');
  const busy = answers.filter((answer) => answer.body.error?.code === 'CONFLICT');
  expect([fresh.length, fresh.length + replayed.length + busy.length]).toEqual([1, 50]);
  expect(new Set([...fresh, ...replayed].map((answer) => answer.text)).size).toBe(1);
  expect(await effects()).toBe(1);
});

test('the same key with another body is 422; the order of fields does not matter', async () => {
  await post('k');
  const { status, body } = await post('k', 'B');
  expect([status, body]).toEqual([422, errorBody('IDEMPOTENCY_KEY_REUSED')]);
  const turned = api.post('/notes').set('Authorization', 'Bearer customer').set('Idempotency-Key', 'k');
  expect((await turned.send({ repeats: 0, size: 1, title: 'A' })).headers['idempotent-replayed']).toBe('true');
});

test('the same key with another parameter is another request', async () => {
  expect((await copy(ID)).status).toBe(201);
  expect((await copy(ID.replace(/.$/, '1'))).status).toBe(422);
});

test('the same key of another account or another operation is independent', async () => {
  const answers = [await post('k'), await post('k', 'A', 'operator')];
  expect(answers.map((answer) => answer.headers['idempotent-replayed'])).toEqual([undefined, undefined]);
  expect([(await copy(ID)).status, await effects()]).toEqual([201, 2]);
});

test('a refusal is stored and its writes are undone', async () => {
  const first = await post('k', 'taken');
  const second = await post('k', 'taken');
  expect([first.status, second.status, second.text]).toEqual([409, 409, first.text]);
  expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
  expect([await effects(), decided]).toEqual([0, 1]);
});

test('a refusal of the first stage is stored, too, with the names of the contract', async () => {
  const first = await post('k', 'unplaceable');
  const second = await post('k', 'unplaceable');
  expect(first.body.error.details).toEqual([{ field: 'lines.0.owner_id', code: 'not_found', message: 'is nobody' }]);
  expect([second.text, second.headers['idempotent-replayed'], decided]).toEqual([first.text, 'true', 1]);
});

test('a failure is not stored', async () => {
  expect((await post('k', 'broken')).status).toBe(500);
  expect((await post('k', 'broken')).status).toBe(500);
  expect([await effects(), decided]).toEqual([0, 2]);
  expect((await post('k')).status).toBe(201);
});

test('a request that the contract refuses does not use its key', async () => {
  expect((await post('k', '')).status).toBe(400);
  expect((await post('k')).status).toBe(201);
});

test.each(['', ' ', 'a b', 'a'.repeat(256)])('the key %j is refused', async (key) => {
  const answer = await post(key);
  expect([answer.status, answer.body.error?.details[0]?.field]).toEqual([400, 'Idempotency-Key']);
  expect(await effects()).toBe(0);
});

test('an answer is valid for a day, and removed within the next', async () => {
  await post('k');
  await sql`update idempotency_keys set created_at = now() - interval '25 hours'`.execute(database.db);
  expect((await post('k', 'B')).headers['idempotent-replayed']).toBeUndefined();
  expect((await post('k', 'B')).headers['idempotent-replayed']).toBe('true');
  await post('old');
  const aged = sql`update idempotency_keys set created_at = now() - interval '49 hours' where key = 'old'`;
  await aged.execute(database.db);
  await sweepIdempotencyKeys(database.db);
  expect((await sql`select distinct key from idempotency_keys`.execute(database.db)).rows).toEqual([{ key: 'k' }]);
});

test('the answer is stored in the open transaction, and is undone with it', async () => {
  const scope: Scope = {
    ...{ accountId: customer.accountId, operation: 'createNote', key: 'k' },
    ...{ interfaceName: 'rest', fingerprint: fingerprintOf({}), keys },
  };
  const undone = database.db.transaction().execute(async (trx) => {
    await once(trx, scope, async () => async () => ({ a: 1 }));
    throw conflict('sku_taken', 'undo');
  });
  await expect(undone).rejects.toThrow('undo');
  const second = await once(database.db, scope, async () => async () => ({ a: 2 }));
  expect(second).toEqual({ answer: { a: 2 }, headers: {} });
});
