import { describe, expect, test } from '@jest/globals';
import { ownService } from '../support/services.js';
import { atPackage, bodyOf, movement, newPackage, placeOrder, refusalOf, resultsOf } from './fixtures.js';

const service = await ownService();
const { operator } = service;
const { operator: api } = operator;

describe('package statuses', () => {
  const customs = {
    code: 19,
    high_level_status: 'Retido na alfândega',
    description: 'Aguarda a liberação da alfândega.',
    requirement: 'action_required',
    final: false,
    stage: 'processing',
  } as const;
  const add = (body: typeof customs | Record<string, unknown>) =>
    api.POST('/operator/v1/package-statuses', { body: Object.assign({ ...customs }, body) });

  test('are listed by code', async () => {
    const { data, pagination } = await bodyOf(api.GET('/operator/v1/package-statuses'));
    const codes = data.map((status) => status.code);
    expect(codes).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 14, 17, 18]);
    expect(pagination.total_items).toBe(codes.length);
    const query = { page: 2, page_size: 3 };
    const second = await bodyOf(api.GET('/operator/v1/package-statuses', { params: { query } }));
    expect(second.data).toEqual(data.slice(3, 6));
  });

  test('can be added, and movements use them at once', async () => {
    const { data, response } = await add(customs);
    expect([response.status, response.headers.get('location')]).toEqual([201, '/operator/v1/package-statuses/19']);
    expect(data).toEqual(customs);
    const params = { path: { code: 19 } };
    expect(await bodyOf(api.GET('/operator/v1/package-statuses/{code}', { params }))).toEqual(customs);
    const held = movement(await newPackage(await service.customer()), { status_code: 19 });
    expect(await resultsOf(operator, held)).toEqual(['refused VALIDATION_ERROR action_required']);
    const action_required = { reason_label: 'Imposto', reason_description: 'Pague o imposto.' };
    expect(await resultsOf(operator, { ...held, action_required })).toEqual(['recorded']);
  });

  test('refuse a taken code, and a value of `final` that contradicts the stage', async () => {
    expect(await refusalOf(add({ code: 3 }))).toEqual([409, 'CONFLICT', 'code']);
    for (const contradiction of [{ final: true }, { stage: 'completed' }])
      expect(await refusalOf(add({ code: 20, ...contradiction }))).toEqual([400, 'VALIDATION_ERROR', 'final']);
    expect(await refusalOf(add({ code: 0, stage: 'lost' }))).toEqual([400, 'VALIDATION_ERROR', 'code', 'stage']);
  });

  test('are final if their stage is an end, even when the request does not say so', async () => {
    const { final: _, ...untold } = customs;
    const finalOf = async (more: object) =>
      (await bodyOf(api.POST('/operator/v1/package-statuses', { body: { ...untold, ...more } }))).final;
    expect([await finalOf({ code: 21, stage: 'cancelled' }), await finalOf({ code: 22 })]).toEqual([true, false]);
  });
});

