import { describe, expect, test } from '@jest/globals';
import { ownService } from '../support/services.js';
import {
  ABSENT_ID,
  PASSWORD,
  type RestClient,
  refusal,
  sendRaw,
  startRestService,
  unreadable,
} from './rest-service.js';
import { asIs, getUser, newUser, postUser, putUser } from './users-requests.js';

const rest = await startRestService(ownService());
const operator = await rest.user({ role: 'operator' });

describe('POST /api/v1/users', () => {
  test('creates a customer, answers the record with its place and its ETag', async () => {
    const body = newUser({ name: 'Conceição 🐎 d’Ávila' });
    const { data, response } = await postUser(operator.api, body);
    expect(response.status).toBe(201);
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: body.email,
      name: body.name,
      phone: body.phone,
      phone_confirmed: false,
      role: 'customer',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: data?.created_at,
    });
    expect(response.headers.get('location')).toBe(`/api/v1/users/${data?.id}`);
    expect(response.headers.get('etag')).toBe('"1"');
    const login = await rest.client().POST('/auth/login', { body: { email: body.email, password: PASSWORD } });
    expect(login.response.status).toBe(200);
  });

  test('creates operators too', async () => {
    const { data } = await postUser(operator.api, newUser({ role: 'operator' }));
    expect(data?.role).toBe('operator');
  });

  test('answers the same again under one Idempotency-Key, and 422 for another body', async () => {
    const body = newUser();
    const first = await postUser(operator.api, body, 'create-bruno');
    const again = await postUser(operator.api, body, 'create-bruno');
    expect(again.response.status).toBe(201);
    expect(again.data).toEqual(first.data);
    expect(again.response.headers.get('idempotent-replayed')).toBe('true');
    const other = await postUser(operator.api, newUser(), 'create-bruno');
    expect(refusal(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', []]);
  });

  test('409 when the e-mail address is taken, in any case', async () => {
    const body = newUser();
    await postUser(operator.api, body);
    const taken = await postUser(operator.api, newUser({ email: body.email.toUpperCase() }));
    expect(refusal(taken)).toEqual([409, 'CONFLICT', ['email']]);
  });

  test('400 names every field that is wrong', async () => {
    const body = { email: 'nobody', password: 'short', phone: 'none', role: 'root', admin: true };
    // @ts-expect-error a body that the contract does not allow
    const wrong = await postUser(operator.api, body);
    expect(refusal(wrong)).toEqual([400, 'VALIDATION_ERROR', ['admin', 'email', 'name', 'password', 'phone', 'role']]);
  });

  test.each([
    ['name', 'with \0 inside'],
    ['name', 'half of a \ud83d horse'],
    ['password', 'half of a \ud83d horse'],
    ['password', 'x'.repeat(129)],
  ])('400 for a %s that is not acceptable text', async (field, value) => {
    const wrong = await postUser(operator.api, newUser({ [field]: value }));
    expect(refusal(wrong)).toEqual([400, 'VALIDATION_ERROR', [field]]);
  });

  test('403 for customers, 401 without a token', async () => {
    const ana = await rest.user();
    expect(refusal(await postUser(ana.api, newUser()))).toEqual([403, 'FORBIDDEN', []]);
    expect(refusal(await postUser(rest.client(), newUser()))).toEqual([401, 'UNAUTHENTICATED', []]);
  });

  test.each(unreadable)('%d %s', async (status, code, init) => {
    const answer = await sendRaw(`${rest.url}/api/v1/users`, 'POST', operator.token, init);
    expect(answer).toEqual([status, code, []]);
  });
});

