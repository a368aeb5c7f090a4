import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { recordAudit } from '../../src/accounts/audit.js';
import { type Described, describedBy, operations } from '../contract/oracle.js';
import { bodyFor, endpointBody, type Records } from '../support/bodies.js';
import { ask } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { newRecords, pathFor } from '../support/records.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { bodyOf } from './fixtures.js';

const service = await ownService();
const { operator: api } = service.operator;
const records = await newRecords(service);

type Query = { operation?: string; actor_id?: string; key_id?: string; created_from?: string; page?: number };
const list = (query: Query) =>
  bodyOf(api.GET('/operator/v1/audit-log', { params: { query: { page_size: 100, ...query } } }));

/** The log's entries of the request that got this answer. */
const entriesOf = async ({ headers }: { headers: Headers }, query: Query = {}) =>
  (await list(query)).data.filter(({ request_id: id }) => id === headers.get('x-request-id'));

const send = (operation: Described, own: Records, token = service.proven.token) =>
  ask(service.url, operation.method, pathFor(operation, own), { token, body: bodyFor(operation, own) });

const called = (id: string): Described => {
  const operation = operations.find((each) => each.id === id);
  if (!operation) throw new Error(`there is no ${id}`);
  return operation;
};

const ofUsers = ['createUser', 'updateUser', 'deleteUser'].map(called);
/** Other tests cover these: test/operator/enrolment.test.ts and test/operator/packages.test.ts. */
const elsewhere = ['confirmSecondFactor', 'changeAddressForShipper'];
const all = describedBy('operator').filter(({ id }) => !elsewhere.includes(id));
/** Reports of couriers are kept in the history of each package, so the log leaves them out. */
const reports = ['recordMovements', 'putProofPhoto', 'putProofSignature', 'receiveCollection'];
const unlogged = [
  ...reports,
  'previewRateCard',
  'previewServiceAreas',
  'previewCalendar',
  'signIn',
  'beginSecondFactor',
];
const changes = all.filter(({ id, method }) => method !== 'GET' && !unlogged.includes(id));
const others = all.filter((each) => !changes.includes(each));

describe.each([...changes, ...ofUsers].map((each) => [each.id, each] as const))('%s', (id, operation) => {
  test('is in the log with actor, change, record, time and request', async () => {
    const own = await newRecords(service, operation);
    const answer = await send(operation, own);
    expect([200, 201, 202, 204]).toContain(answer.status);
    const [entry, ...more] = await entriesOf(answer, { operation: id });
    const location = answer.headers.get('location');
    expect(entry).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      operation: id,
      by_operator: true,
      ...(entry?.user_id && { user_id: entry.user_id }),
      actor_id: service.operator.id,
      targets: expect.any(Object),
      ...(location !== null && { location }),
      fields: Object.keys(bodyFor(operation, own) ?? {}),
      status: answer.status,
      request_id: answer.headers.get('x-request-id'),
    });
    const path = Object.entries(entry?.targets ?? {}).reduce(
      (rest, [name, value]) => rest.replace(`{${name}}`, value),
      operation.path,
    );
    expect([path, more]).toEqual([pathFor(operation, own), []]);
  });
});

test.each(others.map((each) => [each.id, each] as const))('%s is not in the log', async (id, operation) => {
  const answer = await send(operation, records);
  expect([answer.status, await entriesOf(answer)]).toEqual([id.startsWith('put') ? 204 : 200, []]);
});

