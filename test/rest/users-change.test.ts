import { describe, expect, test } from '@jest/globals';
import { ownService } from '../support/services.js';
import { ABSENT_ID, PASSWORD, refusal, sendRaw, startRestService, unreadable } from './rest-service.js';
import { asIs, deleteUser, getUser, newUser, postUser, putUser } from './users-requests.js';

const rest = await startRestService();
const alone = await startRestService(ownService());
const operator = await rest.user({ role: 'operator' });

describe('PUT /api/v1/users/{id}', () => {
  test('lets a customer change itself; a new phone is not confirmed', async () => {
    const ana = await rest.user({ phoneConfirmed: true });
    const named = await putUser(ana.api, ana.account.id, {
      ...asIs(ana),
      name: 'Ana Lima',
      role: 'customer',
      phone_confirmed: true,
    });
    expect(named.data).toMatchObject({ name: 'Ana Lima', phone_confirmed: true });
    expect(named.response.headers.get('etag')).toBe('"2"');
    const phone = '+55 21 97777-6666';
    const moved = await putUser(ana.api, ana.account.id, { ...asIs(ana), phone, current_password: PASSWORD });
    expect(moved.data).toMatchObject({ phone: '+55 21 97777-6666', phone_confirmed: false });
  });

  test('lets an operator change role and phone_confirmed', async () => {
    const ana = await rest.user();
    const { data } = await putUser(operator.api, ana.account.id, {
      ...asIs(ana),
      role: 'operator',
      phone_confirmed: true,
    });
    expect(data).toMatchObject({ role: 'operator', phone_confirmed: true });
  });

  test('changes the own password with the current one and ends the token', async () => {
    const ana = await rest.user();
    const fresh = 'another long password';
    const body = { ...asIs(ana), password: fresh, current_password: PASSWORD };
    expect((await putUser(ana.api, ana.account.id, body)).response.status).toBe(200);
    expect(refusal(await getUser(ana.api, ana.account.id))).toEqual([401, 'UNAUTHENTICATED', []]);
    const login = (secret: string) =>
      rest.client().POST('/auth/login', { body: { email: ana.account.email, password: secret } });
    expect((await login(PASSWORD)).response.status).toBe(401);
    expect((await login(fresh)).response.status).toBe(200);
  });

  test.each([
    ['e-mail address', { email: 'ana.elsewhere@example.com' }],
    ['phone', { phone: '+55 21 97777-6666' }],
  ])('400 on current_password when the own %s is changed without it', async (_, change) => {
    const ana = await rest.user();
    const refused = await putUser(ana.api, ana.account.id, { ...asIs(ana), ...change });
    expect(refusal(refused)).toEqual([400, 'VALIDATION_ERROR', ['current_password']]);
    const body = { ...asIs(ana), ...change, current_password: PASSWORD };
    expect((await putUser(ana.api, ana.account.id, body)).data).toMatchObject(change);
  });

  test('400 on current_password when it is missing or wrong, 429 after ten wrong ones', async () => {
    const ana = await rest.user();
    const change = (current_password?: string) =>
      putUser(ana.api, ana.account.id, {
        ...asIs(ana),
        password: 'another long password',
        ...(current_password ? { current_password } : {}),
      });
    expect(refusal(await change())).toEqual([400, 'VALIDATION_ERROR', ['current_password']]);
    for (let failure = 1; failure <= 10; failure += 1) {
      expect(refusal(await change(`guess ${failure}`))).toEqual([400, 'VALIDATION_ERROR', ['current_password']]);
    }
    const refused = await change(PASSWORD);
    expect(refusal(refused)).toEqual([429, 'RATE_LIMITED', []]);
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(800);
  });

  test('400 names every field that is wrong', async () => {
    const ana = await rest.user();
    const body = { email: 'x', name: '', password: 'short', role: 'root', id: ABSENT_ID };
    // @ts-expect-error a body that the contract does not allow
    const wrong = await putUser(ana.api, ana.account.id, body);
    expect(refusal(wrong)).toEqual([400, 'VALIDATION_ERROR', ['email', 'id', 'name', 'password', 'phone', 'role']]);
    expect(refusal(await putUser(ana.api, ana.account.id, asIs(ana), 'not-an-etag'))).toEqual([
      400,
      'VALIDATION_ERROR',
      ['If-Match'],
    ]);
  });

  test('403 for a customer that makes itself operator or confirms its phone', async () => {
    const ana = await rest.user();
    expect(refusal(await putUser(ana.api, ana.account.id, { ...asIs(ana), role: 'operator' }))).toEqual([
      403,
      'FORBIDDEN',
      [],
    ]);
    expect(refusal(await putUser(ana.api, ana.account.id, { ...asIs(ana), phone_confirmed: true }))).toEqual([
      403,
      'FORBIDDEN',
      [],
    ]);
    expect((await getUser(ana.api, ana.account.id)).data).toMatchObject({ role: 'customer', phone_confirmed: false });
  });

  test('404 for another user, as for an absent one; 401 without a token', async () => {
    const [ana, bruno] = [await rest.user(), await rest.user()];
    const foreign = await putUser(ana.api, bruno.account.id, asIs(bruno));
    expect(refusal(foreign)).toEqual([404, 'NOT_FOUND', []]);
    expect((await putUser(ana.api, ABSENT_ID, asIs(bruno))).error).toEqual(foreign.error);
    expect(refusal(await putUser(rest.client(), ana.account.id, asIs(ana)))).toEqual([401, 'UNAUTHENTICATED', []]);
  });

  test('409 when the e-mail address is taken', async () => {
    const [ana, bruno] = [await rest.user(), await rest.user()];
    const email = bruno.account.email.toUpperCase();
    const taken = await putUser(ana.api, ana.account.id, { ...asIs(ana), email, current_password: PASSWORD });
    expect(refusal(taken)).toEqual([409, 'CONFLICT', ['email']]);
  });

  test('412 when the record has changed; of ten at once one passes', async () => {
    const ana = await rest.user();
    expect(refusal(await putUser(ana.api, ana.account.id, asIs(ana), '"7"'))).toEqual([412, 'PRECONDITION_FAILED', []]);
    expect(refusal(await putUser(ana.api, ana.account.id, asIs(ana), 'W/"1"'))).toEqual([
      412,
      'PRECONDITION_FAILED',
      [],
    ]);
    const rivals = await Promise.all(
      Array.from({ length: 10 }, () => putUser(ana.api, ana.account.id, asIs(ana), '"7", "1"')),
    );
    expect(rivals.map(({ response }) => response.status).sort()).toEqual([200, ...Array(9).fill(412)]);
    expect((await putUser(ana.api, ana.account.id, asIs(ana), '*')).response.status).toBe(200);
  });

  test.each(unreadable)('%d %s', async (status, code, init) => {
    const answer = await sendRaw(`${rest.url}/api/v1/users/${operator.account.id}`, 'PUT', operator.token, init);
    expect(answer).toEqual([status, code, []]);
  });
});