describe('GET /api/v1/users', () => {
  type Query = { page?: number; page_size?: number; search?: string; role?: 'operator' | 'customer' };
  const list = (api: RestClient, query: Query = {}) => api.GET('/api/v1/users', { params: { query } });

  test('lists newest first, page by page, with exact totals', async () => {
    for (const name of ['one', 'two', 'three']) await postUser(operator.api, newUser({ name: `Paging ${name}` }));
    const { data } = await list(operator.api, { search: 'PAGING', page_size: 2 });
    expect(data?.data.map(({ name }) => name)).toEqual(['Paging three', 'Paging two']);
    expect(data?.pagination).toEqual({ page: 1, page_size: 2, total_items: 3, total_pages: 2 });
    const second = await list(operator.api, { search: 'PAGING', page_size: 2, page: 2 });
    expect(second.data?.data.map(({ name }) => name)).toEqual(['Paging one']);
    const beyond = await list(operator.api, { search: 'PAGING', page: 9 });
    expect(beyond.data).toEqual({ data: [], pagination: { page: 9, page_size: 20, total_items: 3, total_pages: 1 } });
  });

  test('searches name and e-mail address for plain text', async () => {
    await postUser(operator.api, newUser({ name: 'João 100% _ \\', email: 'joao@SEARCH.example' }));
    for (const search of ['JOÃO', '100%', '% _', '\\', '@search.ex']) {
      expect((await list(operator.api, { search })).data?.pagination.total_items).toBe(1);
    }
    expect((await list(operator.api, { search: 'o%o' })).data?.data).toEqual([]);
  });

  test('shows the users of one role', async () => {
    const role = newUser({ name: 'Role filter', role: 'operator' });
    await postUser(operator.api, newUser({ name: 'Role filter' }));
    await postUser(operator.api, role);
    const { data } = await list(operator.api, { search: 'role filter', role: 'operator' });
    expect(data?.data.map(({ email }) => email)).toEqual([role.email]);
  });

  test('400 for parameters that are out of bounds or unknown', async () => {
    const wrong = await list(operator.api, { page: 0, page_size: 101, search: '' });
    expect(refusal(wrong)).toEqual([400, 'VALIDATION_ERROR', ['page', 'page_size', 'search']]);
    // @ts-expect-error a parameter that the contract does not know
    expect(refusal(await list(operator.api, { sort: 'name' }))).toEqual([400, 'VALIDATION_ERROR', ['sort']]);
  });

  test('403 for customers, 401 without a token, 406 when JSON is not wanted', async () => {
    expect(refusal(await list((await rest.user()).api))).toEqual([403, 'FORBIDDEN', []]);
    expect(refusal(await list(rest.client()))).toEqual([401, 'UNAUTHENTICATED', []]);
    const html = await operator.api.GET('/api/v1/users', { headers: { Accept: 'text/html' } });
    expect(refusal(html)).toEqual([406, 'NOT_ACCEPTABLE', []]);
  });
});

describe('GET /api/v1/users/me', () => {
  test('answers the user of the token, and 304 while nothing changed', async () => {
    const ana = await rest.user();
    const { data, response } = await ana.api.GET('/api/v1/users/me');
    expect(data).toMatchObject({ id: ana.account.id, email: ana.account.email });
    const header = { 'If-None-Match': response.headers.get('etag') ?? '' };
    const again = await ana.api.GET('/api/v1/users/me', { params: { header } });
    expect(again.response.status).toBe(304);
    await putUser(ana.api, ana.account.id, { ...asIs(ana), name: 'Ana Lima' });
    expect((await ana.api.GET('/api/v1/users/me', { params: { header } })).data?.name).toBe('Ana Lima');
  });

  test('401 without a token, 406 when JSON is not wanted, 400 for a parameter', async () => {
    const ana = await rest.user();
    expect(refusal(await rest.client().GET('/api/v1/users/me'))).toEqual([401, 'UNAUTHENTICATED', []]);
    const html = await ana.api.GET('/api/v1/users/me', { headers: { Accept: 'text/html' } });
    expect(refusal(html)).toEqual([406, 'NOT_ACCEPTABLE', []]);
    // @ts-expect-error the operation has no parameters in the query
    const wrong = await ana.api.GET('/api/v1/users/me', { params: { query: { full: true } } });
    expect(refusal(wrong)).toEqual([400, 'VALIDATION_ERROR', ['full']]);
  });
});

describe('GET /api/v1/users/{id}', () => {
  test('answers operators about everybody, customers about themselves', async () => {
    const ana = await rest.user();
    const byOperator = await getUser(operator.api, ana.account.id);
    const bySelf = await getUser(ana.api, ana.account.id);
    expect(byOperator.data).toMatchObject({ id: ana.account.id, email: ana.account.email });
    expect(bySelf.data).toEqual(byOperator.data);
    expect(bySelf.response.headers.get('etag')).toBe('"1"');
  });

  test('304 while the record is what the client has', async () => {
    expect((await getUser(operator.api, operator.account.id, '"1"')).response.status).toBe(304);
    expect((await getUser(operator.api, operator.account.id, '"0"')).response.status).toBe(200);
  });

  test('404 for another user, byte for byte as for an absent one', async () => {
    const ana = await rest.user();
    const foreign = await getUser(ana.api, operator.account.id);
    expect(refusal(foreign)).toEqual([404, 'NOT_FOUND', []]);
    expect((await getUser(ana.api, ABSENT_ID)).error).toEqual(foreign.error);
  });

  test('400 for a wrong id, 401 without a token, 406 when JSON is not wanted', async () => {
    for (const id of ['7', 'ME', `urn:uuid:${ABSENT_ID}`, `${ABSENT_ID}0`]) {
      expect(refusal(await getUser(operator.api, id))).toEqual([400, 'VALIDATION_ERROR', ['id']]);
    }
    expect(refusal(await getUser(rest.client(), ABSENT_ID))).toEqual([401, 'UNAUTHENTICATED', []]);
    const params = { path: { id: operator.account.id } };
    const html = await operator.api.GET('/api/v1/users/{id}', { params, headers: { Accept: 'text/html' } });
    expect(refusal(html)).toEqual([406, 'NOT_ACCEPTABLE', []]);
  });
});
