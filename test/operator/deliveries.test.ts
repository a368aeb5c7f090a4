import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/base/ids.js';
import { endpointBody } from '../support/bodies.js';
import { sharedService } from '../support/services.js';
import { at, bodyOf, refusalOf } from './fixtures.js';

const service = await sharedService();
const { operator } = service;
const { operator: api } = operator;
let endpoint: string;

beforeEach(async () => {
  const body = endpointBody((await service.customer()).id);
  endpoint = (await bodyOf(api.POST('/operator/v1/webhook-endpoints', { body }))).endpoint.id;
});

const lane = () =>
  service.db
    .selectFrom('webhook_lanes')
    .select(['id', 'attempt', 'state', 'due_at'])
    .where('endpoint_id', '=', endpoint)
    .where('number', '=', 0)
    .executeTakeFirstOrThrow();

const delivery = (webhook_id: string) => ({ params: { path: { webhook_id } } });

const SAID = 'said the receiver';

const unanswered = { outcome: 'no_answer', status_code: null, error: 'No answer within 15 s.' } as const;

/** Stores a body as a worker leaves it: delivered or dead, with one attempt. */
async function leaveBehind(state: 'delivered' | 'dead', more: Partial<typeof unanswered> = {}): Promise<string> {
  const webhook_id = newId();
  const { id: lane_id } = await lane();
  const dead_at = state === 'dead' ? new Date() : undefined;
  const sent = { webhook_id, endpoint_id: endpoint, lane_id, body: Buffer.from('{"packages":[]}') };
  const delivered = { ...sent, kind: 'tracking', package_count: 1, dead_at } as const;
  await service.db.insertInto('webhook_deliveries').values(delivered).execute();
  const [outcome, status_code] = state === 'dead' ? (['refused', 503] as const) : (['acknowledged', 200] as const);
  const attempt = { webhook_id, endpoint_id: endpoint, number: 1, replay: false, lease_lost: false, error: null };
  const answer = { attempted_at: new Date(), duration_ms: 25, outcome, status_code, response_body: SAID, ...more };
  await service.db.insertInto('webhook_attempts').values(Object.assign(attempt, answer)).execute();
  return webhook_id;
}

describe('a test', () => {
  test('is queued, and can be looked up', async () => {
    const { data, response } = await api.POST('/operator/v1/webhook-endpoints/{id}/test', at(endpoint));
    expect(response.status).toBe(202);
    const waiting = { kind: 'test', state: 'waiting', package_count: 1, attempts: [] };
    expect(data).toMatchObject({ endpoint_id: endpoint, ...waiting });
    const read = api.GET('/operator/v1/deliveries/{webhook_id}', delivery(data?.webhook_id ?? ''));
    expect(await bodyOf(read)).toEqual(data);
  });

  test('is 409 when the endpoint is disabled', async () => {
    await api.POST('/operator/v1/webhook-endpoints/{id}/disable', at(endpoint));
    const call = api.POST('/operator/v1/webhook-endpoints/{id}/test', at(endpoint));
    expect(await refusalOf(call)).toEqual([409, 'CONFLICT']);
  });
});

test('attempts and dead letters are listed, newest first', async () => {
  const [first, second] = [await leaveBehind('delivered'), await leaveBehind('dead')];
  const attempts = await bodyOf(api.GET('/operator/v1/webhook-endpoints/{id}/attempts', at(endpoint)));
  expect(attempts.data.map((attempt) => attempt.webhook_id)).toEqual([second, first]);
  expect(attempts.data[0]).toMatchObject({ number: 1, outcome: 'refused', status_code: 503, response_body: SAID });
  const letters = await bodyOf(api.GET('/operator/v1/webhook-endpoints/{id}/dead-letters', at(endpoint)));
  expect(letters.data).toMatchObject([{ webhook_id: second, state: 'dead_letter', attempt_count: 1 }]);
  const params = { path: { id: endpoint }, query: { page: 2, page_size: 1 } };
  const page = await bodyOf(api.GET('/operator/v1/webhook-endpoints/{id}/attempts', { params }));
  expect(page.data.map((attempt) => attempt.webhook_id)).toEqual([first]);
});

describe('GET /operator/v1/deliveries/{webhook_id}', () => {
  test('answers the body with its state and its attempts', async () => {
    const webhook_id = await leaveBehind('delivered');
    const stored = await bodyOf(api.GET('/operator/v1/deliveries/{webhook_id}', delivery(webhook_id)));
    expect(stored).toMatchObject({ webhook_id, state: 'delivered', body: '{"packages":[]}', attempt_count: 1 });
    expect(stored.attempts).toHaveLength(1);
  });

  test.each([randomUUID(), 'msg_unknown'])('answers 404 for %s', async (id) => {
    const read = api.GET('/operator/v1/deliveries/{webhook_id}', delivery(id));
    const replayed = api.POST('/operator/v1/deliveries/{webhook_id}/replay', delivery(id));
    for (const call of [read, replayed]) expect(await refusalOf(call)).toEqual([404, 'NOT_FOUND']);
  });
});

