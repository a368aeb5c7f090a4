import { describe, expect, test } from '@jest/globals';
import { at } from '../operator/fixtures.js';
import { sharedService } from '../support/services.js';

const service = await sharedService();

describe('every answer forbids browsers to guess its type', () => {
  test.each([
    '/health',
    '/api/v1/orders',
    '/operator/v1/packages',
    '/graphql',
    '/docs',
    '/docs/openapi.yaml',
    '/nowhere',
  ])('on %s', async (path) => {
    const answer = await fetch(service.url + path, { headers: { Accept: 'text/html, */*' } });
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each(['/livez', '/readyz', '/metrics'])('on %s of the internal listener', async (path) => {
    const answer = await fetch(service.app.internalUrl + path);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('no cache may store an answer that shows a secret', () => {
  test('a new signing secret, in the first answer, in a replay and in a rotation', async () => {
    const { id: user_id } = await service.customer();
    const body = { user_id, url: 'https://127.0.0.1:8443/hook', username: 'malote', password: 's3cr3t-of-it' };
    const { operator } = service.operator;
    const register = () =>
      operator.POST('/operator/v1/webhook-endpoints', { body, headers: { 'Idempotency-Key': 'one' } });
    const [first, again] = [await register(), await register()];
    const one = at(first.data?.endpoint.id ?? '');
    const rotated = await operator.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', one);
    const cached = ({ response }: { response: Response }) => [response.status, response.headers.get('cache-control')];
    expect([first, again, rotated].map(cached)).toEqual([201, 201, 200].map((status) => [status, 'no-store']));
    const { response } = await operator.GET('/operator/v1/webhook-endpoints/{id}', one);
    expect(response.headers.get('cache-control')).not.toBe('no-store');
  });
});

describe('answers of A and D may be stored only by the client itself, which must ask again', () => {
  test.each(['/api/v1/users/me', '/api/v1/orders', '/operator/v1/packages', '/api/v1/products', '/health'])(
    'the answer of %s',
    async (path) => {
      const headers = { Authorization: `Bearer ${service.operator.token}` };
      const answer = await fetch(service.url + path, { headers });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    },
  );

  test('the answer that a record has not changed', async () => {
    const { id, rest } = await service.customer();
    const { response } = await rest.GET('/api/v1/users/{id}', at(id));
    const headers = { 'If-None-Match': response.headers.get('etag') ?? '' };
    const again = await rest.GET('/api/v1/users/{id}', { ...at(id), headers });
    expect([again.response.status, again.response.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
  });

  test.each(['/api/v1/orders/none', '/api/v1/orders', '/operator/v1/none'])(
    'an error is stored nowhere: %s',
    async (path) => {
      expect((await fetch(service.url + path)).headers.get('cache-control')).toBe('no-store');
    },
  );
});

test('probes and metrics answer on the loopback address only', async () => {
  const { port } = new URL(service.app.internalUrl);
  await expect(fetch(`http://127.0.0.2:${port}/livez`)).rejects.toThrow();
  expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
});
