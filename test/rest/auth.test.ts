import { describe, expect, test } from '@jest/globals';
import { hashPassword } from '../../src/accounts/passwords.js';
import { ownService } from '../support/services.js';
import { PASSWORD, startRestService } from './rest-service.js';

const rest = await startRestService(ownService());

/** A client elsewhere in the world for each call, so that no budget counts. */
let clients = 0;
const newIp = () => {
  clients += 1;
  return `203.0.${clients >> 8}.${clients & 255}`;
};
const login = (email: string, secret: string, ip = newIp()) =>
  rest.client().POST('/auth/login', { body: { email, password: secret }, headers: { 'X-Forwarded-For': ip } });

describe('POST /auth/login', () => {
  test('answers a bearer token that opens the account, not to be stored by caches', async () => {
    const { account } = await rest.user();
    const { data, response } = await login(account.email, PASSWORD);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(data).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
    const me = await rest.client(data?.access_token).GET('/api/v1/users/me');
    expect(me.data).toMatchObject({ id: account.id, email: account.email });
  });

  test('takes the e-mail address in any case', async () => {
    const { account } = await rest.user();
    expect((await login(account.email.toUpperCase(), PASSWORD)).response.status).toBe(200);
  });

  test('answers the same 401 whatever is wrong', async () => {
    const [ana, gone] = [await rest.user(), await rest.user()];
    const operator = await rest.user({ role: 'operator' });
    await operator.api.DELETE('/api/v1/users/{id}', { params: { path: { id: gone.account.id } } });
    const wrong = await login(ana.account.email, 'not the password');
    const unknown = await login('nobody@example.com', PASSWORD);
    const deleted = await login(gone.account.email, PASSWORD);
    for (const { response, error } of [wrong, unknown, deleted]) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(error).toEqual(wrong.error);
    }
    expect(wrong.error).toMatchObject({ error: { code: 'UNAUTHENTICATED', details: [] } });
  });

  test('lists every field that is wrong', async () => {
    const { response, error } = await rest.client().POST('/auth/login', {
      // @ts-expect-error a body that the contract does not allow
      body: { email: '', password: 7, remember: true },
    });
    expect(response.status).toBe(400);
    expect(error?.error.code).toBe('VALIDATION_ERROR');
    expect(error?.error.details.map(({ field }) => field).sort()).toEqual(['email', 'password', 'remember']);
  });

  test.each(['with \0 inside', 'half of a \ud83d horse'])(
    'refuses the password %j, which is no text',
    async (secret) => {
      const { response, error } = await login('ana@example.com', secret);
      expect(response.status).toBe(400);
      expect(error?.error.details.map(({ field }) => field)).toEqual(['password']);
    },
  );

  test('answers 429 with Retry-After after ten failures for an e-mail address from one network, also to the right password', async () => {
    const [{ account }, ip] = [await rest.user(), newIp()];
    for (let failure = 1; failure <= 10; failure += 1) {
      expect((await login(account.email, 'not the password', ip)).response.status).toBe(401);
    }
    expect((await login(account.email, PASSWORD)).response.status).toBe(200);
    const { response, error } = await login(account.email, PASSWORD, ip);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(error).toMatchObject({ error: { code: 'RATE_LIMITED', details: [] } });
  });

  test('answers 429 after fifty failures from one network', async () => {
    const { account } = await rest.user();
    for (let failure = 1; failure <= 50; failure += 1) {
      await login(`someone${failure}@example.com`, PASSWORD, `2001:db8::${failure}`);
    }
    expect((await login(account.email, PASSWORD, '2001:db8::ffff')).response.status).toBe(429);
    expect((await login(account.email, PASSWORD)).response.status).toBe(200);
  });

  test.each([
    [400, 'MALFORMED_REQUEST', { body: '{"email":' }],
    [406, 'NOT_ACCEPTABLE', { headers: { Accept: 'text/html' } }],
    [413, 'PAYLOAD_TOO_LARGE', { body: JSON.stringify({ email: 'x'.repeat(1_100_000), password: PASSWORD }) }],
    [415, 'UNSUPPORTED_MEDIA_TYPE', { headers: { 'Content-Type': 'text/plain' } }],
  ])('answers %d %s', async (status, code, init: { body?: string; headers?: Record<string, string> }) => {
    const response = await fetch(`${rest.url}/auth/login`, {
      method: 'POST',
      body: init.body ?? JSON.stringify({ email: 'ana@example.com', password: PASSWORD }),
      headers: { 'Content-Type': 'application/json', ...init.headers },
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  test('answers 503 with Retry-After when too many passwords are being checked, and goes on', async () => {
    const { account } = await rest.user();
    let flooding = true;
    const flood = async () => {
      while (flooding) await hashPassword(PASSWORD).catch(() => new Promise((resolve) => setTimeout(resolve, 1)));
    };
    const floods = Array.from({ length: 200 }, flood);
    const { response, error } = await login(account.email, PASSWORD);
    flooding = false;
    await Promise.all(floods);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(error).toMatchObject({ error: { code: 'UNAVAILABLE', details: [] } });
    expect((await login(account.email, PASSWORD)).response.status).toBe(200);
  });
});

describe('a token', () => {
  const me = (token?: string) => rest.client(token).GET('/api/v1/users/me');

  test('is demanded: without one 401 says how to authenticate', async () => {
    const { response, error } = await me();
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(error).toMatchObject({ error: { code: 'UNAUTHENTICATED', details: [] } });
  });

  test.each(['not-a-token', 'eyJhbGciOiJub25lIn0.e30.', 'a.b.c'])('%s is refused', async (token) => {
    const { response } = await me(token);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('invalid_token');
  });

  test('ends at once when its user gets another password or role, or is deleted', async () => {
    const operator = await rest.user({ role: 'operator' });
    const [ana, bruno, carla] = [await rest.user(), await rest.user(), await rest.user()];
    const put = (id: string, name: string, change: object) =>
      operator.api.PUT('/api/v1/users/{id}', {
        params: { path: { id } },
        body: { email: `${name}.moved@example.com`, name, phone: '+55 11 91234-5678', ...change },
      });
    expect((await put(ana.account.id, 'ana', { password: 'another long password' })).response.status).toBe(200);
    expect((await put(bruno.account.id, 'bruno', { role: 'operator' })).response.status).toBe(200);
    await operator.api.DELETE('/api/v1/users/{id}', { params: { path: { id: carla.account.id } } });
    for (const { token } of [ana, bruno, carla]) expect((await me(token)).response.status).toBe(401);
  });
});
