import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import { closeMonths } from '../../src/orders/statements/close-months.js';
import { monthAt, monthNamed } from '../../src/orders/statements/months.js';
import { placeOrder } from '../operator/fixtures.js';
import { closedMonth } from '../support/closed-month.js';
import { must } from '../support/http.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

/** GET /api/v1/statements, /api/v1/statements/{month}, and the operator's views of statements. */

const service = await ownService();
const { db, url, operator } = service;
const ana = await service.customer();

const thisMonth = monthAt(new Date()).name;
const statement = (month: string, who = ana) =>
  who.rest.GET('/api/v1/statements/{month}', { params: { path: { month } } });
/** The JSON of an answer that may be a file. */
function jsonOf<T>(answer: { data?: T; error?: unknown; response: Response }): Exclude<T, string> {
  const data = must(answer);
  if (typeof data === 'string') throw new Error('the answer is a file');
  return data as Exclude<T, string>;
}

const file = (path: string, token: string, headers = {}) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, accept: 'text/csv', ...headers } });

const order = await placeOrder(ana, 2);
const [first] = order.packages;
const cancelled = must(
  await ana.rest.POST('/api/v1/packages/{loggi_key}/cancellation', {
    params: { path: { loggi_key: first?.loggi_key ?? '' } },
    body: {},
  }),
);
const { total } = cancelled.order.pricing;
const less = (Number(total) - Number(order.pricing.total)).toFixed(2);

