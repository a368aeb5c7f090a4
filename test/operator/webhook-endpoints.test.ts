import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { endpointBody } from '../support/bodies.js';
import { ownService } from '../support/services.js';
import { at, bodyOf, movement, newPackage, refusalOf, resultsOf } from './fixtures.js';

const { password: PASSWORD } = endpointBody('');

const service = await ownService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_PORTS: '443,8443' });
const { operator } = service;
const { operator: api } = operator;

const newAddress = () => endpointBody('').url;

const post = (userId: string, other: object = {}, headers = {}) => {
  const body = { ...endpointBody(userId), ...other };
  return api.POST('/operator/v1/webhook-endpoints', { body, headers });
};
const register = async (userId: string, other: object = {}) => bodyOf(post(userId, other));
const find = (id: string) => api.GET('/operator/v1/webhook-endpoints/{id}', at(id));

describe('registration', () => {
  test('shows the signing secret only once, and never the password', async () => {
    const { id: user_id } = await service.customer();
    const { data, response } = await post(user_id, { lanes: 4 });
    expect(response.status).toBe(201);
    expect(data?.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(data?.endpoint).toMatchObject({ user_id, username: 'malote', state: 'active', lanes: 4, pending_count: 0 });
    expect(data?.endpoint.public_key).toMatch(/^whpk_/);
    const id = data?.endpoint.id ?? '';
    expect(response.headers.get('location')).toBe(`/operator/v1/webhook-endpoints/${id}`);
    expect(response.headers.get('etag')).toBe('"1"');
    const answers = JSON.stringify([(await find(id)).data, await bodyOf(api.GET('/operator/v1/webhook-endpoints'))]);
    expect(answers).not.toContain('whsec_');
    expect(answers + JSON.stringify(data)).not.toContain(PASSWORD);
  });

  test('is 409 at an address that the user already has; another user may have the same address', async () => {
    const [one, other] = [await service.customer(), await service.customer()];
    const url = newAddress();
    await register(one.id, { url });
    expect(await refusalOf(post(one.id, { url }))).toEqual([409, 'CONFLICT', 'url']);
    expect((await post(other.id, { url })).response.status).toBe(201);
  });

  test.each([
    ['a private network', { url: 'https://10.0.0.1/' }, 'url'],
    ['another port', { url: 'https://127.0.0.1:9999/' }, 'url'],
    ['a user that there is not', { user_id: randomUUID() }, 'user_id'],
  ])('refuses %s', async (_what, wrong, field) => {
    const { id } = await service.customer();
    const [status, code, ...fields] = await refusalOf(post(id, wrong));
    expect([status, code, new Set(fields)]).toEqual([400, 'VALIDATION_ERROR', new Set([field])]);
    const list = await bodyOf(api.GET('/operator/v1/webhook-endpoints', { params: { query: { user_id: id } } }));
    expect(list.data).toEqual([]);
  });
});

test('the list is filtered by user and state, newest first', async () => {
  const { id: user_id } = await service.customer();
  const [{ endpoint: first }, { endpoint: second }] = [await register(user_id), await register(user_id)];
  await api.POST('/operator/v1/webhook-endpoints/{id}/disable', at(first.id));
  const idsOf = async (query: { state?: 'active' | 'disabled' } = {}) => {
    const params = { query: { user_id, ...query } };
    return (await bodyOf(api.GET('/operator/v1/webhook-endpoints', { params }))).data.map(({ id }) => id);
  };
  expect(await idsOf()).toEqual([second.id, first.id]);
  expect(await idsOf({ state: 'active' })).toEqual([second.id]);
  expect(await idsOf({ state: 'disabled' })).toEqual([first.id]);
});

describe('an update', () => {
  const put = (id: string, body: { url: string; username: string; lanes?: number }, headers = {}) =>
    api.PUT('/operator/v1/webhook-endpoints/{id}', { ...at(id), body, headers });

  test('replaces address and user name, and keeps the number of lanes', async () => {
    const { endpoint } = await register((await service.customer()).id, { lanes: 3 });
    const body = { url: newAddress(), username: 'other' };
    const { data, response } = await put(endpoint.id, body, { 'If-Match': '"1"' });
    expect(data).toMatchObject({ ...body, lanes: 3 });
    expect(response.headers.get('etag')).toBe('"2"');
    expect((await find(endpoint.id)).data).toEqual(data);
  });

  test('refuses what registration refuses', async () => {
    const { id } = await service.customer();
    const [one, other] = [await register(id), await register(id)];
    const settings = { url: other.endpoint.url, username: 'malote' };
    expect(await refusalOf(put(one.endpoint.id, settings))).toEqual([409, 'CONFLICT', 'url']);
    const inner = { url: 'https://192.168.0.1/', username: 'a:b' };
    const [status, , ...fields] = await refusalOf(put(one.endpoint.id, inner));
    expect([status, fields]).toEqual([400, expect.arrayContaining(['username'])]);
  });
});

describe('the state', () => {
  test('goes from active to disabled and back; setting the same state again changes nothing', async () => {
    const { endpoint } = await register((await service.customer()).id);
    const disable = () => api.POST('/operator/v1/webhook-endpoints/{id}/disable', at(endpoint.id));
    const enable = () => api.POST('/operator/v1/webhook-endpoints/{id}/enable', at(endpoint.id));
    const etag = async () => (await find(endpoint.id)).response.headers.get('etag');
    const disabled = await bodyOf(disable());
    expect(disabled).toMatchObject({ state: 'disabled', disabled_reason: 'operator' });
    expect([await bodyOf(disable()), await etag()]).toEqual([disabled, '"2"']);
    const enabled = await bodyOf(enable());
    expect(enabled.state).toBe('active');
    expect(enabled).not.toHaveProperty('disabled_reason');
    expect([await bodyOf(enable()), await etag()]).toEqual([enabled, '"3"']);
  });

  test('includes the number of waiting bodies', async () => {
    const customer = await service.customer();
    const { endpoint } = await register(customer.id);
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key));
    expect((await find(endpoint.id)).data?.pending_count).toBe(2);
  });
});