describe('rate cards', () => {
  const rates = { base: '10.00', per_km: '2.00', per_kg: '1.00', per_extra_stop: '5.00', volumetric_cm3_per_kg: 5000 };
  const current = () => bodyOf(api.GET('/operator/v1/rate-cards/current'));

  test('come in versions: orders are priced by the current one and keep it', async () => {
    const customer = await service.customer();
    const before = await placeOrder(customer, 2);
    const preview = await bodyOf(api.POST('/operator/v1/rate-cards/preview', { body: rates }));
    const { data, response } = await api.POST('/operator/v1/rate-cards', { body: rates });
    expect([response.status, response.headers.get('location')]).toEqual([201, '/operator/v1/rate-cards/2']);
    expect(data).toMatchObject({ ...rates, version: 2 });
    expect(await current()).toEqual(data);
    const after = await placeOrder(customer, 2);
    expect([before.pricing.rate_card_version, after.pricing.rate_card_version]).toEqual([1, 2]);
    expect(after.pricing.lines[0]?.amount).toBe('10.00');
    const later = await bodyOf(customer.rest.GET('/api/v1/orders/{id}', { params: { path: { id: before.id } } }));
    expect(later.pricing).toEqual(before.pricing);
    const { orders, current_total, new_total, ...counts } = preview;
    expect(counts).toEqual({ current_version: 1, order_count: 2, dearer_count: 2, cheaper_count: 0 });
    const { total } = before.pricing;
    const totals = { total, current_total: total, new_total: after.pricing.total };
    expect(orders[0]).toEqual({ order_id: before.id, created_at: before.created_at, package_count: 2, ...totals });
    const sum = (part: 'current_total' | 'new_total') => orders.reduce((all, each) => all + Number(each[part]), 0);
    expect([current_total, new_total]).toEqual([sum('current_total').toFixed(2), sum('new_total').toFixed(2)]);
  });

  test('leave singly cancelled packages out of their preview', async () => {
    const { packages } = await placeOrder(await service.customer(), 3);
    const cancelling = { ...atPackage(packages[0]?.loggi_key ?? ''), body: { preview: false } };
    const cancelled = await bodyOf(api.POST('/operator/v1/packages/{loggi_key}/cancellation', cancelling));
    const { total } = cancelled;
    expect(Number(total)).toBeLessThan(Number(cancelled.previous_total));
    const [order] = (await bodyOf(api.POST('/operator/v1/rate-cards/preview', { body: rates }))).orders;
    expect(order).toMatchObject({ package_count: 3, total, current_total: total, new_total: total });
  });

  test('are listed newest first and found by version', async () => {
    const { data, pagination } = await bodyOf(api.GET('/operator/v1/rate-cards'));
    expect([data.map((card) => card.version), pagination.total_items]).toEqual([[2, 1], 2]);
    const params = { path: { version: 1 } };
    expect(await bodyOf(api.GET('/operator/v1/rate-cards/{version}', { params }))).toEqual(data[1]);
  });

  const zones = {
    weights: [1000, 5000],
    rows: [
      { up_to_km: 100, prices: ['150.00', '200.00'], per_further_kg: '10.00' },
      { up_to_km: 500, prices: ['160.00', '250.00'], per_further_kg: '20.00' },
    ],
  };
  const economy = { prices: ['140.00', '190.00'], per_further_kg: '9.00' };
  const later = { ...zones, economy_days: 2, rows: zones.rows.map((row) => ({ ...row, economy })) };
  const row = (more: object) => ({ ...zones, rows: [zones.rows[0], { ...zones.rows[1], ...more }] });

  test.each([
    [{ zones }, { urban_km: 60 }],
    [{ zones: later, urban_km: 50, ad_valorem: { percent: '0.30', least: '1.00' } }, {}],
    [{ ad_valorem: { percent: '100.00', least: '0.00' } }, {}],
  ])('have zones and a part of declared values: %j', async (added, more) => {
    const body = Object.assign({ ...rates }, added);
    const card = await bodyOf(operator.operator.POST('/operator/v1/rate-cards', { body }));
    expect(card).toEqual({ ...body, ...more, version: card.version, created_at: card.created_at });
    expect(await current()).toEqual(card);
  });

  test('get one version after the other, even when they come at once', async () => {
    const { version } = await current();
    const add = () => bodyOf(api.POST('/operator/v1/rate-cards', { body: rates }));
    const cards = await Promise.all([add(), add(), add(), add()]);
    const versions = cards.map((card) => card.version).sort((one, other) => one - other);
    expect(versions).toEqual([1, 2, 3, 4].map((next) => version + next));
  });

  const dear = { base: '99999.99', per_km: '9999.00', per_kg: '99999.99' };
  const BEYOND_MONEY = ' above 9999999999.99';

  test.each<[wrong: object, fields: string[], message?: string]>([
    [{ per_km: '10000.00' }, ['per_km'], BEYOND_MONEY],
    [{ per_kg: '10200.00', volumetric_cm3_per_kg: 30 }, ['per_kg', 'volumetric_cm3_per_kg'], BEYOND_MONEY],
    [dear, ['base', 'per_km', 'per_kg', 'volumetric_cm3_per_kg', 'per_extra_stop'], BEYOND_MONEY],
    [{ urban_km: 60 }, ['urban_km']],
    [{ zones, urban_km: 100 }, ['zones.rows.0.up_to_km']],
    [{ zones: row({ prices: ['149.00', '250.00'] }) }, ['zones.rows.1.prices.0']],
    [{ zones: row({ per_further_kg: '9.99' }) }, ['zones.rows.1.per_further_kg']],
    [{ zones: row({ economy }) }, ['zones.rows.1.economy']],
    [{ zones: row({ up_to_km: 0 }) }, ['zones.rows.1.up_to_km']],
    [{ ad_valorem: { percent: '100.01', least: '1.00' } }, ['ad_valorem.percent']],
    [{ volumetric_cm3_per_kg: 29 }, ['volumetric_cm3_per_kg']],
  ])(
    'name the cell that is wrong, or that could price an order beyond Money: %j',
    async (wrong, fields, message = '') => {
      const before = await current();
      for (const path of ['/operator/v1/rate-cards', '/operator/v1/rate-cards/preview'] as const) {
        const { error, response } = await api.POST(path, { body: Object.assign({ ...rates }, wrong) });
        const details = error?.error.details ?? [];
        expect([response.status, error?.error.code]).toEqual([400, 'VALIDATION_ERROR']);
        expect(new Set(details.map(({ field }) => field))).toEqual(new Set(fields));
        for (const detail of details) expect(detail.message).toContain(message);
      }
      expect(await current()).toEqual(before);
    },
  );
});
