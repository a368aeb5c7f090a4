import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { newOperator } from '../support/second-factor.js';
import { type Caller, operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

const service = await ownService();
const { operator } = service;

type UserCreate = components['schemas']['UserCreate'];
type UserUpdate = components['schemas']['UserUpdate'];

let users = 0;

/** The body of a user that does not exist yet. */
const newUser = (change: Partial<UserCreate> = {}): UserCreate => {
  users += 1;
  const email = `new${users}@example.com`;
  return { email, password: PASSWORD, name: 'Bruno Lima', phone: '+55 11 98888-7777', ...change };
};

/** A body that leaves the customer unchanged. */
const asIs = ({ email }: Caller): UserUpdate => ({ email, name: 'Ana Souza', phone: '+55 11 91234-5678' });

const post = (body: UserCreate) => operator.rest.POST('/api/v1/users', { body });
const get = (by: Caller, id: string) => by.rest.GET('/api/v1/users/{id}', { params: { path: { id } } });
const put = (by: Caller, id: string, body: UserUpdate, header: { 'If-Match'?: string } = {}) =>
  by.rest.PUT('/api/v1/users/{id}', { params: { path: { id }, header }, body });
const remove = (id: string, header: { 'If-Match'?: string } = {}) =>
  operator.rest.DELETE('/api/v1/users/{id}', { params: { path: { id }, header } });

describe('POST /api/v1/users', () => {
  test('creates a customer, and answers the record with its Location and its ETag', async () => {
    const { password, ...profile } = newUser({ name: 'Conceição 🐎 d’Ávila' });
    const { data, response } = await post({ password, ...profile });
    expect(response.status).toBe(201);
    expect(data).toEqual({
      ...profile,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      phone_confirmed: false,
      role: 'customer',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: data?.created_at,
    });
    expect(response.headers.get('location')).toBe(`/api/v1/users/${data?.id}`);
    expect(response.headers.get('etag')).toBe('"1"');
    const login = await service.anonymous.rest.POST('/auth/login', { body: { email: profile.email, password } });
    expect(login.response.status).toBe(200);
  });

  test('409 when the e-mail address is taken, in any case, also when twenty come at once', async () => {
    const { email } = newUser();
    const spellings = Array.from({ length: 20 }, (_, index) => (index % 2 ? email.toUpperCase() : email));
    const rivals = await Promise.all(spellings.map((spelling) => post(newUser({ email: spelling }))));
    const refused = rivals.filter(({ response }) => response.status !== 201);
    expect(refused.map(refusal)).toEqual(Array(19).fill('409 CONFLICT email'));
  });
});

describe('GET /api/v1/users', () => {
  type Query = { page?: number; page_size?: number; search: string; role?: 'operator' | 'customer' };
  const list = (query: Query) => operator.rest.GET('/api/v1/users', { params: { query } });

  test('lists newest first, page by page, with exact totals', async () => {
    for (const name of ['one', 'two', 'three']) await post(newUser({ name: `Paging ${name}` }));
    const { data } = await list({ search: 'PAGING', page_size: 2 });
    expect(data?.data.map(({ name }) => name)).toEqual(['Paging three', 'Paging two']);
    expect(data?.pagination).toEqual({ page: 1, page_size: 2, total_items: 3, total_pages: 2 });
    const second = await list({ search: 'PAGING', page_size: 2, page: 2 });
    expect(second.data?.data.map(({ name }) => name)).toEqual(['Paging one']);
    const beyond = await list({ search: 'PAGING', page: 9 });
    expect(beyond.data).toEqual({ data: [], pagination: { page: 9, page_size: 20, total_items: 3, total_pages: 1 } });
  });

  test('searches name and e-mail address for plain text', async () => {
    await post(newUser({ name: 'João 100% _ \\', email: 'joao@SEARCH.example' }));
    for (const search of ['JOÃO', '100%', '% _', '\\', '@search.ex']) {
      expect((await list({ search })).data?.pagination.total_items).toBe(1);
    }
    for (const search of ['o%o', 'J_ão']) expect((await list({ search })).data?.data).toEqual([]);
  });

  test('shows the users of one role', async () => {
    const { password: current_password } = operatorLogin;
    const role = newUser({ name: 'Role filter', role: 'operator', current_password });
    await post(newUser({ name: 'Role filter' }));
    await post(role);
    const { data } = await list({ search: 'role filter', role: 'operator' });
    expect(data?.data.map(({ email }) => email)).toEqual([role.email]);
  });
});

test('GET /api/v1/users/me answers the user of the token, and 304 while nothing changed', async () => {
  const ana = await service.customer();
  const { data, response } = await ana.rest.GET('/api/v1/users/me');
  expect(data).toMatchObject({ id: ana.id, email: ana.email });
  const header = { 'If-None-Match': response.headers.get('etag') ?? '' };
  const again = await ana.rest.GET('/api/v1/users/me', { params: { header } });
  expect(again.response.status).toBe(304);
  await put(ana, ana.id, { ...asIs(ana), name: 'Ana Lima' });
  expect((await ana.rest.GET('/api/v1/users/me', { params: { header } })).data?.name).toBe('Ana Lima');
});

describe('PUT /api/v1/users/{id}', () => {
  test('lets a customer change itself; a new phone is not confirmed', async () => {
    const ana = await service.customer();
    const named = await put(ana, ana.id, { ...asIs(ana), name: 'Ana Lima', role: 'customer', phone_confirmed: true });
    expect(named.data).toMatchObject({ name: 'Ana Lima', phone_confirmed: true });
    expect(named.response.headers.get('etag')).toBe('"2"');
    const phone = '+55 21 97777-6666';
    const moved = await put(ana, ana.id, { ...asIs(ana), phone, current_password: PASSWORD });
    expect(moved.data).toMatchObject({ phone: '+55 21 97777-6666', phone_confirmed: false });
    const byOperator = await put(operator, ana.id, { ...asIs(ana), phone_confirmed: true });
    expect(byOperator.data).toMatchObject({ phone_confirmed: false });
  });

  test('lets an operator change role and phone_confirmed', async () => {
    const ana = await service.customer({ phoneConfirmed: false });
    const change = { role: 'operator', phone_confirmed: true } as const;
    const { password: current_password } = operatorLogin;
    expect((await put(operator, ana.id, { ...asIs(ana), ...change, current_password })).data).toMatchObject(change);
  });

  test('changes one’s own password with the current one, and ends the token', async () => {
    const ana = await service.customer();
    const fresh = 'another long password';
    const body = { ...asIs(ana), password: fresh, current_password: PASSWORD };
    expect((await put(ana, ana.id, body)).response.status).toBe(200);
    expect(refusal(await get(ana, ana.id))).toBe('401 UNAUTHENTICATED');
    const login = (secret: string) =>
      service.anonymous.rest.POST('/auth/login', { body: { email: ana.email, password: secret } });
    expect((await login(PASSWORD)).response.status).toBe(401);
    expect((await login(fresh)).response.status).toBe(200);
  });

  describe.each<[what: string, changeOf: (self: Caller) => Partial<UserUpdate>]>([
    ['password', () => ({ password: 'another long password' })],
    ['e-mail address', () => ({ email: newUser().email })],
    ['e-mail address in another case', ({ email }) => ({ email: email.toUpperCase() })],
    ['phone', () => ({ phone: '+55 21 97777-6666' })],
  ])('changes the %s', (_, changeOf) => {
    test.each(['customer', 'operator'] as const)(
      'of oneself, as a %s, only with the current password',
      async (role) => {
        const self = role === 'operator' ? await service.signIn(await newOperator(service)) : await service.customer();
        const body = { ...asIs(self), ...changeOf(self) };
        for (const current of [{}, { current_password: 'not it' }]) {
          const refused = await put(self, self.id, { ...body, ...current });
          expect(refusal(refused)).toBe('400 VALIDATION_ERROR current_password');
        }
        const changed = await put(self, self.id, { ...body, current_password: PASSWORD });
        expect(changed.response.status).toBe(200);
      },
    );

    test("of another, as operator, without that user's password", async () => {
      const ana = await service.customer();
      const { password: current_password } = operatorLogin;
      const body = { ...asIs(ana), ...changeOf(ana), current_password };
      expect((await put(operator, ana.id, body)).response.status).toBe(200);
    });
  });

  test('lets an operator change name and phone of another user without the current password', async () => {
    const ana = await service.customer();
    const body = { ...asIs(ana), name: 'Ana Lima', phone: '+55 21 97777-6666' };
    expect((await put(operator, ana.id, body)).response.status).toBe(200);
  });

  test('429 after ten wrong current passwords', async () => {
    const ana = await service.customer();
    const body = { ...asIs(ana), password: 'another long password' };
    const change = (current_password: string) => put(ana, ana.id, { ...body, current_password });
    for (let guess = 1; guess <= 10; guess += 1)
      expect(refusal(await change(`guess ${guess}`))).toBe('400 VALIDATION_ERROR current_password');
    const refused = await change(PASSWORD);
    expect(refusal(refused)).toBe('429 RATE_LIMITED');
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(800);
  });

  test('answers 403 to a customer that makes itself operator or confirms its phone', async () => {
    const ana = await service.customer({ phoneConfirmed: false });
    for (const reserved of [{ role: 'operator' }, { phone_confirmed: true }] as const)
      expect(refusal(await put(ana, ana.id, { ...asIs(ana), ...reserved }))).toBe('403 FORBIDDEN');
    expect((await get(ana, ana.id)).data).toMatchObject({ role: 'customer', phone_confirmed: false });
  });

  test('409 when the e-mail address is taken', async () => {
    const [ana, bruno] = [await service.customer(), await service.customer()];
    const email = bruno.email.toUpperCase();
    const taken = await put(ana, ana.id, { ...asIs(ana), email, current_password: PASSWORD });
    expect(refusal(taken)).toBe('409 CONFLICT email');
  });

  test('412 when the record has changed; of ten at once one passes', async () => {
    const ana = await service.customer();
    const match = (tags: string) => put(ana, ana.id, asIs(ana), { 'If-Match': tags });
    for (const tag of ['"7"', 'W/"7"']) expect(refusal(await match(tag))).toBe('412 PRECONDITION_FAILED');
    const rivals = await Promise.all(Array.from({ length: 10 }, () => match('"7", "1"')));
    expect(rivals.map(({ response }) => response.status).sort()).toEqual([200, ...Array(9).fill(412)]);
    expect((await match('*')).response.status).toBe(200);
  });
});

test('DELETE /api/v1/users/{id} deactivates: the token ends, the record is gone, the e-mail address is free', async () => {
  const ana = await service.customer();
  const { response } = await remove(ana.id, { 'If-Match': '"1"' });
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect(refusal(await ana.rest.GET('/api/v1/users/me'))).toBe('401 UNAUTHENTICATED');
  expect(refusal(await get(operator, ana.id))).toBe('404 NOT_FOUND');
  expect(refusal(await remove(ana.id))).toBe('404 NOT_FOUND');
  expect((await post(newUser({ email: ana.email }))).response.status).toBe(201);
});

test('409 when the last operator would be deleted or lose its role', async () => {
  const others = service.db.updateTable('accounts').set({ role: 'customer' }).where('id', '<>', operator.id);
  await others.execute();
  const { email, name, phone } = must(await get(operator, operator.id));
  expect(refusal(await remove(operator.id))).toBe('409 CONFLICT');
  const { password: current_password } = operatorLogin;
  const demoted = await put(operator, operator.id, { email, name, phone, role: 'customer', current_password });
  expect(refusal(demoted)).toBe('409 CONFLICT');
  expect((await get(operator, operator.id)).data?.role).toBe('operator');
});