describe('secret rotation', () => {
  test('shows the new secret only once', async () => {
    const { endpoint, signing_secret } = await register((await service.customer()).id);
    const rotated = await bodyOf(api.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', at(endpoint.id)));
    expect(rotated.signing_secret).toMatch(/^whsec_/);
    expect(rotated.signing_secret).not.toBe(signing_secret);
    expect(Date.parse(rotated.previous_valid_until)).toBeGreaterThan(Date.now());
  });

  test('leaves no secret readable in the database', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const { endpoint, signing_secret } = await bodyOf(post((await service.customer()).id, {}, headers));
    const rotation = api.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', { ...at(endpoint.id), headers });
    const { signing_secret: rotated } = await bodyOf(rotation);
    const storedAnswers = await service.db.selectFrom('idempotency_keys').selectAll().execute();
    const endpoints = await service.db.selectFrom('webhook_endpoints').selectAll().execute();
    const rows = JSON.stringify([storedAnswers, endpoints]);
    const sealed = [signing_secret, rotated, PASSWORD].map((secret) => rows.includes(secret.replace('whsec_', '')));
    expect(sealed).toEqual([false, false, false]);
  });
});

test('a deleted endpoint is 404, and its address can be registered again', async () => {
  const { id: user_id } = await service.customer();
  const { endpoint } = await register(user_id);
  const remove = (headers = {}) => api.DELETE('/operator/v1/webhook-endpoints/{id}', { ...at(endpoint.id), headers });
  expect(await refusalOf(remove({ 'If-Match': '"2"' }))).toEqual([412, 'PRECONDITION_FAILED']);
  expect((await remove({ 'If-Match': '"1"' })).response.status).toBe(204);
  for (const absent of [remove(), find(endpoint.id)]) expect(await refusalOf(absent)).toEqual([404, 'NOT_FOUND']);
  expect((await post(user_id, { url: endpoint.url })).response.status).toBe(201);
});
