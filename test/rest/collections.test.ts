import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { codesIn, printedPdf } from '../labels/pictures.js';
import { at, atPackage, bodyOf, movement, newPackages, placeOrder, resultsOf, soon } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { timesTheCost } from '../support/cost.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';

/** Packages that are handed over together: their list, its sheet, and the receipt of the courier. */

const service = await ownService();
const { operator } = service;
const api = operator.operator;

type Input = { order_ids?: string[]; loggi_keys?: string[]; pickup_index?: number };
const create = (by: Caller, body: Input, header: Record<string, string> = {}) =>
  by.rest.POST('/api/v1/collections', { body, params: { header } });
const get = (by: Caller, id: string) => bodyOf(by.rest.GET('/api/v1/collections/{id}', at(id)));
const statusOf = async (by: Caller, key: string) =>
  (await bodyOf(by.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)))).status.code;

type Receipt = {
  happened_at: string;
  scanned?: string[];
  missing?: string[];
  location?: { city: string; state: string };
};
const receive = (code: string, body: Partial<Receipt> = { missing: [] }, by = operator) =>
  by.operator.POST('/operator/v1/collections/{code}/receipt', {
    params: { path: { code } },
    body: { happened_at: soon(0), ...body },
  });

type Answered = Awaited<ReturnType<typeof receive>> | Awaited<ReturnType<typeof create>>;
const refusal = ({ response, error }: Answered) => [
  ...[response.status, error?.error.reason],
  ...(error?.error.details.map(({ field, code }) => `${field} ${code}`) ?? []),
];

/** A list of 500 packages, which is the maximum. */
async function largestList(by: Caller) {
  const orders = [];
  for (let order = 0; order < 5; order += 1) orders.push((await placeOrder(by, 100)).id);
  return bodyOf(create(by, { order_ids: orders }));
}

const [ana, rui] = [await service.customer(), await service.customer()];