describe('DELETE /api/v1/users/{id}', () => {
  test('deactivates: the token ends, the record is gone, the e-mail address is free', async () => {
    const ana = await rest.user();
    const { response } = await deleteUser(operator.api, ana.account.id, '"1"');
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(refusal(await ana.api.GET('/api/v1/users/me'))).toEqual([401, 'UNAUTHENTICATED', []]);
    expect(refusal(await getUser(operator.api, ana.account.id))).toEqual([404, 'NOT_FOUND', []]);
    expect(refusal(await deleteUser(operator.api, ana.account.id))).toEqual([404, 'NOT_FOUND', []]);
    expect((await postUser(operator.api, newUser({ email: ana.account.email }))).response.status).toBe(201);
  });

  test('403 for a customer itself, 404 for another user as for an absent one, 401 without a token', async () => {
    const [ana, bruno] = [await rest.user(), await rest.user()];
    expect(refusal(await deleteUser(ana.api, ana.account.id))).toEqual([403, 'FORBIDDEN', []]);
    const foreign = await deleteUser(ana.api, bruno.account.id);
    expect(refusal(foreign)).toEqual([404, 'NOT_FOUND', []]);
    expect((await deleteUser(ana.api, ABSENT_ID)).error).toEqual(foreign.error);
    expect(refusal(await deleteUser(rest.client(), ana.account.id))).toEqual([401, 'UNAUTHENTICATED', []]);
  });

  test('412 when the record has changed, 400 for a wrong id', async () => {
    const ana = await rest.user();
    expect(refusal(await deleteUser(operator.api, ana.account.id, '"2"'))).toEqual([412, 'PRECONDITION_FAILED', []]);
    expect(refusal(await deleteUser(operator.api, 'me'))).toEqual([405, 'METHOD_NOT_ALLOWED', []]);
    expect(refusal(await deleteUser(operator.api, '7'))).toEqual([400, 'VALIDATION_ERROR', ['id']]);
  });
});

describe('the last operator', () => {
  test('409 when it would be deleted or lose its role', async () => {
    const { data: last } = await alone.firstOperator.GET('/api/v1/users/me');
    const { id = '', email = '', name = '', phone = '' } = last ?? {};
    expect(refusal(await deleteUser(alone.firstOperator, id))).toEqual([409, 'CONFLICT', []]);
    const demoted = await putUser(alone.firstOperator, id, { email, name, phone, role: 'customer' });
    expect(refusal(demoted)).toEqual([409, 'CONFLICT', []]);
    expect((await alone.firstOperator.GET('/api/v1/users/me')).data?.role).toBe('operator');
  });
});
