import { randomUUID, webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { fetchKeys } from '../../contracts/examples/receivers/public-key.js';
import { at } from '../operator/fixtures.js';
import { clientsFor, must } from '../support/http.js';
import { newRecords } from '../support/records.js';
import { ownService } from '../support/services.js';

/** An account reads the same about its webhooks as the operator. */

const service = await ownService();
const own = await newRecords(service);
const ana = clientsFor(service.url, own.token).rest;
const { operator } = service.operator;

beforeAll(async () => {
  const attempt = { webhook_id: own.webhookId, endpoint_id: own.endpointId, number: 1, replay: false };
  const outcome = { outcome: 'refused', status_code: 503, error: null, response_body: 'said the receiver' } as const;
  const times = { attempted_at: new Date(), duration_ms: 25, lease_lost: false };
  const values = { ...attempt, ...outcome, ...times };
  await service.db.insertInto('webhook_attempts').values(values).execute();
});

const delivery = (webhook_id: string) => ({ params: { path: { webhook_id } } });

describe('GET /api/v1/webhook-endpoints', () => {
  test('lists the endpoints of the account without any secret', async () => {
    const { data, pagination } = must(await ana.GET('/api/v1/webhook-endpoints'));
    expect(pagination.total_items).toBe(1);
    expect(data).toEqual([must(await operator.GET('/operator/v1/webhook-endpoints/{id}', at(own.endpointId)))]);
    expect(JSON.stringify(data)).not.toMatch(/s3cr3t|whsec_|password|secret/);
    const disabled = { params: { query: { state: 'disabled' as const } } };
    expect(must(await ana.GET('/api/v1/webhook-endpoints', disabled)).data).toEqual([]);
  });

  test('shows an endpoint with its waiting bodies and its failure', async () => {
    const shown = must(await ana.GET('/api/v1/webhook-endpoints/{id}', at(own.endpointId)));
    expect(shown).toMatchObject({ user_id: own.userId, state: 'active', dead_letter_count: 1 });
  });
});

describe('GET /.well-known/malote-webhook-keys/{id}', () => {
  // The example key of RFC 8037, appendix A, and its thumbprint from there.
  const example = {
    whpk: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  };
  const keysOf = (id: string) => service.anonymous.rest.GET('/.well-known/malote-webhook-keys/{id}', at(id));

  test('tells anybody the public keys, and nothing else, within the budget of the address', async () => {
    const { endpointId } = await newRecords(service);
    const stored = { public_key: example.whpk };
    await service.db.updateTable('webhook_endpoints').set(stored).where('id', '=', endpointId).execute();
    const { data, response } = await keysOf(endpointId);
    const jwk = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: example.kid, x: example.x };
    expect(data).toEqual({ keys: [{ ...jwk, public_key: example.whpk }] });
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const health = await service.anonymous.rest.GET('/health');
    const remaining = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));
    expect(remaining(health.response)).toBe(remaining(response) - 1);
    await expect(webcrypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])).resolves.toBeDefined();
    const fetched = await fetchKeys(`${service.url}/.well-known/malote-webhook-keys/${endpointId}`);
    expect(fetched.map((key) => key.export({ format: 'jwk' }).x)).toEqual([example.x]);
  });

  test('tells both keys of a rotation; account and operator see the newer one', async () => {
    const { endpointId, token } = await newRecords(service);
    const [before] = must(await keysOf(endpointId)).keys;
    const params = at(endpointId);
    const rotated = must(await operator.POST('/operator/v1/webhook-endpoints/{id}/key-pair-rotation', params));
    const { public_key } = rotated;
    expect(Date.parse(rotated.previous_valid_until)).toBeGreaterThan(Date.now());
    const { keys } = must(await keysOf(endpointId));
    expect(keys.map((key) => key.public_key)).toEqual([public_key, before?.public_key]);
    const { rest } = clientsFor(service.url, token);
    expect(must(await rest.GET('/api/v1/webhook-endpoints/{id}', params))).toMatchObject({ public_key });
    expect(must(await operator.GET('/operator/v1/webhook-endpoints/{id}', params))).toMatchObject({ public_key });
  });

  test('answers the same for a deleted endpoint and an unknown one', async () => {
    const { endpointId } = await newRecords(service);
    await operator.DELETE('/operator/v1/webhook-endpoints/{id}', at(endpointId));
    for (const id of [endpointId, randomUUID()]) {
      const { response, error } = await keysOf(id);
      expect([response.status, error?.error.message]).toEqual([404, 'No such webhook endpoint.']);
    }
  });
});

describe('a body that was sent', () => {
  test('is listed by attempts and dead letters, and shown with the body', async () => {
    const attempts = must(await ana.GET('/api/v1/webhook-endpoints/{id}/attempts', at(own.endpointId)));
    const attempt = { number: 1, outcome: 'refused', status_code: 503, response_body: 'said the receiver' };
    expect(attempts.data).toEqual([expect.objectContaining({ webhook_id: own.webhookId, ...attempt })]);
    const letters = must(await ana.GET('/api/v1/webhook-endpoints/{id}/dead-letters', at(own.endpointId)));
    const letter = { webhook_id: own.webhookId, state: 'dead_letter', attempt_count: 1 };
    expect([letters.data, letters.pagination.total_items]).toEqual([[expect.objectContaining(letter)], 1]);
    const shown = must(await ana.GET('/api/v1/deliveries/{webhook_id}', delivery(own.webhookId)));
    expect(shown).toEqual(must(await operator.GET('/operator/v1/deliveries/{webhook_id}', delivery(own.webhookId))));
    expect(shown).toMatchObject({ ...letter, body: '{"packages":[]}', attempts: attempts.data });
  });

  test('can still be read by the account when its endpoint is deleted', async () => {
    const { endpointId, webhookId, token } = await newRecords(service);
    await operator.DELETE('/operator/v1/webhook-endpoints/{id}', at(endpointId));
    const { rest } = clientsFor(service.url, token);
    expect((await rest.GET('/api/v1/deliveries/{webhook_id}', delivery(webhookId))).response.status).toBe(200);
    expect((await rest.GET('/api/v1/webhook-endpoints/{id}', at(endpointId))).response.status).toBe(404);
  });
});
