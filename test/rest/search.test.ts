import { describe, expect, test } from '@jest/globals';
import { bodyOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { ask } from '../support/http.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';

/** An account finds orders and packages by references and metadata, by codes, and by recipients. */

const service = await ownService();
const { operator } = service;
const [ana, rui] = [await service.customer(), await service.customer()];

const place = async (by: Caller, metadata: Record<string, string> | undefined, ...parcels: object[]) => {
  const packages = parcels.map((each) => ({ ...packageBody, ...each }));
  return bodyOf(by.rest.POST('/api/v1/orders', { body: { ...orderBody(), packages, ...(metadata && { metadata }) } }));
};

const joao = { recipient: { name: 'João Araújo', phone: '+55 (11) 95555-1234' } };
const first = await place(ana, { channel: 'shop', cart: '48213' }, { ...joao, reference: 'Pedido 48213/1' }, {});
const second = await place(ana, { channel: 'shop', cart: '48214' }, { reference: 'Pedido 48214' });
const third = await place(ana, { channel: 'phone' }, { reference: 'Pedido 48214' });
const foreign = await place(rui, { channel: 'shop', cart: '48213' }, { ...joao, reference: 'Pedido 48213/1' });
const keysIn = (...orders: (typeof first)[]) =>
  orders.flatMap(({ packages }) => packages.map(({ loggi_key: key }) => key));

async function listed(list: 'orders' | 'packages', query: string, by = ana): Promise<string[]> {
  const { status, text } = await ask(service.url, 'GET', `/api/v1/${list}?${query}`, { token: by.token });
  const { data, pagination, error } = JSON.parse(text);
  if (error)
    return [status, error.code, ...error.details.map(({ field, code }: Record<string, string>) => `${field} ${code}`)];
  expect(pagination.total_items).toBe(data.length);
  return data.map(({ id, loggi_key }: Record<string, string>) => id ?? loggi_key);
}

describe('orders', () => {
  test.each([
    ['one fact', 'metadata[channel]=shop', [second, first]],
    ['a fact as clients encode it', 'metadata%5Bchannel%5D=shop', [second, first]],
    ['several facts, which must all fit', 'metadata[channel]=shop&metadata[cart]=48214', [second]],
    ['a fact that no order has', 'metadata[channel]=sho', []],
    ['a key that no order has', 'metadata[colour]=shop', []],
    ['a fact and a status', 'metadata[channel]=phone&status=created', [third]],
    ['a reference of a package', 'reference=Pedido%2048214', [third, second]],
    ['a part of a reference', 'reference=Pedido', []],
  ])('are found by %s', async (_what, query, expected) => {
    expect(await listed('orders', query)).toEqual(expected.map(({ id }) => id));
  });

  test.each([
    ['metadata', ['metadata required']],
    ['metadata=shop', ['metadata type']],
    ['metadata[channel]=', ['metadata[channel] required']],
    ['metadata[channel]=a&metadata[channel]=b', ['metadata[channel] duplicate']],
    ['status[x]=created', ['status[x] unknown_field']],
    ['metadata[a][b]=c', ['metadata[a][b] unknown_field']],
    [`metadata[a]=${'x'.repeat(501)}`, ['metadata.a too_long']],
    [Array.from({ length: 21 }, (_, index) => `metadata[k${index}]=x`).join('&'), ['metadata too_many']],
    ['metadata[channel]=shop&cursor=x', ['metadata contradiction']],
  ])('are not listed by %s', async (query, faults) => {
    expect(await listed('orders', query)).toEqual([400, 'VALIDATION_ERROR', ...faults]);
  });

  test('an operator lists orders by references, but not by the facts of one account', async () => {
    expect(await listed('orders', 'metadata[channel]=shop', operator)).toEqual([
      ...[400, 'VALIDATION_ERROR', 'metadata not_allowed'],
    ]);
    expect(await listed('orders', 'reference=Pedido%2048213%2F1', operator)).toEqual([foreign.id, first.id]);
  });
});

describe('packages', () => {
  const [parcel] = first.packages;
  const codes = [first, third].map(({ packages: [one] }) => one?.tracking_code.toLowerCase().replace(/(.{4})/g, '$1 '));

  test.each([
    ['a reference', 'reference=Pedido%2048214', keysIn(third, second)],
    ['a reference of another account too', 'reference=Pedido%2048213%2F1', [parcel?.loggi_key]],
    ['tracking codes, as they are printed', `tracking_codes=${codes.join()}`, [...keysIn(third), parcel?.loggi_key]],
    [
      'tracking codes, one of them of another account',
      `tracking_codes=${foreign.packages[0]?.tracking_code},${codes[0]}`,
      [parcel?.loggi_key],
    ],
    ['tracking codes and a status', `tracking_codes=${codes.join()}&status_code=3`, []],
  ])('are listed by %s', async (_what, query, expected) => {
    expect(await listed('packages', query)).toEqual(expected);
  });

  test.each([
    ['a part of a name, without accents', 'joao ara', [parcel?.loggi_key]],
    ['digits of a phone', '5555-1234', [parcel?.loggi_key]],
    ['a part of a reference, in any case', 'PEDIDO 4821', [...keysIn(third, second), parcel?.loggi_key]],
    ['a tracking code as it is printed', codes[0] ?? '', [parcel?.loggi_key]],
    ['a barcode', parcel?.barcode ?? '', [parcel?.loggi_key]],
    ['an external id', first.external_id ?? '', keysIn(first).reverse()],
    ['a text that no package has', 'zzz', []],
  ])('are found by %s', async (_what, text, expected) => {
    expect(await listed('packages', `search=${encodeURIComponent(text)}`)).toEqual(expected);
  });

  test('are not listed by more than 50 codes, or by an empty one', async () => {
    const many = Array.from({ length: 51 }, () => codes[0]).join();
    for (const wrong of [many, `${codes[0]},`, ',', `${'x'.repeat(65)}`])
      expect(await listed('packages', `tracking_codes=${wrong}`)).toEqual([
        400,
        'VALIDATION_ERROR',
        'tracking_codes pattern',
      ]);
  });

  test('are found by the operator in the same ways', async () => {
    const query = { q: 'pedido 48213', user_id: ana.id };
    const found = await bodyOf(operator.operator.GET('/operator/v1/packages', { params: { query } }));
    expect(found.data.map(({ loggi_key: key }) => key)).toEqual([parcel?.loggi_key]);
    const codesQuery = { tracking_codes: codes.join(), reference: 'Pedido 48214' };
    const named = await bodyOf(operator.operator.GET('/operator/v1/packages', { params: { query: codesQuery } }));
    expect(named.data.map(({ loggi_key: key }) => key)).toEqual(keysIn(third));
  });
});
