import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { at, bodyOf } from '../operator/fixtures.js';
import { Visitor } from '../pages/visitor.js';
import { endpointBody } from '../support/bodies.js';
import { clientsFor } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { newRecords, recordSettings } from '../support/records.js';
import { ownService } from '../support/services.js';

/** An account tests, replays and enables its own endpoints. Each has a budget per hour. */

const service = await ownService({ ...recordSettings, TRUST_PROXY: '1' });
const { operator } = service.operator;

async function account() {
  const records = await newRecords(service);
  const { rest } = clientsFor(service.url, records.token);
  const own = at(records.endpointId);
  return {
    ...{ records, rest, own },
    test: () => rest.POST('/api/v1/webhook-endpoints/{id}/test', own),
    replay: (body: { dead_letters: true } | { from: string; to: string }) =>
      rest.POST('/api/v1/webhook-endpoints/{id}/replay', { ...own, body }),
    enable: (body: { catch_up?: boolean } = {}) => rest.POST('/api/v1/webhook-endpoints/{id}/enable', { ...own, body }),
  };
}
type Answered = Awaited<ReturnType<Awaited<ReturnType<typeof account>>['enable' | 'replay' | 'test']>>;

const refusal = ({ response, error }: Answered) => [
  ...[response.status, error?.error.reason],
  ...(error?.error.details.map(({ field, code }) => `${field} ${code}`) ?? []),
];
const range = (from: string, to: string) => ({ from: `2026-${from}T00:00:00Z`, to: `2026-${to}T00:00:00Z` });
const fail = (id: string, reason: 'gone' | 'failing') =>
  sql`update webhook_endpoints set disabled_at = now(), disabled_reason = ${reason} where id = ${id}`.execute(
    service.db,
  );

describe('an account', () => {
  test('tests its endpoint, and sees the result', async () => {
    const ana = await account();
    const queued = await bodyOf(ana.test());
    expect(queued).toMatchObject({ kind: 'test', state: 'waiting', endpoint_id: ana.records.endpointId });
    const path = { params: { path: { webhook_id: queued.webhook_id } } };
    expect(await bodyOf(ana.rest.GET('/api/v1/deliveries/{webhook_id}', path))).toEqual(queued);
  });

  test('can have its dead letters, or the bodies of a range, sent again', async () => {
    const ana = await account();
    expect(await bodyOf(ana.replay({ dead_letters: true }))).toMatchObject({ queued: 1 });
    expect(await bodyOf(ana.replay(range('01-01', '02-01')))).toMatchObject({ queued: 0 });
    expect(refusal(await ana.replay(range('02-01', '02-01')))).toEqual([400, 'invalid_fields', 'to contradiction']);
    expect(refusal(await ana.replay(range('01-01', '02-02')))).toEqual([400, 'invalid_fields', 'to too_late']);
  });

  test('has at most 10 000 bodies sent again at once', async () => {
    const ana = await account();
    const [one = '', ...ids] = Array.from({ length: 10_000 }, newId);
    await sql`
      insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count, body, dead_at)
      select made.id, endpoint_id, webhook_lanes.id, 'tracking', 1, '{}', now()
      from webhook_lanes, unnest(${[one, ...ids]}::uuid[]) made(id)
      where endpoint_id = ${ana.records.endpointId} and number = 0`.execute(service.db);
    expect(refusal(await ana.replay({ dead_letters: true }))).toEqual([400, 'invalid_fields', 'to too_many']);
    await sql`delete from webhook_deliveries where webhook_id = ${one}`.execute(service.db);
    expect(await bodyOf(ana.replay({ dead_letters: true }))).toMatchObject({ queued: 10_000 });
  });

  test.each(['gone', 'failing'] as const)('can enable an endpoint that was disabled as %s', async (reason) => {
    const ana = await account();
    await fail(ana.records.endpointId, reason);
    expect(refusal(await ana.test())).toEqual([409, 'endpoint_disabled']);
    const enabled = await ana.enable({ catch_up: false });
    expect(enabled.data).toMatchObject({ state: 'active', catch_up_count: 0 });
    expect(enabled.response.headers.get('etag')).toMatch(/^"\d+"$/);
    expect(await bodyOf(ana.enable())).toMatchObject({ state: 'active' });
  });

  test('cannot enable an endpoint that the operator disabled', async () => {
    const ana = await account();
    await bodyOf(operator.POST('/operator/v1/webhook-endpoints/{id}/disable', ana.own));
    expect(refusal(await ana.enable())).toEqual([409, 'endpoint_held']);
    await bodyOf(operator.POST('/operator/v1/webhook-endpoints/{id}/enable', ana.own));
    expect(await bodyOf(ana.enable())).toMatchObject({ state: 'active' });
  });

  test('cannot reach an endpoint of another account, and its read-only keys cannot change any', async () => {
    const [ana, rui] = [await account(), await account()];
    const foreign = await ana.rest.POST('/api/v1/webhook-endpoints/{id}/test', rui.own);
    expect(refusal(foreign)).toEqual([404, 'record_not_found']);
    const reading = clientsFor(service.url, ana.records.readToken).rest;
    expect(refusal(await reading.POST('/api/v1/webhook-endpoints/{id}/test', ana.own))).toEqual([
      403,
      'scope_not_allowed',
    ]);
  });
});

