import { describe, expect, test } from '@jest/globals';
import { hashPassword } from '../../src/accounts/passwords.js';
import { clientsFor } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

const service = await ownService();
const anonymous = service.anonymous.rest;

/** Each call comes from another network, so that no budget of failed logins refuses it. */
let clients = 0;
const newIp = () => `203.0.${++clients >> 8}.${clients & 255}`;
const login = (email: string, secret: string, ip = newIp()) =>
  anonymous.POST('/auth/login', { body: { email, password: secret }, headers: { 'X-Forwarded-For': ip } });

describe('POST /auth/login', () => {
  test('answers a bearer token of the account, which caches may not store', async () => {
    const account = await service.customer();
    const { data, response } = await login(account.email, PASSWORD);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(data).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
    const me = await clientsFor(service.url, data?.access_token).rest.GET('/api/v1/users/me');
    expect(me.data).toMatchObject({ id: account.id, email: account.email });
  });

  test('takes the e-mail address in any case', async () => {
    const account = await service.customer();
    expect((await login(account.email.toUpperCase(), PASSWORD)).response.status).toBe(200);
  });

  test('answers the same 401 for a wrong password, an unknown address and a deleted account', async () => {
    const [ana, gone] = [await service.customer(), await service.customer()];
    await service.operator.rest.DELETE('/api/v1/users/{id}', { params: { path: { id: gone.id } } });
    const wrong = await login(ana.email, 'not the password');
    const unknown = await login('nobody@example.com', PASSWORD);
    const deleted = await login(gone.email, PASSWORD);
    for (const { response, error } of [wrong, unknown, deleted]) {
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(error).toEqual(wrong.error);
    }
    expect(wrong.error).toMatchObject({ error: { code: 'UNAUTHENTICATED', details: [] } });
  });

  test('answers 429 with Retry-After after ten failures for an e-mail address from one network, also to the right password', async () => {
    const [account, ip] = [await service.customer(), newIp()];
    for (let failure = 1; failure <= 10; failure += 1) {
      expect((await login(account.email, 'not the password', ip)).response.status).toBe(401);
    }
    expect((await login(account.email, PASSWORD)).response.status).toBe(200);
    const refused = await login(account.email, PASSWORD, ip);
    expect(refusal(refused)).toBe('429 RATE_LIMITED');
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(800);
  });

  test('answers 503 with Retry-After while too many passwords are being checked, and works again later', async () => {
    const account = await service.customer();
    let flooding = true;
    const flood = async () => {
      while (flooding) await hashPassword(PASSWORD).catch(() => new Promise((resolve) => setTimeout(resolve, 1)));
    };
    const floods = Array.from({ length: 200 }, flood);
    const refused = await login(account.email, PASSWORD);
    flooding = false;
    await Promise.all(floods);
    expect([refusal(refused), refused.response.headers.get('retry-after')]).toEqual(['503 UNAVAILABLE', '1']);
    expect((await login(account.email, PASSWORD)).response.status).toBe(200);
  });
});
