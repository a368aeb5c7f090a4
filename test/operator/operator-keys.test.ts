import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { components } from '../../generated/operator.js';
import { routes } from '../../generated/operator.routes.js';
import type { KeyScope } from '../../src/base/actor.js';
import { describedBy } from '../contract/oracle.js';
import { bodyFor } from '../support/bodies.js';
import { ask } from '../support/http.js';
import { waitFor } from '../support/receiver.js';
import { newRecords, pathFor, recordSettings } from '../support/records.js';
import { newOperator } from '../support/second-factor.js';
import { type Caller, operatorLogin, type Service } from '../support/service.js';
import { ownService, replicated } from '../support/services.js';
import { at, bodyOf, movement, newPackage, refusalOf } from './fixtures.js';

const scopes = ['movements', 'courier', 'read', 'all'] as const;

const { db, env: shared } = await replicated();
const env = { ...recordSettings, ...shared };
const service = { ...(await ownService(env)), db };
const replica = await ownService(env);
const { operator: api } = service.operator;
const records = await newRecords(service);
const secrets = new Map<KeyScope, string>();

type NewKey = Partial<components['schemas']['OperatorKeyInput']>;

const newKey = ({ scope = 'read', ...other }: NewKey = {}, by = service.operator) =>
  bodyOf(by.operator.POST('/operator/v1/operator-keys', { body: { name: 'Scanner', scope, ...other } }));

const keyOf = async (id: string) => bodyOf(api.GET('/operator/v1/operator-keys/{id}', at(id)));

const statusOf = async (token: string, { url }: Pick<Service, 'url'> = service) =>
  (await ask(url, 'GET', '/operator/v1/package-statuses', { token })).status;

const signedIn = async () => service.signIn(await newOperator(service));

beforeAll(async () => {
  const { password: current_password } = operatorLogin;
  for (const scope of scopes) secrets.set(scope, (await newKey({ scope, current_password })).secret);
});

describe('a new key', () => {
  test('shows its secret once, which no cache may store, and only its hash is kept', async () => {
    const body = { name: 'Scanner', scope: 'movements' };
    const { token } = service.operator;
    const answer = await ask(service.url, 'POST', '/operator/v1/operator-keys', { token, body });
    const { operator_key: key, secret } = JSON.parse(answer.text);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(Buffer.from(secret.slice('mok_'.length), 'base64url')).toHaveLength(32);
    expect(await keyOf(key.id)).toEqual({ ...key, created_by: service.operator.id });
    const stored = await service.db.selectFrom('operator_keys').selectAll().where('id', '=', key.id).execute();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify([stored, stored.map(({ hash }) => String(hash))])).not.toContain(secret);
  });

  test('is listed with the operator who made it', async () => {
    const other = await signedIn();
    const { operator_key: key } = await newKey({}, other);
    const params = { query: { created_by: other.id } };
    const list = await bodyOf(api.GET('/operator/v1/operator-keys', { params }));
    expect([list.data, list.pagination.total_items]).toEqual([[key], 1]);
  });

  test('is refused when its end is in the past', async () => {
    const body = { name: 'Scanner', scope: 'read', expires_at: '2026-01-01T00:00:00Z' } as const;
    const call = api.POST('/operator/v1/operator-keys', { body });
    expect(await refusalOf(call)).toEqual([400, 'VALIDATION_ERROR', 'expires_at']);
  });
});

/** The operations of each scope. This list is independent of the lists in the contract. */
function mayCall(scope: KeyScope, id: string, method: string): boolean {
  if (/createOperatorKey|signIn|SecondFactor|^(invite|update)UserMember|makeMemberPasswordLink/.test(id)) return false;
  if (scope === 'all') return true;
  if (scope === 'read') return method === 'GET';
  const looked = ['listPackages', 'getPackage', 'listPackageStatuses', 'getPackageStatus', 'getPinState'];
  const sent = ['recordMovements', 'putProofPhoto', 'putProofSignature', 'getCollection', 'receiveCollection'];
  return [...looked, ...sent, ...(scope === 'courier' ? ['listMovements'] : [])].includes(id);
}

describe.each(describedBy('operator').map((each) => [each.id, each] as const))('%s', (id, operation) => {
  test('has in the contract the scopes of operator keys that may call it', () => {
    expect(operation.node['x-scopes']).toEqual(scopes.filter((scope) => mayCall(scope, id, operation.method)));
    expect(Object.entries(routes).find(([name]) => name === id)?.[1].scopes).toEqual(operation.node['x-scopes']);
  });

  test.each(scopes)('is answered or refused as the contract says for a key of scope %s', async (scope) => {
    const isChange = operation.method !== 'GET' && mayCall(scope, id, operation.method);
    const own = isChange ? await newRecords(service, operation) : records;
    const query = id !== 'listPackages' ? '' : scope === 'courier' ? '?open=true' : '?barcode=1';
    const request = { token: secrets.get(scope), body: bodyFor(operation, own), query };
    const { status, text } = await ask(service.url, operation.method, pathFor(operation, own), request);
    if (mayCall(scope, id, operation.method)) expect([200, 201, 202, 204]).toContain(status);
    else if (operation.isPublic) expect(status).toBe(200);
    else expect([status, JSON.parse(text).error]).toEqual([403, expect.objectContaining({ code: 'FORBIDDEN' })]);
  });
});

