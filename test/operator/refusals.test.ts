import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import document from '../../generated/operator.openapi.json' with { type: 'json' };
import { routes } from '../../generated/operator.routes.js';
import { blobOf, jpeg } from '../support/pictures.js';
import { startService } from '../support/service.js';
import { ownService } from '../support/services.js';

/** Refusals that all operations share, enumerated from the contract. */

interface Probe {
  id: string;
  method: string;
  path: string;
  /** The contract's example. */
  body: string | undefined;
  /** Bodies that it takes and that are not JSON. */
  picture: Blob | undefined;
  /** Answers without a body, which is no JSON to accept. */
  isMute: boolean;
  maxBody: number;
}

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const at = (node: unknown, ...steps: string[]): unknown =>
  steps.reduce<unknown>((inner, step) => (isNode(inner) ? inner[step] : undefined), node);

const resolved = (node: unknown): unknown => {
  const ref = at(node, '$ref');
  return typeof ref === 'string' ? resolved(at(document, ...ref.slice(2).split('/'))) : node;
};

/** The contract's example of a request body, as JSON. */
function bodyOf(path: string, method: string): string | undefined {
  const examples = at(document, 'paths', path, method, 'requestBody', 'content', 'application/json', 'examples');
  const [example] = isNode(examples) ? Object.values(examples) : [];
  return example === undefined ? undefined : JSON.stringify(at(resolved(example), 'value'));
}

const filled = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    /^(code|version|payment_method_id)$/.test(name) ? '32000' : randomUUID(),
  );

const operationAt = ({ path, method }: { path: string; method: string }) => at(document, 'paths', path, method);

const guarded = Object.entries(routes).filter(([, { security }]) => security === 'bearer');
const probes: Probe[] = guarded.map(([id, route]) => ({
  id,
  method: route.method.toUpperCase(),
  path: filled(route.path),
  body: bodyOf(route.path, route.method),
  picture:
    at(operationAt(route), 'requestBody', 'content', 'application/octet-stream') === undefined
      ? undefined
      : blobOf(jpeg()),
  isMute: at(operationAt(route), 'responses', '204') !== undefined,
  maxBody: 'maxBody' in route ? route.maxBody : 1_048_576,
}));
const withBody = probes.filter(({ body }) => body !== undefined);
const posts = probes.filter(({ method, path }) => method === 'POST' && !path.includes('second-factor'));
const absent = probes.filter(
  ({ id, path }) =>
    path.split('/').length > 4 && !/(current|preview|confirmation)$/.test(path) && id !== 'recordMovements',
);

const service = await ownService();
const customer = await service.customer();

interface Change {
  token?: string | undefined;
  headers?: Record<string, string>;
  body?: string | undefined;
  query?: string;
}

/** Sends the probe, changed; answers status and error code. */
async function send(probe: Probe, change: Change = {}): Promise<[number, string | undefined]> {
  const token = 'token' in change ? change.token : service.proven.token;
  const body = 'body' in change ? change.body : (probe.body ?? probe.picture);
  const response = await fetch(`${service.url}${probe.path}${change.query ?? ''}`, {
    method: probe.method,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
      ...change.headers,
    },
    ...(body !== undefined && { body }),
  });
  const answer: unknown = response.headers.get('content-type')?.includes('json') ? await response.json() : {};
  expect(response.headers.get('x-request-id')).not.toBeNull();
  const code = at(answer, 'error', 'code');
  return [response.status, typeof code === 'string' ? code : undefined];
}

const table = (list: readonly Probe[]) => list.map((probe) => [probe.id, probe] as const);

