import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/operator.js';
import { orderBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { ownService } from '../support/services.js';
import { bodyOf, movement, record } from './fixtures.js';

const service = await ownService();
const { operator } = service.operator;
const ana = await service.customer();

type CalendarInput = components['schemas']['CalendarInput'];

const add = (body: CalendarInput) => operator.POST('/operator/v1/calendars', { body });
const current = () => bodyOf(operator.GET('/operator/v1/calendars/current'));
const list = () => bodyOf(operator.GET('/operator/v1/calendars'));
const estimate = async () => must(await ana.rest.POST('/api/v1/estimates', { body: orderBody() }));
const order = async () => must(await ana.rest.POST('/api/v1/orders', { body: orderBody() }));

interface Refused {
  error?: { error: { details: readonly { field: string; code?: string }[] } };
}
const faultsOf = ({ error }: Refused) => error?.error.details.map(({ field, code }) => `${field} ${code}`);

const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
/** A calendar in which couriers rest for `days` days from yesterday on. */
const restOf = (days: number) => ({ closed: Array.from({ length: days }, (_, at) => ({ date: dateIn(at - 1) })) });

describe('calendars', () => {
  test('begin with one that has the working time of the releases before', async () => {
    const first = await current();
    expect(first).toEqual({
      ...{ version: 1, valid_from: '2000-01-01T02:00:00.000Z', created_at: expect.any(String) },
      ...{ collection_lead_minutes: 30, opening: '08:00', closing: '20:00', saturdays: true, sundays: false },
      closed: [],
    });
    const { closed: _, ...summary } = first;
    expect((await list()).data).toEqual([{ ...summary, closed_count: 0, in_force: true }]);
  });

  test('change the promised date of new estimates and orders alike, but not of existing orders', async () => {
    const stays = await order();
    const { data, response } = await add(restOf(10));
    expect([response.status, response.headers.get('location')]).toEqual([201, '/operator/v1/calendars/2']);
    expect(data).toMatchObject({ version: 2, opening: '08:00', saturdays: true });
    const promises = ({ packages }: { packages: readonly { promised_date?: string }[] }) =>
      packages.map(({ promised_date }) => promised_date);
    const [estimated, ordered] = [await estimate(), await order()];
    expect(promises(ordered)).toEqual(promises(estimated));
    for (const promise of promises(ordered)) expect(String(promise) > dateIn(8)).toBe(true);
    expect(ordered.pricing).toEqual({ ...stays.pricing });
    const again = await ana.rest.GET('/api/v1/orders/{id}', { params: { path: { id: stays.id } } });
    expect(must(again)).toEqual(stays);
  });

  test('set the promised date of returns', async () => {
    await add({});
    const [parcel] = (await order()).packages;
    const loggi_key = parcel?.loggi_key ?? '';
    await record(service.operator, movement(loggi_key, { status_code: 5 }));
    await add(restOf(10));
    const params = { path: { loggi_key } };
    const back = must(await ana.rest.POST('/api/v1/packages/{loggi_key}/return', { params, body: {} }));
    expect(String(back.packages[0]?.promised_date) > dateIn(8)).toBe(true);
  });

  test('bound the delivery window that a recipient sees, for the orders of their time', async () => {
    await add({ opening: '09:00', closing: '11:00' });
    const [parcel] = (await order()).packages;
    await add({});
    const token = String(parcel?.tracking_url).split('/t/')[1] ?? '';
    const { delivery_window: window } = must(
      await ana.rest.GET('/api/v1/tracking/{token}', { params: { path: { token } } }),
    );
    const clock = (time = '') => new Date(Date.parse(time) - 3 * 3_600_000).toISOString().slice(11, 16);
    expect([clock(window?.from), clock(window?.to)]).toEqual(['09:00', '11:00']);
  });

  test('are listed by version, and show their days as they were sent', async () => {
    const body: CalendarInput = {
      ...{ collection_lead_minutes: 0, collection_cutoff: '11:00', opening: '09:00', closing: '18:30' },
      ...{ saturdays: false, sundays: true },
      closed: [
        { date: '2027-01-25', name: 'Aniversário de São Paulo', municipality: 3550308 },
        { date: '2027-07-09', name: '', state: 'SP' },
        { date: '2027-12-24', name: '' },
      ],
    };
    const added = must(await add(body));
    expect(await current()).toEqual(added);
    expect(added).toMatchObject(body);
    const path = { version: added.version };
    expect(await bodyOf(operator.GET('/operator/v1/calendars/{version}', { params: { path } }))).toEqual(added);
    const later = new Date(Date.now() + DAY_MS).toISOString();
    const announced = must(await add({ valid_from: later }));
    const { data } = await list();
    expect(data.slice(0, 2).map(({ version, in_force, closed_count }) => [version, in_force, closed_count])).toEqual([
      [announced.version, false, 0],
      [added.version, true, 3],
    ]);
    expect(await current()).toEqual(added);
  });

  test('are refused as a whole, with an error for each wrong row', async () => {
    const before = await list();
    const days = [
      { date: '2027-01-25' },
      { date: '2027-01-25', municipality: 9999999 },
      { date: '2027-01-25' },
      { date: '2027-01-26', state: 'SP', municipality: 3550308 },
    ];
    const wrong = { opening: '20:00', closing: '08:00', collection_cutoff: '19:00', closed: days };
    expect(faultsOf(await add(wrong))).toEqual([
      'closing contradiction',
      'collection_cutoff too_early',
      'collection_cutoff too_late',
      'closed.1.municipality unknown_value',
      'closed.3.municipality contradiction',
      'closed.2 duplicate',
    ]);
    expect(faultsOf(await add({ closed: [{ date: '2027-02-29' }] }))).toEqual(['closed.0.date pattern']);
    expect(faultsOf(await add({ opening: '8:00' }))).toEqual(['opening pattern']);
    expect(faultsOf(await add({ opening: '24:00' }))).toEqual(['opening pattern']);
    expect(faultsOf(await add(restOf(60)))).toEqual(['closed.0 no_workday']);
    expect(faultsOf(await add({ valid_from: '2026-01-01T00:00:00Z' }))).toEqual(['valid_from too_early']);
    expect(faultsOf(await add({ collection_lead_minutes: 10_081 }))).toEqual(['collection_lead_minutes too_large']);
    const many = Array.from({ length: 20_001 }, (_, at) => ({ date: dateIn(at % 3000) }));
    expect(faultsOf(await add({ closed: many }))).toEqual(['closed too_many']);
    const { response } = await add({ closed: Array.from({ length: 100_000 }, () => ({ date: '2027-01-25' })) });
    expect([400, 413]).toContain(response.status);
    expect(await list()).toEqual(before);
  });

  test('have a preview that shows which orders would be collected at another time', async () => {
    await add({});
    const { id } = await order();
    const body = restOf(10);
    const preview = await bodyOf(operator.POST('/operator/v1/calendars/previews', { body }));
    expect(preview).toMatchObject({ later_count: preview.order_count, earlier_count: 0 });
    const [newest] = preview.orders;
    expect(newest).toMatchObject({ order_id: id, pickups: [{ index: 0, state: 'SP' }] });
    expect(String(newest?.pickups[0]?.new_from) > String(newest?.pickups[0]?.current_from)).toBe(true);
    await add(body);
    const back = await bodyOf(operator.POST('/operator/v1/calendars/previews', { body: {} }));
    expect(back).toMatchObject({ later_count: 0, earlier_count: preview.order_count });
    expect((await list()).data[0]?.closed_count).toBe(10);
  });
});