describe.each(['movements', 'courier'] as const)('a key of scope %s', (scope) => {
  const token = () => secrets.get(scope);
  const list = (query: string) => ask(service.url, 'GET', '/operator/v1/packages', { token: token(), query });

  test('finds the package whose code it has, but lists no packages that have ended', async () => {
    const { text } = await ask(service.url, 'GET', `/operator/v1/packages/${records.loggiKey}`, { token: token() });
    const { tracking_code: code, barcode } = JSON.parse(text);
    for (const query of [`?tracking_code=${code}`, `?barcode=${barcode}`])
      expect(JSON.parse((await list(query)).text).pagination.total_items).toBe(1);
    const wide = ['', `?user_id=${records.userId}`, '?status_code=1', '?open=false', '?open=true&open=false'];
    for (const query of wide) expect([query, (await list(query)).status]).toEqual([query, 403]);
    expect((await list('?tracking_code=')).status).toBe(400);
  });

  test(`${scope === 'courier' ? 'lists' : 'does not list'} the packages under way`, async () => {
    const statuses = await Promise.all(['?open=true', '?open=true&status_code=1'].map(list));
    expect(statuses.map(({ status }) => status)).toEqual(scope === 'courier' ? [200, 200] : [403, 403]);
  });
});

/** Waits until the replica refuses the key. */
const refused = (secret: string, at: Pick<Service, 'url'> = service) =>
  waitFor(async () => (await statusOf(secret, at)) === 401, 'the end of the key');

describe('a key is refused', () => {
  test('when it was never made', async () => {
    expect(await statusOf(`mok_${'a'.repeat(43)}`)).toBe(401);
    expect(await statusOf('mok_')).toBe(401);
    expect(await statusOf(`${secrets.get('all')}a`)).toBe(401);
  });

  test('once it has expired', async () => {
    const { operator_key: key, secret } = await newKey({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await statusOf(secret)).toBe(200);
    await sql`update operator_keys set expires_at = now() where id = ${key.id}`.execute(service.db);
    await refused(secret);
  });

  test('on every replica soon after its revocation; revoking it again gives the same answer', async () => {
    const { operator_key: key, secret } = await newKey();
    expect([await statusOf(secret), await statusOf(secret, replica)]).toEqual([200, 200]);
    const revoke = () => bodyOf(api.POST('/operator/v1/operator-keys/{id}/revocation', at(key.id)));
    const revoked = await revoke();
    expect(revoked).toMatchObject({ id: key.id, revoked_at: expect.any(String) });
    await Promise.all([refused(secret), refused(secret, replica)]);
    expect(await revoke()).toEqual(revoked);
  });

  const profile = { name: 'Olga', phone: '+55 11 91234-5678' };
  const endings: Readonly<Record<string, (operator: Caller) => Promise<unknown>>> = {
    'is deleted': ({ id }) => service.operator.rest.DELETE('/api/v1/users/{id}', at(id)),
    'is no longer an operator': ({ id, email }) =>
      service.operator.rest.PUT('/api/v1/users/{id}', {
        ...at(id),
        body: { email, ...profile, role: 'customer', current_password: operatorLogin.password },
      }),
  };

  test.each(Object.entries(endings))('when the operator who made it %s', async (_what, end) => {
    const maker = await signedIn();
    const { operator_key: key, secret } = await newKey({}, maker);
    expect(await statusOf(secret, replica)).toBe(200);
    await end(maker);
    await refused(secret, replica);
    expect(await keyOf(key.id)).toMatchObject({ revoked_at: expect.any(String) });
  });
});

test('the time of the last use of a key is stored, at most once a minute', async () => {
  const { operator_key: key, secret } = await newKey();
  expect(key.last_used_at).toBeUndefined();
  await statusOf(secret);
  const first = await noted(key.id);
  await new Promise((resolve) => setTimeout(resolve, 600));
  await statusOf(secret);
  await statusOf(secret, replica);
  expect(await noted(key.id)).toEqual(first);
  await sql`update operator_keys set last_used_at = now() - interval '61 s' where id = ${key.id}`.execute(service.db);
  await new Promise((resolve) => setTimeout(resolve, 600));
  await statusOf(secret);
  expect(Date.parse(await noted(key.id, -30_000))).toBeGreaterThanOrEqual(Date.parse(first));
});

/** Waits for a stored last use that is not older than `sinceMs` from now. */
async function noted(id: string, sinceMs = -600_000): Promise<string> {
  for (;;) {
    const { last_used_at: at } = await keyOf(id);
    if (at !== undefined && Date.parse(at) > Date.now() + sinceMs) return at;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('two keys of one operator are two clients: neither gets a stored answer of the other', async () => {
  const [one, two] = [await newKey({ scope: 'movements' }), await newKey({ scope: 'movements' })];
  const packageKey = await newPackage(await service.customer());
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { movements: [movement(packageKey)] };
  const replays = [];
  for (const token of [one.secret, one.secret, two.secret, service.operator.token]) {
    const answer = await ask(service.url, 'POST', '/operator/v1/movements', { token, headers, body });
    replays.push(answer.headers.get('idempotent-replayed'));
  }
  expect(replays).toEqual([null, 'true', null, null]);
});

const limited = await ownService({ RATE_LIMIT_OPERATOR_PER_HOUR: '2' });

test('an operator and each of its keys have budgets of their own; one that is used up answers 429', async () => {
  const body = { name: 'Scanner', scope: 'read' } as const;
  const make = () => limited.operator.operator.POST('/operator/v1/operator-keys', { body });
  const [one, two, none] = [await make(), await make(), await make()];
  expect([one, two, none].map(({ response }) => response.status)).toEqual([201, 201, 429]);
  expect(none.response.headers.get('retry-after')).toMatch(/^\d+$/);
  expect((await limited.operator.rest.GET('/api/v1/users/me')).response.status).toBe(200);
  const statuses = [];
  for (const made of [one, one, one, two])
    statuses.push((await ask(limited.url, 'GET', '/operator/v1/packages', { token: made.data?.secret })).status);
  expect(statuses).toEqual([200, 200, 429, 200]);
});