describe('GET /api/v1/statements/{month}', () => {
  test('shows an order as it was created, and its cancelled package at its own time', async () => {
    const { lines, ...rest } = jsonOf(await statement(thisMonth));
    const shared = { order_id: order.id, service: 'express', payment_method_id: order.payment_method_id };
    expect(lines).toEqual([
      { ...shared, at: order.created_at, kind: 'order_created', amount: order.pricing.total },
      { ...shared, at: expect.any(String), kind: 'package_cancelled', loggi_key: first?.loggi_key, amount: less },
    ]);
    expect(rest).toEqual({
      month: thisMonth,
      state: 'open',
      closes_at: monthNamed(thisMonth).closesAt.toISOString(),
      line_count: 2,
      total,
      sums: [{ service: 'express', payment_method_id: order.payment_method_id, line_count: 2, total }],
    });
    const { data } = must(await ana.rest.GET('/api/v1/statements'));
    expect(data).toEqual([rest]);
  });

  test('is a spreadsheet file in Portuguese or English if the client accepts one', async () => {
    const portuguese = await file(`/api/v1/statements/${thisMonth}`, ana.token);
    expect(portuguese.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(portuguese.headers.get('content-disposition')).toBe(`attachment; filename="extrato-${thisMonth}.csv"`);
    const [head, created, change] = Buffer.from(await portuguese.arrayBuffer())
      .toString('utf8')
      .split('\r\n');
    expect(head).toBe(
      '\uFEFF"Data e hora";"Lançamento";"Pedido";"Número externo";"Pacote";"Serviço";"Forma de pagamento";"Valor (R$)"',
    );
    expect(created).toMatch(/^"\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d";"Pedido";/);
    expect(created?.split(';').at(-1)).toBe(`"${order.pricing.total.replace('.', ',')}"`);
    expect(change).toContain(`"Cancelamento de pacote";"${order.id}";"";"${first?.loggi_key}";"Expresso"`);
    const english = await (await file(`/api/v1/statements/${thisMonth}?language=en`, ana.token)).text();
    expect(english.split('\r\n')[2]).toMatch(new RegExp(`^"\\d{4}-.*","Package cancelled",.*,"${less}"$`));
  });

  test('refuses a month that has not begun, and answers 404 for a month without lines', async () => {
    const future = await statement('2099-01');
    expect([refusal(future), future.error?.error.details]).toEqual([
      '400 VALIDATION_ERROR month',
      [{ field: 'month', code: 'too_late', message: 'has not begun' }],
    ]);
    expect(refusal(await statement('2020-01'))).toBe('404 NOT_FOUND');
    expect(refusal(await statement('2020-13'))).toBe('400 VALIDATION_ERROR month');
    const bia = await service.customer();
    expect(refusal(await statement(thisMonth, bia))).toBe('404 NOT_FOUND');
    expect(must(await bia.rest.GET('/api/v1/statements')).data).toEqual([]);
  });

  test('has the digests of its files, which are their ETags, when the month is closed', async () => {
    const carla = await service.customer();
    const month = await closedMonth(db, carla.id);
    const { csv_sha256: digests, state, closed_at } = jsonOf(await statement(month, carla));
    expect([state, typeof closed_at]).toEqual(['closed', 'string']);
    for (const [language, digest] of [
      ['pt-BR', digests?.pt_br],
      ['en', digests?.en],
    ] as const) {
      const path = `/api/v1/statements/${month}?language=${language}`;
      const answer = await file(path, carla.token);
      expect(
        createHash('sha256')
          .update(Buffer.from(await answer.arrayBuffer()))
          .digest('hex'),
      ).toBe(digest);
      expect(answer.headers.get('etag')).toBe(`"${digest}"`);
      expect((await file(path, carla.token, { 'if-none-match': `"${digest}"` })).status).toBe(304);
    }
    expect(must(await carla.rest.GET('/api/v1/statements')).data).toMatchObject([
      { month, state, csv_sha256: digests },
    ]);
    const params = { path: { id: carla.id, month } };
    expect(must(await operator.operator.GET('/operator/v1/users/{id}/statements/{month}', { params }))).toEqual(
      jsonOf(await statement(month, carla)),
    );
  });
});

describe('the operator', () => {
  test('reads the statements of an account, even after its deletion', async () => {
    const dora = await service.customer();
    await placeOrder(dora, 1);
    const own = must(await dora.rest.GET('/api/v1/statements'));
    await operator.rest.DELETE('/api/v1/users/{id}', { params: { path: { id: dora.id } } });
    const params = { path: { id: dora.id } };
    expect(must(await operator.operator.GET('/operator/v1/users/{id}/statements', { params }))).toEqual(own);
    const absent = { path: { id: v7() } };
    expect(refusal(await operator.operator.GET('/operator/v1/users/{id}/statements', { params: absent }))).toBe(
      '404 NOT_FOUND',
    );
  });

  test('reads when a month was closed for all accounts', async () => {
    const eva = await service.customer();
    const month = await closedMonth(db, eva.id);
    const read = async () =>
      jsonOf(await operator.operator.GET('/operator/v1/statements/{month}', { params: { path: { month } } }));
    await closeMonths(db);
    const list = await read();
    expect(list).toMatchObject({ month, state: 'closed', closed_at: expect.stringMatching(/Z$/) });
    const own = list.data.find(({ user_id }) => user_id === eva.id);
    expect(own).toMatchObject({ state: 'closed', csv_sha256: { pt_br: expect.stringMatching(/^[0-9a-f]{64}$/) } });
  });

  test('reads the month of all accounts with their names, as a list and as one file', async () => {
    const eva = await service.customer();
    await placeOrder(eva, 1);
    const params = { path: { month: thisMonth } };
    const list = jsonOf(await operator.operator.GET('/operator/v1/statements/{month}', { params }));
    const [own] = must(await eva.rest.GET('/api/v1/statements')).data;
    const { line_count, sums, total: ofEva } = own ?? {};
    expect(list).toMatchObject({ month: thisMonth, state: 'open' });
    expect(list.data).toContainEqual({
      ...{ user_id: eva.id, name: 'Ana Souza', state: 'open', line_count, sums, total: ofEva },
    });
    const text = await (await file(`/operator/v1/statements/${thisMonth}?language=en`, operator.token)).text();
    const lines = text.trim().split('\r\n');
    expect(lines[0]).toMatch(/^"Account","Account name","Time","Entry"/);
    const counted = list.data.reduce((sum, each) => sum + each.line_count, 0);
    expect(lines).toHaveLength(1 + counted);
    expect(lines.filter((line) => line.startsWith(`"${eva.id}","Ana Souza",`))).toHaveLength(1);
  });
});