describe('the log', () => {
  const confirm = (token: string, id: string, headers = {}) =>
    ask(service.url, 'POST', `/operator/v1/users/${id}/phone-confirmation`, { token, headers });

  test('names the ids that a body names, and none of its other values', async () => {
    const secret = randomUUID();
    const { id } = await service.customer();
    const body = { ...endpointBody(id), url: 'https://127.0.0.1:8443/secret-path', password: secret };
    await bodyOf(api.POST('/operator/v1/webhook-endpoints', { body }));
    const log = await service.db.selectFrom('audit_log').selectAll().execute();
    expect(log.map(({ targets }) => targets)).toContainEqual({ user_id: id });
    for (const value of [secret, 'secret-path', PASSWORD]) expect(JSON.stringify(log)).not.toContain(value);
  });

  test('names the operator key that was used', async () => {
    const body = { name: 'Backoffice', scope: 'all', current_password: operatorLogin.password } as const;
    const key = await bodyOf(api.POST('/operator/v1/operator-keys', { body }));
    const answer = await confirm(key.secret, records.userId);
    const { data } = await list({ key_id: key.operator_key.id });
    expect(data).toEqual(await entriesOf(answer));
    expect(data).toMatchObject([{ actor_id: service.operator.id, key_id: key.operator_key.id }]);
  });

  test('has one entry for a change that was sent twice with one Idempotency-Key', async () => {
    const { id } = await service.customer();
    const headers = { 'Idempotency-Key': randomUUID() };
    for (const _ of [1, 2]) expect((await confirm(service.operator.token, id, headers)).status).toBe(200);
    const { data } = await list({ operation: 'confirmPhone' });
    expect(data.filter(({ targets }) => targets['id'] === id)).toHaveLength(1);
  });

  test('has no refused change, and no change by a customer', async () => {
    expect(await entriesOf(await confirm(service.operator.token, randomUUID()))).toEqual([]);
    expect(await entriesOf(await confirm(records.token, records.userId))).toEqual([]);
    const { id, token, email } = await service.customer();
    const body = { email, name: 'Ana Lima', phone: '+55 11 91234-5678' };
    const own = await ask(service.url, 'PUT', `/api/v1/users/${id}`, { token, body });
    expect([own.status, await entriesOf(own)]).toEqual([200, []]);
  });

  test('is filtered by actor, operation and time, and paged, newest first', async () => {
    const { id } = await service.customer();
    const { created_at: before = '' } = (await list({})).data[0] ?? {};
    await new Promise((resolve) => setTimeout(resolve, 5));
    await confirm(service.operator.token, id);
    await ask(service.url, 'POST', `/operator/v1/users/${id}/api-key-rotation`, { token: service.operator.token });
    const since = new Date(Date.parse(before) + 1).toISOString();
    const operationsOf = async (query: object) =>
      (await list({ created_from: since, ...query })).data.map(({ operation }) => operation);
    expect(await operationsOf({})).toEqual(['rotateApiKey', 'confirmPhone']);
    expect(await operationsOf({ operation: 'confirmPhone' })).toEqual(['confirmPhone']);
    expect(await operationsOf({ actor_id: service.operator.id })).toHaveLength(2);
    expect(await operationsOf({ actor_id: randomUUID() })).toEqual([]);
    expect(await operationsOf({ created_to: since })).toEqual([]);
    expect(await operationsOf({ page_size: 1, page: 2 })).toEqual(['confirmPhone']);
  });

  test('refuses to have its entries changed or removed', async () => {
    const updates = [`update audit_log set operation = 'nothing'`, 'update audit_log set actor_id = null where false'];
    for (const attempt of [...updates, 'delete from audit_log', 'truncate audit_log'])
      await expect(sql.raw(attempt).execute(service.db)).rejects.toThrow('append-only');
  });

  test('has an entry without an actor for a command that was run on the machine', async () => {
    await recordAudit(service.db, { operation: 'resetPassword', targets: { id: records.userId }, fields: [] });
    const { data } = await list({ operation: 'resetPassword' });
    expect(data).toMatchObject([{ targets: { id: records.userId }, fields: [] }]);
    expect(Object.keys(data[0] ?? {})).not.toContain('actor_id');
  });
});

test.each(['', randomUUID()])('a change that cannot be logged is not made (Idempotency-Key "%s")', async (key) => {
  const own = await newRecords(service);
  const { token } = service.operator;
  const headers = key ? { 'Idempotency-Key': key } : {};
  const endpoint = `/operator/v1/webhook-endpoints/${own.endpointId}`;
  await sql`alter table audit_log rename to hidden_log`.execute(service.db);
  const rotation = `/operator/v1/users/${own.userId}/api-key-rotation`;
  const rotate = await ask(service.url, 'POST', rotation, { token, headers });
  const remove = await ask(service.url, 'DELETE', endpoint, { token });
  const erase = await ask(service.url, 'DELETE', `/api/v1/users/${own.userId}`, { token });
  await sql`alter table hidden_log rename to audit_log`.execute(service.db);
  expect([rotate, remove, erase].map(({ status }) => status)).toEqual([500, 500, 500]);
  const account = service.db.selectFrom('accounts').select(['api_key_version', 'deleted_at']);
  expect(await account.where('id', '=', own.userId).execute()).toEqual([{ api_key_version: 1, deleted_at: null }]);
  expect((await ask(service.url, 'GET', endpoint, { token })).status).toBe(200);
});
