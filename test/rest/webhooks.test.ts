import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Records } from '../support/bodies.js';
import { clientsFor, must } from '../support/http.js';
import { newRecords, recordSettings } from '../support/records.js';
import { type Service, startService } from '../support/service.js';

/** What an account reads of its webhooks is what the operator sees of them. */

let service: Service;
let own: Records;
let foreign: Records;
let ana: ReturnType<typeof clientsFor>['rest'];
let operator: ReturnType<typeof clientsFor>['operator'];

beforeAll(async () => {
  service = await startService(recordSettings, { worker: false });
  [own, foreign] = [await newRecords(service), await newRecords(service)];
  ana = clientsFor(service.url, own.token).rest;
  operator = service.operator.operator;
  await service.db
    .insertInto('webhook_attempts')
    .values({
      webhook_id: own.webhookId,
      endpoint_id: own.endpointId,
      number: 1,
      replay: false,
      attempted_at: new Date(),
      duration_ms: 25,
      outcome: 'refused',
      status_code: 503,
      error: null,
      response_body: 'said the receiver',
      lease_lost: false,
    })
    .execute();
});
afterAll(() => service.stop());

const endpoint = (id: string) => ({ params: { path: { id } } });
const delivery = (webhook_id: string) => ({ params: { path: { webhook_id } } });

describe('GET /api/v1/webhook-endpoints', () => {
  test('lists the endpoints of the account without any secret', async () => {
    const { data, pagination } = must(await ana.GET('/api/v1/webhook-endpoints'));
    expect(pagination.total_items).toBe(1);
    expect(data).toEqual([must(await operator.GET('/operator/v1/webhook-endpoints/{id}', endpoint(own.endpointId)))]);
    expect(JSON.stringify(data)).not.toMatch(/s3cr3t|whsec_|password|secret/);
    const disabled = { params: { query: { state: 'disabled' as const } } };
    expect(must(await ana.GET('/api/v1/webhook-endpoints', disabled)).data).toEqual([]);
  });

  test('lists those of all accounts to an operator', async () => {
    const { data } = must(await service.operator.rest.GET('/api/v1/webhook-endpoints'));
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining([own.endpointId, foreign.endpointId]));
  });

  test('shows one with what waits and what failed', async () => {
    expect(must(await ana.GET('/api/v1/webhook-endpoints/{id}', endpoint(own.endpointId)))).toMatchObject({
      user_id: own.userId,
      state: 'active',
      dead_letter_count: 1,
    });
  });
});

describe('what was sent', () => {
  test('is listed by attempts and dead letters, and shown with the body', async () => {
    const attempts = must(await ana.GET('/api/v1/webhook-endpoints/{id}/attempts', endpoint(own.endpointId)));
    const attempt = { number: 1, outcome: 'refused', status_code: 503, response_body: 'said the receiver' };
    expect(attempts.data).toEqual([expect.objectContaining({ webhook_id: own.webhookId, ...attempt })]);
    const letters = must(await ana.GET('/api/v1/webhook-endpoints/{id}/dead-letters', endpoint(own.endpointId)));
    const letter = { webhook_id: own.webhookId, state: 'dead_letter', attempt_count: 1 };
    expect([letters.data, letters.pagination.total_items]).toEqual([[expect.objectContaining(letter)], 1]);
    const shown = must(await ana.GET('/api/v1/deliveries/{webhook_id}', delivery(own.webhookId)));
    expect(shown).toEqual(must(await operator.GET('/operator/v1/deliveries/{webhook_id}', delivery(own.webhookId))));
    expect(shown).toMatchObject({ ...letter, body: '{"packages":[]}', attempts: attempts.data });
  });

  test('stays the account’s to read when its endpoint is deleted', async () => {
    const { endpointId, webhookId, token } = await newRecords(service);
    await operator.DELETE('/operator/v1/webhook-endpoints/{id}', endpoint(endpointId));
    const { rest } = clientsFor(service.url, token);
    expect((await rest.GET('/api/v1/deliveries/{webhook_id}', delivery(webhookId))).response.status).toBe(200);
    expect((await rest.GET('/api/v1/webhook-endpoints/{id}', endpoint(endpointId))).response.status).toBe(404);
  });

  test('of another account is as if it were not there', async () => {
    for (const id of [foreign.endpointId, randomUUID()]) {
      for (const path of ['', '/attempts', '/dead-letters'] as const) {
        const { response, error } = await ana.GET(`/api/v1/webhook-endpoints/{id}${path}`, endpoint(id));
        expect([response.status, error?.error.message]).toEqual([404, 'No such webhook endpoint.']);
      }
    }
    for (const id of [foreign.webhookId, randomUUID(), 'msg_unknown']) {
      const { response, error } = await ana.GET('/api/v1/deliveries/{webhook_id}', delivery(id));
      expect([response.status, error?.error.message]).toEqual([404, 'No such delivery.']);
    }
  });
});