describe('the budget of an hour', () => {
  test('counts 20 tests, 10 replays and 10 enablings of each endpoint, and no refused request', async () => {
    const ana = await account();
    const times = async (count: number, work: () => Promise<Answered>) =>
      (await Promise.all(Array.from({ length: count }, work))).map(({ response }) => response.status).sort();
    const all = (status: number, count: number) => Array.from({ length: count }, () => status);
    await fail(ana.records.endpointId, 'failing');
    expect(await times(3, ana.test)).toEqual(all(409, 3));
    expect(await times(12, ana.enable)).toEqual([...all(200, 10), 429, 429]);
    expect(await times(22, ana.test)).toEqual([...all(202, 20), 429, 429]);
    const replay = () => ana.replay({ dead_letters: true });
    expect(await times(12, replay)).toEqual([...all(202, 10), 429, 429]);
    const late = await ana.test();
    expect(refusal(late)).toEqual([429, 'webhook_budget']);
    const wait = Number(late.response.headers.get('retry-after'));
    expect([wait > 3_500, wait <= 3_600]).toEqual([true, true]);
    await sql`
      update endpoint_budgets set window_started_at = now() - interval '1 hour'
      where endpoint_id = ${ana.records.endpointId}`.execute(service.db);
    expect((await ana.test()).response.status).toBe(202);
    await bodyOf(operator.POST('/operator/v1/webhook-endpoints/{id}/test', ana.own));
  });
});

test('the page of an endpoint tests it, sends its dead letters again, and enables it', async () => {
  const customer = await service.customer();
  const visit = new Visitor(service.url, { 'X-Forwarded-For': '10.9.7.1' });
  await visit.signIn({ email: customer.email, password: PASSWORD });
  const made = await bodyOf(operator.POST('/operator/v1/webhook-endpoints', { body: endpointBody(customer.id) }));
  const { id } = made.endpoint;
  const path = `/envios/webhook-endpoints/${id}`;
  await visit.get(path);
  await visit.submit(`${path}/test`);
  expect(visit.page.path).toMatch(/^\/envios\/deliveries\//);
  const webhook_id = visit.page.path.split('/').at(-1) ?? '';
  const letter = {
    webhook_id: newId(),
    endpoint_id: id,
    kind: 'tracking',
    package_count: 1,
    dead_at: new Date(),
  } as const;
  const { lane_id } = await service.db
    .selectFrom('webhook_deliveries')
    .select('lane_id')
    .where('webhook_id', '=', webhook_id)
    .executeTakeFirstOrThrow();
  const body = Buffer.from('{}');
  await service.db
    .insertInto('webhook_deliveries')
    .values({ ...letter, lane_id, body, retain_from: new Date() })
    .execute();
  await visit.get(path);
  await visit.submit(`${path}/replay`);
  expect(visit.page.path).toBe(`${path}?done=sent`);
  await fail(id, 'gone');
  await visit.get(path);
  await visit.submit(`${path}/enable`);
  expect(visit.page.path).toBe(`${path}?done=saved`);
  await operator.POST('/operator/v1/webhook-endpoints/{id}/disable', at(id));
  const { text } = await visit.get(path);
  expect([text.includes('só ela o ativa'), text.includes(`${path}/enable`)]).toEqual([true, false]);
});