describe('a list', () => {
  test('has a code, and the packages of its orders that are in status 1, in the order of the orders', async () => {
    const [one, two] = [await placeOrder(ana, 3), await placeOrder(ana, 2)];
    const [, moved] = one.packages;
    await resultsOf(operator, movement(moved?.loggi_key ?? '', { status_code: 14 }));
    const made = await create(ana, { order_ids: [two.id, one.id.toUpperCase(), two.id] });
    const list = await bodyOf(Promise.resolve(made));
    const keys = [...two.packages, one.packages[0], one.packages[2]].map((each) => each?.loggi_key);
    expect(list.packages.map(({ loggi_key: key }) => key)).toEqual(keys);
    expect(list).toMatchObject({ state: 'open', package_count: 4, user_id: ana.id });
    expect(list.code).toMatch(/^C[0-9A-Z]{12}$/);
    expect(list).not.toHaveProperty('receipt');
    expect(made.response.headers.get('location')).toBe(`/api/v1/collections/${list.id}`);
    expect(await get(ana, list.id)).toEqual(list);
    const named = { params: { path: { code: list.code.toLowerCase().replace(/(.{4})/g, '$1 ') } } };
    expect(await bodyOf(api.GET('/operator/v1/collections/{code}', named))).toEqual(list);
  });

  test('has the packages of one pickup, or single packages in the order in which they are named', async () => {
    const { pickups } = orderBody();
    const packages = [0, 1, 1].map((pickup_index) => ({ ...packageBody, pickup_index }));
    const body = { pickups: [...pickups, { address: { address: 'Rua Augusta, 1500, São Paulo - SP' } }], packages };
    const order = await bodyOf(ana.rest.POST('/api/v1/orders', { body }));
    const [first = '', second = '', third = ''] = order.packages.map(({ loggi_key: key }) => key);
    const ofPickup = await bodyOf(create(ana, { order_ids: [order.id], pickup_index: 1 }));
    expect(ofPickup.packages.map(({ loggi_key: key }) => key)).toEqual([second, third]);
    await bodyOf(ana.rest.POST('/api/v1/collections/{id}/cancellation', at(ofPickup.id)));
    const single = await bodyOf(create(ana, { loggi_keys: [third.toUpperCase(), first] }));
    expect(single.packages.map(({ loggi_key: key }) => key)).toEqual([third, first]);
  });

  test('is refused for wrong fields, which are named, and for packages that cannot be listed', async () => {
    const { id, packages } = await placeOrder(ana, 2);
    const [key = '', other = ''] = packages.map((each) => each.loggi_key);
    const foreign = await placeOrder(rui);
    const invalid = (...faults: string[]) => [400, 'invalid_fields', ...faults];
    expect(refusal(await create(ana, {}))).toEqual(invalid('order_ids contradiction'));
    expect(refusal(await create(ana, { order_ids: [id], loggi_keys: [key] }))).toEqual(
      invalid('order_ids contradiction'),
    );
    expect(refusal(await create(ana, { loggi_keys: [key], pickup_index: 0 }))).toEqual(
      invalid('pickup_index not_allowed'),
    );
    expect(refusal(await create(ana, { order_ids: [id, foreign.id] }))).toEqual(invalid('order_ids.1 not_found'));
    expect(refusal(await create(ana, { order_ids: [id], pickup_index: 4 }))).toEqual(invalid('order_ids.0 not_found'));
    const foreignKey = foreign.packages[0]?.loggi_key ?? '';
    expect(refusal(await create(ana, { loggi_keys: [key, foreignKey] }))).toEqual(invalid('loggi_keys.1 not_found'));
    await bodyOf(create(ana, { loggi_keys: [other] }));
    expect(refusal(await create(ana, { loggi_keys: [key, other] }))).toEqual([
      409,
      'package_listed',
      'loggi_keys.1 state',
    ]);
    expect(refusal(await create(ana, { order_ids: [id] }))).toEqual([409, 'package_listed', 'order_ids.0 state']);
    await resultsOf(operator, movement(key, { status_code: 3 }), movement(other, { status_code: 3 }));
    expect(refusal(await create(ana, { loggi_keys: [key] }))).toEqual([409, 'package_state', 'loggi_keys.0 state']);
    expect(refusal(await create(ana, { order_ids: [id] }))).toEqual([409, 'package_state']);
  });

  test('has at most 500 packages', async () => {
    const orders = [];
    for (let at = 0; at < 6; at += 1) orders.push((await placeOrder(rui, 100)).id);
    expect(refusal(await create(rui, { order_ids: orders }))).toEqual([400, 'invalid_fields', 'order_ids too_many']);
    expect((await bodyOf(create(rui, { order_ids: orders.slice(1) }))).package_count).toBe(500);
  });

  test('is made once for an Idempotency-Key, and once when two requests list a package at the same time', async () => {
    const [key = ''] = await newPackages(ana, 1);
    const twice = await Promise.all([1, 2].map(() => create(ana, { loggi_keys: [key] })));
    expect(twice.map(({ response }) => response.status).sort()).toEqual([201, 409]);
    const [other = ''] = await newPackages(ana, 1);
    const header = { 'Idempotency-Key': randomUUID() };
    const first = await bodyOf(create(ana, { loggi_keys: [other] }, header));
    expect(await bodyOf(create(ana, { loggi_keys: [other] }, header))).toEqual(first);
  });

  test('can be cancelled, and its packages can then be listed again', async () => {
    const [key = ''] = await newPackages(ana, 1);
    const list = await bodyOf(create(ana, { loggi_keys: [key] }));
    const cancel = () => ana.rest.POST('/api/v1/collections/{id}/cancellation', at(list.id));
    const cancelled = await bodyOf(cancel());
    expect(cancelled).toMatchObject({ state: 'cancelled', cancelled_at: expect.any(String) });
    expect(await bodyOf(cancel())).toEqual(cancelled);
    expect(refusal(await receive(list.code))).toEqual([409, 'collection_state']);
    const again = await bodyOf(create(ana, { loggi_keys: [key] }));
    await bodyOf(receive(again.code));
    const late = await ana.rest.POST('/api/v1/collections/{id}/cancellation', at(again.id));
    expect([late.response.status, late.error?.error.reason]).toEqual([409, 'collection_state']);
  });

  test('is shown to its account and to operators, who can filter by state', async () => {
    const customer = await service.customer();
    const [one = '', two = ''] = await newPackages(customer, 2);
    const [open, gone] = [
      await bodyOf(create(customer, { loggi_keys: [one] })),
      await bodyOf(create(customer, { loggi_keys: [two] })),
    ];
    await bodyOf(customer.rest.POST('/api/v1/collections/{id}/cancellation', at(gone.id)));
    const codes = async (state?: 'open' | 'cancelled' | 'received') => {
      const query = state ? { state } : {};
      const own = await bodyOf(customer.rest.GET('/api/v1/collections', { params: { query } }));
      const filter = { ...query, user_id: customer.id };
      const all = await bodyOf(api.GET('/operator/v1/collections', { params: { query: filter } }));
      expect(all).toEqual(own);
      return own.data.map(({ code }) => code);
    };
    expect([await codes(), await codes('open'), await codes('cancelled'), await codes('received')]).toEqual([
      ...[[gone.code, open.code], [open.code], [gone.code], []],
    ]);
    expect((await rui.rest.GET('/api/v1/collections/{id}', at(open.id))).response.status).toBe(404);
  });
});

