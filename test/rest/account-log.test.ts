import { describe, expect, test } from '@jest/globals';
import { orderBody } from '../support/bodies.js';
import { ask, clientsFor, must } from '../support/http.js';
import type { Caller } from '../support/service.js';
import { sharedService } from '../support/services.js';
import { refusal } from './refusal.js';

/** The audit log of an account, as its owners read it. */

const service = await sharedService();

const list = ({ rest }: Pick<Caller, 'rest'>, query: object = {}) =>
  rest.GET('/api/v1/audit-log', { params: { query } });
const listed = async (ana: Pick<Caller, 'rest'>, query: object = {}) => must(await list(ana, query)).data;
const operations = async (ana: Caller, query: object) => (await listed(ana, query)).map(({ operation }) => operation);

const file = async ({ token }: Caller, query = '') =>
  ask(service.url, 'GET', `/api/v1/audit-log/csv${query}`, { token });

describe('the audit log of an account', () => {
  test('is filtered by actor, operation and time, and paged, newest first', async () => {
    const ana = await service.customer();
    const { api_key } = must(await ana.rest.POST('/api/v1/api-keys', { body: { name: 'Loja', scope: 'read' } }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const since = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    must(await ana.rest.POST('/api/v1/orders', { body: orderBody() }));
    const params = { path: { id: ana.id } };
    await service.operator.operator.POST('/operator/v1/users/{id}/phone-confirmation', { params });
    await ana.rest.DELETE('/api/v1/api-keys/{id}', { params: { path: { id: api_key.id } } });
    expect(await operations(ana, {})).toEqual(['revokeApiKey', 'confirmPhone', 'createOrder', 'createApiKey']);
    expect(await operations(ana, { actor: 'operator' })).toEqual(['confirmPhone']);
    expect(await operations(ana, { actor: 'member' })).toEqual([]);
    expect(await operations(ana, { actor_id: ana.id })).toHaveLength(3);
    expect(await operations(ana, { actor_id: service.operator.id })).toEqual([]);
    expect(await operations(ana, { operation: 'createOrder' })).toEqual(['createOrder']);
    expect(await operations(ana, { created_to: since })).toEqual(['createApiKey']);
    expect(await operations(ana, { created_from: since, page_size: 1, page: 2 })).toEqual(['confirmPhone']);
  });

  test('shows no entry of another account, not even to an operator', async () => {
    const [ana, bob] = [await service.customer(), await service.customer()];
    must(await ana.rest.POST('/api/v1/orders', { body: orderBody() }));
    expect(await listed(bob)).toEqual([]);
    expect(await operations(service.operator, { actor_id: ana.id })).toEqual([]);
  });

  test('is also a file, with no cell that a spreadsheet takes for a formula', async () => {
    const ana = await service.customer();
    must(await ana.rest.POST('/api/v1/products', { body: product }));
    const body = { name: '=cmd', email: `m-${ana.id}@log.test`, role: 'owner' } as const;
    const { member, link } = must(await ana.rest.POST('/api/v1/members', { body }));
    const password = 'staple battery horse';
    await ask(service.url, 'POST', '/auth/password-change', { body: { token: link.token, password } });
    const { headers, text } = await file(ana);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
    const [head, newest, ...others] = text.trim().split('\r\n');
    expect(head).toMatch(/^"time","operation","actor","actor_id","actor_name",/);
    expect(newest).toContain(`"useMemberLink","member","${member.id}","'=cmd"`);
    expect(others.map((line) => line.split(',')[1])).toEqual(['"inviteMember"', '"createProduct"']);
    expect((await file(ana, '?operation=createProduct')).text.trim().split('\r\n')).toHaveLength(2);
  });

  test('as a file contains more than the first page', async () => {
    const ana = await service.customer();
    const entry = { account_id: ana.id, by_operator: false, actor_id: ana.id, operation: 'createOrder', fields: [] };
    const rows = Array.from({ length: 1_001 }, (_, at) => ({
      ...entry,
      id: `01930f5e-7d3c-7a41-9c55-${String(at).padStart(12, '0')}`,
      targets: '{}',
    }));
    await service.db.insertInto('audit_log').values(rows).execute();
    const ids = (await file(ana)).text.trim().split('\r\n');
    expect(ids).toHaveLength(1_002);
  });

  test('forgets the name of an erased person, and keeps the entry', async () => {
    const ana = await service.customer();
    const body = { name: 'Bia Ramos', email: `b-${ana.id}@log.test`, role: 'shipper' } as const;
    const { member, link } = must(await ana.rest.POST('/api/v1/members', { body }));
    await ask(service.url, 'POST', '/auth/password-change', {
      body: { token: link.token, password: 'staple battery horse' },
    });
    const { rest, operator } = service.operator;
    const params = { path: { id: ana.id } };
    await rest.DELETE('/api/v1/users/{id}', { params });
    must(await operator.POST('/operator/v1/users/{id}/erasure', { params }));
    const { data } = must(await operator.GET('/operator/v1/audit-log', { params: { query: { user_id: ana.id } } }));
    expect(data.find(({ operation }) => operation === 'useMemberLink')).toMatchObject({ actor_id: member.id });
    const log = service.db.selectFrom('audit_log').selectAll().where('account_id', '=', ana.id);
    expect(JSON.stringify(await log.execute())).not.toMatch(/Bia|log\.test/);
  });

  test('is read only by owners, and by API keys that they made', async () => {
    const ana = await service.customer();
    for (const [role, status] of [
      ['owner', 200],
      ['shipper', 403],
      ['viewer', 403],
    ] as const) {
      const body = { name: 'Bia', email: `${role}-${ana.id}@log.test`, role };
      const { member, link } = must(await ana.rest.POST('/api/v1/members', { body }));
      const password = 'staple battery horse';
      await ask(service.url, 'POST', '/auth/password-change', { body: { token: link.token, password } });
      const { token } = await service.signIn({ email: member.email, password });
      expect((await list(clientsFor(service.url, token))).response.status).toBe(status);
      expect((await ask(service.url, 'GET', '/api/v1/audit-log/csv', { token })).status).toBe(status);
    }
    expect(refusal(await list(service.anonymous))).toBe('401 UNAUTHENTICATED');
  });
});

const product = {
  sku: 'CAFE-500',
  name: 'Café torrado',
  price: '38.50',
  dimensions: { width: 12, height: 6, length: 20, weight: 520 },
};
