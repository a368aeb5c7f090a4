import { describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/password.js';
import { loginCall, sendAs, startGraphql } from './client.js';

// Failed logins use up budgets, so this file has a service of its own.
const service = await startGraphql({ TRUST_PROXY: '1' });
const strict = await startGraphql({ RATE_LIMIT_PUBLIC_PER_HOUR: '5' });

/** Each call comes from another network, so that no budget of failed logins refuses it. */
let clients = 0;
const elsewhere = () => ({ headers: { 'X-Forwarded-For': `203.0.113.${++clients}` } });
const login = (email: string, secret: string, from = elsewhere()) =>
  service.nobody.send(loginCall(email, secret), from);

describe('login', () => {
  test('answers the API key, e-mail address and name, which no cache may store', async () => {
    const { email } = await service.customer();
    const call = loginCall(email, PASSWORD).replace('apiKey', 'apiKey email name');
    const { status, headers, data } = await service.nobody.send(call, elsewhere());
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(data?.login?.user).toEqual({ apiKey: expect.any(String), email, name: 'Ana Souza' });
  });

  test('answers only null, whatever is wrong with the account', async () => {
    const [ana, gone] = [await service.customer(), await service.customer()];
    const unconfirmed = await service.customer({ phoneConfirmed: false });
    await service.operator.rest.DELETE('/api/v1/users/{id}', { params: { path: { id: gone.id } } });
    const answers = [
      await login(ana.email, 'not the password'),
      await login('nobody@example.com', PASSWORD),
      await login(unconfirmed.email, PASSWORD),
      await login(gone.email, PASSWORD),
      await login('', ''),
      await login('a\u0000b@example.com', PASSWORD),
      await login(ana.email, 'x'.repeat(60_000)),
    ];
    for (const { status, data, errors } of answers) {
      expect({ status, data, errors }).toEqual({ status: 200, data: { login: { user: null } }, errors: undefined });
    }
  });

  test('answers null even to the right password after ten failed logins from one network, by REST or GraphQL', async () => {
    const [{ email }, here] = [await service.customer(), elsewhere()];
    for (let failure = 1; failure <= 5; failure += 1) {
      await login(email, 'not the password', here);
      const body = { email, password: 'not the password' };
      await service.anonymous.rest.POST('/auth/login', { body, ...here });
    }
    expect((await login(email, PASSWORD, here)).data).toEqual({ login: { user: null } });
    expect((await login(email, PASSWORD)).data?.login?.user).toEqual({ apiKey: expect.any(String) });
  });

  test('is allowed once in a document, so that no request tries two passwords', async () => {
    const { email } = await service.customer();
    const fields = ['one', 'two'].map(
      (alias) => `${alias}: login(input: { email: "${email}", password: "x" }) { user { apiKey } }`,
    );
    const { data, errors } = await service.nobody.send(`mutation { ${fields.join(' ')} }`);
    const extensions = { code: 'VALIDATION_ERROR', reason: 'document_invalid' };
    expect([data, errors]).toEqual([undefined, [{ message: 'A document may hold 1 login at most.', extensions }]]);
  });

  test('works with valid credentials in the header as well', async () => {
    const { send, caller, apiKey } = await service.client();
    expect((await send(loginCall(caller.email, PASSWORD))).data).toEqual({ login: { user: { apiKey } } });
  });
});

describe('credentials', () => {
  const me = '{ me { pk email } }';

  test('open the account; the e-mail address may be in any case', async () => {
    const { caller, apiKey } = await service.client();
    const send = sendAs(service.url, { Authorization: `ApiKey ${caller.email.toUpperCase()}:${apiKey}` });
    expect((await send(me)).data).toEqual({ me: { pk: caller.id, email: caller.email } });
  });

  test('are answered 401 if they are wrong, even for operations that need none', async () => {
    const { caller, apiKey } = await service.client();
    const other = await service.customer();
    const wrong = [
      `ApiKey ${caller.email}:${apiKey.slice(1)}`,
      `ApiKey ${other.email}:${apiKey}`,
      `ApiKey nobody@example.com:${apiKey}`,
      `ApiKey ${caller.email}`,
      `ApiKey ${caller.email}:`,
      `ApiKey :${apiKey}`,
      'ApiKey',
      '',
      `Bearer ${caller.token}`,
      `Basic ${Buffer.from(`${caller.email}:${apiKey}`).toString('base64')}`,
    ];
    for (const authorization of wrong) {
      const send = sendAs(service.url, { Authorization: authorization });
      const { status, headers, data, errors } = await send('{ __typename }');
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'ApiKey realm="malote"']);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      const extensions = { code: 'UNAUTHENTICATED', reason: 'api_key_invalid' };
      expect([data, errors]).toEqual([undefined, [{ message: 'A valid API key is required.', extensions }]]);
    }
  });

  test('end when the account is deleted, its phone is not confirmed or its key is rotated; the new key works at once', async () => {
    const client = await service.client();
    const { data } = await client.send('mutation { rotateApiKey { apiKey } }');
    expect((await client.send(me)).status).toBe(401);
    const { email, id } = client.caller;
    const send = sendAs(service.url, { Authorization: `ApiKey ${email}:${data?.rotateApiKey?.apiKey}` });
    expect((await send(me)).data?.me?.pk).toBe(id);
    for (const phone_confirmed of [false, true]) {
      await service.db.updateTable('accounts').set({ phone_confirmed }).where('id', '=', id).execute();
      expect((await send(me)).status).toBe(phone_confirmed ? 200 : 401);
    }
    await service.operator.rest.DELETE('/api/v1/users/{id}', { params: { path: { id } } });
    expect((await send(me)).status).toBe(401);
  });

  test.each([
    ['{ me { pk } }'],
    ['{ __typename paymentMethods { id } }'],
    ['{ ...hidden } fragment hidden on Query { ... { orders { edges { cursor } } } }'],
    ['query ($no: Boolean = false) { me @include(if: $no) { pk } }'],
    ['mutation { rotateApiKey { apiKey } }'],
    [`mutation { login(input: { email: "a", password: "b" }) { user { apiKey } } cancelOrder(pk: "1") { success } }`],
  ])('are needed for everything except login and introspection: %s', async (query) => {
    const { status, headers, data, errors } = await service.nobody.send(query);
    expect([status, headers.get('www-authenticate'), data]).toEqual([200, 'ApiKey realm="malote"', undefined]);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
    const modern = await service.nobody.send(query, { headers: { Accept: 'application/graphql-response+json' } });
    expect(modern.status).toBe(401);
  });
});

describe('limits', () => {
  test('count requests by REST and GraphQL together against the account', async () => {
    const { send, caller } = await service.client();
    const first = await send('{ __typename }');
    const { response } = await caller.rest.GET('/api/v1/users/me');
    const remaining = Number(first.headers.get('x-ratelimit-remaining'));
    expect(Number(response.headers.get('x-ratelimit-remaining'))).toBe(remaining - 1);
  });

  test('count requests without or with wrong credentials against the address, and end in 429', async () => {
    const wrong = sendAs(strict.url, { Authorization: 'ApiKey a@example.com:b' });
    // The operator's login, at the start of the service, used one request.
    expect((await strict.nobody.send('{ __typename }')).headers.get('x-ratelimit-remaining')).toBe('3');
    for (let i = 0; i < 3; i += 1) expect((await wrong('{ __typename }')).status).toBe(401);
    for (const send of [wrong, strict.nobody.send]) {
      const { status, headers, errors } = await send('{ __typename }');
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['RATE_LIMITED']);
    }
  });
});