describe('a receipt', () => {
  const location = { city: 'São Paulo', state: 'SP' };

  test('collects the scanned packages, and names missing packages and foreign codes', async () => {
    const { packages } = await placeOrder(ana, 4);
    const [stranger] = (await placeOrder(ana)).packages;
    const [byBarcode, byCode, byKey, absent] = packages;
    const list = await bodyOf(create(ana, { loggi_keys: packages.map((each) => each.loggi_key) }));
    const printed = byCode?.tracking_code.toLowerCase().replace(/(.{4})/g, '$1 ') ?? '';
    const scanned = [byBarcode?.barcode, printed, byKey?.loggi_key, stranger?.barcode, byBarcode?.barcode, 'ABC-1'];
    const body = { happened_at: soon(0), location, scanned: scanned.map((code) => code ?? '') };
    const received = await bodyOf(receive(list.code, body));
    expect(received.receipt).toMatchObject({
      ...{ collected: 3, missing: 1, refused: 0, location, extra_codes: [stranger?.barcode, 'ABC1'].sort() },
      happened_at: body.happened_at,
    });
    expect(received.packages.map(({ outcome }) => outcome)).toEqual(['collected', 'collected', 'collected', 'missing']);
    expect(await get(ana, list.id)).toEqual(received);
    const keys = [byBarcode, byCode, byKey, absent, stranger].map((each) => each?.loggi_key ?? '');
    expect(await Promise.all(keys.map((key) => statusOf(ana, key)))).toEqual([14, 14, 14, 1, 1]);
    const shown = await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}', atPackage(keys[0] ?? '')));
    expect([shown.status.updated_at, shown.location]).toEqual([body.happened_at, location]);
    expect((await bodyOf(create(ana, { loggi_keys: [keys[3] ?? ''] }))).package_count).toBe(1);
  });

  test('is recorded once when it is sent again; a different receipt is refused', async () => {
    const keys = await newPackages(ana, 3);
    const list = await bodyOf(create(ana, { loggi_keys: keys }));
    const [first = '', second = ''] = list.packages.map(({ barcode }) => barcode);
    const body = { happened_at: soon(0), scanned: [first, second] };
    const all = await Promise.all(Array.from({ length: 6 }, () => receive(list.code, body)));
    expect(all.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(all.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect((await receive(list.code, { ...body, scanned: [second, first, first] })).data).toEqual(all[0]?.data);
    expect(refusal(await receive(list.code, { ...body, scanned: [first] }))).toEqual([409, 'collection_state']);
    const { movement_count } = await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}', atPackage(keys[0] ?? '')));
    expect(movement_count).toBe(2);
  });

  test('may name only the missing packages; all others are collected', async () => {
    const keys = await newPackages(ana, 3);
    const list = await bodyOf(create(ana, { loggi_keys: keys }));
    const [code = ''] = list.packages.map(({ tracking_code }) => tracking_code);
    expect(refusal(await receive(list.code, { missing: [code, 'NOTHING'] }))).toEqual([
      ...[400, 'invalid_fields', 'missing.1 not_found'],
    ]);
    expect(refusal(await receive(list.code, { missing: [], scanned: [] }))).toEqual([
      ...[400, 'invalid_fields', 'scanned contradiction'],
    ]);
    const received = await bodyOf(receive(list.code, { missing: [code] }));
    expect(received.receipt).toMatchObject({ collected: 2, missing: 1, extra_codes: [] });
  });

  test('refuses only the package that was cancelled meanwhile', async () => {
    const { packages } = await placeOrder(ana, 2);
    const keys = packages.map((each) => each.loggi_key);
    const list = await bodyOf(create(ana, { loggi_keys: keys }));
    await bodyOf(ana.rest.POST('/api/v1/packages/{loggi_key}/cancellation', { ...atPackage(keys[0] ?? ''), body: {} }));
    const received = await bodyOf(receive(list.code));
    expect(received.packages.map(({ outcome }) => outcome)).toEqual(['refused', 'collected']);
    expect(received.receipt).toMatchObject({ collected: 1, refused: 1 });
  });

  test('with a wrong time is refused, and collects no package', async () => {
    const keys = await newPackages(ana, 2);
    const list = await bodyOf(create(ana, { loggi_keys: keys }));
    const late = await receive(list.code, { happened_at: soon(3_600_000), missing: [] });
    expect(refusal(late)).toEqual([400, 'invalid_fields', 'happened_at too_late']);
    expect(await Promise.all(keys.map((key) => statusOf(ana, key)))).toEqual([1, 1]);
    expect((await get(ana, list.id)).state).toBe('open');
  });

  test('is written by couriers and scanners, who see only a list whose code they have', async () => {
    const [key = ''] = await newPackages(ana, 1);
    const list = await bodyOf(create(ana, { loggi_keys: [key] }));
    const body = { name: 'Phone', scope: 'courier' } as const;
    const { secret } = await bodyOf(api.POST('/operator/v1/operator-keys', { body }));
    const courier = service.caller({ id: '', email: '' }, secret);
    expect((await courier.operator.GET('/operator/v1/collections')).response.status).toBe(403);
    const named = { params: { path: { code: list.code } } };
    expect((await bodyOf(courier.operator.GET('/operator/v1/collections/{code}', named))).code).toBe(list.code);
    expect((await bodyOf(receive(list.code, { missing: [] }, courier))).state).toBe('received');
  });

  test('of 500 packages takes at most a second', async () => {
    const customer = await service.customer();
    // Other programs on the machine may slow one receipt down, but hardly three in a row.
    let took = Number.POSITIVE_INFINITY;
    let received = 0;
    while (took > 1_000 && received < 3) {
      const { code } = await largestList(customer);
      const started = performance.now();
      const { receipt } = await bodyOf(receive(code));
      took = Math.min(took, performance.now() - started);
      received += 1;
      expect(receipt).toMatchObject({ collected: 500, missing: 0, refused: 0 });
    }
    expect(took).toBeLessThan(1_000);
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from packages where account_id = ${customer.id} and status_code = 14`.execute(
      service.db,
    );
    expect(rows).toEqual([{ count: received * 500 }]);
  });
});

describe('the sheet of a list', () => {
  const sheetOf = async (id: string, by = ana) => {
    const response = await fetch(`${service.url}/api/v1/collections/${id}/sheet`, {
      headers: { Authorization: `Bearer ${by.token}` },
    });
    const { headers, status } = response;
    const told = [status, headers.get('content-type'), headers.get('content-disposition')];
    return { told, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  test('has its code, a line for each package, and a place to sign', async () => {
    const { packages } = await placeOrder(ana, 2, { reference: 'Venda 77' });
    const list = await bodyOf(create(ana, { loggi_keys: packages.map((each) => each.loggi_key) }));
    const { told, bytes } = await sheetOf(list.id);
    expect(told).toEqual([200, 'application/pdf', `inline; filename="collection-${list.code}.pdf"`]);
    const [page, ...more] = await printedPdf(bytes);
    expect(more).toEqual([]);
    expect(page && (await codesIn(page.picture))).toEqual([`ZBAR_CODE128 ${list.code}`]);
    for (const text of [
      'LISTA DE COLETA',
      'Ana Souza',
      '2 pacotes',
      'Venda 77',
      'Bruno Lima',
      'Entregue por',
      'Recebido por',
    ])
      expect(page?.text).toContain(text);
    for (const { tracking_code: code } of packages) expect(page?.text).toContain(code.replace(/.{4}(?=.)/g, '$& '));
    expect((await sheetOf(list.id, rui)).told[0]).toBe(404);
  });

  test('of 500 packages takes at most as long as the labels of an order of 100', async () => {
    const customer = await service.customer();
    const list = await largestList(customer);
    const order = list.packages[0]?.order_id ?? '';
    const headers = { Authorization: `Bearer ${customer.token}` };
    const labels = async () => {
      const answer = await fetch(`${service.url}/api/v1/orders/${order}/labels`, { headers });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    };
    const sheet = async () => expect((await sheetOf(list.id, customer)).told[0]).toBe(200);
    expect(await timesTheCost(sheet, labels, 1)).toBeLessThanOrEqual(1);
  });

  test('of 500 packages has all of them, on pages with the code', async () => {
    const customer = await service.customer();
    const list = await largestList(customer);
    const { told, bytes } = await sheetOf(list.id, customer);
    expect(told[0]).toBe(200);
    const pages = await printedPdf(bytes);
    expect(pages.map(({ text }) => text.includes('Recebido por'))).toEqual([...Array(14).fill(false), true]);
    for (const { picture } of [pages[0], pages[14]].flatMap((page) => page ?? []))
      expect(await codesIn(picture)).toEqual([`ZBAR_CODE128 ${list.code}`]);
    expect(pages[13]?.text).toContain(' 500 ');
  });
});