describe.each(table(probes))('%s', (_id, probe) => {
  test('401 without a token, or with one that is not valid', async () => {
    expect(await send(probe, { token: undefined })).toEqual([401, 'UNAUTHENTICATED']);
    expect(await send(probe, { token: 'e30.e30.e30' })).toEqual([401, 'UNAUTHENTICATED']);
  });

  test('403 for a customer', async () => {
    expect(await send(probe, { token: customer.token })).toEqual([403, 'FORBIDDEN']);
  });

  test('400 for a parameter that there is not', async () => {
    expect(await send(probe, { query: '?colour=red' })).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('406 when JSON is not accepted', async () => {
    const expected = probe.isMute ? [404, 'NOT_FOUND'] : [406, 'NOT_ACCEPTABLE'];
    expect(await send(probe, { headers: { Accept: 'text/html' } })).toEqual(expected);
  });
});

describe.each(table(withBody))('the body of %s', (_id, probe) => {
  test('400 when it is absent, not JSON, or holds a field that there is not', async () => {
    expect(await send(probe, { body: undefined })).toEqual([400, 'VALIDATION_ERROR']);
    expect(await send(probe, { body: '{' })).toEqual([400, 'MALFORMED_REQUEST']);
    expect(await send(probe, { body: '{"colour": "red"}' })).toEqual([400, 'VALIDATION_ERROR']);
    expect(await send(probe, { body: '[]' })).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('413 when it is too large, 415 when it is not declared as JSON', async () => {
    const body = JSON.stringify({ filler: 'x'.repeat(probe.maxBody) });
    expect(await send(probe, { body })).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await send(probe, { headers: { 'Content-Type': 'text/plain' } })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

describe.each(table(posts))('the Idempotency-Key of %s', (_id, probe) => {
  test('400 when it is no key', async () => {
    expect(await send(probe, { headers: { 'Idempotency-Key': 'a key' } })).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('422 when it was used for another request', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    await send(probe, { headers });
    const other = { ...probe, path: probe.path.replace(/[0-9a-f-]{36}/, randomUUID()) };
    const changed = probe.path === other.path ? changedBody(probe.body) : probe.body;
    expect(await send(other, { headers, body: changed })).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });
});

/** The body with another value of its own kind in one place. */
function changedBody(body = '{}'): string {
  return body
    .replace(/"id":"[0-9a-f-]{36}"/, `"id":"${randomUUID()}"`)
    .replace('"code":19', '"code":21')
    .replace('"base":"9.90"', '"base":"9.91"')
    .replace('"username":"malote"', '"username":"other"')
    .replace('"scope":"movements"', '"scope":"read"')
    .replace('"before":"2026-01-01', '"before":"2026-01-02')
    .replace(/\{"endpoint_id":"[0-9a-f-]{36}"\}/, '{"all":true}');
}

test.each(table(absent))('404 of %s for what is absent', async (_id, probe) => {
  expect(await send(probe)).toEqual([404, 'NOT_FOUND']);
});

test('405 for a method that there is not, 404 for a path that there is not', async () => {
  const sent = { body: undefined, picture: undefined, maxBody: 0, isMute: false };
  const probe: Probe = { id: '', method: 'PATCH', path: '/operator/v1/movements', ...sent };
  expect(await send(probe)).toEqual([405, 'METHOD_NOT_ALLOWED']);
  expect(await send({ ...probe, method: 'GET', path: '/operator/v1/nothing' })).toEqual([404, 'NOT_FOUND']);
});

test('429 once the budget of the operator is used up, which is not that of the account', async () => {
  const limited = await startService({ RATE_LIMIT_OPERATOR_PER_HOUR: '2' }, { worker: false });
  try {
    const list = () => limited.operator.operator.GET('/operator/v1/packages');
    const statuses = [await list(), await list(), await list()].map(({ response }) => response.status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await list()).response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await limited.operator.rest.GET('/api/v1/users/me')).response.status).toBe(200);
  } finally {
    await limited.stop();
  }
});

test('429 for an operator key once its own budget is used up, which no other key shares', async () => {
  const limited = await startService({ RATE_LIMIT_OPERATOR_PER_HOUR: '2' }, { worker: false });
  const body = { name: 'Scanner', scope: 'read' } as const;
  const make = async () => (await limited.operator.operator.POST('/operator/v1/operator-keys', { body })).data?.secret;
  try {
    const [one, two] = [await make(), await make()];
    const statuses = [];
    for (const secret of [one, one, one, two]) {
      const headers = { Authorization: `Bearer ${secret}` };
      statuses.push((await fetch(`${limited.url}/operator/v1/packages`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200]);
  } finally {
    await limited.stop();
  }
});