describe('a replay', () => {
  const replay = (body: { from: string; to: string } | { dead_letters: true }) =>
    api.POST('/operator/v1/webhook-endpoints/{id}/replay', { ...at(endpoint), body });

  test('of one body queues it; a second replay is 409 while it waits', async () => {
    const webhook_id = await leaveBehind('delivered');
    const again = () => api.POST('/operator/v1/deliveries/{webhook_id}/replay', delivery(webhook_id));
    const { data, response } = await again();
    expect([response.status, data?.state]).toEqual([202, 'waiting']);
    expect(await refusalOf(again())).toEqual([409, 'CONFLICT']);
  });

  test('for all dead letters queues no delivered body', async () => {
    await leaveBehind('delivered');
    await leaveBehind('dead');
    const { data, response } = await replay({ dead_letters: true });
    expect([response.status, data]).toEqual([202, { queued: 1 }]);
  });

  test('by a range queues the bodies created in it', async () => {
    await leaveBehind('delivered');
    await leaveBehind('dead');
    const [from, to] = [new Date(Date.now() - 60_000).toISOString(), new Date(Date.now() + 60_000).toISOString()];
    expect(await bodyOf(replay({ from: '2026-01-01T00:00:00Z', to: from }))).toEqual({ queued: 0 });
    expect(await bodyOf(replay({ from, to }))).toEqual({ queued: 2 });
  });

  test('is 409 when the endpoint is disabled', async () => {
    await api.POST('/operator/v1/webhook-endpoints/{id}/disable', at(endpoint));
    expect(await refusalOf(replay({ dead_letters: true }))).toEqual([409, 'CONFLICT']);
  });

  const halves = ['{"from": "2026-01-01T00:00:00Z"}', '{"dead_letters": false}', '{"from": "x", "to": "y"}'];
  test.each(['{}', ...halves])('refuses %s', async (text) => {
    expect(await refusalOf(replay(JSON.parse(text)))).toEqual(expect.arrayContaining([400, 'VALIDATION_ERROR']));
  });

  test('refuses a range that ends before it begins', async () => {
    const range = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    expect(await refusalOf(replay(range))).toEqual([400, 'VALIDATION_ERROR', 'to']);
  });
});

describe('POST /operator/v1/send-now', () => {
  type Wanted = { endpoint_id: string } | { user_id: string } | { all: true };
  const sendNow = (body: Wanted) => api.POST('/operator/v1/send-now', { body });

  /** The endpoint's lane as a worker leaves it after a third attempt that failed. */
  async function fail(answer: Partial<typeof unanswered> = {}): Promise<Date> {
    const { id } = await lane();
    const due_at = new Date(Date.now() + 1_800_000);
    const waiting = service.db.updateTable('webhook_lanes').set({ state: 'waiting', attempt: 3, due_at });
    await waiting.where('id', '=', id).execute();
    await leaveBehind('dead', answer);
    const failing = service.db.updateTable('webhook_endpoints').set({ failing_since: new Date() });
    await failing.where('id', '=', endpoint).execute();
    return due_at;
  }

  test('makes waiting bodies of an endpoint, a user or all due now, and keeps the count of attempts', async () => {
    const { user_id } = await bodyOf(api.GET('/operator/v1/webhook-endpoints/{id}', at(endpoint)));
    for (const selection of [{ endpoint_id: endpoint }, { user_id }, { all: true as const }]) {
      const before = await fail();
      const { data, response } = await sendNow(selection);
      expect([response.status, data]).toEqual([202, { bodies: 1, notifications: 0, more: false }]);
      const { due_at, ...after } = await lane();
      expect(after).toMatchObject({ state: 'waiting', attempt: 3 });
      expect(due_at.getTime()).toBeLessThan(before.getTime() - 1_700_000);
    }
    expect(await bodyOf(sendNow({ endpoint_id: endpoint }))).toEqual({ bodies: 0, notifications: 0, more: false });
  });

  test('leaves disabled endpoints alone, and refuses an unknown one', async () => {
    await fail();
    await api.POST('/operator/v1/webhook-endpoints/{id}/disable', at(endpoint));
    expect(await bodyOf(sendNow({ all: true }))).toMatchObject({ bodies: 0 });
    expect(await refusalOf(sendNow({ endpoint_id: endpoint }))).toEqual([409, 'CONFLICT']);
    expect(await refusalOf(sendNow({ endpoint_id: randomUUID() }))).toEqual([400, 'VALIDATION_ERROR', 'endpoint_id']);
    expect(await refusalOf(sendNow({ user_id: randomUUID() }))).toEqual([400, 'VALIDATION_ERROR', 'user_id']);
  });

  const two = '{"all":true,"user_id":"01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10"}';
  test.each(['{}', '{"all":false}', two])('refuses %s', async (text) => {
    expect(await refusalOf(sendNow(JSON.parse(text)))).toEqual(expect.arrayContaining([400, 'VALIDATION_ERROR']));
  });

  test('a failing endpoint shows its failure, by itself and in the list', async () => {
    await fail();
    const last_failure = { attempted_at: expect.any(String), outcome: 'refused', status_code: 503 };
    const alone = await bodyOf(api.GET('/operator/v1/webhook-endpoints/{id}', at(endpoint)));
    expect(alone.last_failure).toEqual(last_failure);
    const list = await bodyOf(api.GET('/operator/v1/webhook-endpoints'));
    expect(list.data.find(({ id }) => id === endpoint)?.last_failure).toEqual(last_failure);
  });

  test('an endpoint that does not answer shows this, and so does its attempt', async () => {
    await fail(unanswered);
    const { outcome, error } = unanswered;
    const last = { attempted_at: expect.any(String), outcome, error };
    expect((await bodyOf(api.GET('/operator/v1/webhook-endpoints/{id}', at(endpoint)))).last_failure).toEqual(last);
    const attempts = await bodyOf(api.GET('/operator/v1/webhook-endpoints/{id}/attempts', at(endpoint)));
    expect(attempts.data[0]).toMatchObject(last);
  });
});
