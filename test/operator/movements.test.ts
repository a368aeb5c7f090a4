import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { age } from '../domain/orders-fixtures.js';
import { sharedService } from '../support/services.js';
import {
  agency,
  at,
  atPackage,
  bodyOf,
  type MovementInput,
  movement,
  newPackage,
  newPackages,
  placeOrder,
  reason,
  record,
  refusalOf,
  resultsOf,
  soon,
} from './fixtures.js';

const service = await sharedService();
const { operator } = service;
const { operator: api } = operator;
const customer = await service.customer();

const packageOf = (key: string) => bodyOf(api.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));
const statusOf = async (key: string) => (await packageOf(key)).status;

type Names = Pick<MovementInput, 'loggi_key' | 'tracking_code' | 'barcode'>;
const scan = (names: Names): MovementInput => {
  const { loggi_key: _, ...facts } = movement('');
  return { ...facts, ...names };
};

describe('POST /operator/v1/movements', () => {
  test('records a movement with its location, and the package and its order follow', async () => {
    const order = await placeOrder(customer);
    const key = order.packages[0]?.loggi_key ?? '';
    const location = { city: 'Campinas', state: 'SP' };
    expect(await resultsOf(operator, movement(key, { location }))).toEqual(['recorded']);
    const status = { code: 3, high_level_status: 'Em processamento' };
    expect(await packageOf(key)).toMatchObject({ location, movement_count: 2, status });
    expect((await bodyOf(customer.rest.GET('/api/v1/orders/{id}', at(order.id)))).status).toBe('processing');
  });

  test('recognises a movement by its id', async () => {
    const [one = '', other = ''] = await newPackages(customer, 2);
    const first = movement(one);
    expect(await resultsOf(operator, first)).toEqual(['recorded']);
    expect(await resultsOf(operator, first, first)).toEqual(['duplicate', 'duplicate']);
    const location = { city: 'Campinas', state: 'SP' };
    for (const content of [{ loggi_key: other }, { status_code: 11 }, { location }])
      expect(await resultsOf(operator, { ...first, ...content })).toEqual(['refused CONFLICT id']);
    expect((await packageOf(one)).movement_count).toBe(2);
  });

  test('finds the package by key, tracking code or barcode, as a label shows them', async () => {
    const { packages } = await placeOrder(customer, 3);
    const [{ loggi_key = '' } = {}, { tracking_code = '' } = {}, { barcode = '' } = {}] = packages;
    const named = [{ loggi_key }, { tracking_code }, { barcode }].map((name) => scan(name));
    expect(await resultsOf(operator, ...named)).toEqual(['recorded', 'recorded', 'recorded']);
    const keys = packages.map((each) => each.loggi_key);
    expect(await Promise.all(keys.map(statusOf))).toMatchObject([{ code: 3 }, { code: 3 }, { code: 3 }]);
    const again = named.map(({ id, happened_at }, at) => ({ ...scan({ loggi_key: keys[at] ?? '' }), id, happened_at }));
    expect(await resultsOf(operator, ...again)).toEqual(['duplicate', 'duplicate', 'duplicate']);
  });

  test('refuses only the movement whose code is unknown, or that names no package or names it twice', async () => {
    const { packages } = await placeOrder(customer);
    const [{ loggi_key = '', barcode = '' } = {}] = packages;
    const items = [
      scan({ tracking_code: '00000000000Z' }),
      scan({ barcode: '000000000000000000' }),
      scan({ loggi_key, barcode }),
      scan({}),
      scan({ barcode }),
    ];
    const unknown = ['tracking_code', 'barcode'].map((field) => `refused NOT_FOUND ${field}`);
    const wrong = 'refused VALIDATION_ERROR loggi_key';
    expect(await resultsOf(operator, ...items)).toEqual([...unknown, wrong, wrong, 'recorded']);
    const misshapen = record(operator, scan({ barcode: 'x'.repeat(18) }));
    expect(await refusalOf(misshapen)).toEqual([400, 'VALIDATION_ERROR', 'movements.0.barcode']);
  });

  test('answers for each item, in the order sent; a refused one does not stop the others', async () => {
    const key = await newPackage(customer);
    const expected: [MovementInput, string][] = [
      [movement(randomUUID()), 'refused NOT_FOUND loggi_key'],
      [movement(key, { status_code: 30000 }), 'refused NOT_FOUND status_code'],
      [movement(key, { status_code: 6 }), 'refused VALIDATION_ERROR action_required'],
      [movement(key, { status_code: 10 }), 'refused VALIDATION_ERROR pickup_agency'],
      [movement(key, { status_code: 1 }), 'refused VALIDATION_ERROR status_code'],
      [movement(key, { happened_at: soon(310_000) }), 'refused VALIDATION_ERROR happened_at'],
      [movement(key, { happened_at: soon(-310_000) }), 'refused VALIDATION_ERROR happened_at'],
      [movement(key, { status_code: 11, happened_at: soon(2000) }), 'recorded'],
    ];
    const results = await resultsOf(operator, ...expected.map(([item]) => item));
    expect(results).toEqual(expected.map(([, result]) => result));
    expect((await statusOf(key)).code).toBe(11);
  });

  test('stores the action that the shipper must take, and the agency where the package waits', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 6, action_required: reason, happened_at: soon(1000) }));
    expect(await statusOf(key)).toMatchObject({ code: 6, action_required: reason });
    await resultsOf(operator, movement(key, { status_code: 10, pickup_agency: agency, happened_at: soon(2000) }));
    const status = await statusOf(key);
    expect(status).toMatchObject({ code: 10, pickup_agency: agency });
    expect(status).not.toHaveProperty('action_required');
  });

  test('adds a late scan to the history, and keeps the current status', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 11 }));
    const late = soon(-60_000).replace('Z', '999Z');
    expect(await resultsOf(operator, movement(key, { status_code: 14, happened_at: late }))).toEqual(['recorded']);
    expect((await statusOf(key)).code).toBe(11);
  });

  test('ends a package and its order by a late final status; a second one is refused', async () => {
    const { id, packages } = await placeOrder(customer);
    const key = packages[0]?.loggi_key ?? '';
    await age(service.db, id, 3600);
    await resultsOf(operator, movement(key, { status_code: 11 }));
    const happened_at = soon(-600_000);
    expect(await resultsOf(operator, movement(key, { status_code: 5, happened_at }))).toEqual(['recorded']);
    expect(await statusOf(key)).toMatchObject({ code: 5, updated_at: happened_at });
    expect(await bodyOf(customer.rest.GET('/api/v1/orders/{id}', at(id)))).toMatchObject({ status: 'completed' });
    const second = movement(key, { status_code: 8, happened_at: soon(-700_000) });
    expect(await resultsOf(operator, second)).toEqual(['refused CONFLICT status_code']);
  });

  test.each([290_000, -290_000])('accepts a clock that is %i ms off, and recognises the movement', async (offset) => {
    const scan = movement(await newPackage(customer), { happened_at: soon(offset) });
    expect(await resultsOf(operator, scan)).toEqual(['recorded']);
    expect(await resultsOf(operator, scan)).toEqual(['duplicate']);
    const other = { ...scan, happened_at: soon(offset) };
    expect(await resultsOf(operator, other)).toEqual(['refused CONFLICT id']);
  });

  test('refuses a movement that happened after the final status', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 5, happened_at: soon(2000) }));
    const later = movement(key, { status_code: 3, happened_at: soon(3000) });
    expect(await resultsOf(operator, later)).toEqual(['refused CONFLICT status_code']);
  });

  test('takes 500 movements, and refuses 501 or an empty list', async () => {
    const keys = await newPackages(customer, 100);
    const all = Array.from({ length: 5 }, () => keys).flat();
    const batch = all.map((key, index) => movement(key, { happened_at: soon(index - 10_000) }));
    expect(await resultsOf(operator, ...batch)).toEqual(Array(500).fill('recorded'));
    for (const refused of [record(operator, ...batch, movement(keys[0] ?? '')), record(operator)])
      expect(await refusalOf(refused)).toEqual([400, 'VALIDATION_ERROR', 'movements']);
  });

  test('refuses a whole batch if an item has a wrong shape, and names every error', async () => {
    const key = await newPackage(customer);
    const wrong = movement('x', { id: 'y', happened_at: '2026-02-30T10:00:00Z', status_code: 0 });
    const [status, code, ...fields] = await refusalOf(record(operator, movement(key), wrong));
    const named = ['happened_at', 'id', 'loggi_key', 'status_code'].map((field) => `movements.1.${field}`);
    expect([status, code, [...new Set(fields)].sort()]).toEqual([400, 'VALIDATION_ERROR', named]);
    expect((await statusOf(key)).code).toBe(1);
  });
});
